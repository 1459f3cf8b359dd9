// SPDX-License-Identifier: MIT
#include "judge/two_judges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"

namespace vkmoye::judge {
namespace {

// The largest difference between results of about 1 if sums are added in another order.
double tolerance(ScalarType type) {
  switch (type) {
    case ScalarType::f64: return 1e-12;
    case ScalarType::f32: return 1e-5;
    case ScalarType::f16: return 4e-3;
    case ScalarType::bf16: return 3e-2;
    case ScalarType::e4m3: return 0.2;
    case ScalarType::e5m2: return 0.4;
    default: return 0;
  }
}

void compare(const Binding& binding, const std::vector<std::byte>& twin,
             const std::vector<std::byte>& judge, Both& out) {
  if (twin == judge) return;
  const std::size_t width = size_of(binding.type);
  for (std::size_t at = 0; at < twin.size(); at += width) {
    if (std::memcmp(&twin[at], &judge[at], width) == 0) continue;
    out.results = std::max(out.results, Both::Results::rounded);
    std::string text = "other bits";
    if (is_floating(binding.type)) {
      std::uint64_t bits[2] = {};
      std::memcpy(&bits[0], &twin[at], width);
      std::memcpy(&bits[1], &judge[at], width);
      const double a = number_of(binding.type, bits[0]), b = number_of(binding.type, bits[1]);
      const double max_error = tolerance(binding.type) * (1 + std::max(std::fabs(a), std::fabs(b)));
      if ((std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= max_error) continue;
      text = fmt::format("{} and {}", a, b);
    }
    out.results = Both::Results::different;
    out.difference =
        fmt::format("{}[{}] of the twin and of the judge: {}", binding.name, at / width, text);
    return;
  }
}

}  // namespace

Both judge_both(const gen::ir::Kernel& kernel, const CompiledKernel& compiled,
                const Arguments& sizes, const Buffers& before) try {
  constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 25;
  Both out;
  Buffers twin = before, judge = before;
  const std::vector<gen::HostArray> spans(twin.begin(), twin.end());
  out.twin = gen::run_on_host(kernel, spans, sizes, {kMaxSteps}).reasons;
  out.judge = spirv::launch(compiled, judge, sizes);
  if (!out.judge.unsupported.empty()) return out;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (compiled.interface.arrivals == i) continue;  // the twin counts no arrivals
    compare(compiled.interface.bindings[i], twin[i], judge[i], out);
  }
  return out;
} catch (const ArgumentError&) {
  Both out;
  out.launched = false;
  return out;
}

std::string reasons_against(const Both& both) {
  if (!both.launched) return "";
  std::string out;
  for (const std::string& fault : both.twin) out += "\nthe twin: " + fault;
  for (const auto& fault : both.judge.faults) out += "\nthe judge of SPIR-V: " + fault.text;
  if (!both.judge.unsupported.empty()) out += "\nit is not judged: " + both.judge.unsupported;
  if (out.empty() && !both.judge.finished) out = "\nit takes too many steps";
  if (both.results == Both::Results::different) out += '\n' + both.difference;
  return out;
}

void Tally::count(const Both& both) {
  if (!both.launched) {
    ++not_launched;
    return;
  }
  ++launches;
  accesses += both.judge.accesses;
  operations += both.judge.steps;
  if (both.results == Both::Results::same) ++same;
  if (both.results == Both::Results::rounded) ++rounded;
  for (const auto& fault : both.judge.faults) ++faults[std::string(to_string(fault.kind))];
}

void Tally::print(const std::string& title) const {
  fmt::print(
      "{}: {} kernels, {} launches ({} more were not possible); {:.1f} million operations, {:.1f} "
      "million accesses\n",
      title, kernels, launches, not_launched, static_cast<double>(operations) / 1e6,
      static_cast<double>(accesses) / 1e6);
  fmt::print(
      "  results of the twin and of the judge of SPIR-V: {} equal, {} equal but for rounding\n",
      same, rounded);
  for (const auto& [kind, count] : faults) fmt::print("  {:5} faults: {}\n", count, kind);
  for (const auto& [reason, count] : skipped) fmt::print("  {:5} skipped: {}\n", count, reason);
}

}  // namespace vkmoye::judge
