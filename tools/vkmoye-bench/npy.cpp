#include "npy.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "vkmoye/base/error.hpp"

namespace vkmoye::bench {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

// Reads the header, a Python dictionary literal of three known keys, one character at a time.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  struct Header {
    std::string descr;
    bool fortran_order = false;
    std::vector<std::int64_t> shape;
  };

  std::optional<Header> parse() {
    Header header;
    int keys = 0;
    if (!take('{')) return std::nullopt;
    while (!take('}')) {
      const auto key = string();
      if (!key || !take(':')) return std::nullopt;
      bool read = false;
      if (*key == "descr") {
        const auto value = string();
        if (value) header.descr = *value;
        read = value.has_value();
      } else if (*key == "fortran_order") {
        read = truth(header.fortran_order);
      } else if (*key == "shape") {
        read = tuple(header.shape);
      }
      if (!read) return std::nullopt;
      ++keys;
      take(',');
    }
    return keys == 3 ? std::optional(header) : std::nullopt;
  }

 private:
  void skip_space() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n'))
      rest_.remove_prefix(1);
  }
  bool take(char wanted) {
    skip_space();
    if (rest_.empty() || rest_.front() != wanted) return false;
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
  throw ArgumentError(fmt::format("{}: {}", path.string(), why));
}

std::optional<ScalarType> type_of(std::string_view descr) {
  for (const ScalarTypeInfo& row : scalar_types()) {
    if (!row.numpy.empty() && row.numpy == descr) return row.type;
  }
  // NumPy writes one-byte types with '|'; '<' and '=' say the same.
  if (descr == "<i1" || descr == "=i1") return ScalarType::i8;
  if (descr == "<u1" || descr == "=u1") return ScalarType::u8;
  return std::nullopt;
}

std::string known_types() {
  std::string out;
  for (const ScalarTypeInfo& row : scalar_types()) {
    if (!row.numpy.empty()) out += fmt::format("{}{}", out.empty() ? "" : " ", row.numpy);
  }
  return out;
}

std::uint64_t byte_count(const std::filesystem::path& path, const NpyArray& array) {
  std::uint64_t bytes = size_of(array.type);
  for (const std::int64_t extent : array.shape) {
    if (extent != 0 && bytes > (std::uint64_t{1} << 48) / static_cast<std::uint64_t>(extent)) {
      refuse(path, "the header's shape needs more than 2^48 bytes");
    }
    bytes *= static_cast<std::uint64_t>(extent);
  }
  return bytes;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string out = "(";
  for (const std::int64_t extent : shape) out += fmt::format("{}, ", extent);
  if (shape.size() == 1) out.pop_back();             // (3,)
  if (shape.size() > 1) out.resize(out.size() - 2);  // (3, 4)
  return out + ")";
}

}  // namespace

NpyArray read_npy(const std::filesystem::path& path) {
  std::error_code error;
  const std::uint64_t file_bytes = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) refuse(path, "cannot be read");

  unsigned char start[12] = {};
  file.read(reinterpret_cast<char*>(start), 10);
  if (file.gcount() < 10 || std::memcmp(start, kMagic.data(), kMagic.size()) != 0) {
    refuse(path, "is not a .npy file");
  }
  const int version = start[6];
  if (version < 1 || version > 3)
    refuse(path, fmt::format("has .npy version {}, not 1 to 3", version));
  std::uint64_t header_bytes = start[8] | start[9] << 8;
  std::uint64_t data_at = 10;
  if (version > 1) {
    file.read(reinterpret_cast<char*>(start + 10), 2);
    header_bytes |= std::uint64_t{start[10]} << 16 | std::uint64_t{start[11]} << 24;
    data_at = 12;
  }
  data_at += header_bytes;
  if (data_at > file_bytes) refuse(path, "is truncated within its header");

  std::string header(header_bytes, '\0');
  file.read(header.data(), static_cast<std::streamsize>(header_bytes));
  const auto parsed = HeaderParser(header).parse();
  if (!file || !parsed) refuse(path, "has a header that is not NumPy's");
  if (parsed->fortran_order && parsed->shape.size() > 1) {
    refuse(path, "is in Fortran order; save numpy.ascontiguousarray(a)");
  }
  const auto type = type_of(parsed->descr);
  if (!type) {
    refuse(path, fmt::format("has elements of type '{}'; there are kernels for {}", parsed->descr,
                             known_types()));
  }

  NpyArray array{*type, parsed->shape, {}};
  const std::uint64_t bytes = byte_count(path, array);
  if (file_bytes - data_at != bytes) {
    refuse(path,
           fmt::format("holds {} bytes of data, its shape {} of {} needs {}", file_bytes - data_at,
                       shape_text(array.shape), to_string(*type), bytes));
  }
  array.data.resize(bytes);
  file.read(reinterpret_cast<char*>(array.data.data()), static_cast<std::streamsize>(bytes));
  if (!file) refuse(path, "could not be read to its end");
  return array;
}

void write_npy(OutputFile& file, const NpyArray& array) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                   info(array.type).numpy, shape_text(array.shape));
  constexpr std::size_t kPrefix = 10, kAlignment = 64;
  header.append(kAlignment - 1 - (kPrefix + header.size()) % kAlignment, ' ');
  header += '\n';

  const char lengths[] = {1, 0, static_cast<char>(header.size() & 0xff),
                          static_cast<char>(header.size() >> 8)};
  file.write(kMagic);
  file.write(std::string_view(lengths, sizeof lengths));
  file.write(header);
  file.write(array.data);
}

}  // namespace vkmoye::bench
