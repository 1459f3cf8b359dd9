// SPDX-License-Identifier: MIT
// The schemes that have names, each as its library writes them.

#include <utility>

#include "vkmoye/gen/kernels/common/weight_arrays.hpp"

namespace vkmoye::gen {
namespace {

using Arrays = std::vector<NumberArray>;

// Codes of `bits` side by side in elements of 32 bits.
Layout in_words_of_32(std::uint32_t bits) { return Layout(32 / bits, bits); }

NumberArray codes(std::vector<std::string> names, std::uint32_t bits, Layout k, Layout n = {}) {
  return {.number = "code",
          .what = "code",
          .names = std::move(names),
          .bits = bits,
          .k = std::move(k),
          .n = std::move(n)};
}
NumberArray scales(std::vector<std::string> names, const char* number = "scale") {
  return {.number = number, .what = "scale", .names = std::move(names)};
}
NumberArray zero_points(const char* name, std::uint32_t bits, Layout n) {
  return {.number = "sub_minimum",
          .what = "zero point",
          .names = {name},
          .bits = bits,
          .n = std::move(n)};
}
// The same arrays with shapes (K,N).
Arrays by_k(Arrays arrays) {
  for (NumberArray& array : arrays) array.k_first = true;
  return arrays;
}

Arrays gptq_v2(std::uint32_t bits) {
  return by_k({codes({"qweight"}, bits, in_words_of_32(bits)), scales({"scales"}),
               zero_points("qzeros", bits, in_words_of_32(bits))});
}
Arrays gptq_v1(std::uint32_t bits) {
  Arrays arrays = gptq_v2(bits);
  arrays.back().added = 1;
  return arrays;
}

Arrays awq(std::uint32_t bits) {
  const Layout n = make_layout({2, 4}, {16, 4});
  return by_k(
      {codes({"qweight"}, bits, {}, n), scales({"scales"}), zero_points("qzeros", bits, n)});
}

// Without zero points, weights have a sign: codes are 2^(bits - 1) more.
Arrays pack_quantized(std::uint32_t bits) {
  Arrays arrays = {codes({"weight_packed"}, bits, in_words_of_32(bits)), scales({"weight_scale"}),
                   zero_points("weight_zero_point", bits, in_words_of_32(bits))};
  arrays.back().if_missing = std::uint64_t{1} << (bits - 1);
  return arrays;
}

Arrays mlx(std::uint32_t bits) {
  return {codes({"weight"}, bits, in_words_of_32(bits)),
          scales({"scales"}),
          {.number = "minimum", .what = "bias", .names = {"biases"}}};
}

Arrays fp8(std::uint32_t bits) {
  Arrays arrays = {codes({"weight"}, bits, {}), scales({"weight_scale_inv", "weight_scale"})};
  arrays.back().block = 128;
  return arrays;
}

Arrays mxfp4(std::uint32_t bits) {
  Arrays arrays = {codes({"blocks"}, bits, Layout(2, 4)), scales({"scales"}, "sub_scale")};
  arrays.front().k_axes = 2;
  return arrays;
}

Arrays nvfp4(std::uint32_t bits) {
  return {codes({"weight", "weight_packed"}, bits, Layout(2, 4)),
          scales({"weight_scale"}, "sub_scale")};
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
