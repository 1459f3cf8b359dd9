// SPDX-License-Identifier: MIT
// Products by weights in blocks, of every format and of those that a program adds, and what is refused.
// weight_formats_test.cpp tests the formats.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "support/expect.hpp"
#include "support/fake_devices.hpp"
#include "support/fragment_orders.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/products/coopmat.hpp"
#include "vkmoye/gen/kernels/products/gemm_call.hpp"
#include "vkmoye/gen/kernels/products/sources/weight_units.hpp"
#include "vkmoye/gen/kernels/products/thin.hpp"
#include "vkmoye/gen/kernels/products/thin_coopmat.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"

namespace vkmoye::gen {
namespace {

std::vector<double> random_weights(std::size_t count, double max = 1) {
  std::mt19937_64 random(3);
  std::vector<double> out(count);
  for (double& x : out) x = max * (2 * static_cast<double>(random() >> 11) * 0x1p-53 - 1);
  return out;
}

// --- a format of one's own: 64 weights in two halves of a byte each, neighbours together, a scale and a minimum ---

WeightNumber codes(std::uint32_t bits, std::int64_t byte, const Layout& at, std::int64_t zero = 0) {
  return {.fields = {{.bits = bits, .first = 8 * byte, .at = at}}, .zero = zero};
}
WeightNumber codes(std::int64_t byte, const Layout& at, NumberKind kind,
                   const std::vector<double>& levels = {}) {
  return {.fields = {{.bits = 4, .first = 8 * byte, .at = at}}, .kind = kind, .levels = levels};
}
const Layout kCodesInHalves = make_layout({16, 2}, {8, 4});

const WeightFormat kGroups = {.name = "i4_64",
                              .elements = 64,
                              .bytes = 36,
                              .code = codes(4, 4, Layout(64, 4), 5),
                              .scale = number_at_byte(2),
                              .minimum = number_at_byte(0)};
// Codes with a sign, then the scale.
const WeightFormat kSigned = {.name = "s4",
                              .elements = 32,
                              .bytes = 18,
                              .code = codes(0, kCodesInHalves, NumberKind::has_sign),
                              .scale = number_at_byte(16)};
// Levels, and scales and minima of f32.
const WeightFormat kLevels = {
    .name = "levels",
    .elements = 32,
    .bytes = 24,
    .code = codes(0, kCodesInHalves, NumberKind::level,
                  {-8, -6, -5, -4, -3, -2.5, -2, -1, 0, 1, 2, 2.5, 3, 4, 5, 7}),
    .scale = number_at_byte(20, ScalarType::f32),
    .minimum = number_at_byte(16, ScalarType::f32)};
// Codes of e5m2 with a minimum, and blocks that begin in the middle of a word.
const WeightFormat kShort = {.name = "e5m2",
                             .elements = 16,
                             .bytes = 22,
                             .code = {.fields = {{.bits = 8, .first = 32, .at = Layout(16, 8)}},
                                      .kind = NumberKind::floating,
                                      .type = ScalarType::e5m2},
                             .scale = number_at_byte(0),
                             .minimum = number_at_byte(2)};
// Whole numbers with scales of f32.
const WeightFormat kWide = {.name = "wide",
                            .elements = 32,
                            .bytes = 20,
                            .code = codes(4, 4, kCodesInHalves, 8),
                            .scale = number_at_byte(0, ScalarType::f32)};

// C on the twin, against the weights of the format in f64.
void expect_product(const WeightFormat& format, const GemmForm& form, const ir::Kernel& kernel,
                    std::int64_t m, std::int64_t n, std::int64_t k, double of_weights) {
  std::mt19937_64 random(7);
  const std::int64_t row_bytes = k / format.elements * format.bytes;
  std::vector<std::byte> b(static_cast<std::size_t>(n * row_bytes));
  for (std::byte& byte : b) byte = static_cast<std::byte>(random());
  for (std::int64_t block = 0; block < n * k / format.elements; ++block) {
    const auto bytes = std::span(b).subspan(static_cast<std::size_t>(block * format.bytes),
                                            static_cast<std::size_t>(format.bytes));
    for (const auto& number : {format.scale, format.minimum}) {  // finite scales
      if (!number) continue;
      const double value = 0.001 * (1 + static_cast<double>(random() % 100));
      store_bits(*number, vkmoye::bits_of(number->type, random() % 2 == 0 ? value : -value), bytes,
                 0);
    }
    for (std::int64_t i = 0; i < format.elements; ++i) {  // finite codes and parts
      if (format.sub_scale && (format.sub_scale->kind == NumberKind::power_of_two ||
                               format.sub_scale->kind == NumberKind::floating)) {
        const std::uint64_t one = format.sub_scale->kind == NumberKind::floating ? 0x38 : 127;
        store_bits(*format.sub_scale, one - static_cast<std::uint64_t>(i / 8 % 5), bytes, i);
      }
      if (!std::isfinite(format.code.number_of(bits_of(format.code, bytes, i)))) {
        store_bits(format.code, 0, bytes, i);
      }
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
  const TwinReport report = run_on_host(kernel, {a, b, c},
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
  for (const WeightFormat& own : {kGroups, kSigned, kLevels, kShort}) formats.push_back(own);
  for (const WeightFormat& format : formats) {
    ASSERT_THAT(reasons_against(format), IsEmpty());
    const std::int64_t k = 5 * std::max<std::int64_t>(64, format.elements);
    for (const ScalarType a : {ScalarType::f16, ScalarType::f32}) {
      GemmForm form{a, kWeightType};
      form.weights = &format;
      const GemmThinConfig config{.in_blocks = true,
                                  .rows = 2,
                                  .threads = 32,
                                  .along_k = 4,
                                  .reads_k = 2,
                                  .reads_row = 2,
                                  .subgroup_size = 8};
      expect_product(format, form, gemm_thin(config, form), 3, 21, k, 0);
    }
    // Weights are rounded to f16 where matrices multiply.
    GemmForm form{ScalarType::f16, kWeightType};
    form.weights = &format;
    GemmCoopmatConfig config;
    config.atom_m = config.atom_n = config.atom_k = 8;
    config.subgroup_size = 8;
    config.subgroups_m = 1, config.subgroups_n = 2;
    config.tile_m = 16, config.tile_n = 16,
    config.tile_k = std::clamp<std::int64_t>(128, format.elements, 2 * format.elements);
    config.blocks = config.tile_k / format.elements;
    if (format.elements > 128) config.subgroups_m = 2, config.tile_n = 32;
    if (format.bytes > 4 * 48) continue;  // q6_K: more than the registers of a thread hold
    expect_product(format, form, gemm_coopmat(config, form), 17, 21, k, 0x1p-10);
  }
}

// Products of a scale of f32 and p + code are rounded, and overflow where scale * (code - zero) does not.
TEST(Quantised, WeightsWithScalesOfF32AreRoundedOnce) {
  const std::int64_t k = 64, words = k / 32 * 10;
  std::vector<std::uint16_t> b(static_cast<std::size_t>(words), 0x8888);  // codes of 0
  const float scales[] = {0x1.fffffep120f, 0.1f};
  for (const std::size_t block : {0, 1}) std::memcpy(&b[block * 10], &scales[block], 4);
  b[2] = 0x8887, b[12] = 0x8887;  // the first code of each block is -1
  std::vector<float> a(k, 1), c(1);
  a[0] = 0;
  GemmForm form{ScalarType::f32, kWeightType};
  form.weights = &kWide;
  const GemmThinConfig config{.in_blocks = true,
                              .threads = 32,
                              .along_k = 4,
                              .reads_k = 2,
                              .reads_row = 2,
                              .subgroup_size = 8};
  const TwinReport report = run_on_host(gemm_thin(config, form), {a, b, c},
                                        {{"m", 1},
                                         {"n", 1},
                                         {"k", k},
                                         {"words", words},
                                         {"lda", k},
                                         {"ldb", words},
                                         {"ldc", 1},
                                         {"alpha", 1.0}});
  EXPECT_THAT(report.reasons, IsEmpty());
  EXPECT_EQ(c[0], -0.1f);
}

// In matrix units, for the order of the twin; weights are rounded to f16 or bf16.
TEST(Quantised, MultipliesEveryFormatInMatrixUnits) {
  std::vector<WeightFormat> formats(weight_formats().begin(), weight_formats().end());
  for (const WeightFormat& own : {kGroups, kSigned, kLevels, kShort}) formats.push_back(own);
  for (const WeightFormat& format : formats) {
    if (format.elements > 128) continue;  // more than the registers of a lane hold
    for (const auto& [a, tile_n] : {std::pair{ScalarType::f16, 32}, {ScalarType::f32, 16}}) {
      GemmForm form{a, kWeightType};
      form.weights = &format;
      GemmThinCoopmatConfig config;
      config.source = SourceOfB::weight_blocks;
      config.atom_m = config.tile_m = 8;
      config.tile_n = tile_n, config.subgroups = 2;
      config.reads = blocks_at_once(format, 64);
      const auto matrices = probes(config, form);
      config.order_a = fragment_layout(test::order_of_twin(matrices[0]));
      config.order_b = fragment_layout(test::order_of_twin(matrices[1]));
      const std::int64_t k = 17 * std::max<std::int64_t>(64, format.elements);
      expect_product(format, form, gemm_thin_coopmat(config, form), 9, 37, k, 0x1p-10);
    }
  }
}

// Lane 4 g + t has blocks of rows g, g + 8, .. of B and of A. Codes that are 16 bits apart are decoded at once, and A
// has the same order: elements 0 and 2, 1 and 3.
TEST(Quantised, LanesReadWholeBlocksForMatrixUnits) {
  KernelRequest request;
  request.device = test::h200_like();
  request.form = GemmProduct({ScalarType::f16, kWeightType});
  request.product().weights = find_weight_format("q4_0");
  for (const char* order : {"order-a", "order-b"}) {
    request.options[order] = "((8,2),(2,4,2)):((32,4),(1,8,2))";
  }
  const std::string text = glsl::print(find_kernel("gemm/quantised_coopmat")->describe(request));
  EXPECT_THAT(text, HasSubstr("b_x2[72u * k_tile + 36u * subgroup + 9u * (lane & 3u) + v0"));
  EXPECT_THAT(text, HasSubstr("a_x8[64u * k_tile + 32u * subgroup + 8u * (lane & 3u) + v0"));
  EXPECT_THAT(text, HasSubstr("two1 = unpackFloat2x16(((moved_codes0 >> 8u) & 0xf000fu)"));
  EXPECT_THAT(text, HasSubstr("matrices_a[0][4u * row + 1u] = unpackFloat2x16(eight_of_a.y)[0];"));
  // Codes as indices of levels, in a conversion that is not printed.
  request.product().weights = find_weight_format("nf4");
  EXPECT_THAT(glsl::print(find_kernel("gemm/quantised_coopmat")->describe(request)),
              HasSubstr("= levels[(codes >> 16u) & 15u];"));
}

// The names of weights are not those of an epilogue's arguments.
TEST(Quantised, HasEpiloguesWithEveryFormat) {
  for (const WeightFormat& format : weight_formats()) {
    GemmForm form{ScalarType::f32, kWeightType};
    form.weights = &format;
    for (const EpilogueOp& step : epilogue_ops()) form.epilogue.push_back(step);
    const GemmThinConfig config = gemm_quantised_config(form, {}, test::h200_like());
    EXPECT_NO_THROW(gemm_thin(config, form)) << format.name;
  }
}

// --- refusals ---

template <class Change>
void expect_refused(const char* kernel, const Change& change, const char* why) {
  KernelRequest request;
  request.device = test::h200_like();
  request.form = GemmProduct({ScalarType::f16, kWeightType});
  request.product().weights = find_weight_format("q4_0");
  change(request);
  EXPECT_REFUSED(find_kernel(kernel)->describe(request), KernelError, why) << kernel;
}

TEST(Quantised, RefusesWhatItCannotRead) {
  for (const char* kernel : {"gemm/quantised", "gemm/quantised_coopmat", "gemm/coopmat"}) {
    expect_refused(
        kernel, [](auto& r) { r.product().b_k_contiguous = false; },
        "B in q4_0: blocks are along k, so b must be k");
    expect_refused(
        kernel, [](auto& r) { r.product().a_type = ScalarType::f64; },
        "A of f64 and B in q4_0: A must have type f16, bf16 or f32");
    expect_refused(
        kernel, [](auto& r) { r.product().accumulator = ScalarType::f16; },
        "accumulator f16 and B in q4_0: it must be f32");
  }
  for (const char* kernel : {"gemm/simt", "gemm/thin", "gemm/thin_coopmat"}) {
    expect_refused(
        kernel, [](auto&) {}, "B in q4_0: this kernel reads elements; gemm/auto chooses one");
  }
  expect_refused(
      "gemm/quantised", [](auto& r) { r.options["rows"] = "9"; }, "rows = 9 is outside 1..8");
  expect_refused(
      "gemm/quantised", [](auto& r) { r.options["blocks"] = "3"; },
      "blocks = 3 is not a power of two up to 16");
  const char* order = "((8,2),(2,4,2)):((32,4),(1,8,2))";
  expect_refused(
      "gemm/quantised_coopmat",
      [&](auto& r) {
        r.options = {{"order-a", order}, {"order-b", order}, {"reads", "8"}, {"tile", "64x64"}};
      },
      "a lane has 1312 words of A and B at once, but at most 1024 are possible");
  expect_refused(
      "gemm/coopmat", [](auto& r) { r.options["tile"] = "64x128x32"; },
      "weights of a thread: 64 does not divide the tile k, 32");
}

TEST(Quantised, RefusesFormatsThatAreNone) {
  WeightFormat odd = *find_weight_format("q4_0");
  odd.name = "odd", odd.bytes = 17, odd.code.fields = {};
  EXPECT_THAT(reasons_against(odd),
              ElementsAre("weight format odd: a block must have an even number of bytes",
                          "weight format odd: codes must have 1 to 8 bits"));
  odd = *find_weight_format("q4_0");
  odd.code.fields[0].first = 24;
  EXPECT_THAT(reasons_against(odd),
              ElementsAre(HasSubstr("a field of code is outside the 18 bytes of a block")));
  odd = *find_weight_format("q4_0");
  odd.code.fields = {{.bits = 3, .first = 16, .at = Layout(32, 3)}};
  EXPECT_THAT(reasons_against(odd),
              ElementsAre(HasSubstr("with each of its numbers in a word of 32 bits"),
                          HasSubstr("must be inside a byte, or begin at a multiple of its 3 bits"),
                          HasSubstr("the zero of code must be a code")));
  odd = *find_weight_format("nf4");
  odd.code.levels.pop_back();
  odd.scale = number_at_byte(2, ScalarType::f32);
  EXPECT_THAT(reasons_against(odd), ElementsAre(HasSubstr("code must have 16 levels"),
                                                HasSubstr("begin at a multiple of its 32 bits")));
  odd = *find_weight_format("e4m3g128");
  odd.code.type = ScalarType::f16, odd.bytes = 134;
  EXPECT_THAT(reasons_against(odd),
              ElementsAre(HasSubstr("code has 8 bits, but is a number of f16"),
                          HasSubstr("must have type e4m3 or e5m2"),
                          HasSubstr("f32 in blocks of whole words")));
  odd = *find_weight_format("i8");
  odd.minimum = number_at_byte(0);
  EXPECT_THAT(reasons_against(odd), ElementsAre(HasSubstr("a minimum needs a scale")));
  odd = *find_weight_format("q4_K");
  odd.sub_scale->fields[0].at = make_layout({4, 64}, {0, 8});
  odd.scale.reset();
  EXPECT_THAT(reasons_against(odd), ElementsAre(HasSubstr("a minimum needs a scale")));
  odd.minimum.reset();
  EXPECT_THAT(reasons_against(odd), ElementsAre(HasSubstr("a sub_minimum needs a minimum")));
  odd = *find_weight_format("mxfp4");
  odd.sub_scale->fields[0].bits = 4;
  EXPECT_THAT(reasons_against(odd),
              ElementsAre(HasSubstr("sub_scale has 4 bits, but powers of two have 8")));
}

TEST(Quantised, RowsAreWholeBlocks) {
  GemmCall call;
  call.a_type = ScalarType::f16, call.b_type = kWeightType;
  call.weights = find_weight_format("q8_0");
  EXPECT_EQ(matrices_of(call, {1, 5, 64})[1].span(), 5u * 34);  // 2 blocks of 17 words in each row
  EXPECT_REFUSED(matrices_of(call, {1, 5, 70}), ArgumentError,
                 "B in q8_0 has rows of 70 elements, not a multiple of the 32 of a block");
  call.c_n_contiguous = false;
  EXPECT_REFUSED(matrices_of(call, {1, 5, 64}), ArgumentError,
                 "its k and the n of C must be contiguous");
}

}  // namespace
}  // namespace vkmoye::gen
