// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/weight_quantisers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "vkmoye/contract/scalar_value.hpp"

namespace vkmoye::gen {
namespace {

using Weights = std::span<const double>;
using Block = std::span<std::byte>;

void store_of_block(const WeightNumber& number, double value, Block block) {
  store_bits(number, bits_of(number.type, value), block, 0);
}

// Each code: the definitions compute in f32, as ggml does.
void store_codes(const WeightFormat& format, Weights weights, Block block,
                 const std::function<std::int64_t(float)>& code) {
  for (std::int64_t i = 0; i < format.elements; ++i) {
    const auto weight = static_cast<float>(weights[static_cast<std::size_t>(i)]);
    store_bits(format.code, static_cast<std::uint64_t>(code(weight)), block, i);
  }
}

// w / scale by the inverse of the scale, as ggml computes it; by a division if the inverse of a subnormal scale is
// infinite. 0 if the scale is 0.
float quotient(float w, float scale) {
  if (scale == 0) return 0;
  const float per_scale = 1 / scale;
  return std::isfinite(per_scale) ? w * per_scale : w / scale;
}

float largest_magnitude(Weights weights) {
  float max = 0;
  for (const double w : weights) max = std::max(max, std::fabs(static_cast<float>(w)));
  return max;
}

// Of each run of weights with one sub scale, the code of the level nearest to w / scale. `scale_of` gives the bits of
// that scale, from the largest magnitude.
void quantise_runs(const WeightFormat& format, Weights weights, Block block,
                   const std::function<std::uint64_t(float max)>& scale_of) {
  const std::int64_t run = run_of(*format.sub_scale, format.elements);
  for (std::int64_t i = 0; i < format.elements; i += run) {
    const Weights of_run =
        weights.subspan(static_cast<std::size_t>(i), static_cast<std::size_t>(run));
    const std::uint64_t bits = scale_of(largest_magnitude(of_run));
    const double scale = format.sub_scale->number_of(bits);
    store_bits(*format.sub_scale, bits, block, i);
    for (std::int64_t k = 0; k < run; ++k) {
      const auto error = [&](std::size_t code) {
        return std::fabs(format.code.levels[code] * scale - of_run[static_cast<std::size_t>(k)]);
      };
      std::size_t best = 0;
      for (std::size_t code = 1; code < format.code.levels.size(); ++code) {
        if (error(code) < error(best)) best = code;
      }
      store_bits(format.code, best, block, i + k);
    }
  }
}

}  // namespace

void quantise_to_both_signs(const WeightFormat& format, Weights weights, Block block) {
  const float scale = largest_magnitude(weights) / 127;
  store_of_block(*format.scale, scale, block);
  store_codes(format, weights, block,
              [&](float w) { return static_cast<std::int64_t>(std::round(quotient(w, scale))); });
}

void quantise_from_extreme(const WeightFormat& format, Weights weights, Block block) {
  float extreme = 0;
  for (const double w : weights) {
    const auto x = static_cast<float>(w);
    if (std::fabs(x) > std::fabs(extreme)) extreme = x;
  }
  const auto zero = static_cast<float>(format.code.zero);
  const float scale = extreme / -zero;
  store_of_block(*format.scale, scale, block);
  store_codes(format, weights, block, [&](float w) {
    const auto code = static_cast<std::int64_t>(quotient(w, scale) + (zero + 0.5f));
    return std::min(format.code.codes() - 1, code);
  });
}

void quantise_between(const WeightFormat& format, Weights weights, Block block) {
  const auto [min, max] = std::minmax_element(weights.begin(), weights.end());
  const auto low = static_cast<float>(*min);
  const std::int64_t last = format.code.codes() - 1;
  const float scale = (static_cast<float>(*max) - low) / static_cast<float>(last);
  store_of_block(*format.scale, scale, block);
  store_of_block(*format.minimum, low, block);
  store_codes(format, weights, block, [&](float w) {
    return std::min(last, static_cast<std::int64_t>(quotient(w - low, scale) + 0.5f));
  });
}

void quantise_with_zero_point(const WeightFormat& format, Weights weights, Block block) {
  const auto [min, max] = std::minmax_element(weights.begin(), weights.end());
  const auto low = static_cast<float>(std::min(*min, 0.0));
  const auto high = static_cast<float>(std::max(*max, 0.0));
  const auto last = static_cast<float>(format.code.codes() - 1);
  const float scale = high / last - low / last;
  const float zero = std::round(quotient(-low, scale));
  store_of_block(*format.scale, scale, block);
  store_bits(*format.sub_minimum, static_cast<std::uint64_t>(zero), block, 0);
  store_codes(format, weights, block, [&](float w) {
    return static_cast<std::int64_t>(std::clamp(std::round(quotient(w, scale)) + zero, 0.0f, last));
  });
}

void quantise_nf4(const WeightFormat& format, Weights weights, Block block) {
  const float scale = largest_magnitude(weights);
  store_of_block(*format.scale, scale, block);
  store_codes(format, weights, block, [&](float w) {
    std::int64_t code = 0;
    for (std::size_t i = 1; i < format.code.levels.size(); ++i) {
      const auto middle =
          static_cast<float>((format.code.levels[i - 1] + format.code.levels[i]) / 2);
      code += quotient(w, scale) > middle ? 1 : 0;
    }
    return code;
  });
}

void quantise_e4m3(const WeightFormat& format, Weights weights, Block block) {
  const float max = largest_magnitude(weights);
  float scale = max / 448;
  const auto is_beyond = [](float x) {
    return std::isnan(number_of(ScalarType::e4m3, bits_of(ScalarType::e4m3, x)));
  };
  if (max > 0 && is_beyond(max / scale)) {
    scale = std::nextafter(scale, std::numeric_limits<float>::infinity());
  }
  store_of_block(*format.scale, scale, block);
  store_codes(format, weights, block, [&](float w) {
    return static_cast<std::int64_t>(bits_of(ScalarType::e4m3, scale != 0 ? w / scale : 0));
  });
}

void quantise_mxfp4(const WeightFormat& format, Weights weights, Block block) {
  quantise_runs(format, weights, block, [](float max) {
    return max == 0 ? 0 : static_cast<std::uint64_t>(std::clamp(std::ilogb(max) - 2 + 127, 0, 254));
  });
}

void quantise_nvfp4(const WeightFormat& format, Weights weights, Block block) {
  quantise_runs(format, weights, block, [](float max) {
    return static_cast<std::uint64_t>(bits_of(ScalarType::e4m3, max / 6));
  });
}

void quantise_i8(const WeightFormat& format, Weights weights, Block block) {
  store_codes(format, weights, block, [](float w) {
    return static_cast<std::int64_t>(std::round(std::clamp(w, -127.0f, 127.0f)));
  });
}

}  // namespace vkmoye::gen
