// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/attention/reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/numbers/expected.hpp"
#include "vkmoye/gen/numbers/number.hpp"

namespace vkmoye::gen {
namespace {

constexpr double kUnit = 0x1p-23;   // of f32
constexpr double kTiny = 0x1p-126;  // may be flushed
constexpr double kLargest = std::numeric_limits<float>::max();
constexpr double kNeglected = 1.01;    // neglected products of errors
constexpr double kCapError = 11;       // units of the cap
constexpr double kLogError = 0x1p-21;  // for the logarithm of a number near 1
// Keys of a smaller share count by their share, others by any: the bound for scores whose errors are not small.
constexpr double kSmallShare = 0x1p-24;
constexpr Expected kAnything = {0, kInfinity, {true, true, true}};

// Units of the error of a key or value that is decoded: those of formats without a minimum are exact.
double units_of_decoding(const WeightFormat* format) {
  return format != nullptr && format->minimum ? 1 : 0;
}

// The error of a key or value x, as matrix units take it: relative * |x| + absolute. Larger ones may become infinite.
struct Rounding {
  double relative = 0, absolute = 0, largest = kInfinity;
};

Rounding rounding_to(ScalarType type, bool on_matrix_units, const WeightFormat* format,
                     ScalarType of_elements) {
  if (!on_matrix_units || (format == nullptr && of_elements == type)) return {};
  const NumberRange range = range_of(type);
  return {range.epsilon, range.smallest_normal, range.largest};
}

double roundings(double count) { return std::min(count, 8 * std::sqrt(count)); }

// The score of a key that a row sees, with its error: infinite if a sum on the way to it may overflow.
struct Score {
  std::int64_t key;
  double x, error;
};

// A number and its error.
struct Inexact {
  double value = 0, error = 0;
};

double to_f32(double x) { return number_of(ScalarType::f32, bits_of(ScalarType::f32, x)); }

// The sum of `numbers`, rounded to the nearest number of f32. Where rounding absorbs their errors, there is none; an
// error that leads beyond the largest number is infinite.
Inexact rounded_sum(std::span<const Inexact> numbers) {
  Inexact sum;
  for (const Inexact& x : numbers) {
    sum.value += x.value;
    sum.error += x.error;
  }
  const auto rounded = [&](double error) { return to_f32(sum.value + error); };
  const double value = rounded(0);
  if (!std::isfinite(sum.value)) return {sum.value, 0};
  if (!std::isfinite(value)) return {value, kInfinity};
  return {value, std::max(rounded(sum.error) - value, value - rounded(-sum.error))};
}

// What the form makes of `x`, the product of a query and key `j`, times the scale.
Inexact biased(const AttentionCall& call, const AttentionRow& row, std::int64_t j, Inexact x) {
  if (call.form.soft_cap) {
    const double cap = static_cast<float>(call.soft_cap);
    x.value = cap * std::tanh(x.value / cap);
    // An infinite error stays so: that sum may be NaN, which no cap makes finite.
    if (std::isfinite(x.error)) x.error = std::min(x.error, 2 * cap);
    x.error += kCapError * kUnit * cap + 6 * kUnit * std::fabs(x.value);
  }
  if (!has_bias(call.form)) return x;
  x.error += kUnit * std::fabs(x.value);  // where a multiply-add is not fused
  if (call.form.slopes) {
    const double slope = row.slope * static_cast<double>(j - row.query - row.length + call.queries);
    x = rounded_sum(std::array{x, Inexact{slope, kUnit * std::fabs(slope) + kTiny}});
  }
  if (row.mask.empty()) return x;
  const double mask = row.mask[static_cast<std::size_t>(j)];
  return rounded_sum(std::array{x, Inexact{mask, std::fabs(mask) < kTiny ? std::fabs(mask) : 0}});
}

Score score_of(const AttentionCall& call, const AttentionRow& row, std::int64_t j,
               std::span<const double> q, std::span<const double> key, const Rounding& of_keys) {
  const double scale = static_cast<float>(call.scale_used());
  double sum = 0, products = 0, queries = 0, flushed = 0;
  bool is_large = false;
  for (std::size_t d = 0; d < q.size(); ++d) {
    const double product = std::fabs(q[d] * key[d]);
    sum += q[d] * key[d];
    products += product;
    queries += std::fabs(q[d]);
    if (std::fabs(q[d]) < kTiny || std::fabs(key[d]) < kTiny) flushed += product;
    is_large = is_large || (std::isfinite(key[d]) && std::fabs(key[d]) > of_keys.largest);
  }
  const double of_score =
      kUnit *
          (roundings(static_cast<double>(q.size())) + 2 + units_of_decoding(call.form.key_format)) *
          products +
      of_keys.relative * products + of_keys.absolute * queries + flushed +
      static_cast<double>(q.size()) * kTiny;
  Inexact x = {scale * to_f32(sum), std::fabs(scale) * of_score + kTiny};
  // With a factor of 2 for the base of the exponential, which a kernel may multiply by first.
  const bool may_overflow = 2 * products * std::max(1.0, std::fabs(scale)) > kLargest;
  if (is_large || (std::isfinite(products) && may_overflow)) x = {0, kInfinity};
  x = biased(call, row, j, x);
  return {j, x.value, x.error};
}

bool is_hidden(const AttentionRow& row, std::int64_t j) {
  return !row.mask.empty() && row.mask[static_cast<std::size_t>(j)] == -kInfinity;
}

// The weight of a key: exp(x - largest), and between which numbers its logarithm may lie.
struct Weight {
  double value = 0, low = 0, high = 0;

  // By how much the error may change the weight, relative to it.
  double relative() const { return std::expm1((high - low) / 2); }
};

// `d`: by how much the score is below the largest one.
Weight weight_of(double d, double error, double rescalings) {
  const double all = error + kUnit * (3 + 7 * d + 4 * rescalings);
  return {std::exp(-d), -d - all, -d + all};
}

// A value of a key and its weight.
struct Term {
  Weight weight;
  double value;
};

// The mean of `terms`, whose total weight is `total`, with the error that those of the weights lead to.
struct Mean {
  double value = 0, error = 0;
  double magnitude =
      0;  // of the values, by their weights or, if these are not known, by what they may be
};

Mean mean_of(const std::vector<Term>& terms, double total, double moved_share) {
  Mean mean;
  double lowest_top = -kInfinity;
  for (const Term& term : terms) {
    mean.value += term.weight.value * term.value / total;
    mean.magnitude += term.weight.value * std::fabs(term.value) / total;
    lowest_top = std::max(lowest_top, term.weight.low);
  }
  double moved = 0, any = 0, small = 0, magnitude = 0;
  for (const Term& term : terms) {
    const double distance = std::fabs(term.value - mean.value);
    const double share = std::min(1.0, std::exp(term.weight.high - lowest_top));
    if (term.weight.value > 0) {
      moved += term.weight.value * term.weight.relative() * distance / total;
    }
    (share < kSmallShare ? small : any) =
        share < kSmallShare ? small + share * distance : std::max(any, distance);
    magnitude += share * std::fabs(term.value);
  }
  const double if_small = moved_share < 1 ? moved / (1 - moved_share) : kInfinity;
  mean.error = std::min(if_small, any + small);
  if (!(moved_share < 0.1)) mean.magnitude = std::min(magnitude, mean.magnitude + mean.error);
  return mean;
}

}  // namespace

SeenKeys seen_keys(const AttentionCall& call, std::int64_t query, std::int64_t length) {
  const std::int64_t own = query + length - call.queries;  // the last key of a causal query
  std::int64_t first = 0, end = length;
  if (call.form.causal) end = std::clamp<std::int64_t>(own + 1, 0, end);
  if (call.form.window) first = std::max<std::int64_t>(own - call.window + 1, 0);
  return {std::min(first, end), end};
}

Expected define_attention(const AttentionCall& call, ScalarType type, bool on_matrix_units,
                          const AttentionRow& row, std::span<const double> q,
                          std::span<const double> k, std::span<const double> v,
                          std::span<Expected> out) {
  const AttentionForm& form = call.form;
  const Rounding of_keys =
      rounding_to(type, on_matrix_units, form.key_format, key_type(type, form));
  const Rounding rounding =
      rounding_to(type, on_matrix_units, form.value_format, value_type(type, form));
  const auto [first, end] = seen_keys(call, row.query, row.length);
  const auto width = static_cast<std::size_t>(form.width), value_width = out.size();
  std::vector<Score> scores;
  double largest = -kInfinity;
  bool is_known = true;
  const auto take = [&](double x, double error) {
    is_known = is_known && std::isfinite(error);
    if (!(x <= largest)) largest = x;  // NaN stays
  };
  for (std::int64_t j = first; j < end; ++j) {
    const auto key = k.subspan(static_cast<std::size_t>(j) * width, width);
    const Score score = score_of(call, row, j, q, key, of_keys);
    if (is_hidden(row, j)) {
      // NaN and infinity are not hidden by what is added to them.
      is_known = is_known && !std::isnan(score.x) && std::isfinite(score.error);
      continue;
    }
    if (score.x == -kInfinity) is_known = false;  // a product is infinite
    if (std::isnan(largest)) continue;
    scores.push_back(score);
    take(score.x, score.error);
  }
  // One of -infinity has no weight.
  const bool has_sink = row.sink && *row.sink != -kInfinity;
  const double of_sink =
      has_sink && std::isfinite(*row.sink) ? 4 * kUnit * std::fabs(*row.sink) : 0;
  if (has_sink && !std::isnan(largest)) take(*row.sink, of_sink);
  if (!is_known) {
    std::fill(out.begin(), out.end(), kAnything);
    return kAnything;
  }
  if (std::isnan(largest) || largest == kInfinity) {
    const Expected nan = {std::numeric_limits<double>::quiet_NaN(), 0};
    std::fill(out.begin(), out.end(), nan);
    return nan;
  }
  if (std::isinf(largest)) {
    std::fill(out.begin(), out.end(), Expected{0, 0});
    return {largest, 0};
  }
  const auto count = static_cast<double>(scores.size());
  const double rescalings = count / 8 + 1 + 3;
  std::vector<Weight> weights;
  double total = 0, moved_total = 0, top_error = 0;
  const auto add = [&](double x, double error) {
    const Weight weight = weight_of(largest - x, error, rescalings);
    weights.push_back(weight);
    total += weight.value;
    if (weight.value > 0) moved_total += weight.value * weight.relative();
    if (weight.value > kSmallShare) {
      top_error = std::max(top_error, (weight.high - weight.low) / 2);
    }
  };
  for (const Score& score : scores) add(score.x, score.error);
  if (has_sink) add(*row.sink, of_sink);
  const double moved_share = std::min(moved_total / total, 1.0);
  const NumberRange range = range_of(type);
  // Weights below may become 0.
  const double tiny = on_matrix_units ? range.smallest_normal : kTiny;
  for (std::size_t i = 0; i < value_width; ++i) {
    std::vector<Term> terms;
    double flushed = 0, up = 0, down = 0;
    bool may_be_anything = false, may_be_nan = false;
    const auto value_of = [&](std::int64_t j) {
      return v[static_cast<std::size_t>(j) * value_width + i];
    };
    for (std::size_t s = 0; s < scores.size(); ++s) {
      const double value = value_of(scores[s].key), size = std::fabs(value);
      const Weight& weight = weights[s];
      terms.push_back({weight, value});
      const double high = std::exp(std::min(weight.high, 0.0));
      if (!std::isfinite(value)) {
        may_be_anything = may_be_anything || std::exp(weight.low) < tiny;
        continue;
      }
      may_be_anything = may_be_anything || size > rounding.largest;
      flushed += std::min(high, tiny) * size + (size < kTiny ? high * size : 0);
      (value < 0 ? down : up) += size;
    }
    if (has_sink) terms.push_back({weights.back(), 0});
    // A weight of 0 times an infinite value is NaN.
    for (std::int64_t j = 0; j < row.length; ++j) {
      const double size = std::fabs(value_of(j));
      may_be_nan = may_be_nan || !std::isfinite(size) || size > rounding.largest;
    }
    if (may_be_anything) {
      out[i] = kAnything;
      continue;
    }
    const Mean mean = mean_of(terms, total, moved_share);
    const double value = mean.value, size = std::fabs(value);
    Overflow overflow =
        overflow_of_sum(up * (1 + count * kUnit), down * (1 + count * kUnit), kLargest);
    overflow.to_nan = may_be_nan || overflow.to_infinity || overflow.to_minus_infinity;
    if (!std::isfinite(value)) {
      out[i] = {value, 0, overflow};
      continue;
    }
    double bound = mean.error + kUnit * (roundings(count) + 2) * (mean.magnitude + size) +
                   4 * kUnit * size +
                   kUnit * units_of_decoding(form.value_format) * mean.magnitude + flushed / total;
    bound += rounding.relative * mean.magnitude + rounding.absolute;
    if (on_matrix_units) bound += range.epsilon * mean.magnitude;
    bound = bound * kNeglected + (count + 1) * kTiny;
    if (type != ScalarType::f32) bound += range.epsilon * size + range.smallest_normal;
    const double stored = number_of(type, bits_of(type, value));
    out[i] = std::isfinite(stored) ? in_range_of(type, {value, bound, overflow})
                                   : Expected{stored, 0, overflow};
  }
  const double log_total = std::log(total);
  const double of_weights =
      std::min(moved_share < 1 ? -std::log1p(-moved_share) : kInfinity, top_error + kSmallShare);
  const double of_log = of_weights + kUnit * (roundings(count) + 2) + kLogError +
                        4 * kUnit * (std::fabs(largest) + std::fabs(log_total));
  return in_range_of(ScalarType::f32, {largest + log_total, of_log * kNeglected});
}

}  // namespace vkmoye::gen
