// SPDX-License-Identifier: MIT
#include "io/npy.hpp"

#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "io/parse.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"
#include "vkmoye/base/require_readable.hpp"

namespace vkmoye::bench {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

// Text of a file for a terminal: control characters are escaped and long text is cut.
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

// Reads the header, a Python dictionary literal of three known keys, one character at a time.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  struct Header {
    std::string descr;
    bool structured = false;  // `descr` is a list of fields
    bool fortran_order = false;
    std::vector<std::int64_t> shape;
  };

  std::optional<Header> parse() {
    Header header;
    std::set<std::string> keys;
    if (!take('{')) return std::nullopt;
    while (!take('}')) {
      const auto key = string();
      if (!key || !take(':') || !keys.insert(*key).second) return std::nullopt;
      bool read = false;
      if (*key == "descr") {
        header.structured = next_is('[');
        if (header.structured) return header;  // no kernel takes it, so the rest is not read
        const auto value = string();
        if (value) header.descr = *value;
        read = value.has_value();
      } else if (*key == "fortran_order") {
        read = truth(header.fortran_order);
      } else if (*key == "shape") {
        read = tuple(header.shape);
      }
      if (!read) return std::nullopt;
      take(',');
    }
    return keys.size() == 3 ? std::optional(header) : std::nullopt;
  }

 private:
  void skip_space() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n'))
      rest_.remove_prefix(1);
  }
  bool next_is(char wanted) {
    skip_space();
    return !rest_.empty() && rest_.front() == wanted;
  }
  bool take(char wanted) {
    if (!next_is(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool word(std::string_view wanted) {
    skip_space();
    if (rest_.substr(0, wanted.size()) != wanted) return false;
    rest_.remove_prefix(wanted.size());
    return true;
  }
  std::optional<std::string> string() {
    skip_space();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return std::nullopt;
    const char quote = rest_.front();
    const auto end = rest_.find(quote, 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string out(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return out;
  }
  bool truth(bool& value) {
    value = word("True");
    return value || word("False");
  }
  bool tuple(std::vector<std::int64_t>& values) {
    if (!take('(')) return false;
    while (!take(')')) {
      skip_space();
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (error != std::errc() || value < 0) return false;
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      values.push_back(value);
      take(',');
    }
    return true;
  }

  std::string_view rest_;
};

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw ArgumentError(fmt::format("{}: {}", path_text(path), why));
}

// The first character of `descr` is the byte order: '=' is that of the machine; NumPy writes '|' for one-byte
// types, which have none, and for types of which it knows only the size, such as bf16.
static_assert(std::endian::native == std::endian::little);

std::optional<ScalarType> type_of(std::string_view descr) {
  if (descr.empty() || std::string_view("<=|>").find(descr[0]) == std::string_view::npos) {
    return std::nullopt;
  }
  for (const ScalarTypeInfo& row : scalar_types()) {
    if (row.numpy.substr(1) != descr.substr(1)) continue;
    const bool has_none = row.bytes == 1 || (descr[0] == '|' && descr[1] == 'V');
    const bool right_order = has_none || descr[0] == '<' || descr[0] == '=';
    return right_order ? std::optional(row.type) : std::nullopt;
  }
  return std::nullopt;
}

std::string known_types() {
  std::string out;
  for (const ScalarTypeInfo& row : scalar_types()) {
    out += fmt::format("{}{}", out.empty() ? "" : " ", row.numpy);
  }
  return out;
}

ScalarType known_type(const std::filesystem::path& path, const std::string& descr) {
  if (const auto type = type_of(descr)) return *type;
  const std::string little_endian = descr.empty() ? descr : fmt::format("<{}", descr.substr(1));
  if (descr.starts_with('>') && type_of(little_endian)) {
    refuse(path, fmt::format("has big-endian elements, '{}'; convert it with "
                             "numpy.save(file, a.astype(a.dtype.newbyteorder('<')))",
                             descr));
  }
  refuse(path, fmt::format("has elements of type '{}'; supported types: {}", shown(descr),
                           known_types()));
}

std::uint64_t byte_count(const std::filesystem::path& path, const NpyHeader& header) {
  std::uint64_t bytes = size_of(header.type);
  for (const std::int64_t extent : header.shape) {
    if (extent != 0 && bytes > (std::uint64_t{1} << 48) / static_cast<std::uint64_t>(extent)) {
      refuse(path, "the header's shape needs more than 2^48 bytes");
    }
    bytes *= static_cast<std::uint64_t>(extent);
  }
  return bytes;
}

}  // namespace

NpyHeader read_npy_header(const std::filesystem::path& path) {
  require_readable(path);
  std::error_code error;
  const std::uint64_t file_bytes = std::filesystem::file_size(path, error);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, "cannot be read: " + std::generic_category().message(errno));

  unsigned char start[12] = {};
  file.read(reinterpret_cast<char*>(start), 10);
  if (file.gcount() < 10 || std::memcmp(start, kMagic.data(), kMagic.size()) != 0) {
    refuse(path, "is not a .npy file");
  }
  const int version = start[6];
  if (version < 1 || version > 3)
    refuse(path, fmt::format("has .npy version {}; supported versions: 1 to 3", version));
  std::uint64_t header_bytes = start[8] | start[9] << 8;
  NpyHeader header;
  header.data_at = 10;
  if (version > 1) {
    file.read(reinterpret_cast<char*>(start + 10), 2);
    header_bytes |= std::uint64_t{start[10]} << 16 | std::uint64_t{start[11]} << 24;
    header.data_at = 12;
  }
  header.data_at += header_bytes;
  if (header.data_at > file_bytes) refuse(path, "is truncated within its header");

  std::string text(header_bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(header_bytes));
  const auto parsed = HeaderParser(text).parse();
  if (!file || !parsed) {
    refuse(path, fmt::format("has an invalid header: {}", shown(text)));
  }
  if (parsed->structured) {
    refuse(path, "has a structured type; save one field of it, such as a['x']");
  }
  header.type = known_type(path, parsed->descr);
  header.shape = parsed->shape;
  header.fortran_order = parsed->fortran_order && parsed->shape.size() > 1;
  header.data_bytes = byte_count(path, header);
  if (file_bytes - header.data_at != header.data_bytes) {
    refuse(path, fmt::format("holds {} bytes of data, its shape {} of {} needs {}",
                             file_bytes - header.data_at, shown(shape_text(header.shape)),
                             to_string(header.type), header.data_bytes));
  }
  return header;
}

std::vector<std::byte> read_npy_data(const std::filesystem::path& path, const NpyHeader& header) {
  std::vector<std::byte> data(header.data_bytes);
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(header.data_at));
  file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()));
  if (!file) refuse(path, "could not be read to its end");
  return data;
}

void write_npy(OutputFile& file, ScalarType type, const std::vector<std::int64_t>& shape,
               std::span<const std::byte> data, bool fortran_order) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", info(type).numpy,
                  fortran_order ? "True" : "False", shape_text(shape));
  constexpr std::size_t kPrefix = 10, kAlignment = 64;
  header.append(kAlignment - 1 - (kPrefix + header.size()) % kAlignment, ' ');
  header += '\n';
  const char lengths[] = {1, 0, static_cast<char>(header.size() & 0xff),
                          static_cast<char>(header.size() >> 8)};
  file.write(kMagic);
  file.write(std::string_view(lengths, sizeof lengths));
  file.write(header);
  file.write(data);
}

}  // namespace vkmoye::bench
