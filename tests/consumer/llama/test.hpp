// SPDX-License-Identifier: MIT
#pragma once
// The parts of the test. Each returns how many of its checks failed.

#include <string>

namespace llama {

/// Malformed and unsuitable files are refused, with the reason.
int check_files();

/// Matrices that share an array are packed, part by part, as they would be as one matrix; those that cannot share one
/// do not. On the host, for matrix units of which none may be at hand.
int check_matrices();

}  // namespace llama
