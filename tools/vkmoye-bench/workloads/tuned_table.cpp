// SPDX-License-Identifier: MIT
#include "workloads/tuned_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <span>
#include <system_error>

#include "io/kept_file.hpp"
#include "io/program.hpp"
#include "vkmoye/base/cache_folder.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/products/choice/choose_gemm.hpp"
#include "vkmoye/gen/problems/products/options.hpp"
#include "vkmoye/system/environment.hpp"
#include "vkmoye/system/file.hpp"

namespace vkmoye::bench {
namespace {

using gen::GemmQuantity;
using gen::GemmRange;

Json json_of(const GemmRange& range) {
  if (range.min == range.max) return range.min;
  const GemmRange any{range.quantity};
  return Json::array({range.min == any.min ? Json() : Json(range.min),
                      range.max == any.max ? Json() : Json(range.max)});
}

Json json_of(const gen::GemmWhere& where) {
  Json json = Json::object();
  for (const GemmRange& range : where.ranges) json[to_string(range.quantity)] = json_of(range);
  if (where.a != 0) json["a"] = std::string(1, where.a);
  if (where.b != 0) json["b"] = std::string(1, where.b);
  if (where.beta) json["beta"] = *where.beta;
  if (where.epilogue) json["epilogue"] = *where.epilogue;
  return json;
}

// Reads the members of an entry, and collects all errors.
struct Reader {
  gen::GemmTableEntry entry = {};
  std::vector<std::string> wrong = {};

  void refuse(const std::string& path, const std::string& why) {
    wrong.push_back(fmt::format("{} {}", path, why));
  }

  std::vector<std::string> texts(const std::string& path, const Json& json) {
    std::vector<std::string> out;
    const bool are_texts = json.is_array() && std::all_of(json.begin(), json.end(), [](auto& one) {
                             return one.is_string();
                           });
    if (!are_texts) refuse(path, "is not an array of strings");
    if (are_texts) out = json.get<std::vector<std::string>>();
    return out;
  }

  std::string text(const std::string& path, const Json& json) {
    const std::string* found = text_of(json);
    if (found == nullptr) refuse(path, "is not a string");
    return found == nullptr ? "" : *found;
  }

  void read_types(const Json& json) {
    for (const std::string& name : texts("types", json)) {
      const auto parts = split(name, ',').size();
      if (parts != 2 && parts != 3) {
        refuse("types:", fmt::format("'{}' is neither operands,accumulator nor "
                                     "operands,accumulator,result",
                                     name));
        continue;
      }
      try {
        const gen::GemmOptions types = gen::parse_gemm_type(name);
        entry.types.push_back({types.a_type, types.b_type, types.accumulator, {}, types.weights});
        if (parts == 3) entry.types.back().result = types.result;
      } catch (const Error& error) {
        refuse("types:", error.what());
      }
    }
  }

  void read_range(GemmQuantity quantity, const Json& json) {
    GemmRange range{quantity};
    const auto bound = [&](const Json& one, std::int64_t& value) {
      const auto whole = whole_of(one);
      if (whole) value = *whole;
      return whole || one.is_null();
    };
    bool is_range = false;
    if (const auto whole = whole_of(json)) {
      range.min = range.max = *whole;
      is_range = true;
    } else if (json.is_array() && json.size() == 2) {
      is_range = bound(json[0], range.min) && bound(json[1], range.max);
    }
    if (!is_range) {
      refuse(fmt::format("where.{}", to_string(quantity)),
             "is neither a whole number nor [least, most], null for no bound");
    }
    entry.where.ranges.push_back(range);
  }

  void read_contiguous(const std::string& path, const Json& json, char other, char& index) {
    const std::string* found = text_of(json);
    if (found != nullptr && (*found == "k" || *found == std::string(1, other))) {
      index = found->front();
    } else {
      refuse(path, fmt::format(R"(is neither "k" nor "{}")", other));
    }
  }

  void read_epilogue(const Json& json) {
    entry.where.epilogue = texts("where.epilogue", json);
    for (const std::string& name : *entry.where.epilogue) {
      if (gen::find_epilogue_op(name) != nullptr) continue;
      std::vector<std::string> names;
      for (const gen::EpilogueOp& step : gen::epilogue_ops()) names.push_back(step.name);
      refuse("where.epilogue:",
             fmt::format("there is no step '{}'; known: {}", name, join(names, ", ")));
    }
  }

  void read_condition(const std::string& name, const Json& json) {
    std::vector<std::string> names;
    for (int i = 0; i < static_cast<int>(GemmQuantity::count); ++i) {
      const auto quantity = static_cast<GemmQuantity>(i);
      if (name == to_string(quantity)) return read_range(quantity, json);
      names.emplace_back(to_string(quantity));
    }
    if (name == "a") return read_contiguous("where.a", json, 'm', entry.where.a);
    if (name == "b") return read_contiguous("where.b", json, 'n', entry.where.b);
    if (name == "epilogue") return read_epilogue(json);
    if (name == "beta" && json.is_boolean()) {
      entry.where.beta = json.get<bool>();
    } else if (name == "beta") {
      refuse("where.beta", "is neither true nor false");
    } else {
      names.insert(names.end(), {"a", "b", "beta", "epilogue"});
      refuse("where:", fmt::format("there is no '{}'; known: {}", name, join(names, ", ")));
    }
  }

  void read(const std::string& name, const Json& json) {
    if (name == "devices") {
      entry.devices = texts(name, json);
    } else if (name == "types") {
      read_types(json);
    } else if (name == "where" || name == "options") {
      if (!json.is_object()) return refuse(name, "is not an object");
      for (const auto& [key, value] : json.items()) {
        if (name == "where") read_condition(key, value);
        if (name == "options") entry.options[key] = text(fmt::format("options.{}", key), value);
      }
    } else if (name == "kernel") {
      entry.kernel = text(name, json);
    } else if (name == "why") {
      entry.why = text(name, json);
    } else {
      refuse(fmt::format("there is no '{}';", name),
             "known: devices, types, where, kernel, options, why");
    }
  }
};

}  // namespace

Json json_of(const gen::GemmTableEntry& entry) {
  Json json = Json::object();
  if (!entry.devices.empty()) json["devices"] = entry.devices;
  for (const gen::GemmTypes& types : entry.types) json["types"].push_back(to_string(types));
  if (entry.where != gen::GemmWhere{}) json["where"] = json_of(entry.where);
  json["kernel"] = entry.kernel;
  if (!entry.options.empty()) json["options"] = entry.options;
  json["why"] = entry.why;
  return json;
}

gen::GemmTableEntry table_entry_of(const Json& json) {
  if (!json.is_object()) throw ArgumentError("is not an object");
  Reader reader;
  for (const auto& [name, value] : json.items()) reader.read(name, value);
  const std::vector<std::string> names = reasons_against_names(reader.entry);
  reader.wrong.insert(reader.wrong.end(), names.begin(), names.end());
  if (!reader.wrong.empty()) throw ArgumentError(join(reader.wrong, "; "));
  return reader.entry;
}

namespace {

constexpr const char* kTunedKernel = "gemm/auto";
constexpr std::int64_t kTableFormat = 3;  // 1 and 2 were not JSON
constexpr std::size_t kMaxTableBytes = 1 << 20, kMaxWrong = 8;

std::string text_of(const std::filesystem::path& file, std::string& error) {
  const std::vector<std::byte> bytes = system::read_file(file, error);
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text;
}

bool is_table(const Json& json) { return member_or_null(json, "table") == kTunedKernel; }

// The JSON of the file, or why it is not used; neither: there is no such file.
struct Content {
  Json json = {};
  std::string ignored = {};
};

Content content_of(const std::filesystem::path& file, const DeviceCaps& caps) {
  const auto ignore = [&](const std::string& why) {
    return Content{{}, in_one_line(fmt::format("{} is ignored: {}", path_text(file), why))};
  };
  std::string error;
  const std::string text = text_of(file, error);
  if (!error.empty()) return ignore(error);
  std::error_code unknown;
  if (text.empty())
    return std::filesystem::exists(file, unknown) ? ignore("it is empty") : Content{};
  if (text.size() > kMaxTableBytes) return ignore("it is larger than 1 MiB");
  try {
    Json json = parse_json(text);
    if (!is_table(json)) return ignore("it is not a table of gemm/auto");
    if (const Json& format = member_or_null(json, "format"); format != kTableFormat) {
      return ignore(fmt::format("its format is {}, this program reads {}; tune again", dump(format),
                                kTableFormat));
    }
    if (member_or_null(json, "device") != caps.name ||
        member_or_null(json, "driver") != caps.driver) {
      return ignore(
          fmt::format("it was not tuned on {}, driver {}; tune again", caps.name, caps.driver));
    }
    if (!member_or_null(json, "rows").is_array()) return ignore("it has no array 'rows'");
    return {std::move(json)};
  } catch (const Error& parsed) {
    return ignore(parsed.what());
  }
}

// With one line for each entry, so that it can be edited.
std::string text_of(const Json& json) {
  std::string text = "{\n";
  for (const auto& [name, value] : json.items()) {
    if (text.size() > 2) text += ",\n";
    text += fmt::format("  {}: ", dump(name));
    if (name != "rows") {
      text += dump(value);
      continue;
    }
    std::vector<std::string> lines;
    for (const Json& row : value) lines.push_back("    " + dump(row));
    text += fmt::format("[\n{}\n  ]", join(lines, ",\n"));
  }
  return text + "\n}\n";
}

bool is_for_the_same(const Json& json, const gen::GemmTableEntry& entry) {
  try {
    return is_for_the_same(table_entry_of(json), entry);
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::filesystem::path tuned_table_file(const DeviceCaps& caps) {
  const std::filesystem::path given = system::path_variable("VKMOYE_GEMM_TABLE");
  if (!given.empty()) return std::filesystem::absolute(given);
  const std::filesystem::path folder = default_cache_folder();
  if (folder.empty() || caps.driver.empty()) return {};  // not a device that can be tuned
  return folder / ("gemm-" + device_file_name(caps.name) + ".json");
}

TunedTable read_tuned_table(const std::filesystem::path& file, const DeviceCaps& caps) {
  const Content content = content_of(file, caps);
  TunedTable out{{path_text(file), {}}, content.ignored, {}};
  int number = 0;
  for (const Json& json : member_or_null(content.json, "rows")) {
    ++number;
    const auto refuse = [&](const std::string& why) {
      out.wrong.push_back(in_one_line(fmt::format("{}, row {}: {}", path_text(file), number, why)));
    };
    try {
      gen::GemmTableEntry entry = table_entry_of(json);
      entry.number = number;
      const std::vector<std::string> reasons =
          is_for_device(entry, caps) ? reasons_against(entry, caps) : std::vector<std::string>();
      if (reasons.empty()) {
        out.table.entries.push_back(std::move(entry));
      } else {
        refuse(fmt::format("{}: {}", entry.kernel, join(reasons, "; ")));
      }
    } catch (const Error& error) {
      refuse(error.what());
    }
  }
  return out;
}

std::vector<gen::GemmTable> tuned_tables(const DeviceCaps& caps) {
  static std::mutex mutex;
  static std::map<std::string, TunedTable> known;
  const std::filesystem::path file = tuned_table_file(caps);
  if (file.empty()) return {};
  const std::lock_guard lock(mutex);
  const auto [found, is_new] =
      known.try_emplace(join({path_text(file), caps.name, caps.driver}, "\n"));
  if (is_new) {
    found->second = read_tuned_table(file, caps);
    const TunedTable& read = found->second;
    if (!read.ignored.empty()) print_error(read.ignored);
    for (std::size_t i = 0; i < std::min(read.wrong.size(), kMaxWrong); ++i) {
      print_error(fmt::format("passed over: {}", read.wrong[i]));
    }
    if (read.wrong.size() > kMaxWrong) {
      print_error(fmt::format("passed over: {} more rows", read.wrong.size() - kMaxWrong));
    }
  }
  return {found->second.table};
}

bool is_tuned_table(const std::filesystem::path& file) {
  std::string error;
  try {
    return is_table(parse_json(text_of(file, error)));
  } catch (const Error&) {
    return false;
  }
}

std::string reason_against_writing(const std::filesystem::path& file) {
  std::string error;
  const std::string text = text_of(file, error);
  if (!error.empty()) return error;
  try {
    if (text.empty() || is_table(parse_json(text))) return {};
    return "is not a table of gemm/auto";
  } catch (const Error& parsed) {
    return fmt::format("{}; correct or remove the file", in_one_line(parsed.what()));
  }
}

std::string write_tuned_entries(const std::filesystem::path& file, const DeviceCaps& caps,
                                const std::vector<gen::GemmTableEntry>& entries) {
  const FolderLock lock(file);
  Json json = content_of(file, caps).json;
  if (json.is_null()) {
    json = {{"table", kTunedKernel},
            {"format", kTableFormat},
            {"device", caps.name},
            {"driver", caps.driver}};
  }
  Json all = Json::array();
  for (const gen::GemmTableEntry& entry : entries) all.push_back(json_of(entry));
  for (const Json& old : member_or_null(json, "rows")) {
    const bool goes =
        std::any_of(entries.begin(), entries.end(),
                    [&](const gen::GemmTableEntry& entry) { return is_for_the_same(old, entry); });
    if (!goes) all.push_back(old);
  }
  json["rows"] = std::move(all);
  const std::string text = text_of(json);
  return system::replace_file(file, std::as_bytes(std::span(text)), system::Permissions::preserved);
}

}  // namespace vkmoye::bench
