// SPDX-License-Identifier: MIT
#include "devices/facts.hpp"

#include <fmt/format.h>

#include <sstream>
#include <utility>
#include <vector>

#include "io/kept_file.hpp"
#include "vkmoye/base/cache_folder.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/base/version.hpp"
#include "vkmoye/system/file.hpp"

namespace vkmoye::bench {
namespace {

// The lines of `file` with correct checksums, without the checksums.
std::vector<std::string> good_lines(const std::filesystem::path& file) {
  std::string error;
  const std::vector<std::byte> bytes = system::read_file(file, error);
  std::istringstream lines({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  std::vector<std::string> out;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t end = line.rfind('\t');
    if (end == std::string::npos) continue;
    std::string before = line.substr(0, end);
    if (line.substr(end + 1) == checksum_text(before)) out.push_back(std::move(before));
  }
  return out;
}

}  // namespace

std::filesystem::path DeviceFacts::default_file() {
  const std::filesystem::path folder = default_cache_folder();
  return folder.empty() ? folder : folder / "matrices.tsv";
}

DeviceFacts::DeviceFacts(std::filesystem::path file, std::string version)
    : file_(std::move(file)),
      version_(version.empty() ? VKMOYE_VERSION : std::move(version)),
      lines_(std::make_shared<std::optional<Lines>>()) {}

std::string DeviceFacts::key_of(const DeviceCaps& caps, const std::string& name) const {
  return fmt::format("{}\t{}\t{}\t{}\t", in_one_line(version_), in_one_line(caps.name),
                     in_one_line(caps.driver), in_one_line(name));
}

std::optional<std::string> DeviceFacts::find(const DeviceCaps& caps,
                                             const std::string& name) const {
  if (file_.empty()) return std::nullopt;
  const std::string key = key_of(caps, name);
  if (!*lines_) *lines_ = good_lines(file_);
  for (const std::string& line : **lines_) {
    if (line.starts_with(key)) return line.substr(key.size());
  }
  return std::nullopt;
}

void DeviceFacts::store(const DeviceCaps& caps, const std::string& name,
                        const std::string& value) const {
  if (file_.empty()) return;
  const FolderLock lock(file_);
  const std::string key = key_of(caps, name);
  Lines lines = good_lines(file_);
  std::erase_if(lines, [&](const std::string& line) { return line.starts_with(key); });
  lines.push_back(key + in_one_line(value));
  std::string text;
  for (const std::string& line : lines) text += line + '\t' + checksum_text(line) + '\n';
  static_cast<void>(
      system::replace_file(file_, std::as_bytes(std::span(text)), system::Permissions::owner_only));
  *lines_ = std::move(lines);
}

}  // namespace vkmoye::bench
