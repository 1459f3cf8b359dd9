// SPDX-License-Identifier: MIT
#pragma once
// The kernels that a user names.

#include <string>
#include <vector>

#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::bench {

/// What a user may have meant by a `word` that names no kernel, to stand behind it in a message: ", did
/// you mean 'copy/simple'?", "; gemm/ has auto simt"; "": nothing is near.
std::string nearest_kernels(const std::string& word);

/// The kernels that `patterns` name, in the order of the registry within each pattern. Throws
/// ArgumentError for a pattern that matches none, with the nearest names.
std::vector<const gen::KernelEntry*> find_kernels(const std::vector<std::string>& patterns);

/// The one kernel called `name`; throws as `find_kernels`, also for a pattern of several.
const gen::KernelEntry& find_one_kernel(const std::string& name);

}  // namespace vkmoye::bench
