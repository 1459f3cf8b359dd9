// SPDX-License-Identifier: MIT
#include "workloads/attention/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numbers/number.hpp"
#include "vkmoye/contract/scalar_value.hpp"

namespace vkmoye::bench {
namespace {

constexpr double kUnit = 0x1p-23;      // of f32
constexpr double kTiny = 0x1p-126;     // may be flushed
constexpr double kSecondOrder = 1.01;  // neglected products of errors
constexpr double kCapError = 11;       // units of the cap

double roundings(double count) { return std::min(count, 8 * std::sqrt(count)); }

}  // namespace

SeenKeys seen_keys(const gen::AttentionCall& call, std::int64_t query) {
  const std::int64_t own = query + call.keys - call.queries;  // the last key of a causal query
  std::int64_t first = 0, end = call.keys;
  if (call.form.causal) end = std::clamp<std::int64_t>(own + 1, 0, end);
  if (call.form.window) first = std::max<std::int64_t>(own - call.window + 1, 0);
  return {std::min(first, end), end};
}

void define_attention(const gen::AttentionCall& call, ScalarType type, bool on_matrix_units,
                      std::int64_t query, std::span<const double> q, std::span<const double> k,
                      std::span<const double> v, std::span<Defined> out) {
  const auto [first, end] = seen_keys(call, query);
  if (first == end) {
    std::fill(out.begin(), out.end(), Defined{0, 0});
    return;
  }
  const auto width = static_cast<std::size_t>(call.form.width), value_width = out.size();
  const auto count = static_cast<std::size_t>(end - first);
  const double scale = static_cast<float>(call.scale_used());
  const double cap = static_cast<float>(call.soft_cap);
  std::vector<double> x(count), error(count);
  double largest = -std::numeric_limits<double>::infinity(), magnitude = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const std::span<const double> key =
        k.subspan((static_cast<std::size_t>(first) + j) * width, width);
    double sum = 0, products = 0;
    for (std::size_t d = 0; d < width; ++d) {
      sum += q[d] * key[d];
      products += std::fabs(q[d] * key[d]);
    }
    const double of_score = kUnit * (roundings(static_cast<double>(width)) + 2) * products;
    x[j] = scale * sum;
    error[j] = scale * of_score + 3 * kUnit * std::fabs(x[j]) + kTiny;
    if (call.form.soft_cap) {
      x[j] = cap * std::tanh(x[j] / cap);
      error[j] += kCapError * kUnit * cap + 3 * kUnit * std::fabs(x[j]);
    }
    largest = std::max(largest, x[j]);
    magnitude = std::max(magnitude, std::fabs(x[j]));
  }
  const double tiles = static_cast<double>(count) / 8 + 1;
  const double of_weight = kUnit * (3 + 24 * magnitude + 4 * tiles);
  double total = 0;
  std::vector<double> mean(value_width), absolute(value_width), moved(value_width),
      plain(value_width);
  double moved_total = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const double weight = std::exp(x[j] - largest);
    const double relative = error[j] + of_weight;
    total += weight;
    moved_total += weight * relative;
    const std::span<const double> value =
        v.subspan((static_cast<std::size_t>(first) + j) * value_width, value_width);
    for (std::size_t i = 0; i < value_width; ++i) {
      mean[i] += weight * value[i];
      absolute[i] += weight * std::fabs(value[i]);
      moved[i] += weight * relative * std::fabs(value[i]);
      plain[i] += std::fabs(value[i]);
    }
  }
  const NumberRange range = range_of(type);
  for (std::size_t i = 0; i < value_width; ++i) {
    const double value = mean[i] / total, of_values = absolute[i] / total;
    const double size = std::fabs(value);
    double bound = (moved[i] + moved_total * size) / total +
                   kUnit * (roundings(static_cast<double>(count)) + 2) * (of_values + size) +
                   4 * kUnit * size;
    if (on_matrix_units) {
      bound += range.epsilon * of_values + range.smallest_normal * plain[i] / total;
    }
    bound = bound * kSecondOrder + kTiny;
    if (type != ScalarType::f32) bound += range.epsilon * size + range.smallest_normal;
    const double stored = number_of(type, bits_of(type, value));
    out[i] = std::isfinite(stored) ? Defined{value, bound} : Defined{stored, 0};
  }
}

}  // namespace vkmoye::bench
