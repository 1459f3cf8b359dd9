// SPDX-License-Identifier: MIT
#include "workloads/products/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <numeric>
#include <thread>

#include "numbers/number.hpp"
#include "numbers/random.hpp"

namespace vkmoye::bench {
namespace {

using Indices = std::vector<std::int64_t>;

struct Sums {
  double products = 0, magnitudes = 0;  // sums of a * b and of |a * b|
};

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
    std::vector<double> table(kept.size() * k);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      load(keep_rows, batch, kept[i], std::span(table).subspan(i * k, k));
    }
    const auto work = [&](std::size_t begin, std::size_t end) {
      std::vector<double> line(k);
      CheckResult found;
      for (std::size_t p = begin; p < end; ++p) {
        load(!keep_rows, batch, passing[p], line);
        for (std::size_t i = 0; i < kept.size(); ++i) {
          const Sums sums = dot(table.data() + i * k, line.data(), k_);
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

  void compare(std::int64_t batch, std::int64_t i, std::int64_t j, Sums sums,
               CheckResult& found) const {
    const std::uint64_t at = C_.at(batch, i, j) * size_of(C_.type);
    const double got = load_number(C_.type, &result_[at]);
    double expected = problem_.alpha == 0 ? 0 : problem_.alpha * sums.products;
    double magnitude = problem_.alpha == 0 ? 0 : std::fabs(problem_.alpha) * sums.magnitudes;
    if (problem_.beta != 0) {
      const double before = problem_.beta * load_number(C_.type, &c_[at]);
      expected += before;
      magnitude += std::fabs(before);
    }
    bool exact = exact_;
    const double of_sum = exact || !std::isfinite(expected) ? 0 : bound_of_sum(magnitude);
    const Expected v = finished(batch, i, j, {expected, of_sum}, exact);
    expected = v.value;
    const double bound = exact ? 0 : v.bound + bound_of_result(expected);
    const double error = std::fabs(got - expected);
    const bool near = std::isfinite(expected) && error <= bound;
    if (near || is_same_special_value(got, expected)) {
      if (std::isfinite(error)) found.max_error = std::max(found.max_error, error);
      return;
    }
    if (std::isfinite(error)) found.max_error = std::max(found.max_error, error);
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
    const double roundings = problem_.init == Init::integers ? k : std::min(k, 8 * std::sqrt(k));
    const double of_sums = c * (roundings + 3) * accumulator_.epsilon;
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

  // `v` after the steps of the epilogue.
  Expected finished(std::int64_t batch, std::int64_t i, std::int64_t j, Expected v,
                    bool& exact) const {
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
      v = after(named, v, input, steps_, exact);
    }
    return v;
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
