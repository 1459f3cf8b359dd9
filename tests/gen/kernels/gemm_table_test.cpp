// SPDX-License-Identifier: MIT
// The entries of gemm/auto's table: for which products and devices they hold, and the configs that `tune` times.

#include <string>

#include "gen/kernels/gemm_products.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/products/choice/candidates.hpp"

namespace vkmoye::gen {
namespace {

// --- entries ---

TEST(GemmTable, NamesThatThereAreNotAreRefused) {
  const auto against = [](GemmTableEntry entry) {
    return join(reasons_against_names(entry), "; ");
  };
  EXPECT_EQ(against({.kernel = "gemm/simt", .options = {{"tile", ""}, {"split-k", ""}}}), "");
  for (const char* kernel : {"gemm/fast", "gemm/auto", "copy/auto", ""}) {
    EXPECT_THAT(against({.kernel = kernel}), HasSubstr("is not a product kernel")) << kernel;
    EXPECT_THROW(choice_of({.kernel = kernel}, {}), KernelError) << kernel;
  }
  EXPECT_EQ(against({.kernel = "gemm/simt", .options = {{"tiles", "1"}, {"x", "2"}}}),
            "gemm/simt has no option 'tiles'; gemm/simt has no option 'x'");
}

TEST(GemmTable, EntriesForAFormAreForNoOther) {
  using enum ScalarType;
  GemmForm form = gemm_form(f16);
  EXPECT_TRUE(is_for_types({.types = {{f16, f16, f32}}}, form));  // whatever result
  EXPECT_TRUE(is_for_types({.types = {{f16, f16, f32, f16}}}, form));
  EXPECT_FALSE(is_for_types({.types = {{f16, f16, f32, f32}}}, form));
  EXPECT_FALSE(is_for_types({.types = {{f32, f16, f32}}}, form));
  GemmForm mixed = form;
  mixed.a_type = f32;
  EXPECT_TRUE(is_for_types({.types = {{f16, f16, f32}}}, mixed));  // as the narrower type
  EXPECT_TRUE(is_for_types({.types = {{f32, f16, f32}}}, mixed));
  EXPECT_FALSE(is_for_types({.types = {{f16, f32, f32}}}, mixed));
  EXPECT_EQ(unmet({.where = {.beta = false, .epilogue = std::vector<std::string>()}}, form), "");
  EXPECT_EQ(unmet({.where = {.beta = true}}, form), "needs beta=yes, but it is no");
  EXPECT_EQ(unmet({.where = {.a = 'm'}}, form), "needs a=m, but it is k");
  form.epilogue = {*find_epilogue_op("bias"), *find_epilogue_op("relu")};
  EXPECT_EQ(unmet({.where = {.epilogue = {{"bias", "relu"}}}}, form), "");
  EXPECT_EQ(unmet({.where = {.epilogue = std::vector<std::string>()}}, GemmProduct{form}, {}),
            "needs epilogue=none, but it is bias,relu");
}

TEST(GemmTable, EntriesThatMultiplyNothingOnADeviceSayWhy) {
  const auto against = [](const GemmTableEntry& entry, const DeviceCaps& device) {
    return join(reasons_against(entry, device), "; ");
  };
  using enum ScalarType;
  const GemmTableEntry on_units{.types = {{f16, f16, f32}},
                                .where = {.b = 'n'},
                                .kernel = "gemm/coopmat",
                                .options = {{"tile", "128x256x32"}}};
  EXPECT_EQ(against(on_units, test::h200_like()), "");
  EXPECT_THAT(against(on_units, without_matrices(test::rdna3_like())),
              HasSubstr("does not multiply"));
  GemmTableEntry gelu{.where = {.epilogue = {{"gelu"}}}, .kernel = "gemm/simt"};
  EXPECT_EQ(against(gelu, common_device()), "");
  gelu.types = {{i32, i32, i32}};
  EXPECT_THAT(against(gelu, common_device()), HasSubstr("gelu needs the type f32"));
  for (const GemmTableEntry& entry : shipped_gemm_table().entries) {
    bool somewhere = false;
    for (const DeviceCaps& device : devices()) {
      somewhere =
          somewhere || (is_for_device(entry, device) && reasons_against(entry, device).empty());
    }
    EXPECT_TRUE(somewhere) << entry.why;
  }
}

TEST(GemmTable, EntriesSayWhenTheyHold) {
  using enum GemmQuantity;
  const GemmTableEntry entry{
      .devices = {"h100", "H200"},
      .where = {.ranges = {m >= 2, area <= 9000000000, {batch, 1, 1}, {k, 2, 4096}}, .b = 'n'}};
  EXPECT_TRUE(is_for_device(entry, device_named({}, "NVIDIA h200 NVL")));
  EXPECT_FALSE(is_for_device(entry, device_named({}, "NVIDIA A100")));
  GemmProduct one = product(kTypes[0], {2, 3, 4});
  EXPECT_EQ(unmet(entry, one, {}), "needs b=n, but it is k");
  one.b_k_contiguous = false;
  EXPECT_EQ(unmet(entry, one, {}), "");
  one.batch = 2;
  EXPECT_EQ(unmet(entry, one, {}), "needs batch=1, but batch is 2");
  one.batch = 1;
  one.shape = {2, 3, 1};
  EXPECT_EQ(unmet(entry, one, {}), "needs 2<=k<=4096, but k is 1");
  one.shape = {1, 3, 1};
  EXPECT_EQ(unmet(entry, one, {}), "needs m>=2, but m is 1");
  one.shape = {std::int64_t{1} << 32, std::int64_t{1} << 32, 2};  // m * n is beyond 64 bits
  EXPECT_EQ(unmet(entry, one, {}), "needs m*n<=9000000000, but m*n is 18446744073709551616");
  one.shape.reset();
  EXPECT_EQ(unmet(entry, one, {}), "");  // 4096 each
}

TEST(GemmTable, TheEntryForAProductIsForNoOther) {
  GemmProduct one = product(kTypes[0], {24, 40, 56});
  const GemmTableEntry entry = entry_for(one);
  EXPECT_TRUE(is_for_the_same(entry, entry_for(one)));
  EXPECT_EQ(unmet(entry, one, {}), "");
  one.beta = true;
  EXPECT_FALSE(is_for_the_same(entry, entry_for(one)));
  EXPECT_EQ(unmet(entry, one, {}), "needs beta=no, but it is yes");
}

// --- what is worth timing ---

TEST(GemmCandidates, AreManyDistinctAndMostlyAccepted) {
  for (const DeviceCaps& device : devices()) {
    for (const Types& types : {kTypes[0], kTypes[2]}) {
      if (types.operand == ScalarType::f16 && device.matrix_shapes.empty()) continue;
      const GemmProduct one = product(types, {256, 256, 8192});
      const auto candidates = gemm_candidates(one, device);
      ASSERT_GE(candidates.size(), 10u);
      // The first of each kernel is a config that works, and so is about one in three of the rest.
      std::size_t accepted = 0;
      const std::size_t asked = std::min<std::size_t>(candidates.size(), 30);
      for (std::size_t i = 0; i < asked; ++i)
        accepted += reasons_against(candidates[i], one, device).empty();
      EXPECT_GE(3 * accepted, asked) << device.name;
    }
  }
}

TEST(GemmCandidates, TheFirstOfEachEntryComeFirst) {
  const auto candidates = gemm_candidates(product(kTypes[0], {512, 512, 16384}), devices().front());
  std::vector<std::string> texts;
  for (const GemmChoice& one : candidates) texts.push_back(one.text());
  EXPECT_EQ(texts.front(), "gemm/coopmat --strip 8 --subgroups 2x4 --tile 128x256x32 --unroll yes");
  EXPECT_THAT(texts, Contains(HasSubstr("--split-k 16")));
  EXPECT_THAT(texts, Contains("gemm/packed --part 64x64 --subgroups 2x2x2 --split-k 8"));
  EXPECT_THAT(texts, Each(Not(HasSubstr("/2x4"))));
}

}  // namespace
}  // namespace vkmoye::gen
