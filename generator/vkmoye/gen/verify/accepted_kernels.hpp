// SPDX-License-Identifier: MIT
#pragma once
// The kernels that `verify` has accepted, by their fingerprints. Programs describe the same kernels again and again;
// each needs to be verified only once, by this version of the library.
//
//   accepted_kernels().keep_in(default_cache_folder());     at the start of a program
//   verify(kernel)                                          follows the kernel, and adds it to the folder's file
//   verify(kernel) in a later process                       finds it there

#include <filesystem>
#include <mutex>
#include <set>

#include "vkmoye/gen/ir/fingerprint.hpp"

namespace vkmoye::gen {

/// Thread-safe; several processes may share a folder.
class AcceptedKernels {
 public:
  /// From now on, also contains the kernels that any process has added to the file in `folder`, and adds to it. The
  /// folder is made if needed. With an empty path, as at the start, only kernels of this object are contained.
  /// The name of the file contains a hash of the sources of the library and of the version of isl, so that another
  /// version verifies anew; files of other versions that are a month old are deleted. A file that cannot be read or
  /// written is not used. A damaged one has fewer kernels: no kernel has a fingerprint that was not computed from it,
  /// with a probability of 1 - 2^-100.
  void keep_in(const std::filesystem::path& folder);

  /// Precondition of both: the kernel was not written by hand.
  bool contains(const ir::Kernel& kernel);
  void add(const ir::Kernel& kernel);

 private:
  void read_on();

  std::mutex mutex_;
  std::set<ir::Fingerprint> known_;
  std::filesystem::path file_;
  std::streamoff read_ = 0;  // bytes of the file
};

/// The kernels that `verify` accepted in this process.
AcceptedKernels& accepted_kernels();

}  // namespace vkmoye::gen
