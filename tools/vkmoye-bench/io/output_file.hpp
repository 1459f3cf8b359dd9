// SPDX-License-Identifier: MIT
#pragma once
// The files that the commands write.
//
//   OutputFile:   file without a name beside the target -> written, synced -> given its name
//   StreamedFile: written in place, line by line, to be read while it grows

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

namespace vkmoye::bench {

/// A file that is either whole or untouched: what is not committed was never there, whatever ends the
/// program. Symbolic links are followed, the mode and owner of a file that is replaced are kept. A
/// device or a pipe is written in place, and stdout, which is also called "-". Each function throws
/// ArgumentError naming the file and the reason.
class OutputFile {
 public:
  /// Refuses a target that cannot be written, before any work is done for it; touches nothing.
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

  std::string path_;  // as the user wrote it
  std::filesystem::path target_;
  std::filesystem::path temporary_;  // its name until it is whole; empty: it has none
  int descriptor_ = -1;
  bool in_place_ = false, to_stdout_ = false;
};

/// Rows that can be read while more are made. Whatever ends the program leaves the rows so far; a
/// file of which nothing was kept (see `keep`) goes again, if it was not there before.
class StreamedFile {
 public:
  /// Throws ArgumentError if `path` cannot be written.
  explicit StreamedFile(const std::string& path);
  ~StreamedFile();
  StreamedFile(const StreamedFile&) = delete;
  StreamedFile& operator=(const StreamedFile&) = delete;

  std::ostream& stream() { return stream_; }
  /// Something is in it that is worth having.
  void keep() { made_ = false; }
  /// Throws ArgumentError if anything written so far was lost.
  void close();

 private:
  std::string path_;
  bool made_ = false;  // by us, and so far for nothing
  std::ofstream stream_;
};

}  // namespace vkmoye::bench
