// SPDX-License-Identifier: MIT
#include "workloads/attention/reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "numbers/number.hpp"
#include "vkmoye/contract/scalar_value.hpp"

namespace vkmoye::bench {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnit = 0x1p-23;      // of f32
constexpr double kTiny = 0x1p-126;     // may be flushed
constexpr double kSecondOrder = 1.01;  // neglected products of errors
constexpr double kCapError = 11;       // units of the cap
constexpr double kLogError = 0x1p-21;  // for the logarithm of a number near 1

// Units of the error of a key or value that is decoded: those of formats without a minimum are exact.
double units_of_decoding(const gen::WeightFormat* format) {
  return format != nullptr && format->minimum_at ? 1 : 0;
}

// The error of a key or value x, as matrix units take it: relative * |x| + absolute.
struct Rounding {
  double relative = 0, absolute = 0;
};

Rounding rounding_to(ScalarType type, bool on_matrix_units, const gen::WeightFormat* format,
                     ScalarType of_elements) {
  if (!on_matrix_units || (format == nullptr && of_elements == type)) return {};
  return {range_of(type).epsilon, range_of(type).smallest_normal};
}

double roundings(double count) { return std::min(count, 8 * std::sqrt(count)); }

// A number and its error.
struct Inexact {
  double value = 0, error = 0;
};

double to_f32(double x) { return number_of(ScalarType::f32, bits_of(ScalarType::f32, x)); }

// The sum of `numbers`, rounded to the nearest number of f32. Where rounding absorbs their errors, there is none.
Inexact rounded_sum(std::span<const Inexact> numbers) {
  Inexact sum;
  for (const Inexact& x : numbers) {
    sum.value += x.value;
    sum.error += x.error;
  }
  const auto rounded = [&](double error) { return to_f32(sum.value + error); };
  const double value = rounded(0);
  if (!std::isfinite(value)) return {value, 0};
  return {value, std::max(rounded(sum.error) - value, value - rounded(-sum.error))};
}

// The scores of the keys that a row sees.
struct Scores {
  std::vector<std::int64_t> keys;
  std::vector<Inexact> x;
};

// What the form makes of `x`, the product of a query and key `j`, times the scale.
Inexact score_of(const gen::AttentionCall& call, const AttentionRow& row, std::int64_t j,
                 Inexact x) {
  if (call.form.soft_cap) {
    const double cap = static_cast<float>(call.soft_cap);
    x.value = cap * std::tanh(x.value / cap);
    x.error += kCapError * kUnit * cap + 6 * kUnit * std::fabs(x.value);
  }
  if (!gen::has_bias(call.form)) return x;
  x.error += kUnit * std::fabs(x.value);  // where a multiply-add is not fused
  if (call.form.slopes) {
    const double slope = row.slope * static_cast<double>(j - row.query - row.length + call.queries);
    x = rounded_sum(std::array{x, Inexact{slope, kUnit * std::fabs(slope)}});
  }
  if (row.mask.empty()) return x;
  return rounded_sum(std::array{x, Inexact{row.mask[static_cast<std::size_t>(j)]}});
}

Scores scores_of(const gen::AttentionCall& call, const AttentionRow& row, std::span<const double> q,
                 std::span<const double> k, const Rounding& of_keys) {
  const auto [first, end] = seen_keys(call, row.query, row.length);
  const auto width = static_cast<std::size_t>(call.form.width);
  const double scale = static_cast<float>(call.scale_used());
  Scores out;
  for (std::int64_t j = first; j < end; ++j) {
    if (!row.mask.empty() && row.mask[static_cast<std::size_t>(j)] == -kInfinity) continue;
    const std::span<const double> key = k.subspan(static_cast<std::size_t>(j) * width, width);
    double sum = 0, products = 0, queries = 0;
    for (std::size_t d = 0; d < width; ++d) {
      sum += q[d] * key[d];
      products += std::fabs(q[d] * key[d]);
      queries += std::fabs(q[d]);
    }
    const double of_score =
        kUnit *
            (roundings(static_cast<double>(width)) + 2 + units_of_decoding(call.form.key_format)) *
            products +
        of_keys.relative * products + of_keys.absolute * queries;
    const Inexact score = score_of(call, row, j, {scale * to_f32(sum), scale * of_score + kTiny});
    if (score.value == -kInfinity) continue;  // hidden, too
    out.x.push_back(score);
    out.keys.push_back(j);
  }
  return out;
}

// The sum of the weights of a row, by how much errors may move it, and the largest error of an exponent.
struct Weights {
  double total = 0, moved = 0, exponent_error = 0;
};

}  // namespace

SeenKeys seen_keys(const gen::AttentionCall& call, std::int64_t query, std::int64_t length) {
  const std::int64_t own = query + length - call.queries;  // the last key of a causal query
  std::int64_t first = 0, end = length;
  if (call.form.causal) end = std::clamp<std::int64_t>(own + 1, 0, end);
  if (call.form.window) first = std::max<std::int64_t>(own - call.window + 1, 0);
  return {std::min(first, end), end};
}

Expected define_attention(const gen::AttentionCall& call, ScalarType type, bool on_matrix_units,
                          const AttentionRow& row, std::span<const double> q,
                          std::span<const double> k, std::span<const double> v,
                          std::span<Expected> out) {
  const gen::AttentionForm& form = call.form;
  const Rounding of_keys =
      rounding_to(type, on_matrix_units, form.key_format, gen::key_type(type, form));
  const Rounding rounding =
      rounding_to(type, on_matrix_units, form.value_format, gen::value_type(type, form));
  const Scores scores = scores_of(call, row, q, k, of_keys);
  const auto value_width = out.size();
  double largest = row.sink.value_or(-kInfinity);
  bool is_nan = std::isnan(largest) || largest == kInfinity;
  for (const Inexact& x : scores.x) {
    is_nan = is_nan || std::isnan(x.value) || x.value == kInfinity;
    largest = std::max(largest, x.value);
  }
  if (is_nan || std::isinf(largest)) {
    const double mean = is_nan ? std::numeric_limits<double>::quiet_NaN() : 0;
    std::fill(out.begin(), out.end(), Expected{mean, 0});
    return {is_nan ? mean : largest, 0};
  }
  const auto count = static_cast<double>(scores.x.size());
  const double rescalings = count / 8 + 1 + 3;
  Weights of;
  const auto weigh = [&](const Inexact& x) {
    const double exponent = x.value - largest;
    const double of_weight = kUnit * (3 + 7 * std::fabs(exponent) + 4 * rescalings);
    Inexact w = {std::exp(exponent), 0};
    // Not w * (exp(error) - 1), where one factor may be 0 and the other infinite.
    w.error = std::exp(exponent + x.error) - w.value + w.value * of_weight;
    of.total += w.value;
    of.moved += w.error;
    of.exponent_error = std::max(of.exponent_error, x.error + of_weight);
    return w;
  };
  std::vector<double> mean(value_width), absolute(value_width), moved(value_width),
      plain(value_width), least(value_width, kInfinity), most(value_width, -kInfinity);
  for (std::size_t j = 0; j < scores.x.size(); ++j) {
    const Inexact w = weigh(scores.x[j]);
    const std::span<const double> value =
        v.subspan(static_cast<std::size_t>(scores.keys[j]) * value_width, value_width);
    for (std::size_t i = 0; i < value_width; ++i) {
      mean[i] += w.value * value[i];
      absolute[i] += w.value * std::fabs(value[i]);
      moved[i] += w.error * std::fabs(value[i]);
      plain[i] += std::fabs(value[i]);
      least[i] = std::min(least[i], value[i]);
      most[i] = std::max(most[i], value[i]);
    }
  }
  if (row.sink) {
    weigh({*row.sink, 4 * kUnit * std::fabs(*row.sink)});
    for (double& bound : least) bound = std::min(bound, 0.0);
    for (double& bound : most) bound = std::max(bound, 0.0);
  }
  const NumberRange range = range_of(type);
  const bool is_near = of.moved < of.total;
  for (std::size_t i = 0; i < value_width; ++i) {
    const double value = mean[i] / of.total, of_values = absolute[i] / of.total;
    const double size = std::fabs(value);
    double bound = std::max(most[i] - value, value - least[i]);
    if (is_near) bound = std::min(bound, (moved[i] + of.moved * size) / (of.total - of.moved));
    bound += kUnit * (roundings(count) + 2) * (of_values + size) + 4 * kUnit * size +
             kUnit * units_of_decoding(call.form.value_format) * of_values;
    bound += rounding.relative * of_values + rounding.absolute;
    if (on_matrix_units) {
      bound += range.epsilon * of_values + range.smallest_normal * plain[i] / of.total;
    }
    bound = bound * kSecondOrder + kTiny;
    if (type != ScalarType::f32) bound += range.epsilon * size + range.smallest_normal;
    const double stored = number_of(type, bits_of(type, value));
    out[i] = std::isfinite(stored) ? Expected{value, bound} : Expected{stored, 0};
  }
  const double log_total = std::log(of.total);
  double of_weights = of.exponent_error;
  if (is_near) of_weights = std::min(of_weights, -std::log1p(-of.moved / of.total));
  const double of_log = of_weights + kUnit * (roundings(count) + 2) + kLogError +
                        4 * kUnit * (std::fabs(largest) + std::fabs(log_total));
  return {largest + log_total, of_log * kSecondOrder};
}

}  // namespace vkmoye::bench
