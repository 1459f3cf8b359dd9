// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/weight_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "vkmoye/contract/scalar_value.hpp"

namespace vkmoye::gen {
namespace {

// weight = scale * number - minimum
struct WeightFit {
  double scale = 0, minimum = 0;
};

// The numbers of codes: whole ones between two, or levels in ascending order.
class SortedNumbers {
 public:
  using Coded = std::pair<double, std::uint64_t>;

  explicit SortedNumbers(const WeightNumber& number) : codes_(number.codes()) {
    if (number.is_whole()) {
      least_ = -static_cast<double>(number.unsigned_zero());
      greatest_ = least_ + static_cast<double>(codes_ - 1);
      zero_ = number.kind == NumberKind::whole ? number.zero : 0;
      return;
    }
    for (std::int64_t code = 0; code < codes_; ++code) {
      const auto bits = static_cast<std::uint64_t>(code);
      levels_.emplace_back(number.number_of(bits), bits);
    }
    std::sort(levels_.begin(), levels_.end());
    least_ = levels_.front().first, greatest_ = levels_.back().first;
  }
  double greatest() const { return greatest_; }
  double of_largest_magnitude() const {
    return std::fabs(least_) >= std::fabs(greatest_) ? least_ : greatest_;
  }
  // The number nearest to x, with its code; the least one if x is NaN.
  Coded nearest(double x) const {
    x = x > least_ ? std::min(x, greatest_) : least_;
    if (levels_.empty()) {
      const double number = std::nearbyint(x);
      const auto code = static_cast<std::uint64_t>(static_cast<std::int64_t>(number) + zero_);
      return {number, code & static_cast<std::uint64_t>(codes_ - 1)};
    }
    const auto above = std::lower_bound(levels_.begin(), levels_.end(), Coded{x, 0});
    if (above == levels_.begin()) return *above;
    const auto below = above - 1;
    return x - below->first <= above->first - x ? *below : *above;
  }

 private:
  std::int64_t codes_, zero_ = 0;
  double least_ = 0, greatest_ = 0;
  std::vector<Coded> levels_;
};

// The quotients by a scale whose codes are looked for.
struct WeightQuotient {
  explicit WeightQuotient(const WeightFit& fit)
      : per_scale(fit.scale == 0 ? 0 : 1 / fit.scale), minimum(fit.minimum) {}
  double operator()(double weight) const { return (weight + minimum) * per_scale; }
  double per_scale, minimum;
};

double squares(const SortedNumbers& numbers, std::span<const double> weights,
               const WeightFit& fit) {
  double sum = 0;
  const WeightQuotient quotient(fit);
  for (const double w : weights) {
    const double error = fit.scale * numbers.nearest(quotient(w)).first - fit.minimum - w;
    sum += error * error;
  }
  return sum;
}

// The regression for the codes that weights have with `fit`; a minimum is not negative.
WeightFit refitted(const SortedNumbers& numbers, std::span<const double> weights,
                   const WeightFit& fit, bool has_minimum) {
  double n = 0, x = 0, xx = 0, y = 0, xy = 0;
  const WeightQuotient quotient(fit);
  for (const double w : weights) {
    const double number = numbers.nearest(quotient(w)).first;
    n += 1, x += number, xx += number * number, y += w, xy += number * w;
  }
  const double determinant = n * xx - x * x;
  if (has_minimum && determinant > 0) {
    const WeightFit out{(n * xy - x * y) / determinant, (x * xy - xx * y) / determinant};
    if (out.minimum >= 0) return out;
  }
  return xx > 0 ? WeightFit{xy / xx, 0} : fit;
}

// The best of some candidates.
WeightFit best_fit(const SortedNumbers& numbers, std::span<const double> weights,
                   bool has_minimum) {
  constexpr int kCandidates = 8;  // on each side
  constexpr double kStep = 0.1;
  WeightFit start;
  double extent = numbers.of_largest_magnitude();
  if (has_minimum) {
    const auto [low, high] = std::minmax_element(weights.begin(), weights.end());
    start.minimum = std::max(0.0, -*low);
    extent = numbers.greatest();
    start.scale = *high + start.minimum;
  } else {
    start.scale = *std::max_element(weights.begin(), weights.end(),
                                    [](double a, double b) { return std::fabs(a) < std::fabs(b); });
  }
  if (start.scale == 0) return {0, start.minimum};
  WeightFit best;
  double least = std::numeric_limits<double>::infinity();
  for (int i = -kCandidates; i <= kCandidates; ++i) {
    WeightFit fit{start.scale / (extent + kStep * i), start.minimum};
    fit = refitted(numbers, weights, fit, has_minimum);
    const double sum = squares(numbers, weights, fit);
    if (sum < least) least = sum, best = fit;
  }
  return best;
}

// The scale of a block for `parts`, and its bits: the one whose largest magnitude has the largest number.
double scale_of_block(const std::optional<SortedNumbers>& sub, const WeightNumber& scale,
                      std::span<const double> parts, std::span<std::byte> block) {
  double largest = 0;
  for (const double x : parts) {
    if (std::fabs(x) > std::fabs(largest)) largest = x;
  }
  const double value = sub ? largest / sub->of_largest_magnitude() : largest;
  const std::uint64_t bits = bits_of(scale.type, value);
  store_bits(scale, bits, block, 0);
  return scale.number_of(bits);
}

// The codes of numbers near x: of the nearest one and those next to it.
std::vector<std::uint64_t> codes_around(const SortedNumbers& numbers, double x) {
  std::vector<std::uint64_t> out;
  for (const double by : {-1.0, 0.0, 1.0}) {
    const std::uint64_t code = numbers.nearest(x + by).second;
    if (std::find(out.begin(), out.end(), code) == out.end()) out.push_back(code);
  }
  return out;
}

// The weights that have the same numbers: all, or those of a part of the block.
std::int64_t elements_of_part(const WeightFormat& format) {
  if (!format.sub_scale) return format.elements;
  const auto& fields = format.sub_scale->fields;
  std::int64_t count = 1;
  const auto is_same = [&](const BitField& field) { return field(count) == field(0); };
  while (std::all_of(fields.begin(), fields.end(), is_same)) ++count;
  return count;
}

}  // namespace

void quantise_by_search(const WeightFormat& format, std::span<const double> weights,
                        std::span<std::byte> block) {
  const SortedNumbers numbers(format.code);
  const bool has_minimum = format.minimum.has_value();
  const auto of_part = static_cast<std::size_t>(elements_of_part(format));
  std::vector<double> scales, minima;
  for (std::size_t first = 0; first < weights.size(); first += of_part) {
    const WeightFit fit = best_fit(numbers, weights.subspan(first, of_part), has_minimum);
    scales.push_back(fit.scale);
    minima.push_back(fit.minimum);
  }
  using Subs = std::optional<SortedNumbers>;
  const Subs sub_scales = format.sub_scale ? Subs(*format.sub_scale) : std::nullopt;
  const Subs sub_minima = format.sub_minimum ? Subs(*format.sub_minimum) : std::nullopt;
  const double scale = scale_of_block(sub_scales, *format.scale, scales, block);
  const double minimum =
      has_minimum ? scale_of_block(sub_minima, *format.minimum, minima, block) : 0;
  const auto sub_number = [](const std::optional<WeightNumber>& sub, std::uint64_t code) {
    return sub ? sub->number_of(code) : 1;
  };
  const auto codes_near = [](const Subs& sub, double part, double whole) {
    return sub ? codes_around(*sub, whole == 0 ? 0 : part / whole) : std::vector<std::uint64_t>{0};
  };
  for (std::size_t part = 0; part < scales.size(); ++part) {
    const auto of = weights.subspan(part * of_part, of_part);
    const auto first = static_cast<std::int64_t>(part * of_part);
    WeightFit best;
    double least = std::numeric_limits<double>::infinity();
    std::uint64_t best_scale = 0, best_minimum = 0;
    for (const std::uint64_t s : codes_near(sub_scales, scales[part], scale)) {
      for (const std::uint64_t m : codes_near(sub_minima, minima[part], minimum)) {
        const WeightFit fit{scale * sub_number(format.sub_scale, s),
                            minimum * sub_number(format.sub_minimum, m)};
        const double sum = squares(numbers, of, fit);
        if (sum < least) least = sum, best = fit, best_scale = s, best_minimum = m;
      }
    }
    if (format.sub_scale) store_bits(*format.sub_scale, best_scale, block, first);
    if (format.sub_minimum) store_bits(*format.sub_minimum, best_minimum, block, first);
    const WeightQuotient quotient(best);
    for (std::size_t i = 0; i < of_part; ++i) {
      store_bits(format.code, numbers.nearest(quotient(of[i])).second, block,
                 first + static_cast<std::int64_t>(i));
    }
  }
}

}  // namespace vkmoye::gen
