// SPDX-License-Identifier: MIT
#pragma once
// The part of a file name that says which device the file is about.

#include <string>

namespace vkmoye::bench {

/// The letters and digits of `device`, single dashes between: "llvmpipe (LLVM 19.1.7, 256 bits)" is
/// "llvmpipe-LLVM-19-1-7-256-bits-".
std::string device_file_name(const std::string& device);

}  // namespace vkmoye::bench
