// SPDX-License-Identifier: MIT
// Products by packed weights with subgroups side by side: right on the host twin, and chosen where they are faster.

#include <fmt/format.h>

#include <vector>

#include "support/expect.hpp"
#include "support/fake_devices.hpp"
#include "support/fragment_orders.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/kernels/products/choice/gemm_plan.hpp"
#include "vkmoye/gen/kernels/products/thin_coopmat.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"

namespace vkmoye::gen {
namespace {

GemmCall call_of(const char* format, ScalarType a_type = ScalarType::f16) {
  GemmCall call;
  call.a_type = a_type;
  call.b_type = kWeightType;
  call.result = ScalarType::f32;
  call.weights = find_weight_format(format);
  return call;
}

DeviceCaps h200() {
  DeviceCaps device = test::h200_like();
  device.matrix_shapes = {{16, 16, 16, "f16", "f16", "f32", "f32", "subgroup"}};
  device.fragment_orders = {test::order_of(test::kOnAnH200, 'a'),
                            test::order_of(test::kOnAnH200, 'b')};
  return device;
}

GemmThinCoopmatConfig config_of(const GemmCall& call, const std::vector<std::int64_t>& size,
                                Options options = {}, const DeviceCaps& device = h200()) {
  return packed_weights_config_of(request_of(call, size, device, std::move(options)));
}

// Small whole numbers, so that all sums are exact.
std::int64_t of_a(std::int64_t row, std::int64_t k) { return (3 * row + k) % 7 - 3; }
std::int64_t code_of(std::int64_t row, std::int64_t k) { return (row + 5 * k + k / 16) % 16; }

// Rows of q4_0: the scale of each block, 1 or 2, then low and high halves of bytes.
std::vector<std::byte> rows_of_q4_0(std::int64_t rows, std::int64_t k) {
  std::vector<std::byte> out;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t first = 0; first < k; first += 32) {
      const std::uint64_t scale = bits_of(ScalarType::f16, 1.0 + static_cast<double>(row % 2));
      out.push_back(static_cast<std::byte>(scale & 255));
      out.push_back(static_cast<std::byte>(scale >> 8));
      for (std::int64_t i = first; i < first + 16; ++i) {
        out.push_back(static_cast<std::byte>(code_of(row, i) | code_of(row, i + 16) << 4));
      }
    }
  }
  return out;
}

void expect_right(const Options& options, std::int64_t m, std::int64_t n, std::int64_t k) {
  SCOPED_TRACE(fmt::format("{}x{}x{}", m, n, k));
  const KernelEntry& entry = *find_kernel("gemm/packed_weights");
  KernelRequest request = request_of(call_of("q4_0"), {m, n, k}, h200(), options);
  request.device.fragment_orders.clear();
  for (const ProbedMatrix& matrix : entry.probes(request)) {
    request.device.fragment_orders.push_back(test::order_of_twin(matrix));
  }
  const PackedWeights packed = packed_weights(packed_weights_config_of(request),
                                              form_of_kind<GemmProduct>(request.form, "test"));
  const std::int64_t k_blocks = (k + packed.block_depth() - 1) / packed.block_depth();
  const std::int64_t blocks = (n + packed.rows - 1) / packed.rows, words = k / 32 * 9;
  std::vector<std::byte> weights = rows_of_q4_0(n, k);
  std::vector<std::uint32_t> b(static_cast<std::size_t>(blocks * k_blocks * packed.words()));
  ASSERT_THAT(run_on_host(pack_weights(packed, /*batched=*/false), {weights, b},
                          {{"words", words},
                           {"rows", n},
                           {"leading", words},
                           {"k_blocks", k_blocks},
                           {"blocks", blocks}})
                  .reasons,
              IsEmpty());
  std::vector<std::uint16_t> a;
  for (std::int64_t i = 0; i < m * k; ++i) {
    a.push_back(static_cast<std::uint16_t>(
        bits_of(ScalarType::f16, static_cast<double>(of_a(i / k, i % k)))));
  }
  std::vector<float> c(static_cast<std::size_t>(m * n), -77.0f);
  const Arguments arguments = {{"m", m},
                               {"n", n},
                               {"k", k},
                               {"lda", k},
                               {"ldc", n},
                               {"k_blocks", k_blocks},
                               {"b_blocks", blocks},
                               {"alpha", 1.0}};
  ASSERT_THAT(run_on_host(entry.describe(request), {a, b, c}, arguments).reasons, IsEmpty());
  for (std::int64_t row = 0; row < m; ++row) {
    for (std::int64_t column = 0; column < n; ++column) {
      std::int64_t sum = 0;
      for (std::int64_t i = 0; i < k; ++i) sum += of_a(row, i) * (code_of(column, i) - 8);
      ASSERT_EQ(c[static_cast<std::size_t>(row * n + column)],
                static_cast<float>((1 + column % 2) * sum))
          << "at (" << row << ',' << column << ')';
    }
  }
}

TEST(PackedAcross, ProductsAreRightWithBlocksOfAllColumnsOfASubgroup) {
  const Options options = {{"tile", "32x64"}, {"across", "2"}, {"subgroups", "2"}, {"reads", "2"}};
  expect_right(options, 33, 150, 160);
  expect_right(options, 1, 1, 32);
}

TEST(PackedAcross, ProductsAreRightWithHalfBlocksAndSubgroupsThatShareK) {
  const Options options = {{"tile", "32x32"}, {"across", "2"}, {"subgroups", "4"}, {"reads", "1"}};
  expect_right(options, 40, 70, 224);
  expect_right(options, 32, 128, 64);
}

TEST(PackedAcross, AreChosenForHundredsOfRowsThatFillTheGpu) {
  const GemmCall q4 = call_of("q4_0");
  EXPECT_EQ(config_of(q4, {512, 8192, 8192}).across, 8);
  EXPECT_EQ(config_of(q4, {512, 28672, 4096}).across, 8);
  // Blocks have half as many rows: two for each subgroup, and two subgroups share k.
  const GemmThinCoopmatConfig few = config_of(q4, {512, 4096, 14336});
  EXPECT_EQ(few.across, 4);
  EXPECT_EQ(few.subgroups_k(), 2);
  EXPECT_EQ(few.columns(), 64);
  // A quarter of the multiprocessors would have nothing to do.
  EXPECT_EQ(config_of(q4, {512, 6144, 4096}).across, 0);
  EXPECT_EQ(config_of(q4, {256, 8192, 8192}).across, 0);
  EXPECT_EQ(config_of(q4, {64, 65536, 4096}).across, 0);
  // Too few registers.
  for (const char* format : {"q8_0", "q4_1", "q4_K", "iq4_nl"}) {
    EXPECT_EQ(config_of(call_of(format), {512, 8192, 8192}).across, 0) << format;
  }
  EXPECT_EQ(config_of(call_of("q4_0", ScalarType::f32), {512, 8192, 8192}).across, 0);
  EXPECT_EQ(config_of(q4, {512, 8192, 8192}, {{"subgroups", "4"}}).across, 0);
  EXPECT_EQ(config_of(q4, {512, 8192, 8192}, {{"shared-bytes", "16384"}}).across, 0);
  // What is printed as the default can be given, alone and together.
  for (const Options& options :
       {Options{{"tile", "64x64"}}, Options{{"across", "8"}}, Options{{"subgroup-size", "32"}},
        Options{{"tile", "64x64"}, {"subgroups", "8"}, {"across", "8"}, {"reads", "2"}}}) {
    EXPECT_EQ(config_of(q4, {512, 8192, 8192}, options).across, 8);
    EXPECT_EQ(config_of(q4, {512, 8192, 8192}, options).subgroups, 8);
  }
  GemmCall batch = q4;
  batch.batch = 4;
  EXPECT_EQ(config_of(batch, {512, 6144, 4096}).across, 8);
}

TEST(PackedAcross, AreNotTransposedEvenWithFewRows) {
  DeviceCaps device = h200();
  device.matrix_shapes.push_back({16, 8, 16, "f16", "f16", "f32", "f32", "subgroup"});
  device.fragment_orders.push_back(test::order_of(test::kOfEightOnAnH200, 'b', "f16", 8));
  const GemmCall q4 = call_of("q4_0");
  EXPECT_TRUE(config_of(q4, {4, 8192, 8192}, {}, device).transposed);
  EXPECT_TRUE(config_of(q4, {4, 8192, 8192}, {{"across", "0"}}, device).transposed);
  const Options options = {{"across", "2"}, {"subgroups", "2"}};
  EXPECT_FALSE(config_of(q4, {4, 8192, 8192}, options, device).transposed);
}

TEST(PackedAcross, WeightsArePackedAlikeForAllNumbersOfRows) {
  for (const std::int64_t n : {4096, 8192}) {
    EXPECT_EQ(config_of(call_of("q4_0"), {1, n, 8192}).tile_n,
              config_of(call_of("q4_0"), {512, n, 8192}).tile_n);
  }
}

TEST(PackedAcross, RefusesWhatSubgroupsSideBySideCannotDo) {
  const auto reasons = [](const char* kernel, const Options& options, const char* format = "q4_0") {
    return find_kernel(kernel)->refuse(
        request_of(call_of(format), {512, 8192, 8192}, h200(), options));
  };
  EXPECT_THAT(reasons("gemm/packed_weights", {{"across", "8"}, {"subgroups", "4"}}),
              Contains("8 subgroups side by side do not divide 4 subgroups"));
  EXPECT_THAT(reasons("gemm/packed_weights", {{"across", "3"}, {"subgroups", "4"}}),
              Contains(HasSubstr("across = 3 is not a power of two")));
  EXPECT_THAT(reasons("gemm/packed_weights",
                      {{"across", "4"}, {"subgroups", "4"}, {"tile", "16x64"}, {"reads", "2"}}),
              Contains(HasSubstr("rows of A that threads read at once = 32 does not divide 16")));
  EXPECT_THAT(reasons("gemm/packed_weights",
                      {{"across", "4"}, {"subgroups", "32"}, {"tile", "64x64"}, {"reads", "8"}}),
              Contains(HasSubstr("bytes of shared memory are needed")));
  EXPECT_THAT(reasons("gemm/packed_weights",
                      {{"across", "2"}, {"subgroups", "2"}, {"tile", "64x32"}}, "iq4_nl"),
              Contains("weights with a table, side by side, need blocks of 64 rows, not 32"));
  EXPECT_THAT(reasons("gemm/quantised_coopmat", {{"across", "2"}, {"subgroups", "2"}}),
              Contains(HasSubstr("side by side are for packed weights")));
}

}  // namespace
}  // namespace vkmoye::gen
