// SPDX-License-Identifier: MIT
#include "io/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
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
#include "vkmoye/base/require_readable.hpp"

namespace vkmoye::bench {
namespace {

constexpr std::string_view kNpyMagic("\x93NUMPY", 6);

// Reads the header, a Python dictionary literal of three known keys, one character at a time. Python 2 wrote u'descr'
// and (2L, 3L).
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
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\f\r\n"), rest_.size()));
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
    if (next_is('u') || next_is('U')) rest_.remove_prefix(1);
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
      if (rest_.starts_with('L')) rest_.remove_prefix(1);
      take(',');
    }
    return true;
  }

  std::string_view rest_;
};

// The first character of `descr` may be the byte order: '=' is that of the machine, '|' none, and so is none at all.
static_assert(std::endian::native == std::endian::little);
constexpr std::string_view kByteOrders = "<=|>";

struct Elements {
  ScalarType type;
  bool is_boolean = false, is_any_float8 = false;
};

// `name` without a byte order.
std::optional<Elements> elements_called(std::string_view name) {
  struct Row {
    Elements elements;
    std::vector<std::string_view> names;
  };
  using enum ScalarType;
  // What NumPy calls its types besides the two characters of ScalarTypeInfo; f1 is float8_e5m2 as ml_dtypes writes it.
  static const Row kOtherNames[] = {
      {{e4m3, false, true}, {"V1"}},
      {{e5m2}, {"f1"}},
      {{u8, true}, {"b1", "bool", "?"}},
      {{f16}, {"float16", "half", "e"}},
      {{f32}, {"float32", "single", "f"}},
      {{f64}, {"float64", "double", "d"}},
      {{i8}, {"int8", "b"}},
      {{u8}, {"uint8", "B"}},
      {{i16}, {"int16", "h"}},
      {{u16}, {"uint16", "H"}},
      {{i32}, {"int32", "i"}},
      {{u32}, {"uint32", "I"}},
      {{i64}, {"int64", "q"}},
      {{u64}, {"uint64", "Q"}},
      {{c64}, {"complex64", "F"}},
      {{c128}, {"complex128", "D"}},
  };
  for (const auto& [elements, names] : kOtherNames) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return elements;
  }
  for (const ScalarTypeInfo& row : scalar_types()) {
    if (row.numpy.substr(1) == name) return Elements{row.type};
  }
  return std::nullopt;
}

std::optional<Elements> elements_of(std::string_view descr) {
  const bool has_order = !descr.empty() && kByteOrders.find(descr[0]) != std::string_view::npos;
  const std::string_view name = descr.substr(has_order ? 1 : 0);
  const auto found = elements_called(name);
  if (!found || !descr.starts_with('>')) return found;
  const bool can_be_big_endian = size_of(found->type) > 1 && !name.starts_with('V');
  return can_be_big_endian ? std::nullopt : found;
}

std::string known_types() {
  std::string out = "|b1";
  for (const ScalarTypeInfo& row : scalar_types()) {
    if (row.type != ScalarType::e5m2) out += fmt::format(" {}", row.numpy);  // V1, like e4m3
  }
  return out;
}

Elements known_elements(const std::filesystem::path& path, const std::string& descr) {
  if (const auto elements = elements_of(descr)) return *elements;
  const std::string little_endian = descr.empty() ? descr : fmt::format("<{}", descr.substr(1));
  if (descr.starts_with('>') && elements_of(little_endian)) {
    refuse_file(path, fmt::format("has big-endian elements, '{}'; convert it with "
                                  "numpy.save(file, a.astype(a.dtype.newbyteorder('<')))",
                                  descr));
  }
  refuse_file(path, fmt::format("has elements of type '{}'; supported types: {}", shown(descr),
                                known_types()));
}

}  // namespace

ArrayHeader read_npy_header(const std::filesystem::path& path) {
  require_readable(path);
  std::error_code error;
  const std::uint64_t file_bytes = std::filesystem::file_size(path, error);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse_file(path, "cannot be read: " + std::generic_category().message(errno));

  unsigned char start[12] = {};
  file.read(reinterpret_cast<char*>(start), 10);
  if (file.gcount() < 10 || std::memcmp(start, kNpyMagic.data(), kNpyMagic.size()) != 0) {
    refuse_file(path, "is not a .npy file");
  }
  const int version = start[6];
  if (version < 1 || version > 3)
    refuse_file(path, fmt::format("has .npy version {}; supported versions: 1 to 3", version));
  std::uint64_t header_bytes = start[8] | start[9] << 8;
  ArrayHeader header;
  header.data_at = 10;
  if (version > 1) {
    file.read(reinterpret_cast<char*>(start + 10), 2);
    header_bytes |= std::uint64_t{start[10]} << 16 | std::uint64_t{start[11]} << 24;
    header.data_at = 12;
  }
  header.data_at += header_bytes;
  if (header.data_at > file_bytes) refuse_file(path, "is truncated within its header");

  std::string text(header_bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(header_bytes));
  const auto parsed = HeaderParser(text).parse();
  if (!file || !parsed) {
    refuse_file(path, fmt::format("has an invalid header: {}", shown(text)));
  }
  if (parsed->structured) {
    refuse_file(path, "has a structured type; save one field of it, such as a['x']");
  }
  const Elements elements = known_elements(path, parsed->descr);
  header.type = elements.type;
  header.is_boolean = elements.is_boolean;
  header.is_any_float8 = elements.is_any_float8;
  header.shape = parsed->shape;
  header.fortran_order = parsed->fortran_order && parsed->shape.size() > 1;
  header.data_bytes = needed_bytes(path, header);
  if (file_bytes - header.data_at != header.data_bytes) {
    refuse_file(path, fmt::format("holds {} bytes of data, its shape {} of {} needs {}",
                                  file_bytes - header.data_at, shown(shape_text(header.shape)),
                                  to_string(header.type), header.data_bytes));
  }
  return header;
}

void write_npy(OutputFile& file, ScalarType type, const std::vector<std::int64_t>& shape,
               std::span<const std::byte> data, bool fortran_order, bool boolean) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}",
                                   boolean ? "|b1" : info(type).numpy,
                                   fortran_order ? "True" : "False", shape_text(shape));
  constexpr std::size_t kPrefix = 10, kAlignment = 64;
  header.append(kAlignment - 1 - (kPrefix + header.size()) % kAlignment, ' ');
  header += '\n';
  const char lengths[] = {1, 0, static_cast<char>(header.size() & 0xff),
                          static_cast<char>(header.size() >> 8)};
  file.write(kNpyMagic);
  file.write(std::string_view(lengths, sizeof lengths));
  file.write(header);
  file.write(data);
}

}  // namespace vkmoye::bench
