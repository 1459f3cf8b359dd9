#include "workloads/device_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include "io/checksum.hpp"
#include "vkmoye/runtime/vk/cache_file.hpp"

namespace vkmoye::bench {
namespace {

// As one field of a line.
std::string field(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::string checksum_field(const std::string& before) {
  return fmt::format("{:016x}", checksum(std::as_bytes(std::span(before))));
}

// The lines of `file` that agree with their checksums, without these.
std::vector<std::string> good_lines(const std::filesystem::path& file) {
  std::string error;
  const std::vector<std::byte> bytes = vk::read_file(file, error);
  std::istringstream lines({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  std::vector<std::string> out;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t end = line.rfind('\t');
    if (end == std::string::npos) continue;
    std::string before = line.substr(0, end);
    if (line.substr(end + 1) == checksum_field(before)) out.push_back(std::move(before));
  }
  return out;
}

}  // namespace

std::filesystem::path DeviceFacts::default_file() {
  const std::filesystem::path folder = vk::default_cache_folder();
  return folder.empty() ? folder : folder / "matrices.tsv";
}

DeviceFacts::DeviceFacts(std::filesystem::path file, std::string version)
    : file_(std::move(file)), version_(version.empty() ? VKMOYE_VERSION : std::move(version)) {}

std::string DeviceFacts::key_of(const DeviceCaps& caps, const std::string& question) const {
  return fmt::format("{}\t{}\t{}\t{}\t", field(version_), field(caps.name), field(caps.driver),
                     field(question));
}

std::optional<std::string> DeviceFacts::of(const DeviceCaps& caps,
                                           const std::string& question) const {
  if (file_.empty()) return std::nullopt;
  const std::string key = key_of(caps, question);
  for (const std::string& line : good_lines(file_)) {
    if (line.starts_with(key)) return line.substr(key.size());
  }
  return std::nullopt;
}

void DeviceFacts::keep(const DeviceCaps& caps, const std::string& question,
                       const std::string& answer) const {
  if (file_.empty()) return;
  const std::string key = key_of(caps, question);
  std::vector<std::string> lines = good_lines(file_);
  std::erase_if(lines, [&](const std::string& line) { return line.starts_with(key); });
  lines.push_back(key + field(answer));
  std::string text;
  for (const std::string& line : lines) text += line + '\t' + checksum_field(line) + '\n';
  static_cast<void>(vk::replace_file(file_, std::as_bytes(std::span(text))));
}

}  // namespace vkmoye::bench
