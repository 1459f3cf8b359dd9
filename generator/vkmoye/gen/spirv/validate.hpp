// SPDX-License-Identifier: MIT
#pragma once
// Validates SPIR-V modules that come from a file.
//
//   const CompiledKernel kernel = read_kernel_file("gemm.json");
//   gen::reasons_against_module(kernel.spirv)     none, or "spirv-val: word 41: .."
//
// A driver may crash on a module that breaks these rules. vkmoye_runtime, which is built without a compiler,
// checks that a module matches its interface (contract/spirv.hpp) and does not check more.

#include <cstdint>
#include <string>
#include <vector>

namespace vkmoye::gen {

/// The errors of spirv-val for `spirv`, for Vulkan 1.2. Empty if it is valid, or if it declares a capability
/// that this spirv-val does not know yet.
std::vector<std::string> reasons_against_module(const std::vector<std::uint32_t>& spirv);

}  // namespace vkmoye::gen
