// SPDX-License-Identifier: MIT
// peak: the ceilings of a device, measured once and kept.

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <utility>

#include "commands/open_device.hpp"
#include "commands/options.hpp"
#include "devices/trials.hpp"
#include "io/program.hpp"
#include "io/progress.hpp"
#include "io/terminal.hpp"
#include "measure/ceilings.hpp"
#include "report/report.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"
#include "vkmoye/contract/json.hpp"

namespace vkmoye::bench {
namespace {

KeptCeilings measure_all_of(Device& device, const CommandOptions& options) {
  TimingRules rules;
  rules.times.warm_up_seconds = rules.times.min_seconds = options.min_time;
  rules.times.max_seconds = std::max(options.budget, options.min_time);
  const std::vector<CeilingOf> wanted = ceilings_to_measure(device.caps());
  Progress progress;
  KeptCeilings found;
  for (const CeilingOf& of : wanted) {
    progress.step(found.ceilings.size() + 1, wanted.size());
    progress.show(name_of(of));
    found.ceilings.push_back(measure_ceiling(device, of, rules, options.seed));
  }
  found.measured = fmt::format(
      "{:%Y-%m-%d %H:%M} UTC",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
  return found;
}

// Where the ceilings are from. `file` empty: they are not kept.
std::string origin_text(const KeptCeilings& kept, const std::string& file, bool is_new) {
  if (file.empty()) return fmt::format("measured {}; not kept", kept.measured);
  return is_new ? fmt::format("measured {}, kept in {}", kept.measured, file)
                : fmt::format("measured {}, read from {}; --again measures again", kept.measured,
                              file);
}

void print_table(const DeviceCaps& caps, const KeptCeilings& kept, const std::string& origin) {
  constexpr std::size_t kName = 24;
  std::cout << hanging("", device_text(caps)) << hanging("", origin);
  if (const std::string text = caution(caps); !text.empty()) std::cout << hanging("", text);
  std::cout << fmt::format("\n{:<{}} {:>9}  {:<8} {:>20} {:>8}\n", "ceiling", kName, "median",
                           "unit", "5 % to 95 %", "samples");
  for (const Ceiling& ceiling : kept.ceilings) {
    if (!ceiling.skipped.empty()) {
      std::cout << hanging(fmt::format("{:<{}} ", name_of(ceiling.of), kName),
                           (ceiling.is_wrong ? "WRONG: " : "skipped: ") + ceiling.skipped);
      continue;
    }
    std::cout << fmt::format(
        "{:<{}} {:>9}  {:<8} {:>20} {:>8}\n", name_of(ceiling.of), kName, rate_text(ceiling.median),
        measure_of(ceiling.of),
        fmt::format("{} to {}", rate_text(ceiling.low), rate_text(ceiling.high)), ceiling.samples);
  }
}

Json json_of(const DeviceCaps& caps, const KeptCeilings& kept, const std::string& file,
             bool is_new) {
  Json out = {{"schema", 1},
              {"device", device_json(caps)},
              {"file", or_null(file)},
              {"measured", kept.measured},
              {"measured_now", is_new},
              {"ceilings", Json::array()}};
  for (const Ceiling& ceiling : kept.ceilings) {
    const bool was_measured = ceiling.skipped.empty();
    out["ceilings"].push_back({{"ceiling", word_of(ceiling.of.unit)},
                               {"type", or_null(types_of(ceiling.of))},
                               {"unit", measure_of(ceiling.of)},
                               {"median", known_or_null(was_measured, ceiling.median)},
                               {"p5", known_or_null(was_measured, ceiling.low)},
                               {"p95", known_or_null(was_measured, ceiling.high)},
                               {"samples", ceiling.samples},
                               {"skipped", or_null(ceiling.skipped)}});
  }
  return out;
}

int peak(const CommandOptions& options) {
  if (is_host(options.device)) throw ArgumentError("peak: kernels cannot be timed on the host");
  Device device = open_real_device(options.device);
  const DeviceCaps caps = device.caps();
  std::filesystem::path file = ceilings_file(caps);
  KeptCeilings kept = read_ceilings(file, caps);
  if (!kept.ignored.empty()) print_error(kept.ignored + "; it is replaced");
  const bool measures = options.again || kept.ceilings.empty();
  if (measures) {
    require_execution(device);
    kept = measure_all_of(device, options);
    const std::string failure =
        file.empty() ? "there is no cache folder" : write_ceilings(file, caps, kept);
    if (!failure.empty()) {
      print_error(fmt::format("the ceilings are not kept: {}{}{}", path_text(file),
                              file.empty() ? "" : ": ", failure));
      file.clear();
    }
  }
  if (options.format == "json") {
    std::cout << dump(json_of(caps, kept, path_text(file), measures), 2) << '\n';
  } else {
    print_table(caps, kept, origin_text(kept, path_text(file), measures));
  }
  const auto any = [&](auto is) {
    return std::any_of(kept.ceilings.begin(), kept.ceilings.end(), is);
  };
  if (any([](const Ceiling& one) { return one.is_wrong; })) return kWrongResult;
  return any([](const Ceiling& one) { return one.skipped.empty(); }) ? kOk : kNothingRan;
}

}  // namespace

const Command kPeak = {
    CommandName::peak, "measure what a device can do at best: memory, caches, arithmetic",
    "copy: bytes read and written, of arrays larger than caches. L2, shared memory:\n"
    "bytes that are read. Arithmetic is measured from registers, and a multiply-add\n"
    "counts as two operations. Each kernel is checked, then timed. The results are\n"
    "kept beside the pipeline cache, for 'explain'.\n\n"
    "Examples:\n  vkmoye-bench peak\n"
    "  vkmoye-bench peak --device llvmpipe --again --format json",
    peak};

}  // namespace vkmoye::bench
