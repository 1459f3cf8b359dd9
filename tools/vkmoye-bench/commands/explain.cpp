// SPDX-License-Identifier: MIT
// explain KERNEL: what the layouts prove about each access; --prove: what holds in every launch. Needs no device; of a
// device, the shortest time by its ceilings, and what its driver's compiler says.

#include <fmt/format.h>

#include <iostream>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "commands/explain_report.hpp"
#include "commands/kernel_names.hpp"
#include "commands/open_device.hpp"
#include "commands/options.hpp"
#include "devices/driver_report.hpp"
#include "io/parse.hpp"
#include "io/program.hpp"
#include "io/terminal.hpp"
#include "measure/ceilings.hpp"
#include "registry/operations.hpp"
#include "report/report.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/json.hpp"
#include "vkmoye/gen/verify/claims.hpp"

namespace vkmoye::bench {
namespace {

struct DeviceFindings {
  double bytes = 0, flops = 0;  // see Workload
  std::optional<ShortestTime> shortest;
  std::string why_no_time;  // where there is no shortest time
  DriverReport driver;
};

// "100.7 MB", "137 GFLOP": three digits and a power of 1000.
std::string amount(double value, const char* unit) {
  constexpr const char* kPowers[] = {"", "k", "M", "G", "T", "P"};
  std::size_t power = 0;
  for (; value >= 1000 && power + 1 < std::size(kPowers); ++power) value /= 1000;
  return fmt::format("{:.4g} {}{}", value, kPowers[power], unit);
}

std::string work_text(const DeviceFindings& findings) {
  std::string text = fmt::format("at least {}", amount(findings.bytes, "B"));
  if (findings.flops == 0) return text + ", no arithmetic is counted";
  text += ", " + amount(findings.flops, "FLOP");
  if (findings.bytes > 0) {
    text += fmt::format(", {:.3g} FLOP/byte", findings.flops / findings.bytes);
  }
  return text;
}

std::string unit_text(const UnitTime& unit) {
  return fmt::format("{} {} at {} {}", name_of(unit.of), format_time(unit.microseconds),
                     rate_text(unit.rate), measure_of(unit.of));
}

// "25 us, limited by copy": one line each, beginning with the time.
std::vector<std::string> time_lines(const DeviceFindings& findings) {
  if (!findings.shortest) return {findings.why_no_time};
  const ShortestTime& shortest = *findings.shortest;
  std::vector<std::string> lines;
  if (const UnitTime* limit = shortest.limit()) {
    std::vector<std::string> units;
    for (const UnitTime& unit : shortest.units) units.push_back(unit_text(unit));
    std::string line = fmt::format("{}, limited by {}: {}", format_time(limit->microseconds),
                                   name_of(limit->of), join(units, ", "));
    // Arrays that a run before has left in a cache need not come from memory.
    if (limit->of.unit == CeilingOf::Unit::copy && shortest.in_l2) {
      line += fmt::format("; arrays that are in L2 {}", format_time(shortest.in_l2->microseconds));
    }
    lines.push_back(line);
  } else {
    lines.emplace_back("not known: no unit that it uses has a ceiling");
  }
  if (!shortest.not_counted.empty()) lines.push_back(shortest.not_counted);
  return lines;
}

// What is known of a program beside its statistics: "subgroups of 64; spills: none; occupancy: ..".
std::string program_text(const PipelineExecutable& program) {
  std::vector<std::string> parts = {program.name};
  if (program.subgroup_size > 0)
    parts.push_back(fmt::format("subgroups of {}", program.subgroup_size));
  if (const std::string spills = spills_of(program); !spills.empty()) {
    parts.push_back((spills == "none" ? "spills: " : "problem: it spills registers: ") + spills);
  }
  if (const std::string occupancy = occupancy_of(program); !occupancy.empty()) {
    parts.push_back("occupancy: " + occupancy);
  }
  return join(parts, "; ");
}

Json json_of(const PipelineStatistic& statistic) {
  return {{"name", statistic.name},
          {"value", std::visit([](auto value) { return Json(value); }, statistic.value)},
          {"description", statistic.description}};
}

Json json_of(const PipelineExecutable& program) {
  Json statistics = Json::array();
  for (const PipelineStatistic& one : program.statistics) statistics.push_back(json_of(one));
  return {{"name", program.name},
          {"subgroup_size", known_or_null(program.subgroup_size > 0, program.subgroup_size)},
          {"spills", or_null(spills_of(program))},
          {"occupancy", or_null(occupancy_of(program))},
          {"statistics", statistics}};
}

std::string text_of(const DeviceFindings& findings, TextForm form) {
  const bool is_markdown = form == TextForm::markdown;
  const auto item = [&](const char* title, const std::string& text) {
    return is_markdown ? fmt::format("- {}{}\n", title, text) : hanging(title, text);
  };
  std::string out = '\n' + item("work: ", work_text(findings));
  for (const std::string& line : time_lines(findings)) out += item("shortest time: ", line);
  if (!findings.driver.why_none.empty()) return out + item("driver: ", findings.driver.why_none);
  for (const PipelineExecutable& program : findings.driver.programs) {
    out += is_markdown ? fmt::format("\n{}\n\n| statistic | value |\n| --- | ---: |\n",
                                     program_text(program))
                       : hanging("driver: ", program_text(program));
    for (const PipelineStatistic& one : program.statistics) {
      const std::string value = vkmoye::to_string(one.value);
      out += is_markdown ? fmt::format("| {} | {} |\n", one.name, value)
                         : fmt::format("  {:<32} {:>12}\n", one.name, value);
    }
  }
  return out;
}

// Adds the members "work", "shortest_time" and "driver".
void add_to(Json& report, const DeviceFindings& findings) {
  report["work"] = {
      {"bytes", findings.bytes},
      {"flops", findings.flops},
      {"flops_per_byte", known_or_null(findings.bytes > 0, findings.flops / findings.bytes)}};
  Json time = {{"time_us", nullptr},     {"limit", nullptr},
               {"units", Json::array()}, {"in_l2_us", nullptr},
               {"not_counted", nullptr}, {"why_none", or_null(findings.why_no_time)}};
  if (findings.shortest) {
    if (const UnitTime* limit = findings.shortest->limit()) {
      time["time_us"] = limit->microseconds;
      time["limit"] = name_of(limit->of);
    }
    for (const UnitTime& unit : findings.shortest->units) {
      time["units"].push_back({{"ceiling", name_of(unit.of)},
                               {"rate", unit.rate},
                               {"unit", measure_of(unit.of)},
                               {"time_us", unit.microseconds}});
    }
    if (findings.shortest->in_l2) time["in_l2_us"] = findings.shortest->in_l2->microseconds;
    time["not_counted"] = or_null(findings.shortest->not_counted);
  }
  report["shortest_time"] = time;
  Json programs = Json::array();
  for (const PipelineExecutable& one : findings.driver.programs) programs.push_back(json_of(one));
  report["driver"] = {{"programs", programs}, {"why_none", or_null(findings.driver.why_none)}};
}

// Findings from the ceilings of `device`, kept from an earlier run, for a problem of `bytes` and `flops`. `selector`:
// the device as typed; `is_real`: it is a device of this machine.
DeviceFindings findings_on(const DeviceCaps& device, const std::string& selector, bool is_real,
                           const gen::ir::Kernel& kernel, double bytes, double flops) {
  DeviceFindings out;
  out.bytes = bytes;
  out.flops = flops;
  if (selector.empty()) {
    out.why_no_time = "unknown without a device; name one with --device";
    out.driver.why_none = "with --device, explain also prints what the driver's compiler reports";
    return out;
  }
  if (!is_real) {
    out.driver.why_none = is_host(selector) ? "none: the host has no driver"
                                            : "none: a saved description has no driver";
  }
  if (is_host(selector)) {
    out.why_no_time = "not known: kernels cannot be timed on the host";
    return out;
  }
  const KeptCeilings kept = read_ceilings(ceilings_file(device), device);
  if (!kept.ignored.empty()) print_error(kept.ignored);
  if (kept.ceilings.empty()) {
    out.why_no_time =
        is_real
            ? fmt::format("not known: '{}' measures what {} can do",
                          shell_line({program_name(), "peak", "--device", selector}), device.name)
            : fmt::format(
                  "not known: no ceilings of {} are kept on this machine; '{} peak' "
                  "measures them where the device is",
                  device.name, program_name());
    return out;
  }
  out.shortest = shortest_time(kernel, bytes, flops, kept.ceilings);
  return out;
}

int explain(const CommandOptions& options) {
  const gen::KernelEntry& entry = find_one_kernel(options.kernels.front());
  refuse_useless_values(options.values, {&entry});
  const bool is_real =
      !options.device.empty() && !is_description(options.device) && !is_host(options.device);
  std::optional<Device> device;
  if (is_real) device.emplace(open_target(options.device, /*statistics=*/true));
  const DeviceCaps caps = device ? described_by(*device) : described_for(options.device);
  const Operation& operation = operation_of(entry);
  const Workload workload = workload_of(
      {&entry, one_type(options, entry), options.config, options.values},
      gen::size_of_form(operation.size, one_size(options, gen::usual_size(operation, {4096}))));
  gen::AccessModel model;
  model.banks.lanes = static_cast<int>(options.subgroup_size.value_or(caps.subgroup_size));
  const RunPlan plan = described_plan(workload, caps);
  const Step& step = plan.steps[plan.main];
  for (const auto& [name, value] : step.arguments) {
    const auto* size = std::get_if<std::int64_t>(&value.value);
    if (size != nullptr) model.sizes[name] = static_cast<std::uint32_t>(*size);
  }
  DeviceFindings findings = findings_on(caps, options.device, is_real, step.kernel,
                                        workload.problem->bytes, workload.problem->flops);
  if (device) findings.driver = compile_with_driver(*device, step.kernel);
  std::vector<gen::Claim> claims;
  if (options.prove) claims = gen::claims_of(step.kernel);
  const Explained explained = {step.kernel, model, gen::analyse(step.kernel, model), plan.why,
                               std::move(claims)};
  if (options.format == "json") {
    Json report = explain_json(explained);
    add_to(report, findings);
    std::cout << report.dump(2) << '\n';
  } else {
    const TextForm form = options.format == "markdown" ? TextForm::markdown : TextForm::terminal;
    std::cout << explain_text(explained, form) << text_of(findings, form);
  }
  return kOk;
}

}  // namespace

const Command kExplain = {
    CommandName::explain, "analyse the memory accesses of a kernel; needs no device",
    "With --prove, claims are decided for all sizes by rules for names, types and\n"
    "guards, by a machine that follows a workgroup, or by isl with sets of integers.\n"
    "twin: the only launch that the kernel can have was run, without data. author:\n"
    "the author of the kernel asserts it.\n\n"
    "With --device, the report ends with the shortest time by the ceilings that\n"
    "'peak' has kept, and with the statistics of the driver's compiler.\n\n"
    "Examples:\n  vkmoye-bench explain transpose/simple\n"
    "  vkmoye-bench explain transpose/simple --type f16 --shared '(32,32):(1,34)'\n"
    "  vkmoye-bench explain gemm/auto --size 512x512x16384   # which kernel, and why\n"
    "  vkmoye-bench explain gemm/auto --size 4096x4096x4096 --device 0\n"
    "  vkmoye-bench explain transpose/padded --prove\n"
    "  vkmoye-bench explain gemm/simt --prove --format json",
    explain};

}  // namespace vkmoye::bench
