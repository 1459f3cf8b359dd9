// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/quantise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/in_parallel.hpp"
#include "vkmoye/base/reasons.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/scalar_value.hpp"

namespace vkmoye::gen {
namespace {

constexpr double kMaxWeight = std::numeric_limits<float>::max();

double largest_scale(ScalarType scale_type) {
  return scale_type == ScalarType::f16 ? 65504 : std::numeric_limits<float>::max();
}

// Why `block` does not hold `weights`, of which the first is in column `first`; empty: it does.
std::string reason_against_block(const WeightFormat& format, std::span<const double> weights,
                                 std::span<const std::byte> block, std::int64_t first) {
  const auto largest = std::max_element(weights.begin(), weights.end(), [](double a, double b) {
    return std::fabs(a) < std::fabs(b);
  });
  const WeightScales numbers = scales_of_block(format, block);
  if (!std::isfinite(numbers.scale) || !std::isfinite(numbers.minimum)) {
    return fmt::format(
        "{:.9g} in column {} needs a scale{} beyond {:.9g}, the largest number of {}", *largest,
        first + (largest - weights.begin()), format.minimum ? " or a minimum" : "",
        largest_scale(format.scale_type()), to_string(format.scale_type()));
  }
  const std::vector<double> read = dequantise(format, block, format.elements);
  const auto beyond = std::find_if_not(read.begin(), read.end(),
                                       [](double w) { return std::fabs(w) <= kMaxWeight; });
  if (beyond == read.end()) return {};
  return fmt::format("{:.9g} in column {} would be read as {:.9g}, which is not a number of f32",
                     weights[static_cast<std::size_t>(beyond - read.begin())],
                     first + (beyond - read.begin()), *beyond);
}

// Formats are computed in f32.
std::string reason_against_numbers(std::span<const double> weights, std::int64_t first) {
  const auto beyond = std::find_if_not(weights.begin(), weights.end(),
                                       [](double w) { return std::fabs(w) <= kMaxWeight; });
  if (beyond == weights.end()) return {};
  return fmt::format("{:.9g} in column {} is not a finite number of f32", *beyond,
                     first + (beyond - weights.begin()));
}

// Why a kernel cannot read the weights of `block`, whose scale and minimum are finite; empty: it can.
// `largest`: those of the numbers by which a scale and a minimum of the format are multiplied.
std::string reason_against_weights(const WeightFormat& format, std::span<const std::byte> block,
                                   const WeightScales& of_block, const WeightScales& largest) {
  // Of the parts of a block, only scales of these kinds may not be finite.
  const bool has_nan = format.sub_scale && (format.sub_scale->kind == NumberKind::floating ||
                                            format.sub_scale->kind == NumberKind::power_of_two);
  for (std::int64_t i = 0; has_nan && i < format.elements; ++i) {
    const double scale = scales_of(format, block, i).scale;
    if (!std::isfinite(scale)) return fmt::format("the scale of weight {} is {}", i, scale);
  }
  if (std::fabs(of_block.scale) * largest.scale + std::fabs(of_block.minimum) * largest.minimum <=
      kMaxWeight) {
    return {};
  }
  const std::vector<double> weights = dequantise(format, block, format.elements);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double weight = weights[i],
                 minimum = scales_of(format, block, static_cast<std::int64_t>(i)).minimum,
                 product = weight - minimum;
    const double beyond = std::max(std::fabs(weight), std::fabs(product));
    if (!std::isfinite(weight) || beyond <= kMaxWeight) continue;  // a code may be NaN
    const std::string sum = minimum == 0 ? fmt::format("{:.9g}", weight)
                                         : fmt::format("{:.9g} + {:.9g}", product, minimum);
    return fmt::format("weight {} is {}, beyond the numbers of f32", i, sum);
  }
  return {};
}

}  // namespace

std::vector<std::byte> quantise(const WeightFormat& format, std::span<const double> weights,
                                std::int64_t columns, std::string_view name) {
  const std::string subject = fmt::format("{} as {}", name, format.name);
  if (!format.quantise) throw ArgumentError(subject + ": the format has no quantiser");
  const auto elements = static_cast<std::size_t>(format.elements);
  const auto bytes = static_cast<std::size_t>(format.bytes);
  const std::size_t groups = static_cast<std::size_t>(columns) / elements;
  std::vector<std::byte> blocks(weights.size() / elements * bytes);
  const std::size_t count = weights.size() / elements;
  std::map<std::size_t, std::vector<std::string>> reasons_of_part;  // by its first block
  std::mutex mutex;
  in_parallel(count, weights.size() > (1u << 16), [&](std::size_t begin, std::size_t end) {
    std::vector<std::string> found;
    for (std::size_t i = begin; i < end && found.size() < kMaxWeightReasons; ++i) {
      const std::span<const double> of_block = weights.subspan(i * elements, elements);
      const std::span<std::byte> block = std::span(blocks).subspan(i * bytes, bytes);
      const auto first = static_cast<std::int64_t>(i % groups * elements);
      std::string reason = reason_against_numbers(of_block, first);
      if (reason.empty()) {
        format.quantise(format, of_block, block);
        reason = reason_against_block(format, of_block, block, first);
      }
      if (reason.empty()) continue;
      found.push_back(fmt::format("row {}, group {}: {}", i / groups, i % groups, reason));
    }
    const std::scoped_lock lock(mutex);
    reasons_of_part[begin] = std::move(found);
  });
  std::vector<std::string> reasons;
  for (auto& [begin, found] : reasons_of_part) add_all(reasons, std::move(found));
  reasons.resize(std::min(reasons.size(), kMaxWeightReasons));
  if (!reasons.empty()) throw ArgumentError(with_reasons(subject, reasons));
  return blocks;
}

std::vector<std::byte> quantise(const WeightFormat& format, std::span<const double> weights) {
  return quantise(format, weights, static_cast<std::int64_t>(weights.size()), "weights");
}

std::vector<std::string> reasons_against_blocks(const WeightFormat& format,
                                                std::span<const std::byte> blocks,
                                                std::int64_t row_bytes) {
  std::vector<std::string> reasons;
  const auto bytes = static_cast<std::size_t>(format.bytes);
  const std::size_t groups = static_cast<std::size_t>(row_bytes) / bytes;
  const WeightScales largest{format.largest_number(),
                             format.sub_minimum ? format.sub_minimum->largest() : 1};
  const bool is_one_number =  // scale * code - scale * zero point
      format.minimum && format.scale &&
      format.minimum->fields.front().first == format.scale->fields.front().first;
  for (std::size_t i = 0; (i + 1) * bytes <= blocks.size(); ++i) {
    const auto block = blocks.subspan(i * bytes, bytes);
    const WeightScales numbers = scales_of_block(format, block);
    std::vector<std::string> of_block;
    for (const auto& [what, number] : {std::pair("scale", numbers.scale),
                                       std::pair("minimum", is_one_number ? 0 : numbers.minimum)}) {
      if (std::isfinite(number)) continue;
      of_block.push_back(fmt::format("the {} is {}, but must be finite", what, number));
    }
    if (of_block.empty()) {
      std::string reason = reason_against_weights(format, block, numbers, largest);
      if (!reason.empty()) of_block.push_back(std::move(reason));
    }
    for (const std::string& reason : of_block) {
      reasons.push_back(fmt::format("row {}, group {}: {}", i / groups, i % groups, reason));
      if (reasons.size() == kMaxWeightReasons) return reasons;
    }
  }
  return reasons;
}

}  // namespace vkmoye::gen
