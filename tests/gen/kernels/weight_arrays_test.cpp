// SPDX-License-Identifier: MIT
// Weights of checkpoints as blocks, against the definitions of their libraries, with indices of words and no layouts.

#include "vkmoye/gen/kernels/common/weight_arrays.hpp"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <tuple>

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/scalar_value.hpp"

namespace vkmoye::gen {
namespace {

using GivenArrays = std::vector<CheckpointArray>;
constexpr std::int64_t N = 40, K = 256;

// Random bits; those of f16 and bf16 are numbers from 0.5 to 2, those of f32 too.
CheckpointArray random_array(const std::string& name, ScalarType type,
                             std::vector<std::int64_t> shape, std::mt19937& random) {
  std::size_t count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  CheckpointArray array{name, type, std::move(shape),
                        std::vector<std::byte>(count * size_of(type))};
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t bits = random();
    if (is_floating(type) && size_of(type) > 1) {
      bits = bits_of(type, 0.5 + static_cast<double>(bits % 192) / 128);
    }
    std::memcpy(&array.data[i * size_of(type)], &bits, size_of(type));
  }
  return array;
}

std::uint64_t element(const CheckpointArray& array, std::int64_t at) {
  std::uint64_t bits = 0;
  const std::size_t width = size_of(array.type);
  std::memcpy(&bits, &array.data[static_cast<std::size_t>(at) * width], width);
  return bits;
}
double number(const CheckpointArray& array, std::int64_t at) {
  return number_of(array.type, element(array, at));
}
double bits_at(const CheckpointArray& array, std::int64_t word, std::int64_t bit, int bits) {
  return static_cast<double>(element(array, word) >> bit & ((1u << bits) - 1));
}
double e2m1(double code) {
  const double sizes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  const int i = static_cast<int>(code);
  return i < 8 ? sizes[i] : -sizes[i - 8];
}

struct SchemeCase {
  std::string scheme, format;
  std::vector<std::tuple<std::string, ScalarType, std::vector<std::int64_t>>> arrays;
  std::function<double(const GivenArrays& x, std::int64_t k, std::int64_t n)> weight;
};

std::vector<SchemeCase> scheme_cases() {
  using enum ScalarType;
  const int awq[] = {0, 4, 1, 5, 2, 6, 3, 7};  // the place of n % 8 in a word
  return {
      {"gptq",
       "i4z128",
       {{"l.qweight", i32, {K / 8, N}}, {"l.scales", f16, {2, N}}, {"l.qzeros", i32, {2, N / 8}}},
       [](const GivenArrays& x, std::int64_t k, std::int64_t n) {
         return number(x[1], k / 128 * N + n) *
                (bits_at(x[0], k / 8 * N + n, k % 8 * 4, 4) -
                 bits_at(x[2], k / 128 * (N / 8) + n / 8, n % 8 * 4, 4) - 1);
       }},
      {"gptq_v2",  // a scale for each row
       "i8z32",
       {{"qzeros", u32, {1, N / 4}}, {"qweight", u32, {K / 4, N}}, {"scales", f16, {1, N}}},
       [](const GivenArrays& x, std::int64_t k, std::int64_t n) {
         return number(x[2], n) *
                (bits_at(x[1], k / 4 * N + n, k % 4 * 8, 8) - bits_at(x[0], n / 4, n % 4 * 8, 8));
       }},
      {"awq",
       "i4z64",
       {{"qweight", i32, {K, N / 8}}, {"qzeros", i32, {4, N / 8}}, {"scales", f16, {4, N}}},
       [awq](const GivenArrays& x, std::int64_t k, std::int64_t n) {
         return number(x[2], k / 64 * N + n) *
                (bits_at(x[0], k * (N / 8) + n / 8, 4 * awq[n % 8], 4) -
                 bits_at(x[1], k / 64 * (N / 8) + n / 8, 4 * awq[n % 8], 4));
       }},
      {"pack-quantized",
       "i4z32",
       {{"weight_packed", i32, {N, K / 8}},
        {"weight_scale", bf16, {N, K / 32}},
        {"weight_zero_point", i32, {N / 8, K / 32}}},
       [](const GivenArrays& x, std::int64_t k, std::int64_t n) {
         return number(x[1], n * (K / 32) + k / 32) *
                (bits_at(x[0], n * (K / 8) + k / 8, k % 8 * 4, 4) -
                 bits_at(x[2], n / 8 * (K / 32) + k / 32, n % 8 * 4, 4));
       }},
      {"pack-quantized",
       "i8z128",
       {{"weight_packed", i32, {N, K / 4}}, {"weight_scale", f16, {N, 2}}},
       [](const GivenArrays& x, std::int64_t k, std::int64_t n) {
         return number(x[1], n * 2 + k / 128) *
                (bits_at(x[0], n * (K / 4) + k / 4, k % 4 * 8, 8) - 128);
       }},
      {"mlx",
       "i4g64",
       {{"weight", u32, {N, K / 8}}, {"scales", f16, {N, 4}}, {"biases", bf16, {N, 4}}},
       [](const GivenArrays& x, std::int64_t k, std::int64_t n) {
         return number(x[1], n * 4 + k / 64) * bits_at(x[0], n * (K / 8) + k / 8, k % 8 * 4, 4) +
                number(x[2], n * 4 + k / 64);
       }},
      {"fp8",  // 128 x 128 weights have a scale, the last ones fewer
       "e4m3g128",
       {{"weight", e4m3, {N + 160, K}}, {"weight_scale_inv", f32, {2, 2}}},
       [](const GivenArrays& x, std::int64_t k, std::int64_t n) {
         return number(x[0], n * K + k) * number(x[1], n / 128 * 2 + k / 128);
       }},
      {"fp8",
       "e4m3g128",
       {{"weight", u8, {N, K}}, {"weight_scale", bf16, {N, 1}}},
       [](const GivenArrays& x, std::int64_t k, std::int64_t n) {
         return number_of(e4m3, element(x[0], n * K + k)) * number(x[1], n);
       }},
      {"fp8",  // three experts, a scale of e8m0 for each row
       "e4m3g128",
       {{"weight", e4m3, {3, N, K}}, {"weight_scale", u8, {3, N}}},
       [](const GivenArrays& x, std::int64_t k, std::int64_t n) {
         return number(x[0], n * K + k) * std::ldexp(1, static_cast<int>(element(x[1], n)) - 127);
       }},
      {"fp8",  // two experts of 128 + 64 rows
       "e4m3g128",
       {{"weight", e4m3, {2, 192, K}}, {"weight_scale_inv", f32, {2, 2, 2}}},
       [](const GivenArrays& x, std::int64_t k, std::int64_t n) {
         return number(x[0], n * K + k) * number(x[1], (n / 192 * 2 + n % 192 / 128) * 2 + k / 128);
       }},
      {"fp8",
       "e4m3g128",
       {{"weight", e4m3, {N, K}}, {"weight_scale", f32, {}}},
       [](const GivenArrays& x, std::int64_t k, std::int64_t n) {
         return number(x[0], n * K + k) * number(x[1], 0);
       }},
      {"mxfp4",  // two experts
       "mxfp4",
       {{"up_blocks", u8, {2, N, K / 32, 16}}, {"up_scales", u8, {2, N, K / 32}}},
       [](const GivenArrays& x, std::int64_t k, std::int64_t n) {
         const double e = static_cast<double>(element(x[1], n * (K / 32) + k / 32));
         return e == 255 ? std::nan("")
                         : std::ldexp(e2m1(bits_at(x[0], n * (K / 2) + k / 2, k % 2 * 4, 4)),
                                      static_cast<int>(e) - 127);
       }},
      {"nvfp4",
       "nvfp4",
       {{"weight", u8, {N, K / 2}}, {"weight_scale", e4m3, {N, K / 16}}},
       [](const GivenArrays& x, std::int64_t k, std::int64_t n) {
         return e2m1(bits_at(x[0], n * (K / 2) + k / 2, k % 2 * 4, 4)) *
                number(x[1], n * (K / 16) + k / 16);
       }},
  };
}

GivenArrays arrays_of(const SchemeCase& of, std::mt19937& random) {
  GivenArrays arrays;
  for (const auto& [name, type, shape] : of.arrays) {
    arrays.push_back(random_array(name, type, shape, random));
    if (name.ends_with("scale") || name.ends_with("_scales")) {  // no NaN, no weight beyond f32
      const std::byte mask{static_cast<unsigned char>(size_of(type) == 1 ? 0xbe : 0xff)};
      for (std::byte& byte : arrays.back().data) byte &= mask;
    }
  }
  return arrays;
}

TEST(WeightArrays, BecomeTheBlocksOfTheirWeights) {
  std::mt19937 random(5);
  std::set<std::string> schemes;
  for (const SchemeCase& of : scheme_cases()) {
    SCOPED_TRACE(of.scheme + " " + of.format);
    schemes.insert(of.scheme);
    const WeightFormat& format = *find_weight_format(of.format);
    const GivenArrays arrays = arrays_of(of, random);
    const BlocksOfArrays out = blocks_of(*find_weight_scheme(of.scheme), format, arrays);
    ASSERT_EQ(out.shape.back(), K / format.elements * format.bytes);
    const auto rows = static_cast<std::int64_t>(out.blocks.size()) / out.shape.back();
    const std::vector<double> weights = dequantise(format, out.blocks, rows * K);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < rows * K; ++i) {
      const double read = weights[static_cast<std::size_t>(i)],
                   expected = of.weight(arrays, i % K, i / K);
      wrong += read == expected || (std::isnan(read) && std::isnan(expected)) ? 0 : 1;
    }
    EXPECT_EQ(wrong, 0);
  }
  EXPECT_EQ(schemes.size(), weight_schemes().size());
}

std::string refusal(const std::string& scheme, const std::string& format,
                    const GivenArrays& arrays) {
  try {
    blocks_of(*find_weight_scheme(scheme), *find_weight_format(format), arrays);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "";
}

TEST(WeightArrays, AreRefusedWithReasons) {
  std::mt19937 random(6);
  const SchemeCase gptq = scheme_cases().front();
  const GivenArrays right = arrays_of(gptq, random);
  const auto with = [&](std::size_t i, ScalarType type, std::vector<std::int64_t> shape) {
    GivenArrays arrays = right;
    arrays[i] = random_array(arrays[i].name, type, std::move(shape), random);
    return refusal("gptq", "i4z128", arrays);
  };
  using enum ScalarType;
  EXPECT_EQ(refusal("gptq", "i4z128", right), "");
  EXPECT_THAT(refusal("gptq", "q4_0", right), HasSubstr("weights of gptq become i4z128, i4z64"));
  EXPECT_THAT(refusal("gptq", "i4z128", {right[0], right[0]}),
              AllOf(HasSubstr("l.qweight and l.qweight are both qweight"),
                    HasSubstr("there is no array scales"), HasSubstr("there is no array qzeros")));
  EXPECT_THAT(refusal("awq", "i4z128", right),
              HasSubstr("32 weights along k, not a multiple of the 128"));
  EXPECT_THAT(with(0, f32, {K / 8, N}), HasSubstr("must have whole numbers of 32 bits"));
  EXPECT_THAT(with(0, u16, {K / 8, N}), HasSubstr("must have whole numbers of 32 bits"));
  EXPECT_THAT(with(0, i32, {5, N}), HasSubstr("40 weights along k, not a multiple of the 128"));
  EXPECT_THAT(with(0, i32, {0, N}), HasSubstr("l.qweight (0, 40) has no weights"));
  EXPECT_THAT(with(0, i32, {0, std::int64_t{1} << 61}), HasSubstr("has 0 bytes of data"));
  GivenArrays short_of_data = right;
  short_of_data[2].data.pop_back();
  EXPECT_THAT(refusal("gptq", "i4z128", short_of_data),
              HasSubstr("l.qzeros (2, 5) has 39 bytes of data"));
  EXPECT_THAT(with(1, i32, {2, N}), HasSubstr("l.scales has type i32, but must have a floating"));
  EXPECT_THAT(
      with(1, f16, {4, N}),
      HasSubstr("a scale for 64 weights along k, but a block of i4z128 one for 128: choose"));
  EXPECT_THAT(with(2, i32, {1, N / 8}), HasSubstr("in groups of 128 along k"));
  EXPECT_THAT(with(1, f16, {2, N / 2}), HasSubstr("l.scales (2, 20) does not fit 256 x 40"));
  EXPECT_THAT(with(1, f16, {3, N - 1}), HasSubstr("l.scales (3, 39) does not fit 256 x 40"));
  EXPECT_THAT(with(1, f16, {2, 1, N}), HasSubstr("l.scales (2, 1, 40) must have 2 axes"));
  GivenArrays other = right;
  other.push_back(random_array("l.bias", f16, {N}, random));
  EXPECT_THAT(refusal("gptq", "i4z128", other),
              HasSubstr("the name of l.bias ends in none of qweight, scales"));

  // Groups in order are taken, others are not.
  other.back() = random_array("l.g_idx", i32, {K}, random);
  for (std::int32_t k = 0; k < K; ++k) {
    const std::int32_t group = k / 128;
    std::memcpy(&other.back().data[static_cast<std::size_t>(k) * 4], &group, 4);
  }
  EXPECT_EQ(refusal("gptq", "i4z128", other), "");
  other.back().data[0] = std::byte{1};
  EXPECT_THAT(refusal("gptq", "i4z128", other), HasSubstr("weight 0 is in group 1, not in 0"));
  other.back() = random_array("l.g_idx", i32, {K + 1}, random);
  EXPECT_THAT(refusal("gptq", "i4z128", other),
              HasSubstr("must be 256 whole numbers of 32 or 64 bits"));

  // Numbers that the format does not have.
  other = right;
  other[1] = random_array("l.scales", f32, {2, N}, random);
  const float third = 1.0f / 3, infinite = std::numeric_limits<float>::infinity();
  std::memcpy(other[1].data.data(), &third, 4);
  EXPECT_THAT(refusal("gptq", "i4z128", other),
              HasSubstr("row 0, weight 0: the scale 0.333333343 of f32 is not exactly a number"));
  std::memcpy(other[1].data.data(), &infinite, 4);
  EXPECT_THAT(refusal("gptq", "i4z128", other), HasSubstr("row 0, group 0: the scale is inf"));
  GivenArrays eight = {random_array("qweight", i32, {K / 4, N}, random), right[1],
                       random_array("qzeros", i32, {2, N / 4}, random)};
  eight[2].data.assign(eight[2].data.size(), std::byte{0xff});
  EXPECT_THAT(refusal("gptq", "i8z128", eight), HasSubstr("the zero point is 256, beyond 255"));
}

TEST(WeightArrays, OfGroupsThatAreNoPowerOfTwoAndOddRows) {
  std::mt19937 random(7);
  using enum ScalarType;
  // 2 groups of 384; zero points of 3 rows in a word.
  const GivenArrays arrays = {random_array("weight_packed", i32, {3, 768 / 8}, random),
                              random_array("weight_scale", f16, {3, 2}, random),
                              random_array("weight_zero_point", i32, {1, 2}, random)};
  const WeightFormat& format = *find_weight_format("i4z128");
  const BlocksOfArrays out = blocks_of(*find_weight_scheme("pack-quantized"), format, arrays);
  EXPECT_EQ(out.group, 384);
  const std::vector<double> weights = dequantise(format, out.blocks, 3 * 768);
  for (std::int64_t i = 0; i < 3 * 768; ++i) {
    const std::int64_t n = i / 768, k = i % 768;
    ASSERT_EQ(
        weights[static_cast<std::size_t>(i)],
        number(arrays[1], n * 2 + k / 384) * (bits_at(arrays[0], n * 96 + k / 8, k % 8 * 4, 4) -
                                              bits_at(arrays[2], k / 384, n * 4, 4)));
  }
  GivenArrays with_shape = arrays;
  with_shape.push_back(random_array("weight_shape", i64, {2}, random));
  EXPECT_THAT(refusal("pack-quantized", "i4z128", with_shape),
              HasSubstr("weight_shape is not 3, 768: codes may not have 4 bits"));
  with_shape.back() = random_array("weight_g_idx", i32, {768}, random);
  EXPECT_THAT(refusal("pack-quantized", "i4z128", with_shape), HasSubstr("out of order"));
}

TEST(WeightArrays, HaveTheScaleOfTheTensor) {
  std::mt19937 random(8);
  using enum ScalarType;
  GivenArrays arrays = {random_array("l.weight", u8, {2, 32}, random),
                        random_array("l.weight_scale", e4m3, {2, 4}, random),
                        random_array("l.weight_scale_2", f32, {}, random)};
  for (std::byte& byte : arrays[1].data) byte &= std::byte{0x3f};
  const auto alpha = [&] {
    return blocks_of(*find_weight_scheme("nvfp4"), *find_weight_format("nvfp4"), arrays).alpha;
  };
  EXPECT_EQ(alpha(), number(arrays[2], 0));
  arrays[2].name = "l.weight_global_scale";
  EXPECT_EQ(alpha(), 1 / number(arrays[2], 0));
  arrays[2] = random_array("l.weight_scale_2", f32, {2}, random);
  EXPECT_THAT(refusal("nvfp4", "nvfp4", arrays), HasSubstr("must be one number"));
}

}  // namespace
}  // namespace vkmoye::gen
