// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/rows/line_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/option_values.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/numbers/random.hpp"

namespace vkmoye::gen {
namespace {

constexpr double kLineElementsInASecond = 0x1p24;  // that are checked

enum class LineInit : std::uint8_t { random, hard };

LineInit init_of(const Options& values) {
  const auto named = values.find("init");
  if (named == values.end() || named->second == "random") return LineInit::random;
  if (named->second == "hard") return LineInit::hard;
  throw ArgumentError(not_read("init", named->second, "random or hard", {"random", "hard"}));
}

class LinesProblem : public Problem {
 public:
  LinesProblem(const LineSpec& spec, LineProblem lines, LineInit init)
      : lines_(std::move(lines)), type_(spec.type), init_(init) {
    form = ElementsForm(type_, lines_.kernel_shape.value_or(Extents{spec.rows, spec.cols}));
    type_text = to_string(type_);
    size = spec.shape;
    if (init_ == LineInit::hard) command_words = {"--init", "hard"};
    kernel_options = lines_.kernel_options;
    arguments = lines_.arguments;
    flops = lines_.flops;
    refusal = lines_.refusal;
    for (const LineArray& input : lines_.inputs) add_input(input.name, type_of(input), input.shape);
    read_ = lines_.inputs;
    for (const LineArray& output : lines_.results) {
      add_result(output.name, type_of(output), output.shape);
      if (!output.is_read) continue;
      arrays.back().input = read_.size();
      read_.push_back(output);
      bytes += static_cast<double>(arrays.back().bytes);
    }
    result = lines_.inputs.size() + lines_.result.value_or(lines_.results.size() - 1);
    bytes = bytes_of_arrays() == 0 ? 0 : bytes + bytes_of_arrays();
    for (const ProblemArray& array : arrays) {
      seconds_to_check +=
          static_cast<double>(number_of_elements(array.shape)) / kLineElementsInASecond;
    }
  }

  void fill(ArrayMemory& memory, std::uint64_t seed) const override {
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (arrays[i].input) memory.write(i, contents(*arrays[i].input, seed));
    }
  }

  CheckResult check(const ArrayMemory& memory, Verify verify, std::uint64_t seed) const override {
    std::vector<std::vector<std::byte>> inputs, results;
    for (std::size_t i = 0; i < read_.size(); ++i) inputs.push_back(contents(i, seed));
    std::size_t values = 0;
    for (const LineArray& output : lines_.results) {
      const std::size_t number = lines_.inputs.size() + results.size();
      results.push_back(read_all(memory, number, arrays[number].bytes));
      values += static_cast<std::size_t>(output.length);
    }
    CheckResult checked;
    std::vector<Line> in(inputs.size());
    std::vector<Expected> out(values);
    for (const std::int64_t line : lines_to_check(verify, seed)) {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const LineArray& array = read_[i];
        in[i].resize(static_cast<std::size_t>(array.length));
        load_numbers(type_of(array), inputs[i].data(),
                     static_cast<std::uint64_t>(line * array.next),
                     static_cast<std::uint64_t>(array.step), in[i]);
      }
      const auto compared = [&] {
        lines_.define(in, out, memory.summing_threads());
        return compare_line(line, out, results);
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

 private:
  // Compares line `line` of each result with its definition.
  CheckResult compare_line(std::int64_t line, std::span<const Expected> out,
                           const std::vector<std::vector<std::byte>>& results) const {
    CheckResult checked;
    std::size_t value = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const LineArray& output = lines_.results[i];
      const ScalarType type = type_of(output);
      for (std::int64_t at = 0; at < output.length; ++at) {
        const auto place = static_cast<std::size_t>(line * output.next + at * output.step);
        compare(out[value++], load_number(type, &results[i][place * size_of(type)]), place,
                output.name, checked);
      }
    }
    return checked;
  }

  // Takes subnormal numbers of the type in which elements are computed as 0. Returns whether there were any.
  bool flush(std::vector<Line>& lines) const {
    const double min_normal = type_ == ScalarType::f64 ? std::numeric_limits<double>::min()
                                                       : std::numeric_limits<float>::min();
    bool any = false;
    for (Line& line : lines) {
      for (double& x : line) {
        if (x == 0 || !(std::fabs(x) < min_normal)) continue;
        x = std::copysign(0.0, x);
        any = true;
      }
    }
    return any;
  }

  ScalarType type_of(const LineArray& array) const { return array.type.value_or(type_); }

  // Of the arrays that are read.
  std::vector<std::byte> contents(std::size_t which, std::uint64_t seed) const {
    const LineArray& array = read_[which];
    const ScalarType type = type_of(array);
    const std::size_t width = size_of(type);
    std::vector<std::byte> out(static_cast<std::size_t>(number_of_elements(array.shape)) * width);
    const std::uint64_t stream = random_bits(seed, which);
    if (init_ == LineInit::hard) {
      store_hard_lines(array, stream, out);
      return out;
    }
    for (std::uint64_t i = 0; i * width < out.size(); ++i) {
      const std::uint64_t bits = random_bits(stream, i);
      store_number(type, array.value ? array.value(i, bits) : random_number(type, bits),
                   &out[i * width]);
    }
    return out;
  }

  void store_hard_lines(const LineArray& array, std::uint64_t stream,
                        std::span<std::byte> out) const {
    HardNumbers numbers = array.hard;
    numbers.type = type_of(array);
    const std::int64_t lines = array.next == 0 ? 1 : lines_.lines;
    for (std::int64_t line = 0; line < lines; ++line) {
      const HardLine hard(numbers, random_bits(stream, static_cast<std::uint64_t>(line)),
                          array.length);
      for (std::int64_t at = 0; at < array.length; ++at) {
        const auto place = static_cast<std::size_t>(line * array.next + at * array.step);
        store_number(numbers.type, hard[at], &out[place * size_of(numbers.type)]);
      }
    }
  }

  std::vector<std::int64_t> lines_to_check(Verify verify, std::uint64_t seed) const {
    std::int64_t of_results = 0;
    for (const LineArray& array : lines_.results) of_results = std::max(of_results, array.length);
    std::int64_t length = std::max<std::int64_t>(of_results, 1);
    for (const LineArray& array : read_) length = std::max(length, array.length);
    const auto in_a_second =
        static_cast<std::int64_t>(kLineElementsInASecond / static_cast<double>(length));
    return parts_to_check(of_results > 0 ? lines_.lines : 0, in_a_second, verify, seed);
  }

  LineProblem lines_;
  std::vector<LineArray> read_;  // the inputs, then the results that are read
  ScalarType type_;
  LineInit init_;
};

LineSpec line_spec(const ProblemText& text, ScalarType type, const Extents& given,
                   bool fortran_order) {
  const Extents shape = fortran_order ? reversed(given) : given;
  return {number_of_elements({shape.begin(), shape.end() - 1}),
          shape.back(),
          type,
          shape,
          fortran_order,
          text.config,
          text.entry->name};
}

std::unique_ptr<Problem> of_arrays(const ProblemText& text, const Operation& operation,
                                   const MakeLineProblem& make,
                                   const std::vector<GivenArray>& given) {
  const GivenArray& first = given.front();
  if (first.shape.empty()) {
    throw ArgumentError(
        fmt::format("{}: is a scalar, {} takes an array", first.name, text.entry->name));
  }
  const SizeForm& size = operation.size;
  if (operation.is_own && first.shape.size() != size.rank) {
    throw ArgumentError(fmt::format(
        "{}: has shape {}, but {} needs {} extents, {}, and takes them from its first array",
        first.name, shape_text(first.shape), text.entry->name, size.rank, size.text));
  }
  const auto problem_of_type = [&](ScalarType type) {
    return make(line_spec(text, type, first.shape, first.fortran_order));
  };
  ScalarType type = text.type.empty() ? first.type : parse_type(text.type);
  LineProblem problem = problem_of_type(type);
  std::vector<WantedArray> wanted;
  const auto want_arrays = [&] {
    wanted.clear();
    for (const LineArray& one : problem.inputs) wanted.push_back({one.name, one.type, one.shape});
    for (const LineArray& one : problem.results) {
      if (one.is_read) wanted.push_back({one.name, one.type, one.shape});
    }
  };
  want_arrays();
  // If the first array has a fixed type, it does not determine the type of the others.
  for (std::size_t i = 0; text.type.empty() && i < wanted.size() && i < given.size(); ++i) {
    if (wanted[i].type) continue;
    if (given[i].type != type) problem = problem_of_type(type = given[i].type);
    break;
  }
  want_arrays();
  require_arrays(text.entry->name, given, wanted, type);
  return std::make_unique<LinesProblem>(line_spec(text, type, first.shape, first.fortran_order),
                                        std::move(problem), init_of(text.values));
}

}  // namespace

LineArray rows_of(const std::string& name, const LineSpec& spec) {
  return {name, spec.shape, spec.cols, 1, spec.cols};
}

LineArray columns_of(const std::string& name, const LineSpec& spec) {
  return {name, spec.shape, spec.rows, spec.cols, 1};
}

LineArray one_row(const std::string& name, std::int64_t cols) { return {name, {cols}, cols, 1, 0}; }

Operation line_operation(const std::string& name, MakeLineProblem make, SizeForm size,
                         bool is_own) {
  Operation operation;
  operation.name = name;
  operation.size = std::move(size);
  operation.is_own = is_own;
  operation.of_size = [make](const ProblemText& text, const Extents& extents) {
    const LineSpec spec = line_spec(text, parse_type(text.type), extents, /*fortran_order=*/false);
    return std::make_unique<LinesProblem>(spec, make(spec), init_of(text.values));
  };
  operation.of_arrays = [make, operation](const ProblemText& text,
                                          const std::vector<GivenArray>& given) {
    return of_arrays(text, operation, make, given);
  };
  if (is_own) return operation;
  operation.options = {{.name = "init",
                        .help = "contents of the arrays: random or hard (random)",
                        .of_apply = false,
                        .of_emit = false,
                        .expects = "random or hard",
                        .choices = {"random", "hard"}}};
  return operation;
}

}  // namespace vkmoye::gen
