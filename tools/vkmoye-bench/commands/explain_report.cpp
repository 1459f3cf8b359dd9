// SPDX-License-Identifier: MIT
#include "commands/explain_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/terminal.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/json.hpp"
#include "vkmoye/gen/verify/claims.hpp"

namespace vkmoye::bench {
namespace {

using gen::AccessReport;
using gen::Claim;
using gen::Grade;

std::string config_text(const gen::ir::Kernel& kernel) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : kernel.config) parts.push_back(key + "=" + value);
  return join(parts, " ");
}

// The run-time sizes that the analysis assumes.
std::vector<std::pair<std::string, std::uint32_t>> sizes_of(const Explained& subject) {
  std::vector<std::pair<std::string, std::uint32_t>> sizes;
  for (const PushConstant& constant : subject.kernel.arguments) {
    if (constant.type != ScalarType::u32) continue;
    const std::string& argument = constant.name;
    if (is_first_group(argument)) continue;
    const auto given = subject.model.sizes.find(argument);
    sizes.emplace_back(
        argument, given != subject.model.sizes.end() ? given->second : subject.model.other_sizes);
  }
  return sizes;
}

std::string assumed(const Explained& subject) {
  std::vector<std::string> sizes;
  for (const auto& [name, value] : sizes_of(subject)) {
    sizes.push_back(fmt::format("{} = {}", name, value));
  }
  const BankModel& banks = subject.model.banks;
  return fmt::format(
      "{} threads in subgroups of {}, workgroup (0,0){}{}; sectors of {} bytes, {} banks of {} "
      "bytes",
      subject.kernel.threads, banks.lanes, sizes.empty() ? "" : ", ", join(sizes, ", "),
      subject.model.sector_bytes, banks.banks, banks.bank_bytes);
}

std::string name_of(const AccessReport& access) {
  return fmt::format("{} {}", access.writes ? "store" : "load", access.array);
}

std::string width_text(const AccessReport& access) {
  return fmt::format("{} element{}, {} byte{}", access.width, access.width == 1 ? "" : "s",
                     access.bytes(), access.bytes() == 1 ? "" : "s");
}

std::string place_text(const AccessReport& access) {
  std::string text = fmt::format("subgroup {}", access.worst_subgroup);
  for (const auto& [variable, round] : access.worst_rounds) {
    text += fmt::format(", {} = {}", variable, round);
  }
  return text;
}

// The cost of the worst request: "4 sectors, 4 at best".
std::string cost_text(const AccessReport& access) {
  if (access.banks) {
    return fmt::format("{} wavefront{}, {} at best", access.banks->wavefronts,
                       access.banks->wavefronts == 1 ? "" : "s", access.banks->best);
  }
  if (!access.sectors) return "-";
  const gen::SectorCost& cost = *access.sectors;
  return fmt::format("{} sector{} for {} bytes, {} at best", cost.found, cost.found == 1 ? "" : "s",
                     cost.bytes, cost.ideal);
}

std::string efficiency_text(const AccessReport& access) {
  return access.requests == 0 ? "-" : fmt::format("{:.0f} %", 100 * access.efficiency);
}

const char* level_text(const AccessReport& access) {
  const auto level = gen::grade(access);
  if (!level) return access.index_from_data ? "unknown" : "unmade";
  return *level == Grade::good ? "good" : *level == Grade::fair ? "fair" : "bad";
}

std::vector<const AccessReport*> of_level(const Explained& subject, const std::string& level) {
  std::vector<const AccessReport*> found;
  for (const AccessReport& access : subject.report.accesses) {
    if (level_text(access) == level) found.push_back(&access);
  }
  return found;
}

bool has_shared(const Explained& subject) { return subject.kernel.shared_bytes() > 0; }

// The findings as text, one line each.
std::vector<std::string> summary(const Explained& subject) {
  if (!subject.report.reasons.empty()) return subject.report.reasons;
  if (subject.kernel.hand_written) {
    return {"unknown: the shader was written by hand, and nothing in it is analysed or verified"};
  }
  std::vector<std::string> lines;
  const auto bad = of_level(subject, "bad"), fair = of_level(subject, "fair");
  const auto good = of_level(subject, "good"), unknown = of_level(subject, "unknown");
  // The same access on several paths or in several places is reported once.
  const auto add_each = [&](const char* what, const std::vector<const AccessReport*>& accesses) {
    for (const AccessReport* access : accesses) {
      std::string line = fmt::format("{}: {}, {}", what, name_of(*access), gen::verdict(*access));
      if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    }
  };
  add_each("problem", bad);
  add_each("fair", fair);
  add_each("unknown", unknown);
  const std::size_t known = good.size() + fair.size();
  if (bad.empty() && (known > 0 || unknown.empty())) {
    lines.push_back(fmt::format("ok: {} of {} accesses{} have the lowest possible cost",
                                good.size(), known, unknown.empty() ? "" : " with a known index"));
  }
  lines.push_back(
      has_shared(subject)
          ? "races in shared memory: none; every shared access of a workgroup was followed"
          : "races in shared memory: none");
  lines.push_back("bounds: every access is inside its array; 'inside' says why");
  if (subject.report.in_part) {
    lines.push_back(fmt::format(
        "costs: evaluated in part, for the first {} rounds of each loop, or {} if a size decides "
        "the number of rounds",
        gen::kMaxFollowedRounds, gen::kMaxFollowedRunTimeRounds));
  }
  return lines;
}

// What the author of the kernel asserts; stands below the table.
std::vector<std::string> assumptions_of(const Explained& subject) {
  return gen::ir::interface_of(subject.kernel).assumptions;
}

// Empty for claims that were decided together with the one above.
std::string ms_text(const Claim& claim) {
  return claim.ms == 0 ? "" : fmt::format("{:.1f}", claim.ms);
}

std::string claim_table(const Explained& subject) {
  std::size_t width = std::string("answer").size();
  for (const Claim& claim : subject.claims) {
    width = std::max(width, gen::to_string(claim.answer).size());
  }
  std::string out =
      fmt::format("\n{:<{}}  {:<7}  {:>6}  {}\n", "answer", width, "by", "ms", "claim");
  for (const Claim& claim : subject.claims) {
    out += hanging(fmt::format("{:<{}}  {:<7}  {:>6}  ", gen::to_string(claim.answer), width,
                               gen::to_string(claim.by), ms_text(claim)),
                   claim.text);
  }
  for (const std::string& one : assumptions_of(subject)) {
    out += '\n' + hanging("assumption: ", one);
  }
  return out;
}

// The distance between the lanes of a request that costs too much.
std::string step_text(const AccessReport& access) {
  if (!access.worst_step || gen::grade(access) == Grade::good) return "";
  return fmt::format("; neighbouring lanes are {} elements apart", *access.worst_step);
}

// The lines of a table are broken at this width, and continue below their text.
constexpr std::size_t kReportColumns = 120;

std::string wrapped(const std::string& text) { return hanging("", text, kReportColumns); }

std::string where_text(const AccessReport& access) {
  const bool both = !access.of_case.empty() && !access.path.empty();
  return access.of_case + (both ? "; " : "") + access.path;
}

std::string table(const Explained& subject) {
  std::string out;
  for (const std::string& line : subject.choice) out += wrapped(line);
  if (!out.empty()) out += '\n';
  out += hanging(subject.kernel.name + "  ", config_text(subject.kernel), kReportColumns);
  out += wrapped(subject.kernel.why) + wrapped(assumed(subject));
  for (const AccessReport& access : subject.report.accesses) {
    out += fmt::format("\n{}: {}\n", name_of(access), gen::verdict(access));
    const auto line = [&](const char* title, const std::string& text) {
      out += hanging(fmt::format("  {:<8}", title), text, kReportColumns);
    };
    if (const std::string where = where_text(access); !where.empty()) line("where", where);
    line("by", access.source_text + (access.start.empty() ? "" : " " + access.start));
    line("width", fmt::format("{}; not wider: {}", width_text(access), access.not_wider));
    if (access.requests == 0) continue;
    line(access.banks ? "banks" : "memory",
         fmt::format("{} ({}){}; efficiency {}", cost_text(access), place_text(access),
                     step_text(access), efficiency_text(access)));
    line("inside", join(access.bounds, ", "));
  }
  out += '\n';
  for (const std::string& line : summary(subject)) out += wrapped(line);
  if (!subject.claims.empty()) out += claim_table(subject);
  return out;
}

// Escapes the bars of a cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

std::string markdown(const Explained& subject) {
  std::string out;
  for (const std::string& line : subject.choice) out += fmt::format("- {}\n", line);
  if (!out.empty()) out += '\n';
  out += fmt::format(
      "**{}** {}: {}\n\n{}\n\n"
      "| access | by | where | width | not wider | worst request | made by | efficiency | verdict "
      "| "
      "inside |\n| --- | --- | --- | ---: | --- | --- | --- | ---: | --- | --- |\n",
      subject.kernel.name, config_text(subject.kernel), subject.kernel.why, assumed(subject));
  for (const AccessReport& access : subject.report.accesses) {
    out += fmt::format("| {} | `{}` | {} | {} | {} | {} | {} | {} | {} | {} |\n", name_of(access),
                       cell(access.source_text), cell(where_text(access)), access.width,
                       cell(access.not_wider), cost_text(access) + step_text(access),
                       access.requests > 0 ? place_text(access) : "-", efficiency_text(access),
                       gen::verdict(access), cell(join(access.bounds, ", ")));
  }
  out += "\n";
  for (const std::string& line : summary(subject)) out += fmt::format("- {}\n", line);
  if (subject.claims.empty()) return out;
  out += "\n| claim | answer | by | ms |\n| --- | --- | --- | ---: |\n";
  for (const Claim& claim : subject.claims) {
    out += fmt::format("| {} | {} | {} | {} |\n", cell(claim.text), gen::to_string(claim.answer),
                       gen::to_string(claim.by), ms_text(claim));
  }
  const std::vector<std::string> assumptions = assumptions_of(subject);
  if (!assumptions.empty()) out += '\n';
  for (const std::string& one : assumptions) out += fmt::format("- assumption: {}\n", one);
  return out;
}

Json to_json(const AccessReport& access) {
  Json sectors = nullptr, banks = nullptr, worst = nullptr;
  if (access.sectors) {
    sectors = {{"found", access.sectors->found},
               {"ideal", access.sectors->ideal},
               {"bytes", access.sectors->bytes}};
  }
  if (access.banks) {
    banks = {{"degree", access.banks->degree},
             {"wavefronts", access.banks->wavefronts},
             {"ideal", access.banks->best}};
  }
  if (access.requests > 0) {
    Json rounds = Json::object();
    for (const auto& [variable, round] : access.worst_rounds) rounds[variable] = round;
    worst = {{"subgroup", access.worst_subgroup}, {"rounds", rounds}};
  }
  return {{"array", access.array},
          {"space", access.space == gen::ir::Array::Space::shared ? "shared" : "buffer"},
          {"access", access.writes ? "store" : "load"},
          {"type", to_string(access.type)},
          {"partition", access.source_text},
          {"path", or_null(access.path)},
          {"width", access.width},
          {"bytes", access.bytes()},
          {"not_wider", access.not_wider},
          {"requests", access.requests},
          {"sectors", sectors},
          {"banks", banks},
          {"efficiency", known_or_null(access.requests > 0, access.efficiency)},
          {"worst", worst},
          {"lane_step", or_null(access.worst_step)},
          {"bounds", access.bounds},
          {"grade", level_text(access)},
          {"verdict", gen::verdict(access)}};
}

Json to_json(const Claim& claim) {
  return {{"claim", claim.text},
          {"array", or_null(claim.array)},
          {"answer", gen::to_string(claim.answer)},
          {"by", gen::to_string(claim.by)},
          {"ms", claim.ms},
          {"why", or_null(claim.why)}};
}

}  // namespace

Json explain_json(const Explained& subject) {
  Json config = Json::object(), sizes = Json::object();
  for (const auto& [key, value] : subject.kernel.config) config[key] = value;
  for (const auto& [name, value] : sizes_of(subject)) sizes[name] = value;
  Json accesses = Json::array();
  for (const AccessReport& access : subject.report.accesses) accesses.push_back(to_json(access));
  const BankModel& banks = subject.model.banks;
  Json out = {{"schema", 1},
              {"kernel", subject.kernel.name},
              {"config", config},
              {"why", subject.kernel.why},
              {"model",
               {{"subgroup", banks.lanes},
                {"banks", banks.banks},
                {"bank_bytes", banks.bank_bytes},
                {"sector_bytes", subject.model.sector_bytes},
                {"threads", subject.kernel.threads},
                {"sizes", sizes}}},
              {"accesses", accesses},
              {"in_part", subject.report.in_part},
              {"unsound", subject.report.reasons},
              {"problem", !of_level(subject, "bad").empty()},
              {"summary", summary(subject)}};
  if (!subject.choice.empty()) out["choice"] = subject.choice;
  if (!subject.claims.empty()) {
    out["claims"] = Json::array();
    for (const Claim& claim : subject.claims) out["claims"].push_back(to_json(claim));
    out["assumptions"] = gen::ir::interface_of(subject.kernel).assumptions;
  }
  return out;
}

std::string explain_text(const Explained& subject, TextForm form) {
  return form == TextForm::markdown ? markdown(subject) : table(subject);
}

}  // namespace vkmoye::bench
