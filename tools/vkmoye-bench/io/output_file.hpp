// SPDX-License-Identifier: MIT
#pragma once
// The output files of the commands.
//
//   OutputFile:   an unnamed file in the folder of the target -> written, synced -> gets its name
//   StreamedFile: written in place, line by line; can be read while it grows

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

namespace vkmoye::bench {

/// A file that is written completely or not at all: without commit, the target stays unchanged even if the program
/// crashes. Symbolic links are followed; a replaced file keeps its mode and owner. Devices, pipes and stdout, which
/// is also called "-", are written in place. Each function throws ArgumentError with the file and the reason.
class OutputFile {
 public:
  /// Throws if the target cannot be written, so that no work is done in vain; changes nothing.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  bool goes_to_stdout() const { return to_stdout_; }
  /// Precondition: something was written.
  void commit();

 private:
  void open_for_writing();
  void give_name();
  [[noreturn]] void refuse(int error) const;

  std::string path_;  // as the user typed it
  std::filesystem::path target_;
  std::filesystem::path temporary_;  // its name until it is whole; empty: it has none
  int descriptor_ = -1;
  bool in_place_ = false, to_stdout_ = false;
};

/// A file that can be read while it is written. Whatever ends the program, the file keeps the lines so far; a new
/// file is removed again unless `keep` was called.
class StreamedFile {
 public:
  /// Throws ArgumentError if `path` cannot be written.
  explicit StreamedFile(const std::string& path);
  ~StreamedFile();
  StreamedFile(const StreamedFile&) = delete;
  StreamedFile& operator=(const StreamedFile&) = delete;

  std::ostream& stream() { return stream_; }
  /// From now on the file is kept.
  void keep() { made_ = false; }
  /// Throws ArgumentError if anything written so far was lost.
  void close();

 private:
  std::string path_;
  bool made_ = false;  // this object created the file, and nothing is worth keeping yet
  std::ofstream stream_;
};

}  // namespace vkmoye::bench
