// SPDX-License-Identifier: MIT
#include "measure/ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <system_error>
#include <variant>

#include "baselines/copy.hpp"
#include "baselines/peak.hpp"
#include "devices/turn.hpp"
#include "io/kept_file.hpp"
#include "timing/sampling.hpp"
#include "vkmoye/base/cache_folder.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/json.hpp"
#include "vkmoye/gen/ir/traversal.hpp"
#include "vkmoye/gen/kernels/matrix_units/atom.hpp"
#include "vkmoye/system/file.hpp"

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
  const TimingTurn turn(device.caps());
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
  const std::string* word = text_of(member_or_null(json, "of"));
  const std::string* types = text_of(member_or_null(json, "type"));
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
  if (const std::string* skipped = text_of(member_or_null(json, "skipped"))) {
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
      static_cast<std::uint64_t>(whole_of(member_or_null(json, "samples")).value_or(0));
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
  if (const std::string* measured = text_of(member_or_null(json, "measured")))
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

namespace {

using Unit = CeilingOf::Unit;

void add_once(std::vector<CeilingOf>& all, const CeilingOf& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

std::optional<ScalarType> type_of_array(const gen::ir::Kernel& kernel, const std::string& name) {
  for (const gen::ir::Array& array : kernel.arrays) {
    if (array.name == name) return array.type;
  }
  return std::nullopt;
}

std::vector<CeilingOf> matrix_units_of(const gen::ir::Kernel& kernel) {
  std::vector<CeilingOf> all;
  gen::ir::for_each(kernel.body, [&](const gen::ir::Stmt& statement) {
    const auto* product = std::get_if<gen::ir::MatrixMultiply>(&statement.value);
    if (product == nullptr) return;
    add_once(all, {Unit::matrix, type_of_array(kernel, product->a.array),
                   type_of_array(kernel, product->to.array)});
  });
  return all;
}

// The types of the elements that operations of `ops` give.
std::vector<CeilingOf> operations_of(const gen::ir::Kernel& kernel,
                                     const std::vector<gen::ir::Op>& ops) {
  std::vector<CeilingOf> all;
  gen::ir::for_each_node(kernel, [&](const gen::ir::Node& node) {
    if (!node.type.is_element() || std::find(ops.begin(), ops.end(), node.op) == ops.end()) return;
    add_once(all, {Unit::multiply_add, node.type.element});
  });
  return all;
}

}  // namespace

const UnitTime* ShortestTime::limit() const {
  const auto longest = std::max_element(
      units.begin(), units.end(),
      [](const UnitTime& a, const UnitTime& b) { return a.microseconds < b.microseconds; });
  return longest == units.end() ? nullptr : &*longest;
}

std::vector<CeilingOf> arithmetic_of(const gen::ir::Kernel& kernel) {
  using gen::ir::Op;
  if (kernel.hand_written || !operations_of(kernel, {Op::dot4}).empty()) return {};
  std::vector<CeilingOf> all = matrix_units_of(kernel);
  if (all.empty()) all = operations_of(kernel, {Op::multiply_add});
  if (all.empty()) all = operations_of(kernel, {Op::add, Op::subtract, Op::multiply});
  return all;
}

ShortestTime shortest_time(const gen::ir::Kernel& kernel, double bytes, double flops,
                           const std::vector<Ceiling>& ceilings) {
  ShortestTime out;
  const auto of_bytes = [&](Unit unit) -> std::optional<UnitTime> {
    const Ceiling* ceiling = ceiling_in(ceilings, {unit});
    if (ceiling == nullptr || bytes == 0) return std::nullopt;
    return UnitTime{{unit}, ceiling->median, bytes / (ceiling->median * 1e3)};
  };
  if (const auto copy = of_bytes(Unit::copy)) out.units.push_back(*copy);
  out.in_l2 = of_bytes(Unit::l2);
  if (flops == 0) return out;

  const std::vector<CeilingOf> kinds = arithmetic_of(kernel);
  std::optional<UnitTime> fastest;
  std::vector<std::string> unknown;
  for (const CeilingOf& kind : kinds) {
    const Ceiling* ceiling = ceiling_in(ceilings, kind);
    if (ceiling == nullptr) {
      unknown.push_back(name_of(kind));
    } else if (!fastest || ceiling->median > fastest->rate) {
      fastest = UnitTime{kind, ceiling->median, flops / (ceiling->median * 1e6)};
    }
  }
  if (!unknown.empty()) {
    out.not_counted = fmt::format("arithmetic is not counted: no ceiling of {} was measured",
                                  join(unknown, ", "));
  } else if (fastest) {
    out.units.push_back(*fastest);
  } else {
    out.not_counted = "arithmetic is not counted: which units the kernel uses is not known";
  }
  return out;
}

}  // namespace vkmoye::bench
