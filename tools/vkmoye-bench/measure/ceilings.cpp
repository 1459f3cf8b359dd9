// SPDX-License-Identifier: MIT
#include "measure/ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "baselines/copy.hpp"
#include "baselines/peak.hpp"
#include "timing/sampling.hpp"
#include "vkmoye/gen/kernels/matrix_units/atom.hpp"

namespace vkmoye::bench {
namespace {

using Unit = CeilingOf::Unit;

constexpr ScalarType kMultiplyAdds[] = {ScalarType::f32, ScalarType::f16, ScalarType::f64,
                                        ScalarType::i32, ScalarType::u32};

struct UnitRow {
  const char* word;  // in files
  const char* name;  // followed by the types
  std::size_t types;
};

constexpr std::array<UnitRow, static_cast<std::size_t>(Unit::count)> kUnits = {{
    {"copy", "copy", 0},
    {"l2", "L2", 0},
    {"shared", "shared memory", 0},
    {"multiply-add", "multiply-add", 1},
    {"matrix", "matrix units", 2},
}};
static_assert(kUnits.back().word != nullptr, "a unit without a row");

const UnitRow& row_of(Unit unit) { return kUnits[static_cast<std::size_t>(unit)]; }

bool is_of_bytes(Unit unit) { return row_of(unit).types == 0; }

PeakKernel kernel_of(const CeilingOf& of, const DeviceCaps& caps) {
  const std::int64_t groups = groups_for_peak(caps);
  switch (of.unit) {
    case Unit::copy:  // has two large arrays, see time_copy_of_memory
    case Unit::count: break;
    case Unit::l2: return peak_of_l2(groups);
    case Unit::shared: return peak_of_shared(groups);
    case Unit::multiply_add: return peak_of_numbers(of.operand.value(), groups);
    case Unit::matrix: {
      gen::GemmForm form;
      form.a_type = form.b_type = of.operand.value();
      form.accumulator = form.result = of.sum.value();
      return peak_of_matrices(form, caps, groups);
    }
  }
  throw Unavailable("it has no kernel of its own");
}

TimedWork timed(Device& device, const CeilingOf& of, const TimingRules& rules, std::uint64_t seed) {
  return or_unavailable([&] {
    if (of.unit == Unit::copy) return time_copy_of_memory(device, rules, seed);
    return time_peak(device, kernel_of(of, device.caps()), rules, seed);
  });
}

}  // namespace

const char* word_of(Unit unit) { return row_of(unit).word; }

std::size_t type_count(Unit unit) { return row_of(unit).types; }

std::string types_of(const CeilingOf& of) {
  std::string text;
  if (of.operand) text += to_string(*of.operand);
  if (of.sum) text += fmt::format(",{}", to_string(*of.sum));
  return text;
}

std::string name_of(const CeilingOf& of) {
  const std::string types = types_of(of);
  return types.empty() ? row_of(of.unit).name : fmt::format("{} {}", row_of(of.unit).name, types);
}

std::string measure_of(const CeilingOf& of) {
  if (is_of_bytes(of.unit)) return "GB/s";
  return is_floating(of.operand.value()) ? "TFLOP/s" : "TOP/s";
}

std::vector<CeilingOf> ceilings_to_measure(const DeviceCaps& caps) {
  std::vector<CeilingOf> all = {{Unit::copy}, {Unit::l2}, {Unit::shared}};
  for (const ScalarType type : kMultiplyAdds) all.push_back({Unit::multiply_add, type});
  for (const ScalarTypeInfo& operand : scalar_types()) {
    for (const ScalarTypeInfo& sum : scalar_types()) {
      const bool has = std::any_of(
          caps.matrix_shapes.begin(), caps.matrix_shapes.end(),
          [&](const MatrixShape& shape) { return gen::multiplies(shape, operand.type, sum.type); });
      if (has) all.push_back({Unit::matrix, operand.type, sum.type});
    }
  }
  return all;
}

Ceiling measure_ceiling(Device& device, const CeilingOf& of, const TimingRules& rules,
                        std::uint64_t seed) {
  Ceiling out{of};
  try {
    const TimedWork found = timed(device, of, rules, seed);
    const double scale =
        is_of_bytes(of.unit) ? 1e3 : 1e6;  // microseconds to 10^9 or 10^12 a second
    const auto speed = [&](double fraction) {
      const double microseconds = quantile(found.timing, fraction);
      if (!(microseconds > 0)) throw Unavailable("its time was too short to be measured");
      return found.work / (microseconds * scale);
    };
    out.median = speed(0.5);
    out.low = speed(0.95);
    out.high = speed(0.05);
    out.samples = found.timing.samples_us.size();
  } catch (const WrongResult& why) {
    out.skipped = why.what();
    out.is_wrong = true;
  } catch (const Unavailable& why) {
    out.skipped = why.what();
  }
  return out;
}

const Ceiling* ceiling_in(const std::vector<Ceiling>& all, const CeilingOf& of) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Ceiling& one) {
    return one.of == of && one.skipped.empty();
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace vkmoye::bench
