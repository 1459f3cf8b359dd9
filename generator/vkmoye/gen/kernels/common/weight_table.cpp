// SPDX-License-Identifier: MIT
// The formats that have names.

#include "vkmoye/gen/kernels/common/weight_format.hpp"
#include "vkmoye/gen/kernels/common/weight_quantisers.hpp"
#include "vkmoye/gen/kernels/common/weight_search.hpp"

namespace vkmoye::gen {
namespace {

// The levels of bitsandbytes, each of f32: quantiles of the normal distribution, 0 among them, divided by the largest.
const std::vector<double> kNormalLevels = {-1.0,
                                           -0.6961928009986877,
                                           -0.5250730514526367,
                                           -0.39491748809814453,
                                           -0.28444138169288635,
                                           -0.18477343022823334,
                                           -0.09105003625154495,
                                           0.0,
                                           0.07958029955625534,
                                           0.16093020141124725,
                                           0.24611230194568634,
                                           0.33791524171829224,
                                           0.44070982933044434,
                                           0.5626170039176941,
                                           0.7229568362236023,
                                           1.0};

// The levels of ggml's iq4_nl and iq4_xs, and the numbers of e2m1 (OCP Microscaling Formats, 1.0).
const std::vector<double> kUnevenLevels = {-127, -104, -83, -65, -49, -35, -22, -10,
                                           1,    13,   25,  38,  53,  69,  89,  113};
const std::vector<double> kE2m1 = {0.0,  0.5,  1.0,  1.5,  2.0,  3.0,  4.0,  6.0,
                                   -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0};

WeightNumber whole(std::vector<BitField> fields, std::int64_t zero = 0) {
  return {.fields = std::move(fields), .zero = zero};
}
WeightNumber levels_of(std::vector<BitField> fields, const std::vector<double>& levels) {
  return {.fields = std::move(fields), .kind = NumberKind::level, .levels = levels};
}
WeightNumber with_sign(std::vector<BitField> fields) {
  return {.fields = std::move(fields), .kind = NumberKind::has_sign};
}
// Codes of 4 bits of `elements` weights: two neighbours in a byte, or weights i and i + 16 of each 32.
BitField neighbours(std::int64_t elements, std::int64_t byte) {
  return {.bits = 4, .first = 8 * byte, .at = Layout(elements, 4)};
}
BitField halves_of_32(std::int64_t byte) {
  return {.bits = 4, .first = 8 * byte, .at = make_layout({16, 2}, {8, 4})};
}

// Groups of weights of 4 bits with a minimum.
WeightFormat group_of_4_bits(const char* name, std::int64_t elements) {
  return {.name = name,
          .elements = elements,
          .bytes = 4 + elements / 2,
          .code = whole({neighbours(elements, 4)}),
          .scale = number_at_byte(0),
          .minimum = number_at_byte(2),
          .quantise = quantise_between};
}

// Groups of weights with a zero point that is a whole number: scale * code - scale * zero point.
WeightFormat group_with_zero_point(const char* name, std::uint32_t bits, std::int64_t elements) {
  return {.name = name,
          .elements = elements,
          .bytes = 4 + elements * bits / 8,
          .code = whole({{.bits = bits, .first = 32, .at = Layout(elements, bits)}}),
          .scale = number_at_byte(0),
          .minimum = number_at_byte(0),
          .sub_minimum = whole({{.bits = 8, .first = 16}}),
          .subtracts_minimum = true,
          .quantise = quantise_with_zero_point};
}

// Scales and minima of 6 bits, eight of each in 12 bytes: q4_K and q5_K.
WeightNumber six_bits_of_q4_K(std::int64_t first, std::int64_t step) {
  return whole(
      {{.bits = 4, .first = first, .at = make_layout({32, 4, 2}, {0, 8, step})},
       {.bits = 2, .first = first + 4, .at = make_layout({32, 4, 2}, {0, 8, 2}), .to = 4}});
}
WeightFormat scales_and_minima(const char* name, std::int64_t bytes, WeightNumber code) {
  return {.name = name,
          .elements = 256,
          .bytes = bytes,
          .code = std::move(code),
          .scale = number_at_byte(0),
          .sub_scale = six_bits_of_q4_K(32, 64),
          .minimum = number_at_byte(2),
          .sub_minimum = six_bits_of_q4_K(64, 36),
          .subtracts_minimum = true,
          .quantise = quantise_by_search};
}

// 4 bits of each weight, first of 256 in 128 bytes: each 32 bytes have 32 weights in low bits and 32 in high ones.
BitField four_bits_of_256(std::int64_t byte) {
  return {.bits = 4, .first = 8 * byte, .at = make_layout({32, 2, 4}, {8, 4, 256})};
}
// 2 bits of each weight, four of 128 weights in each 32 bytes; 1 bit, eight of 256 in 32 bytes.
BitField two_bits_of_128(std::int64_t byte, std::uint32_t to = 0) {
  return {.bits = 2, .first = 8 * byte, .at = make_layout({32, 4, 2}, {8, 2, 256}), .to = to};
}
BitField one_bit_of_256(std::int64_t byte, std::uint32_t to) {
  return {.bits = 1, .first = 8 * byte, .at = make_layout({32, 8}, {8, 1}), .to = to};
}

// Sources: ggml (ggml-common.h, ggml-quants.c), the blocks of GGUF files, for q4_0 to iq4_xs. i4z.. and i8z..
// hold the weights of GPTQ and AWQ, i4g.. those of MLX. nf4: Dettmers
// et al., QLoRA, 2023; its levels are those of bitsandbytes. e4m3g128 has a scale for 128 weights along k, as the
// checkpoints of DeepSeek-V3. nvfp4: blocks of 64 as in ggml, a scale of e4m3 for 16 weights; the scale of the tensor
// is alpha. i8 has no scales: its rows are those of a plain array.
std::vector<WeightFormat> table_of_formats() {
  return {
      {.name = "q8_0",
       .elements = 32,
       .bytes = 34,
       .code = with_sign({{.bits = 8, .first = 16, .at = Layout(32, 8)}}),
       .scale = number_at_byte(0),
       .quantise = quantise_to_both_signs},
      {.name = "q4_0",
       .elements = 32,
       .bytes = 18,
       .code = whole({halves_of_32(2)}, 8),
       .scale = number_at_byte(0),
       .quantise = quantise_from_extreme},
      {.name = "q4_1",
       .elements = 32,
       .bytes = 20,
       .code = whole({halves_of_32(4)}),
       .scale = number_at_byte(0),
       .minimum = number_at_byte(2),
       .quantise = quantise_between},
      {.name = "q5_0",
       .elements = 32,
       .bytes = 22,
       .code = whole({halves_of_32(6), {.bits = 1, .first = 16, .at = Layout(32, 1), .to = 4}}, 16),
       .scale = number_at_byte(0),
       .quantise = quantise_from_extreme},
      {.name = "q5_1",
       .elements = 32,
       .bytes = 24,
       .code = whole({halves_of_32(8), {.bits = 1, .first = 32, .at = Layout(32, 1), .to = 4}}),
       .scale = number_at_byte(0),
       .minimum = number_at_byte(2),
       .quantise = quantise_between},
      {.name = "q2_K",
       .elements = 256,
       .bytes = 84,
       .code = whole({two_bits_of_128(16)}),
       .scale = number_at_byte(80),
       .sub_scale = whole({{.bits = 4, .at = make_layout({16, 16}, {0, 8})}}),
       .minimum = number_at_byte(82),
       .sub_minimum = whole({{.bits = 4, .first = 4, .at = make_layout({16, 16}, {0, 8})}}),
       .subtracts_minimum = true,
       .quantise = quantise_by_search},
      {.name = "q3_K",
       .elements = 256,
       .bytes = 110,
       .code = whole({two_bits_of_128(32), one_bit_of_256(0, 2)}, 4),
       .scale = number_at_byte(108),
       .sub_scale =
           whole({{.bits = 4, .first = 8 * 96, .at = make_layout({16, 8, 2}, {0, 8, 4})},
                  {.bits = 2, .first = 8 * 104, .at = make_layout({16, 4, 4}, {0, 8, 2}), .to = 4}},
                 32),
       .quantise = quantise_by_search},
      scales_and_minima("q4_K", 144, whole({four_bits_of_256(16)})),
      scales_and_minima("q5_K", 176, whole({four_bits_of_256(48), one_bit_of_256(16, 4)})),
      {.name = "q6_K",
       .elements = 256,
       .bytes = 210,
       .code = whole({{.bits = 4, .at = make_layout({32, 2, 2, 2}, {8, 256, 4, 512})},
                      two_bits_of_128(128, 4)},
                     32),
       .scale = number_at_byte(208),
       .sub_scale = with_sign({{.bits = 8, .first = 8 * 192, .at = make_layout({16, 16}, {0, 8})}}),
       .quantise = quantise_by_search},
      {.name = "iq4_nl",
       .elements = 32,
       .bytes = 18,
       .code = levels_of({halves_of_32(2)}, kUnevenLevels),
       .scale = number_at_byte(0),
       .quantise = quantise_by_search},
      {.name = "iq4_xs",
       .elements = 256,
       .bytes = 136,
       .code = levels_of({{.bits = 4, .first = 8 * 8, .at = make_layout({16, 2, 8}, {8, 4, 128})}},
                         kUnevenLevels),
       .scale = number_at_byte(0),
       .sub_scale =
           whole({{.bits = 4, .first = 8 * 4, .at = make_layout({32, 8}, {0, 4})},
                  {.bits = 2, .first = 8 * 2, .at = make_layout({32, 8}, {0, 2}), .to = 4}},
                 32),
       .quantise = quantise_by_search},
      // Two blocks of 17 bytes, of 32 weights each.
      {.name = "mxfp4",
       .elements = 64,
       .bytes = 34,
       .code =
           levels_of({{.bits = 4, .first = 8, .at = make_layout({16, 2, 2}, {8, 4, 136})}}, kE2m1),
       .sub_scale = {{.fields = {{.bits = 8, .at = make_layout({32, 2}, {0, 136})}},
                      .kind = NumberKind::power_of_two}},
       .quantise = quantise_mxfp4},
      {.name = "nvfp4",
       .elements = 64,
       .bytes = 36,
       .code =
           levels_of({{.bits = 4, .first = 32, .at = make_layout({8, 2, 4}, {8, 4, 64})}}, kE2m1),
       .sub_scale = {{.fields = {{.bits = 8, .at = make_layout({16, 4}, {0, 8})}},
                      .kind = NumberKind::floating,
                      .type = ScalarType::e4m3}},
       .quantise = quantise_nvfp4},
      group_of_4_bits("i4g32", 32),
      group_of_4_bits("i4g64", 64),
      group_of_4_bits("i4g128", 128),
      group_with_zero_point("i4z32", 4, 32),
      group_with_zero_point("i4z64", 4, 64),
      group_with_zero_point("i4z128", 4, 128),
      group_with_zero_point("i8z32", 8, 32),
      group_with_zero_point("i8z128", 8, 128),
      {.name = "nf4",
       .elements = 64,
       .bytes = 36,
       .code = levels_of({neighbours(64, 4)}, kNormalLevels),
       .scale = number_at_byte(0, ScalarType::f32),
       .quantise = quantise_nf4},
      {.name = "e4m3g128",
       .elements = 128,
       .bytes = 132,
       .code = {.fields = {{.bits = 8, .first = 32, .at = Layout(128, 8)}},
                .kind = NumberKind::floating,
                .type = ScalarType::e4m3},
       .scale = number_at_byte(0, ScalarType::f32),
       .quantise = quantise_e4m3},
      {.name = "i8",
       .elements = 32,
       .bytes = 32,
       .code = with_sign({{.bits = 8, .at = Layout(32, 8)}}),
       .quantise = quantise_i8},
  };
}

}  // namespace

std::span<const WeightFormat> weight_formats() {
  static const std::vector<WeightFormat> table = table_of_formats();
  return table;
}

std::vector<std::string> weight_format_names() {
  std::vector<std::string> names;
  for (const WeightFormat& format : weight_formats()) names.push_back(format.name);
  return names;
}

const WeightFormat* find_weight_format(std::string_view name) {
  for (const WeightFormat& format : weight_formats()) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

}  // namespace vkmoye::gen
