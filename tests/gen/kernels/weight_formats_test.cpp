// SPDX-License-Identifier: MIT
// The table of weight formats and their quantisers, code by code against the definitions.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <tuple>

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/kernels/common/quantise.hpp"

namespace vkmoye::gen {
namespace {

std::vector<double> random_numbers(std::size_t count, double max) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-max, max);
  std::vector<double> out(count);
  for (double& x : out) x = uniform(random);
  return out;
}

// Blocks of random weights, the first of them zeros. The second begins with two largest.
std::vector<double> blocks_of(const WeightFormat& format) {
  const auto elements = static_cast<std::size_t>(format.elements);
  std::vector<double> x = random_numbers(elements * 100, 3);
  std::fill(x.begin(), x.begin() + format.elements, 0.0);
  x[elements] = 3, x[elements + 1] = -3;
  return x;
}

double half(const std::byte* at) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, 2);
  return number_of(ScalarType::f16, bits);
}

// The definitions of ggml, quantize_row_q8_0_ref and quantize_row_q4_0_ref, on one block.
struct Block {
  double scale;
  std::vector<int> codes;
};
Block q8_0_of(std::span<const double> x) {
  float amax = 0;
  for (const double v : x) amax = std::max(amax, std::fabs(static_cast<float>(v)));
  const float d = amax / 127, id = d != 0 ? 1.0f / d : 0.0f;
  Block block{number_of(ScalarType::f16, bits_of(ScalarType::f16, d)), {}};
  for (const double v : x) {
    block.codes.push_back(static_cast<int>(std::roundf(static_cast<float>(v) * id)));
  }
  return block;
}
Block q4_0_of(std::span<const double> x) {
  float amax = 0, max = 0;
  for (const double v : x) {
    const auto f = static_cast<float>(v);
    if (amax < std::fabs(f)) amax = std::fabs(f), max = f;
  }
  const float d = max / -8, id = d != 0 ? 1.0f / d : 0.0f;
  Block block{number_of(ScalarType::f16, bits_of(ScalarType::f16, d)), {}};
  for (const double v : x) {
    block.codes.push_back(std::min(15, static_cast<int>(static_cast<float>(v) * id + 8.5f)));
  }
  return block;
}

TEST(WeightFormats, AreWhatGgufFilesHold) {
  std::vector<double> x = random_numbers(32 * 100, 3);
  std::fill(x.begin(), x.begin() + 32, 0.0);  // a block of zeros
  x[32] = 1, x[33] = -1;                      // of two largest, the first
  const std::vector<std::byte> q8 = quantise(*find_weight_format("q8_0"), x);
  const std::vector<std::byte> q4 = quantise(*find_weight_format("q4_0"), x);
  ASSERT_EQ(q8.size(), 100u * 34);
  ASSERT_EQ(q4.size(), 100u * 18);
  for (std::size_t b = 0; b < 100; ++b) {
    const std::span<const double> block(&x[32 * b], 32);
    const Block eight = q8_0_of(block), four = q4_0_of(block);
    EXPECT_EQ(half(&q8[34 * b]), eight.scale);
    EXPECT_EQ(half(&q4[18 * b]), four.scale);
    for (std::size_t i = 0; i < 32; ++i) {
      EXPECT_EQ(static_cast<std::int8_t>(q8[34 * b + 2 + i]), eight.codes[i]) << b << ' ' << i;
      const auto byte = std::to_integer<int>(q4[18 * b + 2 + i % 16]);
      EXPECT_EQ(i < 16 ? byte & 15 : byte >> 4, four.codes[i]) << b << ' ' << i;
    }
    const auto from8 = dequantise(*find_weight_format("q8_0"), std::span(q8).subspan(34 * b), 32);
    const auto from4 = dequantise(*find_weight_format("q4_0"), std::span(q4).subspan(18 * b), 32);
    for (std::size_t i = 0; i < 32; ++i) {
      EXPECT_EQ(from8[i], eight.scale * eight.codes[i]);
      EXPECT_EQ(from4[i], four.scale * (four.codes[i] - 8));
    }
  }
}

float number_of_f32(const std::byte* at) {
  float number = 0;
  std::memcpy(&number, at, 4);
  return number;
}

// Code `i` of a block with codes of 4 bits, neighbours in a byte.
int nibble(const std::byte* codes, std::size_t i) {
  return std::to_integer<int>(codes[i / 2]) >> (i % 2 * 4) & 15;
}

// Expects that each block of `format` has the codes that `expect(weights, block)` compares, and these weights back.
template <class Expect>
void expect_blocks(const char* name, const Expect& expect) {
  const WeightFormat& format = *find_weight_format(name);
  const std::vector<double> x = blocks_of(format);
  const std::vector<std::byte> blocks = quantise(format, x);
  const auto elements = static_cast<std::size_t>(format.elements);
  const auto bytes = static_cast<std::size_t>(format.bytes);
  ASSERT_EQ(blocks.size(), 100 * bytes) << name;
  for (std::size_t b = 0; b < 100; ++b) {
    SCOPED_TRACE(name);
    const std::span<const std::byte> block = std::span(blocks).subspan(b * bytes, bytes);
    expect(std::span(x).subspan(b * elements, elements), block,
           dequantise(format, block, format.elements));
  }
}
using BlockWeights = std::span<const double>;
using BlockBytes = std::span<const std::byte>;
using BlockBack = std::vector<double>;

// Words of any width are those of the bytes of a block.
TEST(WeightFormats, FieldsLieInWordsAsInBlocks) {
  const WeightFormat& q4_0 = *find_weight_format("q4_0");
  const FieldInWords codes = *in_words(q4_0.code.fields.front(), q4_0.elements, 16);
  EXPECT_EQ(codes.word(19), 1);  // byte 3, high bits
  EXPECT_EQ(codes.bit(19), 12);
  for (const WeightFormat& format : weight_formats()) {
    for (const BitField& field : format.code.fields) {
      for (const std::int64_t begin : {0, 16}) {
        const auto words = in_words(field, format.elements, 32, begin);
        if (!words) continue;  // some code is in two words
        for (std::int64_t i = 0; i < format.elements; ++i) {
          EXPECT_EQ((words->first_word + words->word(i)) * 32 + words->first_bit + words->bit(i),
                    begin + field(i))
              << format.name << ", element " << i;
        }
      }
    }
  }
}

// A group of GPTQ or AWQ: code = (w - minimum) / scale to nearest, from 0 to 15.
TEST(WeightFormats, GroupsHaveZeroPoints) {
  for (const char* name : {"q4_1", "i4g32", "i4g64", "i4g128"}) {
    const bool in_halves = std::string(name) == "q4_1";
    expect_blocks(name, [&](BlockWeights x, BlockBytes block, const BlockBack& back) {
      const auto low = static_cast<float>(*std::min_element(x.begin(), x.end()));
      const auto high = static_cast<float>(*std::max_element(x.begin(), x.end()));
      const float step = (high - low) / 15;
      const double scale = number_of(ScalarType::f16, bits_of(ScalarType::f16, step));
      const double minimum = number_of(ScalarType::f16, bits_of(ScalarType::f16, low));
      EXPECT_EQ(half(&block[0]), scale);
      EXPECT_EQ(half(&block[2]), minimum);
      const std::size_t n = x.size();
      for (std::size_t i = 0; i < n; ++i) {
        const int code =
            in_halves ? std::to_integer<int>(block[4 + i % (n / 2)]) >> (i / (n / 2) * 4) & 15
                      : nibble(&block[4], i);
        const float at = step == 0 ? 0 : (static_cast<float>(x[i]) - low) / step;
        EXPECT_NEAR(static_cast<float>(code), at, 0.50001f) << i;
        EXPECT_EQ(back[i], scale * code + minimum);
      }
    });
  }
}

// bitsandbytes: the largest magnitude has level 1 or -1, others the level that is nearest.
TEST(WeightFormats, Nf4HasTheNearestLevels) {
  const std::vector<double>& levels = find_weight_format("nf4")->code.levels;
  ASSERT_EQ(levels.size(), 16u);
  EXPECT_EQ(levels.front(), -1);
  EXPECT_EQ(levels[7], 0);
  EXPECT_EQ(levels.back(), 1);
  EXPECT_TRUE(std::is_sorted(levels.begin(), levels.end()));
  for (const double level : levels)
    EXPECT_EQ(level, static_cast<double>(static_cast<float>(level)));
  expect_blocks("nf4", [&](BlockWeights x, BlockBytes block, const BlockBack& back) {
    float max = 0;
    for (const double w : x) max = std::max(max, std::fabs(static_cast<float>(w)));
    EXPECT_EQ(number_of_f32(&block[0]), max);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double at = max == 0 ? 0 : static_cast<double>(static_cast<float>(x[i]) * (1 / max));
      const auto nearest = std::min_element(levels.begin(), levels.end(), [&](double a, double b) {
        return std::fabs(a - at) < std::fabs(b - at);
      });
      const int code = nibble(&block[4], i);
      EXPECT_EQ(code, nearest - levels.begin()) << i;
      EXPECT_EQ(back[i], static_cast<double>(max) * *nearest);
    }
  });
}

// The level of quantile p is that of the normal distribution, divided by that of the largest: -1 to 0 in 8 steps, 0 to
// 1 in 9. The offset of the last quantile is the one of QLoRA, (1 - 1/30 / 2 + 1 - 1/32 / 2) / 2.
TEST(WeightFormats, Nf4LevelsAreQuantiles) {
  const double offset = (31.0 / 32 + 29.0 / 30) / 2;
  const auto below = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  const auto quantile = [&](double p) {
    double low = -10, high = 10;
    for (int i = 0; i < 100; ++i) (below((low + high) / 2) < p ? low : high) = (low + high) / 2;
    return low;
  };
  const std::vector<double>& levels = find_weight_format("nf4")->code.levels;
  for (std::size_t i = 0; i < 16; ++i) {
    const double part =
        i < 7 ? -(7.0 - static_cast<double>(i)) / 7 : (static_cast<double>(i) - 7) / 8;
    const double p = 0.5 + std::fabs(part) * (offset - 0.5);
    const double level = std::copysign(quantile(p) / quantile(offset), part);
    EXPECT_NEAR(levels[i], part == 0 ? 0 : level, 1e-3) << i;
  }
}

// Codes of FP8, bit by bit: 1 of sign, 4 of exponent, 3 of fraction.
double number_of_e4m3(int code) {
  const int exponent = code >> 3 & 15, fraction = code & 7;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, exponent - 10);
  return (code & 128) != 0 ? -magnitude : magnitude;
}

TEST(WeightFormats, E4m3BlocksUseTheWholeRange) {
  expect_blocks("e4m3g128", [&](BlockWeights x, BlockBytes block, const BlockBack& back) {
    float max = 0;
    for (const double w : x) max = std::max(max, std::fabs(static_cast<float>(w)));
    const float scale = max / 448;
    EXPECT_EQ(number_of_f32(&block[0]), scale);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double at = scale == 0 ? 0 : static_cast<double>(static_cast<float>(x[i]) / scale);
      const int code = std::to_integer<int>(block[4 + i]);
      ASSERT_NE(code & 127, 127) << i;  // NaN
      for (int other = 0; other < 256; ++other) {
        if ((other & 127) == 127) continue;
        EXPECT_LE(std::fabs(number_of_e4m3(code) - at), std::fabs(number_of_e4m3(other) - at))
            << i << ' ' << other;
      }
      EXPECT_EQ(back[i], static_cast<double>(scale) * number_of_e4m3(code));
    }
  });
}

TEST(WeightFormats, I8IsAnArray) {
  const WeightFormat& format = *find_weight_format("i8");
  EXPECT_TRUE(format.is_array());
  std::vector<double> x;
  for (int i = 0; i < 256; ++i) x.push_back(i - 128 + 0.25);
  const std::vector<std::byte> bytes = quantise(format, x);
  ASSERT_EQ(bytes.size(), x.size());
  for (int i = 0; i < 256; ++i) {
    const int code = static_cast<std::int8_t>(bytes[static_cast<std::size_t>(i)]);
    EXPECT_EQ(code, std::max(i - 128, -127));
    EXPECT_EQ(weight_of(format, bytes, i), code);
  }
}

// Half of the largest step between two numbers of a block whose largest magnitude is 1.
double half_step(const WeightFormat& format) {
  static const std::map<std::string, double> steps = {
      {"q8_0", 0.5 / 127}, {"q4_0", 1.0 / 8},  {"nf4", 0.1520},    {"e4m3g128", 16.0 / 448},
      {"q5_0", 1.0 / 16},  {"q5_1", 1.0 / 31}, {"q2_K", 0.45},     {"q3_K", 0.3},
      {"q4_K", 0.15},      {"q5_K", 0.1},      {"q6_K", 1.0 / 32}, {"iq4_nl", 0.13},
      {"iq4_xs", 0.15},    {"i8", 0.5},        {"mxfp4", 0.25},    {"nvfp4", 0.2}};
  const auto step = steps.find(format.name);
  return step != steps.end() ? step->second : 1.0 / 15;  // between two numbers
}

TEST(WeightFormats, AreNearTheirWeights) {
  for (const WeightFormat& format : weight_formats()) {
    SCOPED_TRACE(format.name);
    EXPECT_THAT(reasons_against(format), IsEmpty());
    const std::vector<double> x = random_numbers(256 * 32, 1);
    const auto back = dequantise(format, quantise(format, x), static_cast<std::int64_t>(x.size()));
    const double error = half_step(format) + 0x1p-10;
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(back[i], x[i], error) << i;
  }
}

// A scale of f16 is rounded by up to 2^-11 of it, or 2^-25, and a number multiplies it; a scale of f32 by up to 2^-149;
// a sub scale of e4m3, which ends at 448, by up to 2^-10.
TEST(WeightFormats, HoldWeightsOfEveryExponentOrRefuseThem) {
  for (const WeightFormat& format : weight_formats()) {
    if (format.is_array()) continue;  // has no scale
    const bool is_e4m3 = format.sub_scale && format.sub_scale->type == ScalarType::e4m3;
    const bool is_half = format.scale_type() == ScalarType::f16;
    for (int exponent = -149; exponent <= 130; ++exponent) {
      SCOPED_TRACE(format.name + " 2^" + std::to_string(exponent));
      std::vector<double> x = random_numbers(256, 1);
      for (double& w : x) w = std::ldexp(w, exponent);
      x[5] = 0;
      double max = 0;
      for (const double w : x) max = std::max(max, std::fabs(w));
      try {
        const auto back = dequantise(format, quantise(format, x), 256);
        const double largest =
            format.largest_number() + (format.sub_minimum ? format.sub_minimum->largest() : 0);
        const double tiny = is_e4m3   ? 1.1 * format.code.largest() * 0x1p-10
                            : is_half ? 1.1 * largest * 0x1p-25
                                      : 16 * 0x1p-149;
        const double error = (half_step(format) + 0x1p-10) * max + tiny;
        for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(back[i], x[i], error) << i;
      } catch (const ArgumentError& refused) {
        EXPECT_THAT(refused.what(), HasSubstr("row 0, group "));
        EXPECT_GE(exponent, is_e4m3 ? 12 : is_half ? 15 : 127);
      }
    }
  }
}

TEST(WeightFormats, RefuseWhatTheyCannotHold) {
  const auto refusal = [](const char* name, std::size_t at, double w, double other = 0) {
    std::vector<double> x(512, other);
    x[at] = w;
    try {
      quantise(*find_weight_format(name), x, 256, "weights");
    } catch (const ArgumentError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal("q4_0", 300, 6e5),
            "weights as q4_0: row 1, group 1: 600000 in column 44 needs a scale beyond 65504, the "
            "largest number of f16");
  const std::tuple<const char*, double, double> limits[] = {
      {"q4_0", 524'032, 6e5},   {"q8_0", 8.319e6, 1e7},       {"q4_1", -65'504, -7e4},
      {"i4g32", -65'504, -7e4}, {"i4g64", 9.8e5, 1e6},        {"i4g128", 9.8e5, 1e6},
      {"nf4", 3.4e38, 3.5e38},  {"e4m3g128", -3.4e38, -1e300}};
  for (const auto& [name, held, refused] : limits) {
    EXPECT_EQ(refusal(name, 7, held), "") << name;
    EXPECT_THAT(refusal(name, 7, refused), HasSubstr("row 0, group 0: ")) << name;
    EXPECT_THAT(refusal(name, 7, NAN), HasSubstr("nan in column 7 is not a finite")) << name;
  }
  // Every weight is refused: eight reasons are enough.
  const std::string all = refusal("q8_0", 0, 1e7, 1e7);
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 8);
  EXPECT_THROW(quantise({.name = "mine"}, std::vector<double>(32)), ArgumentError);
}

TEST(WeightFormats, WithInfiniteScalesAreRefused) {
  const WeightFormat& format = *find_weight_format("q4_1");
  std::vector<std::byte> blocks = quantise(format, random_numbers(32 * 6, 1));
  EXPECT_THAT(reasons_against_blocks(format, blocks, 3 * format.bytes), IsEmpty());
  blocks[20 * 2 + 1] = blocks[20 * 4 + 3] = std::byte{0x7e};
  blocks[20 * 4 + 1] = std::byte{0x7c}, blocks[20 * 4] = std::byte{0};
  EXPECT_THAT(reasons_against_blocks(format, blocks, 3 * format.bytes),
              ElementsAre("row 0, group 2: the scale is nan, but must be finite",
                          "row 1, group 1: the scale is inf, but must be finite",
                          "row 1, group 1: the minimum is nan, but must be finite"));
}

TEST(WeightFormats, WithWeightsBeyondF32AreRefused) {
  const WeightFormat& format = *find_weight_format("e4m3g128");
  EXPECT_EQ(format.largest_number(), 448);
  EXPECT_EQ(find_weight_format("q4_0")->largest_number(), 8);
  EXPECT_EQ(find_weight_format("q8_0")->largest_number(), 128);
  EXPECT_EQ(find_weight_format("nf4")->largest_number(), 1);
  std::vector<std::byte> blocks(2 * 132);  // codes 0
  const auto set_scale = [&](std::size_t block, float scale) {
    std::memcpy(&blocks[block * 132], &scale, sizeof(scale));
  };
  set_scale(0, 3e38f), set_scale(1, 0x1p120f);
  blocks[132 + 4 + 9] = std::byte{0x7f};  // NaN, which is no reason
  EXPECT_THAT(reasons_against_blocks(format, blocks, 132), IsEmpty());
  blocks[132 + 4 + 5] = std::byte{0xfe};  // -448
  EXPECT_THAT(
      reasons_against_blocks(format, blocks, 132),
      ElementsAre("row 1, group 0: weight 5 is -5.95494142e+38, beyond the numbers of f32"));
  set_scale(1, 7e35f);
  EXPECT_THAT(reasons_against_blocks(format, blocks, 132), IsEmpty());
}

}  // namespace
}  // namespace vkmoye::gen
