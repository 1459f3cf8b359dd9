// SPDX-License-Identifier: MIT
// Operands in fragment order: how it is found, what lies where, what is refused.

#include "vkmoye/gen/kernels/products/packed.hpp"

#include <array>
#include <limits>
#include <utility>

#include "support/expect.hpp"
#include "support/fake_devices.hpp"
#include "support/fragment_orders.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/matrix_units/probe.hpp"
#include "vkmoye/gen/kernels/products/packing/pack.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

using Use = ir::MatrixType::Use;

using test::kOnAnH200;
using test::kOnRdna4;
using test::order_of;

constexpr ScalarType kHalf = ScalarType::f16;

DeviceCaps device_with(const FragmentOrder& order) {
  DeviceCaps caps = test::h200_like();
  caps.fragment_orders = {order};
  return caps;
}

TEST(FragmentProbe, FindsTheOrderOfTheDeviceThatRunsIt) {
  for (const auto& matrix : {ir::MatrixType{Use::a, 16, 16}, ir::MatrixType{Use::b, 16, 8},
                             ir::MatrixType{Use::b, 4, 64}}) {
    for (const ScalarType type : {kHalf, ScalarType::bf16, ScalarType::i8, ScalarType::u8}) {
      const ProbedMatrix probed{type, matrix, 32};
      std::vector<std::byte> src = probe_input(probed), dst(src.size());
      const TwinReport report =
          run_on_host(fragment_probe(probed), {std::span(src), std::span(dst)}, {});
      EXPECT_THAT(report.reasons, IsEmpty());
      const FragmentOrder order = probed_order(probed, dst);
      EXPECT_EQ(order.places, test::order_of_twin(probed).places) << to_string(probed);
      EXPECT_TRUE(fragment_layout(order).layout) << fragment_layout(order).reason;
    }
  }
  const ProbedMatrix sums{ScalarType::f32, {Use::accumulator, 16, 8}, 32};
  std::vector<std::byte> src = probe_input(sums), dst(src.size());
  const TwinReport report = run_on_host(fragment_probe(sums), {std::span(src), std::span(dst)}, {});
  EXPECT_THAT(report.reasons, IsEmpty());
  EXPECT_EQ(probed_order(sums, dst), test::order_of_twin(sums));
  EXPECT_EQ(to_string(sums), "C 16x8 f32 in 32 lanes");
}

TEST(FragmentProbe, AsksForEachMatrixOnceOrSaysWhyNot) {
  DeviceCaps caps = test::h200_like();
  caps.matrix_shapes.push_back({32, 16, 16, "f16", "f16", "f32", "f32", "workgroup"});
  caps.matrix_shapes.push_back({16, 16, 8, "f8", "f8", "f32", "f32", "subgroup"});
  caps.matrix_shapes.push_back({5, 16, 5, "f16", "f16", "f32", "f32", "subgroup"});
  std::vector<std::string> names, reasons;
  for (const MatrixOperand& operand : matrix_operands(caps)) {
    (operand.probed ? names : reasons)
        .push_back(operand.probed ? to_string(*operand.probed)
                                  : operand.name + ": " + operand.why_not);
    EXPECT_NE(operand.probed.has_value(), !operand.why_not.empty());
  }
  // Of f16 once for two accumulators.
  EXPECT_THAT(names, ElementsAre("A 16x16 f16 in 32 lanes", "B 16x16 f16 in 32 lanes",
                                 "C 16x16 f32 in 32 lanes", "C 16x16 f16 in 32 lanes",
                                 "A 16x32 s8 in 32 lanes", "B 32x16 s8 in 32 lanes",
                                 "C 16x16 s32 in 32 lanes", "A 16x32 u8 in 32 lanes",
                                 "B 32x16 u8 in 32 lanes", "C 16x16 u32 in 32 lanes",
                                 "A 16x16 bf16 in 32 lanes", "B 16x16 bf16 in 32 lanes"));
  EXPECT_THAT(
      reasons,
      ElementsAre("A 32x16 f16: its scope is a workgroup, not a subgroup",
                  HasSubstr("B 16x16 f16: its scope is a workgroup"), HasSubstr("C 32x16 f32"),
                  HasSubstr("A 16x8 f8: kernels cannot move single elements of f8"),
                  HasSubstr("B 8x16 f8"),
                  "A 5x5 f16: 32 lanes do not divide its 25 elements evenly",
                  HasSubstr("B 5x16 f16"), HasSubstr("C 5x16 f32")));
}

// As an RDNA3 is asked: 64 lanes unless told, products take 32.
TEST(FragmentProbe, AsksTheLanesThatProductsUse) {
  EXPECT_EQ(matrix_operands(test::rdna3_like())[0].probed->lanes, 32u);
  EXPECT_EQ(matrix_operands(test::lavapipe_like())[0].probed->lanes, 8u);
}

TEST(FragmentProbe, SaysWhichElementHasNotOnePlace) {
  const ProbedMatrix probed{kHalf, {Use::a, 2, 4}, 4};
  const std::vector<double> right = {0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1, 2, 3, 2, 3};
  const auto order_from = [&](const std::vector<double>& numbers) {
    std::vector<std::uint16_t> dst;
    for (const double number : numbers) {
      dst.push_back(static_cast<std::uint16_t>(bits_of(probed.type, number)));
    }
    return probed_order(probed, std::as_bytes(std::span(dst)));
  };
  EXPECT_TRUE(is_order(order_from(right)));
  std::vector<double> copies = right;
  copies[8 + 4] = 0;  // lane 2 begins as lane 0
  EXPECT_EQ(order_from(copies).why_none,
            "lanes hold copies: element (0,0) is number 0 of lane 0 and number 0 of lane 2");
  EXPECT_THAT(order_from(copies).places, IsEmpty());
  using Case = std::pair<double, std::string>;
  for (const auto& [number, text] : {Case(7, "7"), Case(-1, "-1"), Case(0.5, "0.5"),
                                     Case(std::numeric_limits<double>::quiet_NaN(), "nan")}) {
    std::vector<double> nothing = right;
    nothing[3] = number;
    EXPECT_EQ(order_from(nothing).why_none,
              "number 1 of lane 1 is row " + text + " and column 1, which do not exist");
  }
}

TEST(FragmentOrders, FromFilesArePermutations) {
  FragmentOrder order{'a', "f16", 2, 2, 2, {3, 1, 0, 2}};
  EXPECT_TRUE(is_order(order));
  for (const std::vector<std::uint32_t>& places :
       {std::vector<std::uint32_t>{}, {3, 1, 0}, {3, 1, 0, 0}, {4, 1, 0, 2}}) {
    order.places = places;
    EXPECT_FALSE(is_order(order));
  }
}

TEST(FragmentOrders, AreLayoutsOrSayWhyNot) {
  for (const char use : {'a', 'b'}) {
    const OrderOrReason found = fragment_layout(order_of(kOnAnH200, use));
    ASSERT_TRUE(found.layout) << found.reason;
    EXPECT_EQ(to_string(*found.layout), "((8,2),(2,4,2)):((32,4),(1,8,2))");
  }
  // As on RDNA3: both halves of a subgroup hold the same.
  FragmentOrder copies = order_of(kOnAnH200, 'a');
  copies.places.clear();
  copies.why_none = "lanes hold copies";
  EXPECT_EQ(fragment_layout(copies).reason, "A 16x16 f16 in 32 lanes: lanes hold copies");
  // What depends on row and column together.
  FragmentOrder swizzled = order_of(kOnAnH200, 'a');
  for (std::uint32_t& place : swizzled.places) place ^= place / 32 % 2;
  EXPECT_THAT(fragment_layout(swizzled).reason, HasSubstr("is not the sum of those along rows"));
  FragmentOrder jumbled = order_of(kOnAnH200, 'a');
  std::swap(jumbled.places[1], jumbled.places[2]);
  EXPECT_THAT(fragment_layout(jumbled).reason, HasSubstr("along the rows do not form a layout"));
}

TEST(FragmentOrders, TellWherePlainLoadsServe) {
  EXPECT_EQ(neighbours_along_k(kOnAnH200), 2);
  EXPECT_EQ(neighbours_along_k(kOnRdna4), 8);
  EXPECT_EQ(neighbours_along_k(Layout({16, 16}, {1, 16})), 1);
}

TEST(Pack, BlocksHaveOneFragmentAfterTheOther) {
  EXPECT_EQ(to_string(block_layout({}, device_with(order_of(kOnAnH200, 'a')))),
            "(((8,2),4),((2,4,2),2)):(((32,4),256),((1,8,2),1024))");
  EXPECT_REFUSED(block_layout({}, test::h200_like()), KernelError,
                 "A 16x16 f16 in 32 lanes: its fragment order has not been probed");
}

// dst(block_layout(row, k)) = src(row, k), and 0 past the last row and the last k.
TEST(Pack, PutsEachElementInItsPlace) {
  const DeviceCaps device = device_with(order_of(kOnAnH200, 'a'));
  const PackedForm form;
  const Layout block = block_layout(form, device);
  const std::int64_t rows = 70, k = 37, blocks = 2, k_blocks = 2;
  for (const bool k_contiguous : {true, false}) {
    for (const std::int64_t gap : {0, 3}) {
      const std::int64_t leading = (k_contiguous ? k : rows) + gap;
      const std::int64_t lines = k_contiguous ? rows : k;
      const auto elements = static_cast<std::size_t>((lines - 1) * leading + leading - gap);
      std::vector<std::uint16_t> src(elements);
      for (std::size_t i = 0; i < elements; ++i) src[i] = static_cast<std::uint16_t>(i + 1);
      std::vector<std::uint16_t> dst(2048 * 4);
      const TwinReport report =
          run_on_host(pack({form.type, k_contiguous, false}, form, device), {src, dst},
                      {{"rows", rows},
                       {"k", k},
                       {"leading", leading},
                       {"k_blocks", k_blocks},
                       {"blocks", blocks}});
      EXPECT_THAT(report.reasons, IsEmpty());
      for (std::int64_t row = 0; row < blocks * 64; ++row) {
        for (std::int64_t p = 0; p < k_blocks * 32; ++p) {
          const std::int64_t number = p / 32 + k_blocks * (row / 64);
          const auto at = static_cast<std::size_t>(2048 * number + block(row % 64 + 64 * (p % 32)));
          const std::int64_t from = k_contiguous ? row * leading + p : p * leading + row;
          const int expected = row < rows && p < k ? src[static_cast<std::size_t>(from)] : 0;
          ASSERT_EQ(dst[at], expected) << row << ' ' << p << ' ' << k_contiguous;
        }
      }
    }
  }
}

// Equally many for each, and then one more for some.
TEST(GemmPacked, SubgroupsThatShareKTakeBlocksInTurn) {
  const auto text_of = [](const Options& options) {
    return glsl::print(find_kernel("gemm/packed")->describe(request_of(kHalf, options)));
  };
  const std::string text = text_of({{"part", "32x32"}, {"subgroups", "2x1x4"}});
  EXPECT_THAT(text, HasSubstr("  subgroups=2x1x4  "));
  EXPECT_THAT(text, HasSubstr("uint blocks_each = k_blocks >> 2u;"));
  EXPECT_THAT(text, HasSubstr("min((subgroup >> 1u) + 4u * block, k_blocks - 1u)"));
  EXPECT_THAT(text, HasSubstr("if ((subgroup >> 1u) < (k_blocks & 3u))"));
  EXPECT_THAT(text, HasSubstr("shared_c[1151];  // (128,32):(36,1)"));
  // Where none shares, none is named.
  EXPECT_EQ(text_of({{"subgroups", "2x2x1"}}), text_of({{"subgroups", "2x2"}}));
  EXPECT_THAT(text_of({{"subgroups", "2x2x1"}}), HasSubstr("  subgroups=2x2  "));
}

TEST(GemmPacked, FewRowsShareKAndLeaveTheBlocksOfBAsTheyAre) {
  for (const ScalarType accumulator : {kHalf, ScalarType::f32}) {
    const GemmForm form = {
        .a_type = kHalf, .b_type = kHalf, .accumulator = accumulator, .result = kHalf};
    const auto config_of = [&](std::int64_t m) {
      return gemm_packed_config(form, {{m, 4096, 4096}}, test::h200_like());
    };
    const PackedForm b_of_many = packed_form(config_of(4096), form, 'b');
    EXPECT_EQ(config_of(4096).subgroups_k, 1);
    for (const auto& [m, part, subgroups] : {std::array<std::int64_t, 3>{1, 16, 16},
                                             {16, 16, 16},
                                             {17, 32, 8},
                                             {33, 64, 8},
                                             {65, 64, 4}}) {
      const GemmPackedConfig config = config_of(m);
      EXPECT_EQ(config.part_m, part) << m;
      EXPECT_EQ(config.subgroups_k, subgroups) << m;
      EXPECT_THAT(reasons_against(config, form), IsEmpty()) << m;
      EXPECT_EQ(packed_form(config, form, 'b'), b_of_many) << m;
    }
  }
}

TEST(GemmPacked, RefusesWhatCannotBeWithEveryReason) {
  const auto refused = [](const Options& options) {
    return [options] { find_kernel("gemm/packed")->describe(request_of(kHalf, options)); };
  };
  EXPECT_THAT(refused({{"steps", "3"}, {"strip", "0"}}),
              ThrowsMessage<KernelError>(AllOf(HasSubstr("steps = 3 is not a power of two"),
                                               HasSubstr("strip = 0 is outside"))));
  EXPECT_THAT(refused({{"part", "64x72"}}),
              ThrowsMessage<KernelError>(HasSubstr("atom n = 16 does not divide 72")));
  KernelRequest mixed = request_of(kHalf);
  mixed.product().a_type = ScalarType::bf16;
  EXPECT_REFUSED(find_kernel("gemm/packed")->describe(mixed), KernelError,
                 "operands of bf16*f16: they must have one type");
  EXPECT_THAT(
      refused({{"subgroups", "8x8"}}),
      ThrowsMessage<KernelError>(HasSubstr("2048 threads, but a workgroup has at most 1024")));
  EXPECT_THAT(
      refused({{"subgroups", "4x4x4"}}),
      ThrowsMessage<KernelError>(HasSubstr("2048 threads, but a workgroup has at most 1024")));
  EXPECT_THAT(refused({{"subgroups", "2"}}),
              ThrowsMessage<KernelError>(
                  HasSubstr("subgroups '2': expected two to three whole numbers, such as 64x32")));
  EXPECT_THAT(refused({{"subgroups", "8x1x4"}, {"shared-bytes", "16384"}}),
              ThrowsMessage<KernelError>(HasSubstr("40960 bytes of shared memory are needed for "
                                                   "sums, but the limit is 16384")));
}

}  // namespace
}  // namespace vkmoye::gen
