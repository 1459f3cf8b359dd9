// SPDX-License-Identifier: MIT
#include "workloads/packed_file.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>

#include "io/kept_file.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"
#include "vkmoye/base/require_readable.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/base/version.hpp"
#include "vkmoye/contract/json.hpp"
#include "vkmoye/layout/checked.hpp"

namespace vkmoye::bench {
namespace {

static_assert(std::endian::native == std::endian::little);
constexpr std::string_view kMagic = "vkmoyepk";
constexpr std::uint32_t kFormatVersion = 1;
constexpr std::uint32_t kLargestHeader = 1 << 16;
constexpr double kLargestArrays = 0x1p48;

struct Start {
  char magic[8] = {};
  std::uint32_t format_version = kFormatVersion, header_bytes = 0;
  std::uint64_t checksum = 0;  // of all bytes before it, then of the header
};
static_assert(sizeof(Start) == 24);

std::uint64_t checksum_of(const Start& start, const std::string& header) {
  const auto before = std::as_bytes(std::span(&start, 1)).first(offsetof(Start, checksum));
  return checksum(std::as_bytes(std::span(header)), checksum(before));
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw ArgumentError(fmt::format("{}: {}", path_text(path), why));
}

PackedFile parse(const Json& header, std::vector<std::string>& reasons) {
  constexpr std::int64_t kMaxPackedExtent = 0xffffffff, kMaxParts = 1024;
  PackedFile file;
  gen::PackedOperand& operand = file.operand;
  gen::PackedForm& form = operand.form;
  const auto count = [&](const char* name, std::int64_t min, std::int64_t max) {
    return whole_in(header, name, min, max, reasons);
  };
  const std::string use = text_in(header, "operand", reasons),
                    type = text_in(header, "type", reasons);
  if (use == "a" || use == "b") {
    form.use = use[0];
  } else {
    reasons.push_back("operand is neither a nor b");
  }
  if (const auto known = parse_scalar_type(type)) {
    form.type = *known;
  } else {
    reasons.push_back("type is unknown");
  }
  form.lanes = static_cast<std::uint32_t>(count("lanes", 1, 128));
  form.rows = count("fragment_rows", 1, kMaxParts);
  form.depth = count("fragment_k", 1, kMaxParts);
  form.group = count("fragments_along_rows", 1, kMaxParts);
  form.steps = count("fragments_along_k", 1, kMaxParts);
  operand.rows = count("rows", 0, kMaxPackedExtent);
  operand.k = count("k", 0, kMaxPackedExtent);
  if (header.contains("weights")) {
    form.weights = gen::find_weight_format(text_in(header, "weights", reasons));
    if (form.weights == nullptr) reasons.push_back("weights is no format that this program knows");
  }
  if (header.contains("batch")) operand.batch = count("batch", 0, kMaxPackedExtent);
  operand.fragment = text_in(header, "fragment", reasons);
  operand.block = text_in(header, "block", reasons);
  operand.device = text_in(header, "device", reasons);
  operand.driver = text_in(header, "driver", reasons);
  const std::string sum = text_in(header, "checksum", reasons);
  if (sum.size() != 16 || sum.find_first_not_of("0123456789abcdef") != std::string::npos) {
    reasons.push_back("checksum is not valid");
  } else {
    file.checksum = std::stoull(sum, nullptr, 16);
  }
  const double bytes = static_cast<double>(ceil_div(operand.rows, form.block_rows())) *
                       static_cast<double>(ceil_div(operand.k, form.block_depth())) *
                       static_cast<double>(form.block_bytes()) *
                       static_cast<double>(std::max<std::int64_t>(operand.batch.value_or(1), 1));
  if (bytes > kLargestArrays) reasons.push_back("its extents need more than 2^48 bytes");
  return file;
}

}  // namespace

bool is_packed_file(const std::filesystem::path& path) {
  if (path.extension() == ".packed") return true;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::array<char, kMagic.size()> start = {};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  return std::string_view(start.data(), start.size()) == kMagic;
}

PackedFile read_packed_header(const std::filesystem::path& path) {
  require_readable(path);
  std::error_code error;
  const std::uint64_t file_bytes = std::filesystem::file_size(path, error);
  if (error) refuse(path, "cannot be read: " + error.message());
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse(path, "cannot be read");
  Start start;
  in.read(reinterpret_cast<char*>(&start), sizeof start);
  if (in.gcount() < static_cast<std::streamsize>(kMagic.size()) ||
      std::string_view(start.magic, sizeof start.magic) != kMagic) {
    refuse(path, "is not a packed operand");
  }
  if (!in) refuse(path, "is truncated within its header");
  if (start.format_version != kFormatVersion) {
    refuse(path, fmt::format("has format version {}, this program reads version {}; pack it again",
                             start.format_version, kFormatVersion));
  }
  if (start.header_bytes > kLargestHeader) {
    refuse(path, fmt::format("has a header of {} bytes; at most {} are allowed", start.header_bytes,
                             kLargestHeader));
  }
  std::string text(start.header_bytes, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in) refuse(path, "is truncated within its header");
  if (checksum_of(start, text) != start.checksum) {
    refuse(path, "is damaged: the checksum of its header is wrong");
  }
  const Json header = Json::parse(text, nullptr, false);
  if (!header.is_object()) refuse(path, "has a header that is not a JSON object");
  std::vector<std::string> reasons;
  PackedFile file = parse(header, reasons);
  if (!reasons.empty())
    throw ArgumentError(with_reasons(path_text(path) + ": has an invalid header", reasons));
  file.data_at = sizeof start + start.header_bytes;
  if (file_bytes - file.data_at != file.operand.bytes()) {
    refuse(path,
           fmt::format("holds {} bytes of blocks, but {} rows of {} in blocks of {}x{} need {}",
                       file_bytes - file.data_at, file.operand.rows, file.operand.k,
                       file.operand.form.block_rows(), file.operand.form.block_depth(),
                       file.operand.bytes()));
  }
  return file;
}

std::vector<std::byte> read_packed_data(const std::filesystem::path& path, const PackedFile& file) {
  std::vector<std::byte> data(file.operand.bytes());
  std::ifstream in(path, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(file.data_at));
  in.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()));
  if (!in) refuse(path, "could not be read to its end");
  if (checksum(data) != file.checksum) {
    refuse(path, "is damaged: the checksum of its blocks is wrong");
  }
  return data;
}

void write_packed(OutputFile& file, const gen::PackedOperand& operand,
                  std::span<const std::byte> data) {
  const gen::PackedForm& form = operand.form;
  Json header;
  header["operand"] = std::string(1, form.use);
  header["type"] = to_string(form.type);
  if (form.weights != nullptr) header["weights"] = form.weights->name;
  header["rows"] = operand.rows;
  header["k"] = operand.k;
  if (operand.batch) header["batch"] = *operand.batch;
  header["lanes"] = form.lanes;
  header["fragment_rows"] = form.rows;
  header["fragment_k"] = form.depth;
  header["fragments_along_rows"] = form.group;
  header["fragments_along_k"] = form.steps;
  header["fragment"] = operand.fragment;
  header["block"] = operand.block;
  header["device"] = operand.device;
  header["driver"] = operand.driver;
  header["program"] = VKMOYE_VERSION;
  header["checksum"] = checksum_text(data);
  const std::string text = header.dump(1, ' ', true, Json::error_handler_t::replace) + '\n';
  Start start;
  std::memcpy(start.magic, kMagic.data(), kMagic.size());
  start.header_bytes = static_cast<std::uint32_t>(text.size());
  start.checksum = checksum_of(start, text);
  file.write(std::as_bytes(std::span(&start, 1)));
  file.write(text);
  file.write(data);
}

}  // namespace vkmoye::bench
