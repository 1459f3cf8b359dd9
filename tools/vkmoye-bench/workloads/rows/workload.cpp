// SPDX-License-Identifier: MIT
#include "workloads/rows/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "baselines/copy.hpp"
#include "io/array_order.hpp"
#include "numbers/random.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "workloads/expected.hpp"

namespace vkmoye::bench {
namespace {

constexpr double kWork = 0x1p24;  // elements that are checked in about a second

std::uint64_t elements_of(const LineArray& array) {
  std::uint64_t count = 1;
  for (const std::int64_t extent : array.shape) count *= static_cast<std::uint64_t>(extent);
  return count;
}

class Lines : public Workload {
 public:
  Lines(const gen::KernelEntry& entry, gen::KernelRequest request, const Extents& size,
        LineOperation operation, LineInit init)
      : Workload(entry, std::move(request), size), operation_(std::move(operation)), init_(init) {}

  std::vector<Array> arrays() const override {
    std::vector<Array> arrays;
    for (std::size_t i = 0; i < operation_.inputs.size(); ++i) {
      arrays.push_back({operation_.inputs[i].name, bytes_of(operation_.inputs[i]), i});
    }
    for (const LineArray& output : outputs()) arrays.push_back({output.name, bytes_of(output)});
    return arrays;
  }
  std::vector<std::string> command_options() const override {
    if (init_ == LineInit::random) return {};
    return {"--init", "hard"};
  }
  Arguments arguments() const override { return operation_.arguments; }
  RunPlan plan(const DeviceCaps& caps) const override {
    gen::KernelPlan kernels = entry().plan ? entry().plan(request_for(caps)) : gen::KernelPlan();
    return kernels.steps.empty() ? Workload::plan(caps) : plan_over_arrays(std::move(kernels));
  }

  double bytes() const override {
    if (elements_of(operation_.output) == 0) return 0;  // an empty result needs no reads
    double bytes = 0;
    for (const Array& array : arrays()) bytes += static_cast<double>(array.bytes);
    return bytes;
  }
  double flops() const override { return operation_.flops; }
  bool is_bound_by_memory() const override { return true; }
  bool is_checked_in_full() const override {
    double elements = 0;
    for (const LineArray& output : outputs()) elements += static_cast<double>(elements_of(output));
    for (const LineArray& input : operation_.inputs) {
      elements += static_cast<double>(elements_of(input));
    }
    return elements <= kWork;
  }

  void fill(Execution& execution, std::uint64_t seed) const override {
    for (std::size_t i = 0; i < operation_.inputs.size(); ++i) {
      execution.write(i, input_bytes(i, seed));
    }
  }

  CheckResult check(const Execution& execution, Verify verify, std::uint64_t seed) const override {
    const std::vector<LineArray> all_outputs = outputs();
    std::vector<std::vector<std::byte>> inputs, results;
    std::size_t values = 0;
    for (const LineArray& output : all_outputs) {
      const std::size_t number = operation_.inputs.size() + results.size();
      results.push_back(read_all(execution, number, bytes_of(output)));
      values += static_cast<std::size_t>(output.length);
    }
    for (std::size_t i = 0; i < operation_.inputs.size(); ++i) {
      inputs.push_back(input_bytes(i, seed));
    }
    CheckResult checked;
    const DefineLine define = operation_.definition(execution.caps());
    std::vector<Line> in(inputs.size());
    std::vector<Expected> out(values);
    for (const std::int64_t line : lines_to_check(verify, seed)) {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const LineArray& array = operation_.inputs[i];
        in[i].resize(static_cast<std::size_t>(array.length));
        load_numbers(type_of(array), inputs[i].data(),
                     static_cast<std::uint64_t>(line * array.next),
                     static_cast<std::uint64_t>(array.step), in[i]);
      }
      const auto compared = [&] {
        define(in, out);
        CheckResult of_line;
        std::size_t value = 0;
        for (std::size_t i = 0; i < results.size(); ++i) {
          const LineArray& output = all_outputs[i];
          for (std::int64_t at = 0; at < output.length; ++at) {
            const auto place = static_cast<std::size_t>(line * output.next + at * output.step);
            compare(out[value++],
                    load_number(type_of(output), &results[i][place * width_of(output)]), place,
                    output.name, of_line);
          }
        }
        return of_line;
      };
      CheckResult of_line = compared();
      if (of_line.mismatches > 0 && flush(in)) {
        const CheckResult of_flushed = compared();
        if (of_flushed.mismatches == 0) of_line = of_flushed;
      }
      if (checked.mismatches == 0) checked.first = of_line.first;
      checked.mismatches += of_line.mismatches;
      checked.max_error = std::max(checked.max_error, of_line.max_error);
    }
    return checked;
  }

  Timing time_baseline(const std::string&, const BaselineRun& run) const override {
    return time_copy_of(static_cast<std::uint64_t>(bytes()), run);
  }

  std::vector<std::int64_t> result_shape() const override { return operation_.output.shape; }
  ScalarType result_type() const override { return type_of(operation_.output); }
  std::vector<FurtherResult> further_results() const override {
    std::vector<FurtherResult> results;
    for (const LineArray& output : operation_.further_outputs) {
      results.push_back({operation_.inputs.size() + results.size(), output.shape, type_of(output)});
    }
    return results;
  }
  std::string refusal() const override { return operation_.refusal; }

 private:
  // Takes subnormal numbers of the type in which elements are computed as 0. Returns whether there were any.
  static bool flush(std::vector<Line>& lines) {
    constexpr double kMinNormal = std::numeric_limits<float>::min();
    bool any = false;
    for (Line& line : lines) {
      for (double& x : line) {
        if (x == 0 || !(std::fabs(x) < kMinNormal)) continue;
        x = std::copysign(0.0, x);
        any = true;
      }
    }
    return any;
  }

  std::vector<LineArray> outputs() const {
    std::vector<LineArray> all = operation_.further_outputs;
    all.push_back(operation_.output);
    return all;
  }
  ScalarType type_of(const LineArray& array) const { return array.type.value_or(request().type); }
  std::size_t width_of(const LineArray& array) const { return size_of(type_of(array)); }
  std::uint64_t bytes_of(const LineArray& array) const {
    return elements_of(array) * width_of(array);
  }

  std::vector<std::byte> input_bytes(std::size_t which, std::uint64_t seed) const {
    const ScalarType type = type_of(operation_.inputs[which]);
    const std::size_t width = size_of(type);
    std::vector<std::byte> out(bytes_of(operation_.inputs[which]));
    const std::uint64_t stream = random_bits(seed, which);
    if (init_ == LineInit::hard) {
      store_hard_lines(operation_.inputs[which], stream, out);
      return out;
    }
    for (std::uint64_t i = 0; i * width < out.size(); ++i) {
      store_number(type, random_number(type, random_bits(stream, i)), &out[i * width]);
    }
    return out;
  }

  void store_hard_lines(const LineArray& array, std::uint64_t stream,
                        std::span<std::byte> out) const {
    HardNumbers numbers = array.hard;
    numbers.type = type_of(array);
    const std::int64_t lines = array.next == 0 ? 1 : operation_.lines;
    for (std::int64_t line = 0; line < lines; ++line) {
      const HardLine hard(numbers, random_bits(stream, static_cast<std::uint64_t>(line)),
                          array.length);
      for (std::int64_t at = 0; at < array.length; ++at) {
        const auto place = static_cast<std::size_t>(line * array.next + at * array.step);
        store_number(numbers.type, hard[at], &out[place * size_of(numbers.type)]);
      }
    }
  }

  // All lines, or the first, the last and as many random ones as take about a second.
  std::vector<std::int64_t> lines_to_check(Verify verify, std::uint64_t seed) const {
    const std::int64_t lines = operation_.output.length > 0 ? operation_.lines : 0;
    std::int64_t length = operation_.output.length;
    for (const LineArray& array : operation_.inputs) length = std::max(length, array.length);
    const auto max_lines =
        static_cast<std::int64_t>(kWork / static_cast<double>(std::max<std::int64_t>(length, 1)));
    std::vector<std::int64_t> out;
    if (verify == Verify::full || lines <= max_lines + 2) {
      for (std::int64_t line = 0; line < lines; ++line) out.push_back(line);
      return out;
    }
    out = {0, lines - 1};
    for (std::int64_t i = 0; i < max_lines; ++i) {
      out.push_back(static_cast<std::int64_t>(random_bits(~seed, static_cast<std::uint64_t>(i)) %
                                              static_cast<std::uint64_t>(lines)));
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  LineOperation operation_;
  LineInit init_;
};

using MakeLineOperation = std::function<LineOperation(const LineSpec&)>;

LineSpec line_spec(const WorkloadSpec& spec, ScalarType type, const Extents& given,
                   bool fortran_order) {
  const Extents shape = fortran_order ? reversed(given) : given;
  return {product({shape.begin(), shape.end() - 1}),
          shape.back(),
          type,
          range_of(type),
          shape,
          fortran_order,
          spec.config,
          spec.entry->name};
}

LineInit init_of(const WorkloadSpec& spec) {
  const auto named = spec.values.find("init");
  if (named == spec.values.end() || named->second == "random") return LineInit::random;
  if (named->second == "hard") return LineInit::hard;
  throw ArgumentError(fmt::format("init '{}': expected random or hard", named->second));
}

std::unique_ptr<Workload> make_lines(const WorkloadSpec& spec, const MakeLineOperation& make,
                                     ScalarType type, const Extents& shape, bool fortran_order) {
  const LineSpec lines = line_spec(spec, type, shape, fortran_order);
  LineOperation operation = make(lines);
  gen::KernelRequest request = {.type = type, .options = operation.config.value_or(spec.config)};
  request.shape = operation.kernel_shape.value_or(Extents{lines.rows, lines.cols});
  return std::make_unique<Lines>(*spec.entry, std::move(request), lines.shape, std::move(operation),
                                 init_of(spec));
}

std::unique_ptr<Workload> of_arrays(const WorkloadSpec& spec, const MakeLineOperation& make,
                                    const std::vector<GivenArray>& given) {
  const Extents& shape = given.front().shape;
  if (shape.empty()) {
    throw ArgumentError(
        fmt::format("{}: is a scalar, {} takes an array", given.front().name, spec.entry->name));
  }
  const bool fortran_order = given.front().fortran_order;
  const auto operation_of_type = [&](ScalarType of) {
    return make(line_spec(spec, of, shape, fortran_order));
  };
  ScalarType type = spec.type.empty() ? given.front().type : parse_type(spec.type);
  LineOperation operation = operation_of_type(type);
  // If the first array has a fixed type, it does not determine the type of the others.
  for (std::size_t i = 0; spec.type.empty() && i < operation.inputs.size(); ++i) {
    if (operation.inputs[i].type || i >= given.size()) continue;
    if (given[i].type != type) operation = operation_of_type(type = given[i].type);
    break;
  }
  std::vector<std::string> reasons;
  if (given.size() != operation.inputs.size()) {
    reasons.push_back(
        fmt::format("needs {} arrays, got {}", operation.inputs.size(), given.size()));
  }
  for (std::size_t i = 0; i < std::min(given.size(), operation.inputs.size()); ++i) {
    const LineArray& wanted = operation.inputs[i];
    const ScalarType needed = wanted.type.value_or(type);
    if (given[i].type != needed) {
      reasons.push_back(fmt::format("{}: has type {}, {} takes {} there", given[i].name,
                                    to_string(given[i].type), spec.entry->name, to_string(needed)));
    }
    if (i > 0 && given[i].shape != wanted.shape) {
      reasons.push_back(fmt::format("{}: has shape {}, but {} needs {}", given[i].name,
                                    shape_text(given[i].shape), wanted.name,
                                    shape_text(wanted.shape)));
    }
  }
  if (!reasons.empty()) throw ArgumentError(with_reasons(spec.entry->name, reasons));
  return make_lines(spec, make, type, shape, fortran_order);
}

}  // namespace

void compare(const Expected& expected, double got, std::size_t place, const std::string& name,
             CheckResult& checked) {
  const double error = std::fabs(got - expected.value);
  if (std::isfinite(error)) checked.max_error = std::max(checked.max_error, error);
  if (is_right(expected, got)) return;
  if (checked.mismatches++ > 0) return;
  checked.first = fmt::format("element {} of {} is {}, not {} within {:.3g}", place, name, got,
                              expected.value, expected.bound);
}

LineArray rows_of(const std::string& name, const LineSpec& spec) {
  return {name, spec.shape, spec.cols, 1, spec.cols};
}

LineArray columns_of(const std::string& name, const LineSpec& spec) {
  return {name, spec.shape, spec.rows, spec.cols, 1};
}

Operation line_operation(const std::string& name, MakeLineOperation make,
                         bool takes_fortran_order) {
  Operation operation;
  operation.name = name;
  operation.size = {.text = "ROWSxCOLUMNS", .rank = 2, .example = {2048, 2048}};
  operation.baselines = {"copy"};
  operation.options = {{.name = "init",
                        .help = "contents of the arrays: random or hard (random)",
                        .of_apply = false,
                        .of_emit = false,
                        .expects = "random or hard"}};
  operation.of_size = [make](const WorkloadSpec& spec, const Extents& size) {
    return make_lines(spec, make, parse_type(spec.type), size, /*fortran_order=*/false);
  };
  operation.of_arrays = [make](const WorkloadSpec& spec, const std::vector<GivenArray>& given) {
    return of_arrays(spec, make, given);
  };
  operation.takes_fortran_order = [takes_fortran_order](const GivenArray& array,
                                                        std::size_t place) {
    return takes_fortran_order && place == 0 && array.shape.size() == 2;
  };
  return operation;
}

}  // namespace vkmoye::bench
