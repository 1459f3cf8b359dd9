// SPDX-License-Identifier: MIT
// The schemes that have names, each as its library writes them.

#include "vkmoye/gen/kernels/common/weight_arrays.hpp"

namespace vkmoye::gen {
namespace {

using Arrays = std::vector<NumberArray>;

// Codes of `bits` side by side in elements of 32 bits.
Layout in_words_of_32(std::uint32_t bits) { return Layout(32 / bits, bits); }

Arrays gptq(std::uint32_t bits, std::uint64_t added) {
  return {{.number = "code",
           .what = "code",
           .names = {"qweight"},
           .bits = bits,
           .k = in_words_of_32(bits),
           .k_first = true},
          {.number = "scale", .what = "scale", .names = {"scales"}, .k_first = true},
          {.number = "sub_minimum",
           .what = "zero point",
           .names = {"qzeros"},
           .bits = bits,
           .n = in_words_of_32(bits),
           .k_first = true,
           .added = added}};
}
Arrays gptq_v1(std::uint32_t bits) { return gptq(bits, 1); }
Arrays gptq_v2(std::uint32_t bits) { return gptq(bits, 0); }

Arrays awq(std::uint32_t bits) {
  const Layout n = make_layout({2, 4}, {16, 4});
  return {{.number = "code",
           .what = "code",
           .names = {"qweight"},
           .bits = bits,
           .n = n,
           .k_first = true},
          {.number = "scale", .what = "scale", .names = {"scales"}, .k_first = true},
          {.number = "sub_minimum",
           .what = "zero point",
           .names = {"qzeros"},
           .bits = bits,
           .n = n,
           .k_first = true}};
}

// Without zero points, weights have a sign: codes are 2^(bits - 1) more.
Arrays pack_quantized(std::uint32_t bits) {
  return {{.number = "code",
           .what = "code",
           .names = {"weight_packed"},
           .bits = bits,
           .k = in_words_of_32(bits)},
          {.number = "scale", .what = "scale", .names = {"weight_scale"}},
          {.number = "sub_minimum",
           .what = "zero point",
           .names = {"weight_zero_point"},
           .bits = bits,
           .n = in_words_of_32(bits),
           .if_missing = std::uint64_t{1} << (bits - 1)}};
}

Arrays mlx(std::uint32_t bits) {
  return {{.number = "code",
           .what = "code",
           .names = {"weight"},
           .bits = bits,
           .k = in_words_of_32(bits)},
          {.number = "scale", .what = "scale", .names = {"scales"}},
          {.number = "minimum", .what = "bias", .names = {"biases"}}};
}

Arrays fp8(std::uint32_t) {
  return {{.number = "code", .what = "code", .names = {"weight"}},
          {.number = "scale",
           .what = "scale",
           .names = {"weight_scale_inv", "weight_scale"},
           .block = 128}};
}

Arrays mxfp4(std::uint32_t bits) {
  return {{.number = "code",
           .what = "code",
           .names = {"blocks"},
           .bits = bits,
           .k = Layout(2, 4),
           .k_axes = 2},
          {.number = "sub_scale", .what = "scale", .names = {"scales"}}};
}

Arrays nvfp4(std::uint32_t bits) {
  return {{.number = "code",
           .what = "code",
           .names = {"weight", "weight_packed"},
           .bits = bits,
           .k = Layout(2, 4)},
          {.number = "sub_scale", .what = "scale", .names = {"weight_scale"}}};
}

}  // namespace

// Sources: AutoGPTQ and GPTQModel (qlinear, checkpoint_format gptq and gptq_v2); AutoAWQ (packing_utils, order of
// GEMM); compressed-tensors (pack_quantized); MLX (mx.quantize); DeepSeek-V3 (weight_scale_inv of 128 x 128); gpt-oss
// (blocks and scales); nvfp4: NVIDIA ModelOpt, whose weight_scale_2 is a factor, and compressed-tensors, whose
// weight_global_scale is a divisor.
std::span<const WeightScheme> weight_schemes() {
  const std::vector<std::string> zero_points = {"i4z128", "i4z64", "i4z32", "i8z128", "i8z32"};
  static const std::vector<WeightScheme> table = {
      {.name = "gptq", .formats = zero_points, .arrays = gptq_v1, .groups = {"g_idx"}},
      {.name = "gptq_v2", .formats = zero_points, .arrays = gptq_v2, .groups = {"g_idx"}},
      {.name = "awq", .formats = {"i4z128", "i4z64", "i4z32"}, .arrays = awq},
      {.name = "pack-quantized",
       .formats = zero_points,
       .arrays = pack_quantized,
       .groups = {"weight_g_idx"},
       .shapes = {"weight_shape"}},
      {.name = "mlx", .formats = {"i4g128", "i4g64", "i4g32"}, .arrays = mlx},
      {.name = "fp8", .formats = {"e4m3g128"}, .arrays = fp8},
      {.name = "mxfp4", .formats = {"mxfp4"}, .arrays = mxfp4},
      {.name = "nvfp4",
       .formats = {"nvfp4"},
       .arrays = nvfp4,
       .factors = {"weight_scale_2"},
       .divisors = {"weight_global_scale"}},
  };
  return table;
}

const WeightScheme* find_weight_scheme(std::string_view name) {
  for (const WeightScheme& scheme : weight_schemes()) {
    if (scheme.name == name) return &scheme;
  }
  return nullptr;
}

}  // namespace vkmoye::gen
