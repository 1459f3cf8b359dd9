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
           .ends = {"qweight"},
           .bits = bits,
           .k = in_words_of_32(bits),
           .k_first = true},
          {.number = "scale", .ends = {"scales"}, .k_first = true},
          {.number = "sub_minimum",
           .ends = {"qzeros"},
           .bits = bits,
           .n = in_words_of_32(bits),
           .k_first = true,
           .added = added}};
}
Arrays gptq_v1(std::uint32_t bits) { return gptq(bits, 1); }
Arrays gptq_v2(std::uint32_t bits) { return gptq(bits, 0); }

Arrays awq(std::uint32_t bits) {
  const Layout n = make_layout({2, 4}, {16, 4});
  return {{.number = "code", .ends = {"qweight"}, .bits = bits, .n = n, .k_first = true},
          {.number = "scale", .ends = {"scales"}, .k_first = true},
          {.number = "sub_minimum", .ends = {"qzeros"}, .bits = bits, .n = n, .k_first = true}};
}

// Without zero points, weights have a sign: codes are 2^(bits - 1) more.
Arrays pack_quantized(std::uint32_t bits) {
  return {{.number = "code", .ends = {"weight_packed"}, .bits = bits, .k = in_words_of_32(bits)},
          {.number = "scale", .ends = {"weight_scale"}},
          {.number = "sub_minimum",
           .ends = {"weight_zero_point"},
           .bits = bits,
           .n = in_words_of_32(bits),
           .otherwise = std::uint64_t{1} << (bits - 1)}};
}

Arrays mlx(std::uint32_t bits) {
  return {{.number = "code", .ends = {"weight"}, .bits = bits, .k = in_words_of_32(bits)},
          {.number = "scale", .ends = {"scales"}},
          {.number = "minimum", .ends = {"biases"}}};
}

Arrays fp8(std::uint32_t) {
  return {{.number = "code", .ends = {"weight"}},
          {.number = "scale", .ends = {"weight_scale_inv", "weight_scale"}}};
}

Arrays mxfp4(std::uint32_t bits) {
  return {{.number = "code", .ends = {"blocks"}, .bits = bits, .k = Layout(2, 4), .k_axes = 2},
          {.number = "sub_scale", .ends = {"scales"}}};
}

Arrays nvfp4(std::uint32_t bits) {
  return {{.number = "code", .ends = {"weight", "weight_packed"}, .bits = bits, .k = Layout(2, 4)},
          {.number = "sub_scale", .ends = {"weight_scale"}}};
}

}  // namespace

// Sources: AutoGPTQ and GPTQModel (qlinear, checkpoint_format gptq and gptq_v2); AutoAWQ (packing_utils, order of
// GEMM); compressed-tensors (pack_quantized); MLX (mx.quantize); DeepSeek-V3 (weight_scale_inv of 128 x 128); gpt-oss
// (blocks and scales); NVIDIA ModelOpt and compressed-tensors (nvfp4).
std::span<const WeightScheme> weight_schemes() {
  static const std::vector<WeightScheme> table = {
      {"gptq", {"i4z32", "i4z64", "i4z128", "i8z32", "i8z128"}, gptq_v1},
      {"gptq_v2", {"i4z32", "i4z64", "i4z128", "i8z32", "i8z128"}, gptq_v2},
      {"awq", {"i4z32", "i4z64", "i4z128"}, awq},
      {"pack-quantized", {"i4z32", "i4z64", "i4z128", "i8z32", "i8z128"}, pack_quantized},
      {"mlx", {"i4g32", "i4g64", "i4g128"}, mlx},
      {"fp8", {"e4m3g128"}, fp8},
      {"mxfp4", {"mxfp4"}, mxfp4},
      {"nvfp4", {"nvfp4"}, nvfp4},
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
