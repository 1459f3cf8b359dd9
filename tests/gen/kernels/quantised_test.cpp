// SPDX-License-Identifier: MIT
// Weights in blocks: the table of formats against the definitions of ggml, what is refused, and a format that a program
// adds.

#include "vkmoye/gen/kernels/products/quantised.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "support/fake_devices.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/kernels/products/call.hpp"
#include "vkmoye/gen/kernels/products/coopmat.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"

namespace vkmoye::gen {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

std::vector<double> random_weights(std::size_t count, double most = 1) {
  std::mt19937_64 random(3);
  std::vector<double> out(count);
  for (double& x : out) x = most * (2 * static_cast<double>(random() >> 11) * 0x1p-53 - 1);
  return out;
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
  std::vector<double> x = random_weights(32 * 100, 3);
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

TEST(WeightFormats, AreNearTheirWeights) {
  const std::vector<double> x = random_weights(32 * 64);
  for (const WeightFormat& format : weight_formats()) {
    EXPECT_THAT(reasons_against(format), IsEmpty());
    const auto back = dequantise(format, quantise(format, x), static_cast<std::int64_t>(x.size()));
    const double step = format.bits == 8 ? 1.0 / 127 : 2.0 / 15;
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(back[i], x[i], 1.01 * step) << i;
  }
}

// --- a format of one's own: 64 weights in two halves of a byte each, neighbours together, a scale and a minimum ---

const WeightFormat kGroups = {.name = "i4_64",
                              .elements = 64,
                              .bytes = 36,
                              .bits = 4,
                              .order = WeightFormat::Order::neighbours,
                              .scale_at = 2,
                              .codes_at = 4,
                              .zero = 5,
                              .minimum_at = 0};
// Codes with a sign, and the scale behind them.
const WeightFormat kSigned = {.name = "s4",
                              .elements = 32,
                              .bytes = 18,
                              .bits = 4,
                              .order = WeightFormat::Order::halves,
                              .scale_at = 16,
                              .codes_at = 0,
                              .zero = 0,
                              .has_sign = true};

// C on the twin, against the weights of the format in f64.
void expect_product(const WeightFormat& format, const GemmForm& form, const ir::Kernel& kernel,
                    std::int64_t m, std::int64_t n, std::int64_t k, double of_weights) {
  std::mt19937_64 random(7);
  const std::int64_t row_bytes = k / format.elements * format.bytes;
  std::vector<std::byte> b(static_cast<std::size_t>(n * row_bytes));
  for (std::byte& byte : b) byte = static_cast<std::byte>(random());
  for (std::int64_t block = 0; block < n * k / format.elements; ++block) {  // finite scales
    for (const std::int64_t at : {format.scale_at, format.minimum_at.value_or(format.scale_at)}) {
      std::byte& high = b[static_cast<std::size_t>(block * format.bytes + at + 1)];
      high = static_cast<std::byte>(0x2c | (std::to_integer<int>(high) & 0x81));
    }
  }
  const std::size_t width = size_of(form.a_type);
  std::vector<std::byte> a(static_cast<std::size_t>(m * k) * width);
  std::vector<double> x = random_weights(static_cast<std::size_t>(m * k));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint64_t bits = bits_of(form.a_type, x[i]);
    std::memcpy(&a[i * width], &bits, width);
    x[i] = number_of(form.a_type, bits);
  }
  std::vector<float> c(static_cast<std::size_t>(m * n));
  const TwinReport report = run_on_host(kernel, {a, b, std::as_writable_bytes(std::span(c))},
                                        {{"m", m},
                                         {"n", n},
                                         {"k", k},
                                         {"words", row_bytes / 2},
                                         {"lda", k},
                                         {"ldb", row_bytes / 2},
                                         {"ldc", n},
                                         {"alpha", 1.0}});
  ASSERT_THAT(report.reasons, IsEmpty()) << format.name;
  for (std::int64_t j = 0; j < n; ++j) {
    const auto row =
        dequantise(format, std::span(b).subspan(static_cast<std::size_t>(j * row_bytes)), k);
    for (std::int64_t i = 0; i < m; ++i) {
      double sum = 0, all = 0;
      for (std::int64_t p = 0; p < k; ++p) {
        const double part =
            x[static_cast<std::size_t>(i * k + p)] * row[static_cast<std::size_t>(p)];
        sum += part, all += std::fabs(part);
      }
      const double bound = (static_cast<double>(k + 3) * 0x1p-23 + of_weights) * all + 0x1p-126;
      ASSERT_NEAR(c[static_cast<std::size_t>(i * n + j)], sum, bound)
          << format.name << " C[" << i << ',' << j << ']';
    }
  }
}

TEST(Quantised, MultipliesEveryFormatAndOnesOwn) {
  std::vector<WeightFormat> formats(weight_formats().begin(), weight_formats().end());
  formats.push_back(kGroups);
  formats.push_back(kSigned);
  for (const WeightFormat& format : formats) {
    ASSERT_THAT(reasons_against(format), IsEmpty());
    const std::int64_t k = 5 * std::max<std::int64_t>(64, format.elements);
    for (const ScalarType a : {ScalarType::f16, ScalarType::f32}) {
      GemmForm form{a, kWeightType};
      form.weights = &format;
      const GemmQuantisedConfig config{
          .rows = 2, .threads = 32, .along_k = 4, .blocks = 2, .weights = 2, .subgroup_size = 8};
      expect_product(format, form, gemm_quantised(config, form), 3, 21, k, 0);
    }
    // Weights are rounded to f16 where matrices multiply.
    GemmForm form{ScalarType::f16, kWeightType};
    form.weights = &format;
    GemmCoopmatConfig config;
    config.atom_m = config.atom_n = config.atom_k = 8;
    config.subgroup_size = 8;
    config.subgroups_m = 1, config.subgroups_n = 2;
    config.tile_m = 16, config.tile_n = 16,
    config.tile_k = std::min<std::int64_t>(2 * format.elements, 128);
    config.blocks = config.tile_k / format.elements;
    expect_product(format, form, gemm_coopmat(config, form), 17, 21, k, 0x1p-10);
  }
}

// --- refusals ---

template <class Change>
void expect_refused(const char* kernel, const Change& change, const char* why) {
  KernelRequest request;
  request.device = test::h200_like();
  request.type = ScalarType::f16;
  request.gemm = {ScalarType::f16, kWeightType};
  request.gemm.weights = find_weight_format("q4_0");
  change(request);
  EXPECT_THAT([&] { find_kernel(kernel)->describe(request); },
              ThrowsMessage<KernelError>(HasSubstr(why)))
      << kernel;
}

TEST(Quantised, RefusesWhatItCannotRead) {
  for (const char* kernel : {"gemm/quantised", "gemm/coopmat"}) {
    expect_refused(
        kernel, [](auto& r) { r.gemm.b_k_contiguous = false; },
        "B in q4_0: blocks are along k, so b must be k");
    expect_refused(
        kernel, [](auto& r) { r.gemm.a_type = ScalarType::f64; },
        "A of f64 and B in q4_0: A must have type f16, bf16 or f32");
    expect_refused(
        kernel, [](auto& r) { r.gemm.accumulator = ScalarType::f16; },
        "accumulator f16 and B in q4_0: it must be f32");
  }
  for (const char* kernel : {"gemm/simt", "gemm/thin", "gemm/thin_coopmat"}) {
    expect_refused(
        kernel, [](auto&) {}, "B in q4_0: this kernel reads elements; gemm/auto chooses one");
  }
  expect_refused(
      "gemm/quantised", [](auto& r) { r.options["blocks"] = "1"; },
      "1 blocks of q4_0 are not whole words of 4 bytes");
  expect_refused(
      "gemm/quantised", [](auto& r) { r.options["rows"] = "9"; }, "rows = 9 is outside 1..8");
  expect_refused(
      "gemm/coopmat", [](auto& r) { r.options["tile"] = "64x128x32"; },
      "weights of a thread: 64 does not divide the tile k, 32");
}

TEST(Quantised, RefusesFormatsThatAreNone) {
  WeightFormat odd = *find_weight_format("q4_0");
  odd.name = "odd", odd.bytes = 17, odd.bits = 3;
  EXPECT_THAT(reasons_against(odd),
              testing::ElementsAre("weight format odd: codes must have 4 or 8 bits",
                                   "weight format odd: a block must have an even number of bytes"));
  odd = *find_weight_format("q4_0");
  odd.codes_at = 4;
  EXPECT_THAT(reasons_against(odd), testing::ElementsAre(HasSubstr("must be inside the block")));
}

TEST(Quantised, RowsAreWholeBlocks) {
  GemmCall call;
  call.a_type = ScalarType::f16, call.b_type = kWeightType;
  call.weights = find_weight_format("q8_0");
  EXPECT_EQ(matrices_of(call, {1, 5, 64})[1].span(), 5u * 34);  // 2 blocks of 17 words in each row
  EXPECT_THAT(
      [&] {
        matrices_of(call, {1, 5, 70});
      },
      ThrowsMessage<ArgumentError>(
          HasSubstr("B in q8_0 has rows of 70 elements, not a multiple of the 32 of a block")));
  call.c_n_contiguous = false;
  EXPECT_THAT(
      [&] {
        matrices_of(call, {1, 5, 64});
      },
      ThrowsMessage<ArgumentError>(HasSubstr("its k and the n of C must be contiguous")));
}

}  // namespace
}  // namespace vkmoye::gen
