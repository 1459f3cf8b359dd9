// SPDX-License-Identifier: MIT
#pragma once
// A file that is written step by step, and is there as a whole or not at all.
//
//   POSIX:    an unnamed file in the folder of the target -> written, synced -> gets the name of the target
//   Windows:  a file with a temporary name there          -> written, synced -> renamed

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace vkmoye::system {

/// Whether a path exists, and whether it may be written.
struct WriteTarget {
  bool exists = false;
  std::string refusal;  // why it must not be written, such as "it is read-only"; "" if it may be
};
WriteTarget write_target(const std::filesystem::path& path);

/// Without commit, the target stays unchanged even if the program crashes; a program that is killed leaves the
/// temporary file behind where the file system has no unnamed ones. Symbolic links are followed; on POSIX, a replaced
/// file keeps its mode and owner. Devices, pipes and standard output, which is also called "-", are written in place.
/// Each function returns the reason if it fails, else "".
class StagedFile {
 public:
  /// `refusal`: why `path` cannot be written, so that no work is done in vain. Leaves nothing behind; on
  /// Windows, a file is made in the folder of `path` and deleted, to see whether that can be done.
  StagedFile(const std::filesystem::path& path, std::string& refusal);
  ~StagedFile();
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  std::string write(std::span<const std::byte> bytes);
  /// Precondition: something was written.
  std::string commit();
  bool goes_to_stdout() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vkmoye::system
