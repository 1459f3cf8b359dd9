// SPDX-License-Identifier: MIT
#pragma once
// The output files of the commands.
//
//   OutputFile:   there as a whole or not at all (system/staged_file.hpp)
//   StreamedFile: written in place, line by line; can be read while it grows

#include <cstddef>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include "vkmoye/system/staged_file.hpp"

namespace vkmoye::bench {

/// A file that is written completely or not at all; "-" is standard output. Each function throws ArgumentError with
/// the file and the reason.
class OutputFile {
 public:
  /// Throws if the target cannot be written, so that no work is done in vain; changes nothing.
  explicit OutputFile(const std::string& path);

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  bool goes_to_stdout() const { return file_.goes_to_stdout(); }
  /// Precondition: something was written.
  void commit();

 private:
  std::string path_;     // as the user typed it
  std::string refusal_;  // set by the constructor of `file_`
  system::StagedFile file_;
};

/// A file that can be read while it is written; "" and "-" are standard output. Whatever ends the program, the file
/// keeps the lines so far; a new file is removed again unless `keep` was called.
class StreamedFile {
 public:
  /// Throws ArgumentError if `path` cannot be written.
  explicit StreamedFile(const std::string& path);
  ~StreamedFile();
  StreamedFile(const StreamedFile&) = delete;
  StreamedFile& operator=(const StreamedFile&) = delete;

  bool goes_to_stdout() const { return path_.empty(); }
  std::ostream& stream();
  /// From now on the file is kept.
  void keep() { made_ = false; }
  /// Throws ArgumentError if anything written so far to the file was lost.
  void close();

 private:
  std::string path_;   // empty: standard output
  bool made_ = false;  // this object created the file, and nothing is worth keeping yet
  std::ofstream stream_;
};

}  // namespace vkmoye::bench
