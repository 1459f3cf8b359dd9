// SPDX-License-Identifier: MIT
#include "workloads/attention/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "numbers/number.hpp"
#include "vkmoye/contract/scalar_value.hpp"

namespace vkmoye::bench {
namespace {

constexpr double kUnit = 0x1p-23;      // of f32
constexpr double kTiny = 0x1p-126;     // may be flushed
constexpr double kSecondOrder = 1.01;  // neglected products of errors
constexpr double kCapError = 11;       // units of the cap
constexpr double kLogError = 0x1p-21;  // for the logarithm of a number near 1
constexpr double kHidden = -1e30;      // the mask of a key that is not seen

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

// The scores of the keys that a row sees, and their errors.
struct Scores {
  std::vector<std::int64_t> keys;
  std::vector<double> x, error;
};

// s <- what the form makes of the score scale * sum, of key `j`; `error` becomes its error.
double biased(const gen::AttentionCall& call, const AttentionRow& row, std::int64_t j, double x,
              double& error) {
  if (call.form.soft_cap) {
    const double cap = static_cast<float>(call.soft_cap);
    x = cap * std::tanh(x / cap);
    error += kCapError * kUnit * cap + 3 * kUnit * std::fabs(x);
  }
  double bias = 0, size = std::fabs(x);
  if (call.form.slopes) {
    bias += row.slope * static_cast<double>(j - row.query - row.length + call.queries);
    size += std::fabs(bias);
  }
  if (!row.mask.empty()) {
    const double m = row.mask[static_cast<std::size_t>(j)];
    bias += m;
    size += std::fabs(m);
  }
  if (gen::has_bias(call.form)) error += 2 * kUnit * size;
  return x + bias;
}

Scores scores_of(const gen::AttentionCall& call, const AttentionRow& row, std::span<const double> q,
                 std::span<const double> k, const Rounding& of_keys) {
  const auto [first, end] = seen_keys(call, row.query, row.length);
  const auto width = static_cast<std::size_t>(call.form.width);
  const double scale = static_cast<float>(call.scale_used());
  Scores out;
  for (std::int64_t j = first; j < end; ++j) {
    if (!row.mask.empty() && row.mask[static_cast<std::size_t>(j)] < kHidden) continue;
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
    double error = scale * of_score + 3 * kUnit * std::fabs(scale * sum) + kTiny;
    out.x.push_back(biased(call, row, j, scale * sum, error));
    out.error.push_back(error);
    out.keys.push_back(j);
  }
  return out;
}

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
  const std::vector<double>& x = scores.x;
  const auto value_width = out.size();
  double largest = -std::numeric_limits<double>::infinity(), magnitude = 0;
  const auto take = [&](double score) {
    largest = std::max(largest, score);
    magnitude = std::max(magnitude, std::fabs(score));
  };
  for (const double score : x) take(score);
  if (row.sink) take(*row.sink);
  if (std::isinf(largest)) {
    std::fill(out.begin(), out.end(), Expected{0, 0});
    return {largest, 0};
  }
  const auto count = static_cast<double>(x.size());
  const double tiles = count / 8 + 1;
  const double of_weight = kUnit * (3 + 24 * magnitude + 4 * tiles);
  double total = 0, moved_total = 0;
  std::vector<double> mean(value_width), absolute(value_width), moved(value_width),
      plain(value_width);
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double weight = std::exp(x[j] - largest);
    const double relative = std::expm1(scores.error[j]) + of_weight;
    total += weight;
    moved_total += weight * relative;
    const std::span<const double> value =
        v.subspan(static_cast<std::size_t>(scores.keys[j]) * value_width, value_width);
    for (std::size_t i = 0; i < value_width; ++i) {
      mean[i] += weight * value[i];
      absolute[i] += weight * std::fabs(value[i]);
      moved[i] += weight * relative * std::fabs(value[i]);
      plain[i] += std::fabs(value[i]);
    }
  }
  if (row.sink) {
    const double weight = std::exp(*row.sink - largest);
    total += weight;
    moved_total += weight * (of_weight + 4 * kUnit * std::fabs(*row.sink));
  }
  const NumberRange range = range_of(type);
  const double moved_share = std::min(moved_total / total, 1.0);
  for (std::size_t i = 0; i < value_width; ++i) {
    const double value = mean[i] / total, of_values = absolute[i] / total;
    const double size = std::fabs(value);
    double bound = (moved[i] + moved_total * size) / total / (1 - moved_share) +
                   kUnit * (roundings(count) + 2) * (of_values + size) + 4 * kUnit * size +
                   kUnit * units_of_decoding(call.form.value_format) * of_values;
    bound += rounding.relative * of_values + rounding.absolute;
    if (on_matrix_units) {
      bound += range.epsilon * of_values + range.smallest_normal * plain[i] / total;
    }
    bound = bound * kSecondOrder + kTiny;
    if (type != ScalarType::f32) bound += range.epsilon * size + range.smallest_normal;
    const double stored = number_of(type, bits_of(type, value));
    out[i] = std::isfinite(stored) ? Expected{value, bound} : Expected{stored, 0};
  }
  const double log_total = std::log(total);
  const double of_log = -std::log1p(-moved_share) + kUnit * (roundings(count) + 2) + kLogError +
                        4 * kUnit * (std::fabs(largest) + std::fabs(log_total));
  return {largest + log_total, of_log * kSecondOrder};
}

}  // namespace vkmoye::bench
