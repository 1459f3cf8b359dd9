// SPDX-License-Identifier: MIT
#include "io/array_header.hpp"

#include <fmt/format.h>

#include <fstream>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"

namespace vkmoye::bench {

std::string shown(std::string_view text) {
  constexpr std::size_t kMax = 80;
  std::string out;
  for (const char c : text.substr(0, text.find_last_not_of(" \n") + 1)) {
    const auto code = static_cast<unsigned char>(c);
    out += code >= 0x20 && code < 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", code);
    if (out.size() > kMax) return out.substr(0, kMax) + "...";
  }
  return out;
}

void refuse_file(const std::filesystem::path& path, const std::string& why) {
  throw ArgumentError(fmt::format("{}: {}", path_text(path), why));
}

std::uint64_t needed_bytes(const std::filesystem::path& path, const ArrayHeader& header) {
  std::uint64_t bytes = size_of(header.type);
  for (const std::int64_t extent : header.shape) {
    if (extent != 0 && bytes > (std::uint64_t{1} << 48) / static_cast<std::uint64_t>(extent)) {
      refuse_file(path, "the header's shape needs more than 2^48 bytes");
    }
    bytes *= static_cast<std::uint64_t>(extent);
  }
  return bytes;
}

std::vector<std::byte> read_array_data(const std::filesystem::path& path,
                                       const ArrayHeader& header) {
  std::vector<std::byte> data(header.data_bytes);
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(header.data_at));
  file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()));
  if (!file) refuse_file(path, "could not be read to its end");
  return data;
}

}  // namespace vkmoye::bench
