// SPDX-License-Identifier: MIT
// Products with matrix units: what is staged how, and what is refused.

#include <set>

#include "support/expect.hpp"
#include "support/fake_devices.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/products/coopmat.hpp"
#include "vkmoye/gen/kernels/products/sums/accumulators.hpp"
#include "vkmoye/layout/injective.hpp"
#include "vkmoye/layout/inverse.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

GemmForm form_of(ScalarType operand, ScalarType accumulator) {
  GemmForm form;
  form.a_type = form.b_type = operand;
  form.accumulator = form.result = accumulator;
  return form;
}

const GemmForm kHalves = form_of(ScalarType::f16, ScalarType::f32);

// One subgroup, 2 x 2 matrices: quick to verify.
GemmCoopmatConfig small_of_units() {
  GemmCoopmatConfig config;
  config.tile_m = config.tile_n = 32;
  config.subgroups_m = config.subgroups_n = 1;
  return config;
}

// Each 8 neighbouring threads store 16 bytes each into other banks, for every row that padding by 16
// bytes leaves.
TEST(GemmCoopmat, StagingStoresMeetNoBankTwice) {
  for (const std::int64_t vectors : {2, 4, 8, 16}) {
    for (const std::int64_t rows : {8, 16, 32, 64}) {
      const std::int64_t stride = vectors + 1;
      const Layout threads = staging_threads(vectors, rows, stride);
      ASSERT_TRUE(is_compact(threads));
      const Layout numbers = right_inverse(threads);  // thread -> index of (vector, row)
      for (std::int64_t first = 0; first < vectors * rows; first += 8) {
        std::set<std::int64_t> banks;
        for (std::int64_t thread = first; thread < first + 8; ++thread) {
          const std::int64_t at = numbers(thread);
          banks.insert((at / vectors * stride + at % vectors) % 8);
        }
        ASSERT_EQ(banks.size(), 8u) << vectors << " vectors, " << rows << " rows";
      }
    }
  }
  EXPECT_EQ(to_string(staging_threads(4, 32, 5)), "(4,(4,2,4)):(1,(8,4,32))");
}

TEST(GemmCoopmat, WhatIsStagedTravelsAsItCame) {
  const std::string text = glsl::print(gemm_coopmat(small_of_units(), kHalves));
  EXPECT_THAT(text, HasSubstr("uvec4 next_a[4];"));
  EXPECT_THAT(text, HasSubstr("next_a[v2] = a_x8["));
  EXPECT_THAT(text, Not(HasSubstr("unpackFloat2x16")));
}

TEST(GemmCoopmat, SumsOnTheirWayTakeTheSharedMemoryThatIsLeft) {
  GemmCoopmatConfig config;
  config.tile_n = 256;
  config.subgroups_n = 4;
  EXPECT_EQ(accumulator_shape(config, kHalves).columns_at_once, 32);
  EXPECT_THAT(reasons_against(config, kHalves), IsEmpty());
  config.shared_bytes = 32768;
  EXPECT_THAT(
      reasons_against(config, kHalves),
      Contains(HasSubstr("bytes of shared memory are needed, 30720 for the tiles of A and B")));
}

TEST(GemmCoopmat, SubgroupsThatShareKDivideTheStepsOfATile) {
  GemmCoopmatConfig config = small_of_units();
  config.tile_k = 64;
  config.subgroups_k = 2;
  const std::string text = glsl::print(gemm_coopmat(config, kHalves));
  EXPECT_THAT(text, HasSubstr("for (uint kk = 0u; kk < 2u; ++kk)"));
  EXPECT_THAT(text, HasSubstr("coopMatLoad(matrices_a[i], shared_a, 2u * (2u * subgroup + kk)"));
  // A place for the sums of each; what both have is not stored straight to C.
  EXPECT_THAT(text, HasSubstr("shared_c[287];  // (32,32):(36,1)"));
  EXPECT_THAT(text, Not(HasSubstr("c_x4,")));

  config.subgroups_k = 8;
  EXPECT_THAT(reasons_against(config, kHalves),
              ElementsAre("subgroups k times atom k = 128 does not divide 64"));
  config.subgroups_k = 3;
  EXPECT_THAT(reasons_against(config, kHalves),
              ElementsAre("subgroups k = 3 is not a power of two up to 32"));

  GemmCoopmatConfig large;
  large.tile_k = 64;
  EXPECT_EQ(accumulator_shape(large, kHalves).columns_at_once, 32);
  large.subgroups_k = 2;
  EXPECT_EQ(accumulator_shape(large, kHalves).columns_at_once, 16);
  EXPECT_THAT(reasons_against(large, kHalves), IsEmpty());
  large.subgroups_k = 4;
  EXPECT_THAT(reasons_against(large, kHalves),
              ElementsAre("55296 bytes of shared memory are needed, 36864 for the tiles of A and B "
                          "and 18432 for sums, but the limit is 49152"));
}

// Whatever a device reports is a config.
TEST(GemmCoopmat, EveryAtomIsTaken) {
  struct Case {
    ScalarType operand, sum;
    std::int64_t m, n, k, lanes;
  };
  const Case cases[] = {
      {ScalarType::f16, ScalarType::f32, 16, 8, 16, 32},
      {ScalarType::f16, ScalarType::f16, 16, 8, 8, 32},
      {ScalarType::f16, ScalarType::f32, 8, 8, 8, 8},
      {ScalarType::bf16, ScalarType::f32, 16, 16, 16, 32},
      {ScalarType::i8, ScalarType::i32, 16, 16, 32, 32},
      {ScalarType::i8, ScalarType::i32, 16, 8, 32, 32},
      {ScalarType::u8, ScalarType::u32, 16, 16, 16, 64},
      {ScalarType::u8, ScalarType::u32, 8, 8, 8, 8},
  };
  for (const Case& x : cases) {
    DeviceCaps device = common_device();
    device.min_subgroup_size = device.max_subgroup_size = device.subgroup_size =
        static_cast<std::uint32_t>(x.lanes);
    const std::string operand = ir::component_name(x.operand), sum = ir::component_name(x.sum);
    const auto at = [](std::int64_t extent) { return static_cast<std::uint32_t>(extent); };
    device.matrix_shapes = {{at(x.m), at(x.n), at(x.k), operand, operand, sum, sum, "subgroup"}};
    GemmCoopmatConfig config = gemm_coopmat_config(form_of(x.operand, x.sum), device);
    EXPECT_EQ(config.atom_n, x.n);
    config.tile_m = config.tile_n = 64;
    const auto reasons = reasons_against(config, form_of(x.operand, x.sum));
    EXPECT_THAT(reasons, IsEmpty()) << operand << ' ' << x.m << 'x' << x.n << 'x' << x.k;
    if (!reasons.empty()) continue;
    const ir::Kernel kernel = gemm_coopmat(config, form_of(x.operand, x.sum));
    EXPECT_EQ(ir::interface_of(kernel).matrices, device.matrix_shapes);
  }
}

// A compiler for the CPU repeats each product of matrices in its code, and takes most of a second for it.
TEST(GemmCoopmat, FewLanesMultiplyFewMatricesInAStep) {
  const DeviceCaps device = test::lavapipe_like();
  for (const ScalarType operand : {ScalarType::f16, ScalarType::i8, ScalarType::u8}) {
    const GemmForm form = gemm_form(operand);
    const GemmCoopmatConfig config = gemm_coopmat_config(form, device);
    const std::int64_t of_subgroup = config.subgroup_rows() * config.subgroup_columns();
    const std::int64_t of_atom = config.atom_m * config.atom_n * config.atom_k;
    EXPECT_LE(of_subgroup * config.tile_k / of_atom, 16) << to_string(operand);
    EXPECT_THAT(reasons_against(config, form), IsEmpty());
  }
}

TEST(GemmCoopmat, OnlySumsAsTheyAreGoStraightToC) {
  const auto text_of = [](GemmCoopmatConfig config, const GemmForm& form) {
    return glsl::print(gemm_coopmat(config, form));
  };
  GemmCoopmatConfig config = small_of_units();
  EXPECT_THAT(text_of(config, kHalves), HasSubstr("c_x4,"));
  GemmForm form = kHalves;
  form.result = ScalarType::f16;
  EXPECT_THAT(text_of(config, form), Not(HasSubstr("coopMatStore(sums[i + 2u * j], c")));
  form = kHalves;
  form.beta = true;
  EXPECT_THAT(text_of(config, form), Not(HasSubstr("c_x4,")));
  config.direct = false;
  EXPECT_THAT(text_of(config, kHalves), Not(HasSubstr("c_x4,")));
}

TEST(GemmCoopmat, TheCompilerMayBeToldNotToRepeatTheLoop) {
  GemmCoopmatConfig config = small_of_units();
  EXPECT_THAT(glsl::print(gemm_coopmat(config, kHalves)), Not(HasSubstr("dont_unroll")));
  config.unroll = false;
  EXPECT_THAT(glsl::print(gemm_coopmat(config, kHalves)),
              HasSubstr("[[dont_unroll]] for (uint k_tile"));
}

}  // namespace
}  // namespace vkmoye::gen
