// SPDX-License-Identifier: MIT
#pragma once
// Finds the kernels that a user names.

#include <string>
#include <vector>

#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::bench {

/// A suggestion to append to the message about a `word` that names no kernel: " (did you mean 'copy/simple'?)",
/// "; gemm/ has auto simt"; "": no name is similar.
std::string nearest_kernels(const std::string& word);

/// The kernels that match `patterns`, in the order of the registry within each pattern. Throws ArgumentError
/// with the most similar names for a pattern that matches none.
std::vector<const gen::KernelEntry*> find_kernels(const std::vector<std::string>& patterns);

/// The one kernel that matches `name`; throws like `find_kernels`, and if several match.
const gen::KernelEntry& find_one_kernel(const std::string& name);

}  // namespace vkmoye::bench
