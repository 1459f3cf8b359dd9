// SPDX-License-Identifier: MIT
#pragma once
// The kernels that `verify` has accepted, by their fingerprints. Programs describe the same kernels again and again;
// each needs to be verified only once, by this version of the library.
//
//   keep_accepted_kernels(default_cache_folder());     at the start of a program
//   verify(kernel)                                     follows the kernel, and adds a line to the folder's file
//   verify(kernel) in a later process                  finds it there

#include <filesystem>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// Lets `verify` also accept the kernels that earlier processes accepted, and keep those that it accepts from now on,
/// in a file in `folder`, which is made if needed. The name of the file contains a hash of the sources of the library,
/// so that another version verifies anew; the files of other versions are deleted. An empty path, the default: only the
/// kernels that this process accepted. A file that cannot be read or written is not used; a damaged one has fewer
/// kernels, because no kernel has a fingerprint that was not computed from it (with a probability of 1 - 2^-100).
/// Thread-safe.
void keep_accepted_kernels(const std::filesystem::path& folder);

/// Whether the kernel was accepted. Precondition of both: it was not written by hand.
bool is_accepted(const ir::Kernel& kernel);
void add_accepted(const ir::Kernel& kernel);

}  // namespace vkmoye::gen
