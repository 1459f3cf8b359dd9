// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/products/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <numeric>

#include "vkmoye/base/in_parallel.hpp"
#include "vkmoye/gen/numbers/random.hpp"
#include "vkmoye/gen/problems/products/element_check.hpp"

namespace vkmoye::gen {
namespace {

using Indices = std::vector<std::int64_t>;

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

// Which elements are checked.
class Checker {
 public:
  Checker(const GemmData& data, const GemmOptions& problem, const Extents& size,
          std::span<const std::byte> result, WiderOperand wider)
      : problem_(problem),
        m_(size[0]),
        n_(size[1]),
        k_(size[2]),
        C_(data.matrices()[2]),
        offsets_(data.offsets()),
        element_(data, problem, size, result, wider),
        c_(data.bytes(2)),
        result_(result) {}

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
    const auto row_of = [&](bool of_a, std::int64_t index, std::span<double> values) {
      element_.load(of_a, batch, index, values);
      return element_.is_hard() ? element_.errors_of(of_a, batch, index, values)
                                : std::vector<OperandError>();
    };
    std::vector<double> table(kept.size() * k);
    std::vector<std::vector<OperandError>> errors;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      errors.push_back(row_of(keep_rows, kept[i], std::span(table).subspan(i * k, k)));
    }
    const auto work = [&](std::size_t begin, std::size_t end) {
      std::vector<double> line(k);
      CheckResult found;
      for (std::size_t p = begin; p < end; ++p) {
        const auto of_line = row_of(!keep_rows, passing[p], line);
        const CheckedOperand passed = {line, of_line};
        for (std::size_t i = 0; i < kept.size(); ++i) {
          const CheckedOperand one = {std::span(table).subspan(i * k, k), errors[i]};
          keep_rows ? element_.compare(batch, kept[i], passing[p], one, passed, found)
                    : element_.compare(batch, passing[p], kept[i], passed, one, found);
        }
      }
      merge(found);
    };
    const double terms = static_cast<double>(table.size()) * static_cast<double>(passing.size());
    in_parallel(passing.size(), terms > 0x1p24, work);
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

  const GemmOptions& problem_;
  std::int64_t m_, n_, k_;
  const GemmArray& C_;
  const std::vector<std::int64_t>& offsets_;  // the first row of each expert
  const ElementCheck element_;
  const std::vector<std::byte> c_;  // before the run
  const std::span<const std::byte> result_;
  std::mutex mutex_;
  CheckResult total_;
};

}  // namespace

CheckResult check_gemm(const GemmData& data, const GemmOptions& problem, const Extents& size,
                       std::span<const std::byte> result, Verify verify, std::uint64_t seed,
                       WiderOperand wider) {
  return Checker(data, problem, size, result, wider).run(verify, seed);
}

}  // namespace vkmoye::gen
