// SPDX-License-Identifier: MIT
#include "workloads/tuned_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <span>
#include <system_error>

#include "io/device_file_name.hpp"
#include "io/folder_lock.hpp"
#include "io/program.hpp"
#include "vkmoye/base/cache_folder.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/products/choice/choose_gemm.hpp"
#include "vkmoye/system/environment.hpp"
#include "vkmoye/system/file.hpp"
#include "workloads/tuned_entry.hpp"

namespace vkmoye::bench {
namespace {

constexpr const char* kTable = "gemm/auto";
constexpr std::int64_t kTableFormat = 3;  // 1 and 2 were not JSON
constexpr std::size_t kMaxTableBytes = 1 << 20, kMaxWrong = 8;

std::string text_of(const std::filesystem::path& file, std::string& error) {
  const std::vector<std::byte> bytes = system::read_file(file, error);
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text;
}

bool is_table(const Json& json) { return member_or_null(json, "table") == kTable; }

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
    json = {{"table", kTable},
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
