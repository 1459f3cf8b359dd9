#include "workloads/tuned_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <span>
#include <system_error>

#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/vk/cache_file.hpp"

namespace vkmoye::bench {
namespace {

constexpr const char* kFirstLine = "# vkmoye: kernels of gemm/auto, found by tune; format 1";
constexpr std::size_t kMostBytes = 1 << 20;

std::string in_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return text;
}

// Whose table it is.
std::string header_of(const DeviceCaps& caps) {
  return fmt::format("{}\n# device: {}\n# driver: {}\n", kFirstLine, in_one_line(caps.name),
                     in_one_line(caps.driver));
}

// A name for a file: letters, digits and single dashes.
std::string file_name(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  return name;
}

}  // namespace

std::filesystem::path tuned_table_file(const DeviceCaps& caps) {
  const char* given = std::getenv("VKMOYE_GEMM_TABLE");
  if (given != nullptr && *given != '\0') return given;
  const std::filesystem::path folder = vk::default_cache_folder();
  if (folder.empty() || caps.driver.empty()) return {};  // a device that nothing was tuned on
  return folder / ("gemm-" + file_name(caps.name) + ".table");
}

TunedTable read_tuned_table(const std::filesystem::path& file, const DeviceCaps& caps) {
  TunedTable out;
  out.table.name = file.string();
  const auto ignore = [&](const std::string& why) {
    out.table.rows.clear();
    out.ignored = fmt::format("{} is ignored: {}", file.string(), why);
    return out;
  };
  std::string error;
  const std::vector<std::byte> bytes = vk::read_file(file, error);
  if (!error.empty()) return ignore(error);
  std::error_code unknown;
  if (bytes.empty()) return std::filesystem::exists(file, unknown) ? ignore("it is empty") : out;
  if (bytes.size() > kMostBytes) return ignore("it is larger than 1 MiB");
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kFirstLine)) return ignore("it is no table of gemm/auto");
  if (!text.starts_with(header_of(caps))) {
    return ignore(fmt::format("it was not tuned on {}, driver {}; tune again", caps.name,
                              in_one_line(caps.driver)));
  }
  try {
    out.table = gen::parse_gemm_table(text, file.string());
  } catch (const ArgumentError& why) {
    return ignore(in_one_line(why.what()));
  }
  return out;
}

std::vector<gen::GemmTable> tuned_tables(const DeviceCaps& caps) {
  static std::mutex mutex;
  static std::map<std::string, TunedTable> known;
  const std::filesystem::path file = tuned_table_file(caps);
  if (file.empty()) return {};
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = known.try_emplace(file.string() + '\n' + header_of(caps));
  if (is_new) {
    found->second = read_tuned_table(file, caps);
    if (!found->second.ignored.empty()) {
      fmt::print(stderr, "vkmoye-bench: {}\n", found->second.ignored);
    }
  }
  return {found->second.table};
}

std::string reason_against_writing(const std::filesystem::path& file) {
  std::string error;
  const std::vector<std::byte> bytes = vk::read_file(file, error);
  if (!error.empty()) return error;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.empty() || text.starts_with(kFirstLine)) return {};
  return "holds something else than a table of gemm/auto";
}

std::string write_tuned_rows(const std::filesystem::path& file, const DeviceCaps& caps,
                             const std::vector<std::string>& rows) {
  std::string text =
      header_of(caps) + "# device | types | where | kernel and what it is told | why\n";
  std::vector<std::string> matches;
  for (const std::string& row : rows) {
    text += row + '\n';
    matches.push_back(gen::match_text(gen::parse_gemm_table(row, "row").rows.front()));
  }
  for (const gen::GemmRow& row : read_tuned_table(file, caps).table.rows) {
    const bool replaced =
        std::find(matches.begin(), matches.end(), gen::match_text(row)) != matches.end();
    if (!replaced) text += row.text + '\n';
  }
  return vk::replace_file(file, std::as_bytes(std::span(text)));
}

}  // namespace vkmoye::bench
