// SPDX-License-Identifier: MIT
#include "io/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "vkmoye/base/path_text.hpp"
#include "vkmoye/base/require_readable.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

using nlohmann::
    json;  // Json of the project finds a member in linear time; a header may have 100,000

constexpr std::string_view kExtension = ".safetensors";
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the limit of the reference implementation

struct Dtype {
  std::string_view name;
  ScalarType type;
};
constexpr Dtype kDtypes[] = {
    {"F64", ScalarType::f64},    {"F32", ScalarType::f32},      {"F16", ScalarType::f16},
    {"BF16", ScalarType::bf16},  {"I64", ScalarType::i64},      {"I32", ScalarType::i32},
    {"I16", ScalarType::i16},    {"I8", ScalarType::i8},        {"U64", ScalarType::u64},
    {"U32", ScalarType::u32},    {"U16", ScalarType::u16},      {"U8", ScalarType::u8},
    {"BOOL", ScalarType::u8},    {"F8_E4M3", ScalarType::e4m3}, {"F8_E5M2", ScalarType::e5m2},
    {"F8_E8M0", ScalarType::u8}, {"C64", ScalarType::c64},
};

// A list of whole numbers from 0 on; nullopt if `value` is none.
std::optional<std::vector<std::int64_t>> whole_numbers(const json& value) {
  std::vector<std::int64_t> out;
  if (!value.is_array()) return std::nullopt;
  for (const json& number : value) {
    if (!number.is_number_unsigned() || number.get<std::uint64_t>() >> 62 != 0) return std::nullopt;
    out.push_back(number.get<std::int64_t>());
  }
  return out;
}

}  // namespace

std::optional<TensorName> tensor_name(std::string_view text) {
  const auto at = text.find(std::string(kExtension) + ':');
  if (at == std::string_view::npos) return std::nullopt;
  const auto end = at + kExtension.size();
  return TensorName{path_of(std::string(text.substr(0, end))), std::string(text.substr(end + 1))};
}

std::map<std::string, ArrayHeader> read_safetensors(const std::filesystem::path& path) {
  require_readable(path);
  std::error_code error;
  const std::uint64_t file_bytes = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  std::uint64_t header_bytes = 0;
  file.read(reinterpret_cast<char*>(&header_bytes), sizeof header_bytes);
  if (!file || header_bytes > kMaxHeaderBytes || header_bytes > file_bytes - sizeof header_bytes) {
    refuse_file(path, "is not a safetensors file, or is truncated within its header");
  }
  std::string text(header_bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(header_bytes));
  const json header = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!file || !header.is_object()) refuse_file(path, "its header is not a JSON object");
  const std::uint64_t begin = sizeof header_bytes + header_bytes;
  std::map<std::string, ArrayHeader> arrays;
  for (const auto& item : header.items()) {
    const std::string& name = item.key();
    const json& entry = item.value();
    if (name == "__metadata__") continue;
    const auto refuse_entry = [&](const std::string& why) {
      refuse_file(path, fmt::format("'{}' {}", shown(name), why));
    };
    const auto member = [&](const char* key) {
      return entry.is_object() ? entry.value(key, json()) : json();
    };
    const auto shape = whole_numbers(member("shape")),
               offsets = whole_numbers(member("data_offsets"));
    const json dtype = member("dtype");
    if (!shape || !offsets || offsets->size() != 2 || !dtype.is_string()) {
      refuse_entry("has an invalid entry in the header");
    }
    const auto known = std::find_if(std::begin(kDtypes), std::end(kDtypes), [&](const Dtype& row) {
      return row.name == dtype.get_ref<const std::string&>();
    });
    if (known == std::end(kDtypes)) continue;
    ArrayHeader array = {.type = known->type, .is_boolean = known->name == "BOOL", .shape = *shape};
    const auto first = static_cast<std::uint64_t>((*offsets)[0]);
    const auto last = static_cast<std::uint64_t>((*offsets)[1]);
    array.data_at = begin + first;
    array.data_bytes = needed_bytes(path, array);
    if (last < first || last - first != array.data_bytes || last > file_bytes - begin) {
      refuse_entry(fmt::format("needs {} bytes, but has offsets {} to {} of the {} in the file",
                               array.data_bytes, first, last, file_bytes - begin));
    }
    arrays.emplace(name, std::move(array));
  }
  return arrays;
}

ArrayHeader read_safetensors_header(const TensorName& tensor) {
  std::map<std::string, ArrayHeader> arrays = read_safetensors(tensor.file);
  const auto found = arrays.find(tensor.name);
  if (found != arrays.end()) return std::move(found->second);
  std::vector<std::string> names;
  for (const auto& [name, array] : arrays) names.push_back(name);
  const std::string meant = did_you_mean(tensor.name, names);
  refuse_file(tensor.file,
              fmt::format("has no array '{}' among its {}{}", tensor.name, names.size(),
                          meant.empty() ? "" : "; did you mean '" + shown(meant) + "'?"));
}

}  // namespace vkmoye::bench
