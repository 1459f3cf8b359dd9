// SPDX-License-Identifier: MIT
#include "workloads/rows/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "numbers/activations.hpp"
#include "numbers/number.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/kernels/common/threads_config.hpp"

namespace vkmoye::bench {
namespace {

// The relative error of one rounding, and the magnitude below which a number may be flushed to 0.
struct Precision {
  double unit, min_normal;
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

// Rounds a number that was computed with precision `computed` to `type`, and updates its error.
Expected rounded(ScalarType type, const Precision& computed, double value, double error) {
  double bound = error * kSecondOrder + computed.min_normal;
  if (gen::computing_type(type) != type) {
    const Precision result = precision_of(type);
    bound += result.unit * std::fabs(value) + result.min_normal;
    const double stored = number_of(type, bits_of(type, value));
    if (!std::isfinite(stored)) return {stored, 0};  // infinity, or NaN of e4m3
  }
  return {value, bound};
}

Precision computing(ScalarType type) { return precision_of(gen::computing_type(type)); }

}  // namespace

Expected defined_sum(ScalarType type, std::span<const double> x, std::size_t threads) {
  if (!is_floating(type)) {
    std::uint64_t sum = 0;
    for (const double value : x)
      sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    return {number_of(gen::computing_type(type), sum), 0};
  }
  long double sum = 0, magnitude = 0;
  for (const double value : x) {
    sum += value;
    magnitude += std::fabs(value);
  }
  const Precision precision = computing(type);
  return rounded(type, precision, static_cast<double>(sum),
                 precision.unit * roundings(x.size(), threads) * static_cast<double>(magnitude));
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
  const auto error_of = [&](double difference) {
    return 3 * precision.unit * (1 + std::fabs(difference));
  };
  double sum = 0, error = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double e = std::exp(x[i] - largest);  // a NaN in x gives a NaN here and in the sum
    out[i].value = e;
    sum += e;
    if (e > 0) error += e * error_of(x[i] - largest);
  }
  const double of_sum = error / sum + precision.unit * roundings(x.size(), threads);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double y = out[i].value / sum;
    const double of_this =
        y > 0 ? y * (error_of(x[i] - largest) + of_sum + 2.5 * precision.unit) : 0;
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
  const double relative = precision.unit * (of_root + 2);
  // Subnormal elements may be flushed, and subnormal quotients.
  const double flushed = precision.min_normal * std::max(1.0, 1 / std::sqrt(whole));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double y = x[i] / std::sqrt(whole) * weight[i];
    out[i] = rounded(type, precision, y, std::fabs(y) * relative + std::fabs(weight[i]) * flushed);
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
  for (std::size_t i = 0; i < x.size(); ++i) {
    out[i] = rounded(type, precision, total[i], precision.unit * std::fabs(total[i]));
    norms[i].bound += 2 * kSecondOrder * precision.unit * std::fabs(norms[i].value);
  }
}

void define_gate(const gen::GateConfig& config, std::span<const double> x,
                 std::span<const double> factors, std::span<Expected> out) {
  const Precision precision = computing(config.type);
  const bool is_gelu = config.function == gen::GateFunction::gelu;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double f = is_gelu ? gelu(x[i]) : silu(x[i]);
    const double of_function = 6 * precision.unit * std::fabs(x[i]) + precision.min_normal;
    const double y = f * factors[i];
    out[i] = rounded(config.type, precision, y,
                     of_function * std::fabs(factors[i]) + precision.unit * std::fabs(y));
  }
}

void define_rope(const gen::RopeConfig& config, std::span<const double> heads, double position,
                 std::span<const double> frequencies, std::span<Expected> out) {
  constexpr double kPi = 3.141592653589793, kOfSine = 0x1p-11;
  const Precision precision = computing(config.type);
  const std::size_t pairs = frequencies.size();
  const bool are_neighbours = config.pairs == gen::RopePairs::neighbours;
  for (std::size_t i = 0; i < heads.size() / 2; ++i) {
    const std::size_t head = i / pairs * 2 * pairs, pair = i % pairs;
    const std::size_t l = head + (are_neighbours ? 2 * pair : pair);
    const std::size_t r = l + (are_neighbours ? 1 : pairs);
    const double angle = position * frequencies[pair], a = heads[l], b = heads[r];
    // Beyond 2^24 the position, the product and the turns are rounded.
    const double rounded_parts = std::fabs(angle) > 0x1p24 ? 4 * std::fabs(angle) : 0;
    const double of_angle = precision.unit * (3 * kPi + rounded_parts);
    const double size = std::fabs(a) + std::fabs(b);
    const double error = size * (kOfSine + of_angle + 2 * precision.unit);
    out[l] = rounded(config.type, precision, a * std::cos(angle) - b * std::sin(angle), error);
    out[r] = rounded(config.type, precision, a * std::sin(angle) + b * std::cos(angle), error);
  }
}

std::size_t defined_column_of_largest(std::span<const double> x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) return i;
  }
  return static_cast<std::size_t>(std::max_element(x.begin(), x.end()) - x.begin());
}

void define_largest(std::span<const double> x, std::span<Expected> out) {
  const std::size_t k = out.size() / 2;
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::isnan(x[a]) ? !std::isnan(x[b]) : x[a] > x[b];
  });
  for (std::size_t i = 0; i < k; ++i) {
    const bool is_there = i < order.size();
    out[i] = {is_there ? x[order[i]] : -std::numeric_limits<double>::infinity(), 0};
    out[k + i] = {is_there ? static_cast<double>(order[i]) : 4294967295.0, 0};
  }
}

}  // namespace vkmoye::bench
