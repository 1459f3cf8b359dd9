// SPDX-License-Identifier: MIT
#include "workloads/products/tuned_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <span>
#include <string_view>
#include <system_error>

#include "io/folder_lock.hpp"
#include "io/program.hpp"
#include "vkmoye/base/cache_folder.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/file.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/products/choice/choice.hpp"

namespace vkmoye::bench {
namespace {

// Format 1 had rows without beta, epilogue and result: tuned for one, used for all.
constexpr std::string_view kTables = "# vkmoye: kernels of gemm/auto, found by tune; format ";
constexpr std::string_view kFormat = "2";
constexpr std::string_view kTitles = "# device | types | where | kernel and what it is told | why";
constexpr int kHeaderLines = 3;
constexpr std::size_t kMostBytes = 1 << 20, kMostWrong = 8;

// Whose table it is.
std::string header_of(const DeviceCaps& caps) {
  return fmt::format("{}{}\n# device: {}\n# driver: {}\n", kTables, kFormat, in_one_line(caps.name),
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

std::string text_of(const std::filesystem::path& file, std::string& error) {
  const std::vector<std::byte> bytes = read_file(file, error);
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::erase(text, '\r');  // an editor may end lines so
  return text;
}

// What stands below the header, or why the file is not used; neither: there is none.
struct Body {
  std::string text, ignored;
};

Body body_of(const std::filesystem::path& file, const DeviceCaps& caps) {
  const auto ignore = [&](const std::string& why) {
    return Body{"", fmt::format("{} is ignored: {}", file.string(), why)};
  };
  std::string error;
  const std::string text = text_of(file, error);
  if (!error.empty()) return ignore(error);
  std::error_code unknown;
  if (text.empty()) return std::filesystem::exists(file, unknown) ? ignore("it is empty") : Body{};
  if (text.size() > kMostBytes) return ignore("it is larger than 1 MiB");
  if (!text.starts_with(kTables)) return ignore("it is no table of gemm/auto");
  const std::string header = header_of(caps);
  if (text.starts_with(header)) return {text.substr(header.size()), ""};
  constexpr std::size_t kOfFormat = 8;  // letters that are shown
  const std::string rest = text.substr(kTables.size(), kOfFormat);
  const std::string format = in_one_line(rest.substr(0, rest.find('\n')));
  if (format != kFormat) {
    return ignore(fmt::format("its format is {}, here it is {}; tune again", format, kFormat));
  }
  return ignore(fmt::format("it was not tuned on {}, driver {}; tune again", in_one_line(caps.name),
                            in_one_line(caps.driver)));
}

// `lines` as they are, without rows whose products are among `matches`.
std::string without(const std::string& lines, const std::vector<std::string>& matches) {
  std::string kept;
  for (const std::string& line : split(lines, '\n')) {
    if (line.empty() || line == kTitles) continue;
    const std::vector<gen::GemmRow> rows = gen::read_gemm_table(line, "").table.rows;
    const bool goes = !rows.empty() && std::find(matches.begin(), matches.end(),
                                                 gen::match_text(rows.front())) != matches.end();
    if (!goes) kept += line + '\n';
  }
  return kept;
}

}  // namespace

std::filesystem::path tuned_table_file(const DeviceCaps& caps) {
  const char* given = std::getenv("VKMOYE_GEMM_TABLE");
  if (given != nullptr && *given != '\0') return std::filesystem::absolute(given);
  const std::filesystem::path folder = default_cache_folder();
  if (folder.empty() || caps.driver.empty()) return {};  // a device that nothing was tuned on
  return folder / ("gemm-" + file_name(caps.name) + ".table");
}

TunedTable read_tuned_table(const std::filesystem::path& file, const DeviceCaps& caps) {
  const Body body = body_of(file, caps);
  gen::GemmTableText read = gen::read_gemm_table(body.text, file.string(), kHeaderLines + 1);
  TunedTable out{{file.string(), {}}, body.ignored, {}};
  for (const std::string& wrong : read.wrong) out.wrong.push_back(in_one_line(wrong));
  for (gen::GemmRow& row : read.table.rows) {
    const std::vector<std::string> reasons =
        is_for_device(row, caps) ? reasons_against(row, caps) : std::vector<std::string>();
    if (reasons.empty()) {
      out.table.rows.push_back(std::move(row));
    } else {
      out.wrong.push_back(in_one_line(fmt::format("{}, line {}: {}: {}", file.string(), row.line,
                                                  row.kernel, join(reasons, "; "))));
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
  const auto [found, is_new] = known.try_emplace(file.string() + '\n' + header_of(caps));
  if (is_new) {
    found->second = read_tuned_table(file, caps);
    const TunedTable& read = found->second;
    if (!read.ignored.empty()) complain(read.ignored);
    for (std::size_t i = 0; i < std::min(read.wrong.size(), kMostWrong); ++i) {
      complain(fmt::format("passed over: {}", read.wrong[i]));
    }
    if (read.wrong.size() > kMostWrong) {
      complain(fmt::format("passed over: {} lines more", read.wrong.size() - kMostWrong));
    }
  }
  return {found->second.table};
}

bool is_tuned_table(const std::filesystem::path& file) {
  std::string error;
  return text_of(file, error).starts_with(kTables);
}

std::string reason_against_writing(const std::filesystem::path& file) {
  std::string error;
  const std::string text = text_of(file, error);
  if (!error.empty()) return error;
  if (text.empty() || text.starts_with(kTables)) return {};
  return "holds something else than a table of gemm/auto";
}

std::string write_tuned_rows(const std::filesystem::path& file, const DeviceCaps& caps,
                             const std::vector<std::string>& rows) {
  const FolderLock lock(file);
  std::string text = fmt::format("{}{}\n", header_of(caps), kTitles);
  std::vector<std::string> matches;
  for (const std::string& row : rows) {
    text += row + '\n';
    matches.push_back(gen::match_text(gen::parse_gemm_table(row, "row").rows.front()));
  }
  text += without(body_of(file, caps).text, matches);
  return replace_file(file, std::as_bytes(std::span(text)), Readers::as_before);
}

}  // namespace vkmoye::bench
