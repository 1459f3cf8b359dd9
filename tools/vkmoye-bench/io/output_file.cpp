// SPDX-License-Identifier: MIT
#include "io/output_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <iostream>
#include <system_error>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"
#include "vkmoye/system/file.hpp"

namespace vkmoye::bench {
namespace {

// Throws if there is a reason.
void throw_if(const std::string& why, const std::string& path) {
  if (!why.empty()) throw ArgumentError(fmt::format("{}: cannot be written: {}", path, why));
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), file_(path_of(path), refusal_) {
  throw_if(refusal_, path_);
}

void OutputFile::write(std::span<const std::byte> bytes) { throw_if(file_.write(bytes), path_); }

void OutputFile::commit() { throw_if(file_.commit(), path_); }

StreamedFile::StreamedFile(const std::string& path) : path_(path == "-" ? "" : path) {
  if (goes_to_stdout()) return;
  const system::WriteTarget target = system::write_target(path_of(path));
  throw_if(target.refusal, path);
  made_ = !target.exists;
  errno = 0;
  stream_.open(path_of(path), std::ios::binary);
  if (!stream_) throw_if(std::generic_category().message(errno), path);
}

std::ostream& StreamedFile::stream() {
  if (goes_to_stdout()) return std::cout;
  return stream_;
}

void StreamedFile::close() {
  if (goes_to_stdout()) return;
  stream_.close();
  if (!stream_) throw ArgumentError(fmt::format("{}: could not be written to its end", path_));
}

StreamedFile::~StreamedFile() {
  stream_.close();
  std::error_code ignored;
  if (made_) std::filesystem::remove(system::follow_links(path_of(path_)), ignored);
}

}  // namespace vkmoye::bench
