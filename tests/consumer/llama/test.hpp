// SPDX-License-Identifier: MIT
#pragma once
// The parts of the test. Each returns how many of its checks failed.

#include <string>

namespace llama {

/// Malformed and unsuitable files are refused, with the reason.
int check_files();

}  // namespace llama
