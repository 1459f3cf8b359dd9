// SPDX-License-Identifier: MIT
#include "workloads/products/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <numeric>
#include <thread>

#include "numbers/number.hpp"
#include "numbers/random.hpp"
#include "workloads/expected.hpp"
#include "workloads/products/hard_sum.hpp"

namespace vkmoye::bench {
namespace {

using Indices = std::vector<std::int64_t>;

struct Sums {
  double products = 0, magnitudes = 0;  // sums of a * b and of |a * b|
  // Of hard numbers: the magnitudes of the terms of each sign, and what becomes of their operands.
  HardSum hard = {};
};

// A row of A or B.
struct CheckedOperand {
  std::span<const double> values;
  std::span<const double> errors;  // of hard numbers, else empty
};

constexpr Overflow kAnything = {true, true, true};

// The largest number by which a scale is multiplied.
double largest_code(const gen::WeightFormat& format) {
  if (format.code_type) return range_of(*format.code_type).largest;
  return format.levels.empty() ? std::ldexp(1, static_cast<int>(format.bits)) : 1;
}

// Eight partial sums, so that a compiler can vectorise the loop.
Sums dot(const double* a, const double* b, std::int64_t count) {
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

Indices all_of(std::int64_t count) {
  Indices out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

// The first, the last, and `more` random ones between them.
Indices some_of(std::int64_t count, std::int64_t more, std::uint64_t seed) {
  Indices out = {0, count - 1};
  for (std::int64_t i = 0; i < more; ++i) {
    out.push_back(static_cast<std::int64_t>(random_bits(seed, static_cast<std::uint64_t>(i)) %
                                            static_cast<std::uint64_t>(count)));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

class Checker {
 public:
  Checker(const GemmData& data, const GemmProblem& problem, const Extents& size,
          std::span<const std::byte> result, WiderOperand wider)
      : problem_(problem),
        wider_(wider),
        m_(size[0]),
        n_(size[1]),
        k_(size[2]),
        A_(data.matrices()[0]),
        B_(data.matrices()[1]),
        C_(data.matrices()[2]),
        input_matrices_(data.inputs()),
        offsets_(data.offsets()),
        exact_(data.is_exact()),
        a_(data.bytes(0)),
        b_(data.bytes(1)),
        c_(data.bytes(2)),
        inputs_(bytes_of_inputs(data)),
        result_(result),
        accumulator_(range_of(problem.accumulator)),
        steps_(range_of(problem.number_type())),
        result_range_(range_of(problem.result)) {
    if (problem.accumulator == ScalarType::f64) steps_.epsilon *= 2;
  }

  CheckResult run(Verify verify, std::uint64_t seed) {
    if (m_ > 0 && n_ > 0 && C_.batch > 0) compare_elements(verify, seed);
    check_gaps();
    return total_;
  }

 private:
  void compare_elements(Verify verify, std::uint64_t seed) {
    const std::int64_t count = offsets_.empty() ? C_.batch : problem_.experts;
    if (verify == Verify::full) {
      for (std::int64_t batch = 0; batch < count; ++batch) {
        block(batch, rows_of(batch, m_, seed), all_of(n_));
      }
    } else {
      // As many as take about a second, but at least the edges of the first and the last matrix.
      constexpr double kWork = 0x1p29;
      const Indices batches = some_of(count, offsets_.empty() ? 2 : 30, ~seed);
      const double one = static_cast<double>(k_) * static_cast<double>(m_ + n_) *
                         static_cast<double>(batches.size());
      const auto more = static_cast<std::int64_t>(std::clamp(kWork / one - 2, 0.0, 62.0));
      for (const std::int64_t batch : batches) {
        block(batch, rows_of(batch, more, seed + 1), all_of(n_));
        block(batch, rows_of(batch, m_, seed), some_of(n_, more, seed + 2));
      }
    }
  }

  // The rows of matrix `batch`, or of an expert: all, or some if there are more than `max_rows`.
  Indices rows_of(std::int64_t batch, std::int64_t max_rows, std::uint64_t seed) const {
    const auto at = static_cast<std::size_t>(batch);
    const std::int64_t first = offsets_.empty() ? 0 : offsets_[at];
    const std::int64_t count = offsets_.empty() ? m_ : offsets_[at + 1] - first;
    Indices rows = count <= max_rows ? all_of(count) : some_of(count, max_rows, seed);
    for (std::int64_t& row : rows) row += first;
    return rows;
  }

  // Checks the elements (i, j) of C for all i of `rows` and all j of `cols`. The operand with fewer indices is
  // kept as doubles; the other one is converted index by index.
  void block(std::int64_t batch, const Indices& rows, const Indices& cols) {
    const bool keep_rows = rows.size() <= cols.size();
    const Indices& kept = keep_rows ? rows : cols;
    const Indices& passing = keep_rows ? cols : rows;
    const auto k = static_cast<std::size_t>(k_);
    std::vector<double> table(kept.size() * k), errors(is_hard() ? table.size() : 0);
    const auto kept_at = [&](std::size_t i) -> CheckedOperand {
      return {std::span(table).subspan(i * k, k),
              is_hard() ? std::span(errors).subspan(i * k, k) : std::span<const double>()};
    };
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const auto values = std::span(table).subspan(i * k, k);
      load(keep_rows, batch, kept[i], values);
      if (!is_hard()) continue;
      const auto of_row = errors_of(keep_rows, batch, kept[i], values);
      std::copy(of_row.begin(), of_row.end(), errors.begin() + static_cast<std::ptrdiff_t>(i * k));
    }
    const auto work = [&](std::size_t begin, std::size_t end) {
      std::vector<double> line(k), line_errors;
      CheckResult found;
      for (std::size_t p = begin; p < end; ++p) {
        load(!keep_rows, batch, passing[p], line);
        if (is_hard()) line_errors = errors_of(!keep_rows, batch, passing[p], line);
        for (std::size_t i = 0; i < kept.size(); ++i) {
          const CheckedOperand passed = {line, line_errors};
          const Sums sums = keep_rows ? sums_of(kept_at(i), passed) : sums_of(passed, kept_at(i));
          keep_rows ? compare(batch, kept[i], passing[p], sums, found)
                    : compare(batch, passing[p], kept[i], sums, found);
        }
      }
      merge(found);
    };
    const double terms = static_cast<double>(table.size()) * static_cast<double>(passing.size());
    in_parallel(passing.size(), terms > 0x1p24, work);
  }

  template <class Work>
  static void in_parallel(std::size_t count, bool worth_it, const Work& work) {
    const std::size_t threads =
        worth_it ? std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, count) : 1;
    std::vector<std::thread> running;
    for (std::size_t t = 1; t < threads; ++t) {
      running.emplace_back(
          [&work, t, threads, count] { work(count * t / threads, count * (t + 1) / threads); });
    }
    work(0, count / threads);
    for (std::thread& thread : running) thread.join();
  }

  // Row `index` of A or B, as doubles.
  void load(bool of_a, std::int64_t batch, std::int64_t index, std::span<double> out) const {
    const gen::GemmArray& matrix = of_a ? A_ : B_;
    if (!of_a && problem_.weights != nullptr) {
      const auto row = std::span<const std::byte>(b_).subspan(matrix.at(batch, index, 0) * 2);
      const auto weights = gen::dequantise(*problem_.weights, row, k_);
      std::copy(weights.begin(), weights.end(), out.begin());
      return;
    }
    load_numbers(matrix.type, (of_a ? a_ : b_).data(), matrix.at(batch, index, 0),
                 static_cast<std::uint64_t>(matrix.step_second()), out);
  }

  bool is_hard() const { return problem_.init == Init::hard; }

  Sums sums_of(const CheckedOperand& a, const CheckedOperand& b) const {
    if (!is_hard()) return dot(a.values.data(), b.values.data(), k_);
    const HardSum hard = hard_sum(a.values, a.errors, b.values, b.errors);
    return {hard.value, hard.positive + hard.negative, hard};
  }

  // The errors of a row of hard numbers, as the kernel takes them.
  std::vector<double> errors_of(bool of_a, std::int64_t batch, std::int64_t index,
                                std::span<const double> values) const {
    const bool is_weight = !of_a && problem_.weights != nullptr;
    const NumberRange unit = range_of(gen::unit_type(problem_.a_type, problem_.b_type));
    const bool is_mixed = problem_.a_type != problem_.b_type || problem_.weights != nullptr;
    OperandRounding rounding = {accumulator_.smallest_normal};
    if (wider_ == WiderOperand::rounded) {
      rounding.flushed = std::max(rounding.flushed, unit.smallest_normal);
      if (is_mixed) rounding.rounded_to = &unit;
    }
    std::vector<double> errors = operand_errors(values, rounding);
    if (!is_weight || values.empty()) return errors;
    const gen::WeightFormat& format = *problem_.weights;
    // Matrix units take weights in their type, in which they are decoded.
    const double of_decoding = wider_ == WiderOperand::rounded ? unit.epsilon : 0x1p-23;
    const std::byte* blocks = &b_[B_.at(batch, index, 0) * 2];
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::byte* block =
          blocks + static_cast<std::int64_t>(k) / format.elements * format.bytes;
      const auto number_at = [&](const std::optional<std::int64_t>& place) {
        return place ? load_number(format.scale_type, block + *place) : 0;
      };
      const double minimum = number_at(format.minimum_at), scaled = values[k] - minimum;
      if (format.minimum_at) errors[k] += of_decoding * (std::fabs(scaled) + std::fabs(minimum));
      constexpr double kMinNormal = std::numeric_limits<float>::min();
      if (format.scale_at && std::fabs(number_at(format.scale_at)) < kMinNormal) {
        errors[k] += std::fabs(scaled);
      }
      if (std::fabs(minimum) < kMinNormal) errors[k] += std::fabs(minimum);
    }
    return errors;
  }

  // What the sum times alpha, plus `before`, may become.
  Overflow overflow_of(const HardSum& sum, double before) const {
    if (!is_hard() || accumulator_.epsilon == 0) return {};
    if (problem_.alpha == 0) {
      return overflow_of_sum(std::max(before, 0.0), std::max(-before, 0.0), steps_.largest);
    }
    const double rounding = 1 + accumulator_.epsilon * static_cast<double>(k_ + 3);
    const double up = sum.positive * rounding + sum.error,
                 down = sum.negative * rounding + sum.error;
    const bool sums_codes = problem_.weights != nullptr && wider_ == WiderOperand::kept;
    const bool may_sums_of_codes_overflow =
        sums_codes && sum.magnitude_of_a * largest_code(*problem_.weights) > accumulator_.largest;
    if (sum.may_be_nan || std::isinf(sum.error) || may_sums_of_codes_overflow) return kAnything;
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
  double bound_of_flushes(const HardSum& sum, double before) const {
    if (!is_hard()) return 0;
    const double alpha = std::fabs(problem_.alpha);
    const bool is_c_flushed =
        problem_.beta != 0 && std::fabs(before / problem_.beta) < steps_.smallest_normal;
    return (alpha == 0 ? 0 : alpha * sum.error) +
           (static_cast<double>(k_) + 3) * std::max(1.0, alpha) * accumulator_.smallest_normal +
           (is_c_flushed ? std::fabs(before) : 0);
  }

  void compare(std::int64_t batch, std::int64_t i, std::int64_t j, Sums sums,
               CheckResult& found) const {
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
        finished(batch, i, j, {expected, of_sum, overflow_of(sums.hard, before)}, exact);
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

  double bound_of_sum(double magnitude) const {
    // Sums of integers are exact; they are converted, and multiplied by alpha, and beta * C is added.
    if (accumulator_.epsilon == 0) return 3 * steps_.epsilon * magnitude;
    const double c = problem_.accumulator == ScalarType::f64 ? 2 : 1;
    const auto k = static_cast<double>(k_);
    const bool is_random = problem_.init == Init::random || problem_.init == Init::nonfinite;
    const double roundings = is_random ? std::min(k, 8 * std::sqrt(k)) : k;
    const double of_sums = c * (roundings + 3) * accumulator_.epsilon;
    if (is_hard()) return of_sums * magnitude;
    const bool is_mixed = problem_.a_type != problem_.b_type || problem_.weights != nullptr;
    const bool is_rounded = wider_ == WiderOperand::rounded && is_mixed;
    const double of_wider =
        is_rounded ? range_of(gen::unit_type(problem_.a_type, problem_.b_type)).epsilon : 0;
    return (of_sums + of_wider) * magnitude;
  }
  double bound_of_result(double expected) const {
    return result_range_.epsilon * std::fabs(expected) +
           std::max(accumulator_.smallest_normal, result_range_.smallest_normal);
  }

  // Whether `got` is `result`, rounded to the type of C.
  bool is_result(const Expected& result, bool exact, double got) const {
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
  double wrapped(double value) const {
    if (C_.type != ScalarType::i32 && C_.type != ScalarType::u32) return value;
    const double rest = value - std::floor(value / 0x1p32) * 0x1p32;
    return C_.type == ScalarType::i32 && rest >= 0x1p31 ? rest - 0x1p32 : rest;
  }

  // What `v` may be after the steps of the epilogue: first its value, then what an overflow may make of it.
  std::vector<Expected> finished(std::int64_t batch, std::int64_t i, std::int64_t j, Expected v,
                                 bool& exact) const {
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
    std::size_t next = offsets_.empty() ? 0 : 1;  // the input of the epilogue
    for (const gen::AppliedEpilogueOp& named : problem_.epilogue) {
      double input = 0;
      if (!named.step->inputs.empty()) {
        const gen::GemmArray& matrix = input_matrices_[next];
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
      add_overflows();
    }
    return all;
  }

  static std::vector<std::vector<std::byte>> bytes_of_inputs(const GemmData& data) {
    std::vector<std::vector<std::byte>> out;
    const auto count = static_cast<int>(data.inputs().size());
    for (int i = 0; i < count; ++i) out.push_back(data.bytes(3 + i));
    return out;
  }

  // Equal NaN or infinity; beyond the largest number of C, that number is right as well, from truncation.
  bool is_same_special_value(double got, double expected) const {
    if (std::isnan(expected)) return std::isnan(got);
    if (std::isinf(expected)) return got == expected;
    const double largest = result_range_.largest;
    const bool beyond = result_range_.epsilon > 0 && std::fabs(expected) > largest;
    return beyond && std::signbit(got) == std::signbit(expected) && std::fabs(got) >= largest;
  }

  // Checks that bytes of C's buffer that belong to no element are unchanged.
  void check_gaps() {
    const std::size_t width = size_of(C_.type);
    std::uint64_t gap = 0;  // where it begins, in elements
    const auto look = [&](std::uint64_t end) {
      if (end <= gap) return;
      if (std::memcmp(&c_[gap * width], &result_[gap * width], (end - gap) * width) == 0) return;
      if (total_.mismatches++ == 0) {
        total_.first = fmt::format(
            "C's buffer was written between its rows, within elements {} to {}", gap, end - 1);
      }
    };
    if (C_.span() == static_cast<std::uint64_t>(C_.offset)) return look(C_.span());  // no element
    for (std::int64_t batch = 0; batch < C_.batch; ++batch) {
      for (std::int64_t row = 0; row < C_.rows; ++row) {
        const auto begin =
            static_cast<std::uint64_t>(C_.offset + batch * C_.stride + row * C_.leading);
        look(begin);
        gap = begin + static_cast<std::uint64_t>(C_.cols);
      }
    }
  }

  void merge(const CheckResult& found) {
    const std::lock_guard lock(mutex_);
    if (total_.mismatches == 0) total_.first = found.first;
    total_.mismatches += found.mismatches;
    total_.max_error = std::max(total_.max_error, found.max_error);
  }

  const GemmProblem& problem_;
  const WiderOperand wider_;
  std::int64_t m_, n_, k_;
  const gen::GemmArray &A_, &B_, &C_;
  const std::vector<gen::GemmArray>&
      input_matrices_;                        // offsets_, then those that the epilogue reads
  const std::vector<std::int64_t>& offsets_;  // the first row of each expert
  bool exact_;
  std::vector<std::byte> a_, b_, c_;  // before the run
  std::vector<std::vector<std::byte>> inputs_;
  std::span<const std::byte> result_;
  NumberRange accumulator_, steps_, result_range_;
  std::mutex mutex_;
  CheckResult total_;
};

}  // namespace

CheckResult check_gemm(const GemmData& data, const GemmProblem& problem, const Extents& size,
                       std::span<const std::byte> result, Verify verify, std::uint64_t seed,
                       WiderOperand wider) {
  return Checker(data, problem, size, result, wider).run(verify, seed);
}

}  // namespace vkmoye::bench
