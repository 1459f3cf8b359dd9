// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/rows/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/kernels/common/threads_config.hpp"
#include "vkmoye/gen/numbers/activations.hpp"
#include "vkmoye/gen/numbers/expected.hpp"
#include "vkmoye/gen/numbers/number.hpp"

namespace vkmoye::gen {
namespace {

// The relative error of one rounding, and the magnitude below which a number may be flushed to 0.
struct Precision {
  double epsilon, min_normal;
};

Precision precision_of(ScalarType type) {
  const NumberRange range = range_of(type);
  if (range.epsilon == 0) {
    throw ArgumentError(fmt::format("sums of rows are not defined for {}", to_string(type)));
  }
  // Where subnormal results are normal in f32, in which they are computed, they are rounded, not flushed.
  const bool is_rounded = range.smallest_normal > std::numeric_limits<float>::min();
  return {range.epsilon, range.smallest_normal * (is_rounded ? range.epsilon : 1)};
}

// Covers the neglected errors of second order, which are far below a thousandth.
constexpr double kSecondOrder = 1.001;

double roundings(std::size_t count, std::size_t threads) {
  const auto n = static_cast<double>(count);
  return std::min(n, n / static_cast<double>(threads) + 40);
}

// Rounds a number that was computed with precision `computed` to `type`, and updates its error. `overflow`: what it may
// be besides, before it is rounded.
Expected rounded(ScalarType type, const Precision& computed, double value, double error,
                 const Overflow& overflow = {}) {
  const ScalarType computed_type = computing_type(type);
  double bound = error * kSecondOrder + computed.min_normal;
  Expected out = {value, bound, overflow};
  if (std::isfinite(value)) out = in_range_of(computed_type, out);
  if (computed_type != type) {
    const Precision result = precision_of(type);
    const double stored = number_of(type, bits_of(type, value));
    // Infinity, or NaN of e4m3, unless the error leads back to finite numbers.
    const bool is_surely_beyond = std::fabs(value) - bound > range_of(type).largest;
    if (!std::isfinite(stored) && is_surely_beyond) return {stored, 0, out.overflow};
    out.bound += result.epsilon * std::fabs(value) + result.min_normal;
    out = in_range_of(type, out);
  }
  return out;
}

Precision computing(ScalarType type) { return precision_of(computing_type(type)); }

}  // namespace

Expected defined_sum(ScalarType type, std::span<const double> x, std::size_t threads) {
  if (!is_floating(type)) {
    std::uint64_t sum = 0;
    for (const double value : x)
      sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    return {number_of(computing_type(type), sum), 0};
  }
  long double sum = 0, positive = 0, negative = 0;
  for (const double value : x) {
    sum += value;
    (value < 0 ? negative : positive) += std::fabs(value);
  }
  const Precision precision = computing(type);
  const double relative = precision.epsilon * roundings(x.size(), threads);
  const Overflow overflow = overflow_of_sum(static_cast<double>(positive * (1 + relative)),
                                            static_cast<double>(negative * (1 + relative)),
                                            range_of(computing_type(type)).largest);
  // Each partial sum may be flushed.
  return rounded(type, precision, static_cast<double>(sum),
                 relative * static_cast<double>(positive + negative) +
                     roundings(x.size(), threads) * precision.min_normal,
                 std::isfinite(static_cast<double>(sum)) ? overflow : Overflow());
}

Expected defined_largest(ScalarType type, std::span<const double> x) {
  const bool is_real = is_floating(type);
  double largest =
      is_real ? -std::numeric_limits<double>::infinity() : std::numeric_limits<std::int32_t>::min();
  for (const double value : x) {
    if (std::isnan(value)) return {value, 0};
    largest = std::max(largest, value);
  }
  if (!is_real) return {largest, 0};
  // A subnormal number may be flushed to 0.
  const double min_normal = precision_of(type).min_normal;
  return {largest, std::fabs(largest) < min_normal ? min_normal : 0};
}

void define_softmax(ScalarType type, std::span<const double> x, std::size_t threads,
                    std::span<Expected> out) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const double value : x) largest = std::max(largest, value);
  const Precision precision = computing(type);
  // Of exp(x - own) * exp(own - largest), which has two exponentials and a product.
  const auto error_of_part = [&](double difference) {
    return 3 * precision.epsilon * (2 + std::fabs(difference)) + precision.epsilon;
  };
  double sum = 0, error = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double e = std::exp(x[i] - largest);  // a NaN in x gives a NaN here and in the sum
    out[i].value = e;
    sum += e;
    if (e > 0) error += e * error_of_part(x[i] - largest);
  }
  const double of_sum = error / sum + precision.epsilon * roundings(x.size(), threads);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double y = out[i].value / sum;
    const double of_this =
        y > 0 ? y * (error_of_part(x[i] - largest) + of_sum + 2.5 * precision.epsilon) : 0;
    out[i] = rounded(type, precision, y, of_this);
  }
}

void define_rms_norm(ScalarType type, std::span<const double> x, std::span<const double> weight,
                     double epsilon, std::size_t threads, std::span<Expected> out) {
  const Precision precision = computing(type);
  double squares = 0;
  for (const double value : x) squares += value * value;
  const auto count = static_cast<double>(x.size());
  const double whole = squares / count + static_cast<float>(epsilon);
  const double of_root = (roundings(x.size(), threads) + 1.5 + 2.5 + 1 + 1) / 2 + 2;
  const double relative = precision.epsilon * (of_root + 2);
  // Subnormal elements may be flushed, and subnormal quotients.
  const double flushed = precision.min_normal * std::max(1.0, 1 / std::sqrt(whole));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double y = x[i] / std::sqrt(whole) * weight[i];
    // A quotient that may be 0 makes NaN of an infinite weight.
    const bool may_be_0 = std::fabs(x[i] / std::sqrt(whole)) < precision.min_normal;
    out[i] = rounded(type, precision, y, std::fabs(y) * relative + std::fabs(weight[i]) * flushed,
                     {false, false, may_be_0 && std::isinf(weight[i])});
  }
}

void define_residual_norm(ScalarType type, std::span<const double> x,
                          std::span<const double> residual, std::span<const double> weight,
                          double epsilon, std::size_t threads, std::span<Expected> out) {
  const Precision precision = computing(type);
  std::vector<double> total(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) total[i] = x[i] + residual[i];
  const std::span<Expected> norms = out.subspan(x.size());
  define_rms_norm(type, total, weight, epsilon, threads, norms);
  const double largest = range_of(computing_type(type)).largest;
  const bool is_beyond = std::any_of(total.begin(), total.end(), [&](double sum) {
    return std::isfinite(sum) && std::fabs(sum) > largest;
  });
  for (std::size_t i = 0; i < x.size(); ++i) {
    out[i] = rounded(type, precision, total[i], precision.epsilon * std::fabs(total[i]));
    norms[i].bound += 2 * kSecondOrder * precision.epsilon * std::fabs(norms[i].value);
    // Nothing is known of a row with a sum that is too large.
    if (!is_beyond) continue;
    norms[i].bound = std::fabs(norms[i].value) + norms[i].bound;
    norms[i].overflow = {true, true, true};
  }
}

void define_layer_norm(ScalarType type, std::span<const double> x, std::span<const double> weight,
                       std::span<const double> bias, double epsilon, std::size_t threads,
                       std::span<Expected> out) {
  const Precision precision = computing(type);
  const auto count = static_cast<double>(x.size());
  // Differences from the first element, whose mean is exact where all elements are equal.
  double mean = 0, from_first = 0, variance = 0;
  for (const double value : x) {
    mean += (value - x[0]) / count;
    from_first += std::fabs(value - x[0]) / count;
  }
  const auto from_mean = [&](double value) { return value - x[0] - mean; };
  for (const double value : x) variance += from_mean(value) * from_mean(value) / count;
  const double deviation = std::sqrt(variance);
  const double root = std::sqrt(variance + static_cast<float>(epsilon));
  const double of_sums = 3 * (roundings(x.size(), threads) + 4);
  // How far the centre, from which deviations are taken, is from the mean.
  const double off = precision.epsilon * (4 * std::fabs(x[0] + mean) + of_sums * from_first);
  // Deviations that the sums of f32 and bf16 do not see.
  const bool is_wide = type == ScalarType::f32 || type == ScalarType::bf16;
  const double lost = is_wide ? 0x1p35 * precision.min_normal : 0;
  const double of_root =
      of_sums / 2 * (variance + off * off) / (variance + static_cast<float>(epsilon)) + 3;
  const double flushed = 4 * precision.min_normal * std::max(1.0, 1 / root);
  const double largest = range_of(computing_type(type)).largest;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double normal = from_mean(x[i]) / root;
    const double product = normal * weight[i];
    const double of_normal = precision.epsilon * ((of_root + 4) * std::fabs(normal) +
                                                  (of_sums * deviation + off) / root) +
                             flushed + lost / root;
    const double error = std::fabs(weight[i]) * of_normal +
                         precision.epsilon * (2 * std::fabs(product) + std::fabs(bias[i]));
    // The product may be beyond the largest number, or of an infinite weight and a quotient of either sign.
    const bool is_large = std::fabs(product) + error > largest;
    const bool is_any = std::isinf(weight[i]) && std::fabs(normal) <= of_normal;
    out[i] = rounded(type, precision, product + bias[i], error,
                     {is_large || is_any, is_large || is_any, is_any});
  }
}

void define_gate(ScalarType type, GateFunction function, std::span<const double> x,
                 std::span<const double> factors, std::span<Expected> out) {
  const Precision precision = computing(type);
  const bool is_gelu = function == GateFunction::gelu;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double f = is_gelu ? gelu(x[i]) : silu(x[i]);
    const double of_function = error_of_gated(x[i], is_gelu ? exponent_of_gelu(x[i]) : x[i],
                                              precision.epsilon, precision.min_normal) +
                               precision.min_normal;
    const double y = f * factors[i];
    // A function that may be rounded to 0, or to the other sign, makes anything of infinity.
    const bool is_any = std::isinf(factors[i]) && f != 0 && std::fabs(f) <= of_function;
    out[i] = rounded(type, precision, y,
                     of_function * std::fabs(factors[i]) + precision.epsilon * std::fabs(y),
                     {is_any, is_any, is_any});
  }
}

void define_rope(ScalarType type, RopePairs pairs_are, std::span<const double> heads,
                 double position, std::span<const double> frequencies, std::span<Expected> out) {
  constexpr double kPi = 3.141592653589793, kOfSine = 0x1p-11;
  const Precision precision = computing(type);
  const std::size_t pairs = frequencies.size();
  const bool are_neighbours = pairs_are == RopePairs::neighbours;
  for (std::size_t i = 0; i < heads.size() / 2; ++i) {
    const std::size_t head = i / pairs * 2 * pairs, pair = i % pairs;
    const std::size_t l = head + (are_neighbours ? 2 * pair : pair);
    const std::size_t r = l + (are_neighbours ? 1 : pairs);
    const double angle = position * frequencies[pair], a = heads[l], b = heads[r];
    // Beyond 2^24 the position, the product and the turns are rounded.
    const double rounded_parts = std::fabs(angle) > 0x1p24 ? 4 * std::fabs(angle) : 0;
    const double of_angle = precision.epsilon * (3 * kPi + rounded_parts);
    const double size = std::fabs(a) + std::fabs(b);
    const double error =
        size * (kOfSine + of_angle + 2 * precision.epsilon) + 2 * precision.min_normal;
    // Both products may be as large as a and b.
    const bool is_large = size > range_of(computing_type(type)).largest;
    const double c = std::cos(angle), s = std::sin(angle);
    // A factor that may be 0, or have the other sign, makes anything of infinity.
    const auto overflow = [&](double of_a, double of_b) -> Overflow {
      const auto may_vanish = [&](double x, double factor) {
        return std::isinf(x) && std::fabs(factor) <= kOfSine + of_angle;
      };
      if (may_vanish(a, of_a) || may_vanish(b, of_b)) return {true, true, true};
      return {is_large, is_large, false};
    };
    out[l] = rounded(type, precision, a * c - b * s, error, overflow(c, s));
    out[r] = rounded(type, precision, a * s + b * c, error, overflow(s, c));
  }
}

std::size_t defined_column_of_largest(std::span<const double> x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) return i;
  }
  return static_cast<std::size_t>(std::max_element(x.begin(), x.end()) - x.begin());
}

void define_largest(ScalarType type, std::span<const double> x, std::span<Expected> out) {
  const double min_normal = precision_of(type).min_normal;  // a smaller number may be flushed to 0
  const std::size_t k = out.size() / 2;
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::isnan(x[a]) ? !std::isnan(x[b]) : x[a] > x[b];
  });
  for (std::size_t i = 0; i < k; ++i) {
    const bool is_there = i < order.size();
    out[i] = {is_there ? x[order[i]] : -std::numeric_limits<double>::infinity(), 0};
    if (std::fabs(out[i].value) < min_normal) out[i].bound = min_normal;
    out[k + i] = {is_there ? static_cast<double>(order[i]) : 4294967295.0, 0};
  }
}

}  // namespace vkmoye::gen
