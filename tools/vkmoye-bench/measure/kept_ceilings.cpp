// SPDX-License-Identifier: MIT
#include "measure/kept_ceilings.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <system_error>

#include "io/checksum.hpp"
#include "io/device_file_name.hpp"
#include "io/folder_lock.hpp"
#include "vkmoye/base/cache_folder.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/json.hpp"
#include "vkmoye/system/file.hpp"

namespace vkmoye::bench {
namespace {

constexpr const char* kFile = "ceilings";
constexpr std::int64_t kFormat = 1;
constexpr std::size_t kMaxBytes = 1 << 20;

// Of all but the checksum itself.
std::string checksum_of(Json json) {
  json.erase("checksum");
  return checksum_text(dump(json));
}

Json json_of(const Ceiling& ceiling) {
  Json json = {{"of", word_of(ceiling.of.unit)}, {"type", types_of(ceiling.of)}};
  if (!ceiling.skipped.empty()) {
    json["skipped"] = ceiling.skipped;
    return json;
  }
  json["median"] = ceiling.median;
  json["low"] = ceiling.low;
  json["high"] = ceiling.high;
  json["samples"] = ceiling.samples;
  return json;
}

// Throws ArgumentError with the reason.
CeilingOf of_in(const Json& json) {
  const std::string* word = text_in(member_or_null(json, "of"));
  const std::string* types = text_in(member_or_null(json, "type"));
  if (word == nullptr || types == nullptr) throw ArgumentError("a ceiling has no unit or no type");
  using Unit = CeilingOf::Unit;
  for (std::size_t number = 0; number < static_cast<std::size_t>(Unit::count); ++number) {
    const auto unit = static_cast<Unit>(number);
    if (*word != word_of(unit)) continue;
    CeilingOf of{unit};
    const std::vector<std::string> parts =
        types->empty() ? std::vector<std::string>() : split(*types, ',');
    if (!parts.empty()) of.operand = parse_scalar_type(parts[0]);
    if (parts.size() > 1) of.sum = parse_scalar_type(parts[1]);
    const std::size_t wanted = type_count(unit);
    const std::size_t read = (of.operand ? 1u : 0u) + (of.sum ? 1u : 0u);
    if (parts.size() != wanted || read != wanted) {
      throw ArgumentError(fmt::format("{}: '{}' is no type of it", *word, *types));
    }
    return of;
  }
  throw ArgumentError(fmt::format("unknown ceiling '{}'", *word));
}

// Throws ArgumentError with the reason.
Ceiling ceiling_in(const Json& json) {
  Ceiling ceiling{of_in(json)};
  if (const std::string* skipped = text_in(member_or_null(json, "skipped"))) {
    ceiling.skipped = *skipped;
    return ceiling;
  }
  const auto speed = [&](const char* name) {
    const Json& value = member_or_null(json, name);
    const double number = value.is_number() ? value.get<double>() : 0;
    if (std::isfinite(number) && number > 0) return number;
    throw ArgumentError(fmt::format("{}: {} is not a speed", name_of(ceiling.of), name));
  };
  ceiling.median = speed("median");
  ceiling.low = speed("low");
  ceiling.high = speed("high");
  ceiling.samples =
      static_cast<std::uint64_t>(whole_in(member_or_null(json, "samples")).value_or(0));
  return ceiling;
}

// Throws ArgumentError with the reason to ignore `text`.
KeptCeilings kept_in(const std::string& text, const DeviceCaps& caps) {
  if (text.empty()) throw ArgumentError("it is empty");
  if (text.size() > kMaxBytes) throw ArgumentError("it is larger than 1 MiB");
  const Json json = parse_json(text);
  if (member_or_null(json, "file") != kFile) throw ArgumentError("it is not a file of ceilings");
  if (const Json& format = member_or_null(json, "format"); format != kFormat) {
    throw ArgumentError(
        fmt::format("its format is {}, this program reads {}", dump(format), kFormat));
  }
  if (member_or_null(json, "checksum") != checksum_of(json)) {
    throw ArgumentError("it is damaged: its checksum does not agree");
  }
  if (member_or_null(json, "device") != caps.name ||
      member_or_null(json, "driver") != caps.driver) {
    throw ArgumentError(
        fmt::format("it was not measured on {}, driver {}", caps.name, caps.driver));
  }
  KeptCeilings kept;
  if (const std::string* measured = text_in(member_or_null(json, "measured")))
    kept.measured = *measured;
  for (const Json& one : member_or_null(json, "ceilings")) kept.ceilings.push_back(ceiling_in(one));
  if (kept.ceilings.empty()) throw ArgumentError("it has no ceilings");
  return kept;
}

}  // namespace

std::filesystem::path ceilings_file(const DeviceCaps& caps) {
  const std::filesystem::path folder = default_cache_folder();
  if (folder.empty() || caps.driver.empty()) return {};
  return folder / ("peak-" + device_file_name(caps.name) + ".json");
}

KeptCeilings read_ceilings(const std::filesystem::path& file, const DeviceCaps& caps) {
  std::error_code unknown;
  if (file.empty() || !std::filesystem::exists(file, unknown)) return {};
  std::string error;
  const std::vector<std::byte> bytes = system::read_file(file, error);
  try {
    if (!error.empty()) throw ArgumentError(error);
    return kept_in({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, caps);
  } catch (const Error& why) {
    return {.ignored = in_one_line(fmt::format("{} is ignored: {}", path_text(file), why.what()))};
  }
}

std::string write_ceilings(const std::filesystem::path& file, const DeviceCaps& caps,
                           const KeptCeilings& kept) {
  Json json = {{"file", kFile},         {"format", kFormat},         {"device", caps.name},
               {"driver", caps.driver}, {"measured", kept.measured}, {"checksum", ""}};
  json["ceilings"] = Json::array();
  for (const Ceiling& ceiling : kept.ceilings) json["ceilings"].push_back(json_of(ceiling));
  json["checksum"] = checksum_of(json);
  const std::string text = dump(json, 2) + '\n';
  const FolderLock lock(file);
  return system::replace_file(file, std::as_bytes(std::span(text)), system::Permissions::preserved);
}

}  // namespace vkmoye::bench
