// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/products/element_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "vkmoye/gen/kernels/common/quantise.hpp"
#include "vkmoye/gen/numbers/expected.hpp"

namespace vkmoye::gen {
namespace {

constexpr Overflow kInfinityOrNan = {true, true, true};

}  // namespace

ElementCheck::ElementCheck(const GemmData& data, const GemmOptions& problem, const Extents& size,
                           std::span<const std::byte> result, WiderOperand wider)
    : problem_(problem),
      wider_(wider),
      k_(size[2]),
      A_(data.matrices()[0]),
      B_(data.matrices()[1]),
      C_(data.matrices()[2]),
      input_matrices_(data.inputs()),
      exact_(data.is_exact()),
      a_(data.bytes(0)),
      b_(data.bytes(1)),
      c_(data.bytes(2)),
      result_(result),
      accumulator_(range_of(problem.accumulator)),
      steps_(range_of(problem.number_type())),
      result_range_(range_of(problem.result)) {
  if (problem.accumulator == ScalarType::f64) steps_.epsilon *= 2;
  const auto count = static_cast<int>(data.inputs().size());
  for (int i = 0; i < count; ++i) inputs_.push_back(data.bytes(3 + i));
}

void ElementCheck::load(bool of_a, std::int64_t batch, std::int64_t index,
                        std::span<double> out) const {
  const GemmArray& matrix = of_a ? A_ : B_;
  if (!of_a && problem_.weights != nullptr) {
    const auto row = std::span<const std::byte>(b_).subspan(matrix.at(batch, index, 0) * 2);
    const auto weights = dequantise(*problem_.weights, row, k_);
    std::copy(weights.begin(), weights.end(), out.begin());
    return;
  }
  load_numbers(matrix.type, (of_a ? a_ : b_).data(), matrix.at(batch, index, 0),
               static_cast<std::uint64_t>(matrix.step_second()), out);
}

std::vector<OperandError> ElementCheck::errors_of(bool of_a, std::int64_t batch, std::int64_t index,
                                                  std::span<const double> values) const {
  const bool is_weight = !of_a && problem_.weights != nullptr;
  const NumberRange unit = range_of(multiplied_type(problem_.a_type, problem_.b_type));
  OperandRounding rounding = {accumulator_.smallest_normal};
  if (wider_ == WiderOperand::rounded) {
    rounding.flushed = std::max(rounding.flushed, unit.smallest_normal);
    if (is_mixed()) rounding.rounded_to = &unit;
  }
  return operand_errors(
      values, is_weight ? errors_of_decoding(batch, index, values) : std::vector<OperandError>(),
      rounding);
}

// Of row `row` of B. Weights are decoded in f32; in f16 only where nothing is rounded but their product, and the
// minimum of a part of a block.
std::vector<OperandError> ElementCheck::errors_of_decoding(std::int64_t batch, std::int64_t row,
                                                           std::span<const double> weights) const {
  constexpr double kMinNormal = std::numeric_limits<float>::min(), kF32Epsilon = 0x1p-23;
  const WeightFormat& format = *problem_.weights;
  const auto blocks = std::span<const std::byte>(b_).subspan(B_.at(batch, row, 0) * 2);
  const NumberRange unit = range_of(multiplied_type(problem_.a_type, problem_.b_type));
  const bool is_minimum_rounded = wider_ == WiderOperand::rounded && format.sub_minimum;
  std::vector<OperandError> errors(weights.size());
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const auto element = static_cast<std::int64_t>(k);
    const auto block = static_cast<std::size_t>(element / format.elements * format.bytes);
    const WeightScales of_block =
        scales_of(format, blocks.subspan(block), element % format.elements);
    const double minimum = std::fabs(of_block.minimum),
                 scaled = std::fabs(weights[k] - of_block.minimum);
    if (format.minimum) errors[k].size += kF32Epsilon * (scaled + minimum);
    if (is_minimum_rounded) {
      errors[k].size += unit.epsilon * minimum + std::min(minimum, unit.smallest_normal) +
                        std::max(minimum - unit.largest, 0.0);
      errors[k].may_be_infinite = minimum > unit.largest;
    }
    if (std::fabs(of_block.scale) < kMinNormal) errors[k].size += scaled;
    if (minimum < kMinNormal) errors[k].size += minimum;
  }
  return errors;
}

bool ElementCheck::is_mixed() const {
  return problem_.a_type != problem_.b_type || problem_.weights != nullptr;
}

// Eight partial sums, so that a compiler can vectorise the loop.
ElementCheck::Sums ElementCheck::dot(const double* a, const double* b, std::int64_t count) {
  constexpr int kLanes = 8;
  double products[kLanes] = {}, magnitudes[kLanes] = {};
  std::int64_t k = 0;
  for (; k + kLanes <= count; k += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const double product = a[k + lane] * b[k + lane];
      products[lane] += product;
      magnitudes[lane] += std::fabs(product);
    }
  }
  Sums sums;
  for (; k < count; ++k) {
    sums.products += a[k] * b[k];
    sums.magnitudes += std::fabs(a[k] * b[k]);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    sums.products += products[lane];
    sums.magnitudes += magnitudes[lane];
  }
  return sums;
}

ElementCheck::Sums ElementCheck::sums_of(const CheckedOperand& a, const CheckedOperand& b) const {
  if (!is_hard()) return dot(a.values.data(), b.values.data(), k_);
  const HardSum hard = hard_sum(a.values, a.errors, b.values, b.errors);
  return {hard.value, hard.positive + hard.negative, hard};
}

// What the sum times alpha, plus `before`, may become.
Overflow ElementCheck::overflow_of(const HardSum& sum, double before) const {
  if (!is_hard() || accumulator_.epsilon == 0) return {};
  if (problem_.alpha == 0) {
    return overflow_of_sum(std::max(before, 0.0), std::max(-before, 0.0), steps_.largest);
  }
  if (sum.may_be_nan) return kInfinityOrNan;
  const double rounding = 1 + accumulator_.epsilon * static_cast<double>(k_ + 3);
  const double up = sum.positive * rounding + sum.error, down = sum.negative * rounding + sum.error;
  const double alpha = problem_.alpha;
  const double scaled_up = alpha > 0 ? alpha * up : -alpha * down,
               scaled_down = alpha > 0 ? alpha * down : -alpha * up;
  const Overflow of_steps = overflow_of_sum(scaled_up + std::max(before, 0.0),
                                            scaled_down + std::max(-before, 0.0), steps_.largest);
  Overflow all = either(scaled(overflow_of_sum(up, down, accumulator_.largest), alpha), of_steps);
  // An infinite C, or sum, and one of the other sign.
  const bool meets_other =
      (all.to_infinity && before == -kInfinity) || (all.to_minus_infinity && before == kInfinity);
  all.to_nan = all.to_nan || meets_other;
  return all;
}

// What operands and partial sums that are flushed may add to the error.
double ElementCheck::bound_of_flushes(const HardSum& sum, double before) const {
  if (!is_hard()) return 0;
  const double alpha = std::fabs(problem_.alpha);
  const bool is_c_flushed =
      problem_.beta != 0 && std::fabs(before / problem_.beta) < steps_.smallest_normal;
  return (alpha == 0 ? 0 : alpha * sum.error) +
         (static_cast<double>(k_) + 3) * std::max(1.0, alpha) * accumulator_.smallest_normal +
         (is_c_flushed ? std::fabs(before) : 0);
}

void ElementCheck::compare(std::int64_t batch, std::int64_t i, std::int64_t j,
                           const CheckedOperand& a, const CheckedOperand& b,
                           CheckResult& found) const {
  const Sums sums = sums_of(a, b);
  const std::uint64_t at = C_.at(batch, i, j) * size_of(C_.type);
  const double got = load_number(C_.type, &result_[at]);
  double expected = problem_.alpha == 0 ? 0 : problem_.alpha * sums.products;
  double magnitude = problem_.alpha == 0 ? 0 : std::fabs(problem_.alpha) * sums.magnitudes;
  double before = 0;
  if (problem_.beta != 0) {
    before = problem_.beta * load_number(C_.type, &c_[at]);
    expected += before;
    magnitude += std::fabs(before);
  }
  bool exact = exact_;
  const double of_sum = exact || !std::isfinite(expected)
                            ? 0
                            : bound_of_sum(magnitude) + bound_of_flushes(sums.hard, before);
  const std::vector<Expected> results =
      finished(batch, i, j, {expected, of_sum, overflow_of(sums.hard, before)}, before, exact);
  expected = results.front().value;
  const double bound = exact ? 0 : results.front().bound + bound_of_result(expected);
  const double error = std::fabs(got - expected);
  if (std::isfinite(error)) found.max_error = std::max(found.max_error, error);
  const bool is_one = std::any_of(results.begin(), results.end(), [&](const Expected& result) {
    return is_result(result, exact, got);
  });
  if (is_one) return;
  if (found.mismatches++ != 0) return;
  found.first =
      fmt::format("C[{}{},{}] is {}, not {}", problem_.batch > 1 ? fmt::format("{},", batch) : "",
                  i, j, got, expected);
  if (!exact && std::isfinite(bound)) found.first += fmt::format(" within {:.3g}", bound);
}

double ElementCheck::bound_of_sum(double magnitude) const {
  // Sums of integers are exact; they are converted, and multiplied by alpha, and beta * C is added.
  if (accumulator_.epsilon == 0) return 3 * steps_.epsilon * magnitude;
  const double c = problem_.accumulator == ScalarType::f64 ? 2 : 1;
  const auto k = static_cast<double>(k_);
  const bool is_random = problem_.init == Init::random || problem_.init == Init::nonfinite;
  const double roundings = is_random ? std::min(k, 8 * std::sqrt(k)) : k;
  const double of_sums = c * (roundings + 3) * accumulator_.epsilon;
  if (is_hard()) return of_sums * magnitude;
  const bool is_rounded = wider_ == WiderOperand::rounded && is_mixed();
  const double of_wider =
      is_rounded ? range_of(multiplied_type(problem_.a_type, problem_.b_type)).epsilon : 0;
  return (of_sums + of_wider) * magnitude;
}

double ElementCheck::bound_of_result(double expected) const {
  return result_range_.epsilon * std::fabs(expected) +
         std::max(accumulator_.smallest_normal, result_range_.smallest_normal);
}

// Whether `got` is `result`, rounded to the type of C.
bool ElementCheck::is_result(const Expected& result, bool exact, double got) const {
  const double value = result.value;
  if (exact)
    return got == (is_hard() ? wrapped(value) : value) || is_same_special_value(got, value);
  if (is_same_special_value(got, value)) return true;
  if (!std::isfinite(value)) return false;
  const Expected stored = {value, result.bound + bound_of_result(value)};
  return is_hard() && result_range_.epsilon != 0 ? is_right(in_range_of(C_.type, stored), got)
                                                 : is_right(stored, got);
}

// An exact whole number modulo 2^32, if C has such integers.
double ElementCheck::wrapped(double value) const {
  if (C_.type != ScalarType::i32 && C_.type != ScalarType::u32) return value;
  const double rest = value - std::floor(value / 0x1p32) * 0x1p32;
  return C_.type == ScalarType::i32 && rest >= 0x1p31 ? rest - 0x1p32 : rest;
}

// What `v`, which includes `before`, may be after the steps of the epilogue: first its value, then what an overflow may
// make of it.
std::vector<Expected> ElementCheck::finished(std::int64_t batch, std::int64_t i, std::int64_t j,
                                             Expected v, double before, bool& exact) const {
  std::vector<Expected> all = {v};
  const auto add_overflows = [&] {
    Overflow of_all;
    for (const Expected& one : all) of_all = either(of_all, one.overflow);
    if (!is_hard()) return;
    if (of_all.to_infinity) all.push_back({kInfinity, 0});
    if (of_all.to_minus_infinity) all.push_back({-kInfinity, 0});
    if (of_all.to_nan) all.push_back({std::numeric_limits<double>::quiet_NaN(), 0});
  };
  add_overflows();
  std::size_t next = problem_.experts > 0 ? 1 : 0;  // the input of the epilogue
  for (const AppliedEpilogueOp& named : problem_.epilogue) {
    double input = 0;
    if (!named.step->inputs.empty()) {
      const GemmArray& matrix = input_matrices_[next];
      const std::uint64_t at = matrix.at(batch, i, j) * size_of(matrix.type);
      input = load_number(matrix.type, &inputs_[next++][at]);
    }
    if (named.step->reads_c) {
      input = load_number(C_.type, &c_[C_.at(batch, i, j) * size_of(C_.type)]);
    }
    bool still_exact = exact;
    for (Expected& one : all) {
      still_exact = exact;
      one = after(named, one, input, steps_, still_exact);
    }
    exact = still_exact;
    // Compilers may add `before` and inputs first: if that overflows, an infinite sum of the other sign gives NaN.
    before = adds(*named.step) ? before + input : 0;
    for (Expected& one : all) {
      const bool meets_other = std::isinf(one.value) && one.value * before < 0;
      one.overflow.to_nan =
          one.overflow.to_nan || (meets_other && std::fabs(before) > steps_.largest);
    }
    add_overflows();
  }
  return all;
}

// Equal NaN or infinity; beyond the largest number of C, that number is right as well, from truncation.
bool ElementCheck::is_same_special_value(double got, double expected) const {
  if (std::isnan(expected)) return std::isnan(got);
  if (std::isinf(expected)) return got == expected;
  const double largest = result_range_.largest;
  const bool beyond = result_range_.epsilon > 0 && std::fabs(expected) > largest;
  return beyond && std::signbit(got) == std::signbit(expected) && std::fabs(got) >= largest;
}

}  // namespace vkmoye::gen
