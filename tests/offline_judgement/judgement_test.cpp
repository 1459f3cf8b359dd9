// SPDX-License-Identifier: MIT
// How tools/offline-gpus reads the listings of compilers, and the violations that it finds.

#include "offline_gpus/judgement.hpp"

#include "support/expect.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::test {
namespace {

constexpr const char* kRadv =
    "BB0:\n"
    "\tds_load_u16 v9, v1                                    ; d8e80000 09000001\n"
    "\tbuffer_load_b128 v[4:7], v0, s[8:11], 0 offen         ; e05c0000 80420400\n"
    "\tbuffer_load_dwordx4 v[4:7], v0, s[8:11], 0 offen      ; e05c1000 80020400\n"
    "BB2:\n"
    "\tds_load_u16_d16_hi v5, v1 offset:32                   ; d8e80000 09000001\n"
    "\tds_load_b128 v[5:8], v1                               ; dbfc0000 05000001\n"
    "\tv_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7] ; cc406000 1c1e2108\n"
    "\ts_cbranch_scc0 BB2                                    ; bfa1fff0\n"
    "\ts_branch BB3                                          ; bfa00000\n"
    "BB3:\n"
    "\tglobal_store_b128 v0, v[4:7], s[0:1]                  ; dc760000 00000400\n"
    "\ts_endpgm                                              ; bfb00000\n";

constexpr const char* kNvk =
    "block.u 0 L2 [] -> {\n"
    "      r4..8     = ld.global.a64.constant.b128 [r0..2], pT     // delay=2 wr:0\n"
    "      r1        = ld.shared.strong.cta.u16 [r4]               // delay=2 wr:0\n"
    "} -> [1]\n"
    "block 1 L4 [0, 1] -> {\n"
    "      r2        = ld.shared.strong.cta.u8 [r4]                // delay=2 wr:0\n"
    "      r0..4     = hmma.m16n8k16.f32 r216..220 r230..232 r0..4 // delay=15 wt=010010 wr:1\n"
    "      r0..4     = hmma.m16n8k8.f32 r216..220 r230..232 r0..4  // delay=15 wt=010010 wr:1\n"
    "@!p0              bra pT L4                                    // delay=1\n"
    "} -> [1, 2]\n"
    "block 2 L5 [1] -> {\n"
    "                  st.global.a64.strong.gpu.b128 [r2..4] r4..8  // delay=2 wt=000001\n"
    "} -> []\n";

TEST(OfflineJudgement, ReadsTheListingOfRadv) {
  const Instructions found = read_radv(kRadv);
  EXPECT_EQ(found.matrix, 1);
  EXPECT_EQ(found.matrix_products, 16 * 16 * 16);
  EXPECT_EQ(found.narrow_loads, 1);  // that before the loop does not matter
  EXPECT_EQ(found.wide_loads, 2);
  EXPECT_EQ(found.wide_stores, 1);
}

TEST(OfflineJudgement, ReadsTheListingOfNvk) {
  const Instructions found = read_nvk(kNvk);
  EXPECT_EQ(found.matrix, 2);
  EXPECT_EQ(found.matrix_products, 16 * 8 * (16 + 8));
  EXPECT_EQ(found.narrow_loads, 1);
  EXPECT_EQ(found.wide_loads, 1);
  EXPECT_EQ(found.wide_stores, 1);
}

TEST(OfflineJudgement, ReadsStatisticsAndSaysWhichIsMissing) {
  PipelineExecutable executable;
  executable.subgroup_size = 64;
  const auto add = [&](const char* name, std::uint64_t value) {
    executable.statistics.push_back({name, "", value});
  };
  add("VGPRs", 72);
  add("SGPRs", 30);
  add("Spilled VGPRs", 3);
  add("Spilled SGPRs", 4);
  add("Scratch size", 28);
  add("LDS size", 1024);
  add("Code size", 500);
  executable.texts = {{"Assembly", "", kRadv}};
  const Dialect& radv = *dialect_of("radv Mesa 26.1.6");
  EXPECT_REFUSED(compiled_of(executable, radv), std::runtime_error, "'Instructions'");
  add("Instructions", 100);
  const Compiled compiled = compiled_of(executable, radv);
  EXPECT_EQ(compiled.lanes, 64u);
  EXPECT_EQ(compiled.registers, 72);
  EXPECT_EQ(compiled.scalar_registers, 30);
  EXPECT_EQ(compiled.spilled, 7);
  EXPECT_EQ(compiled.shared_bytes, 1024);
  EXPECT_EQ(compiled.count, 100);
  EXPECT_EQ(compiled.instructions.matrix, 1);
  EXPECT_EQ(dialect_of("llvmpipe Mesa 26.1.6"), nullptr);
}

std::vector<std::string> checks_of(const std::vector<Finding>& findings) {
  std::vector<std::string> checks;
  for (const Finding& finding : findings) checks.push_back(finding.check);
  return checks;
}

TEST(OfflineJudgement, EachBrokenPromiseIsAFinding) {
  const Demands demands = {4096, 8192, true, true};
  const Limits limits = {256, 65536};
  Compiled right;
  right.registers = 256;
  right.shared_bytes = 65536;
  right.instructions = {1, 4096, 0, 1, 1};
  EXPECT_THAT(judge(demands, right, limits), IsEmpty());
  const auto findings = [&](const auto& change) {
    Compiled wrong = right;
    change(wrong);
    return checks_of(judge(demands, wrong, limits));
  };
  using Checks = std::vector<std::string>;
  EXPECT_EQ(findings([](Compiled& c) { c.spilled = 1, c.scratch_bytes = 4; }), Checks{"spill"});
  EXPECT_EQ(findings([](Compiled& c) { c.scratch_bytes = 4; }), Checks{"scratch"});
  EXPECT_EQ(findings([](Compiled& c) { c.registers = 257; }), Checks{"registers"});
  EXPECT_EQ(findings([](Compiled& c) { c.shared_bytes = 65537; }), Checks{"shared"});
  EXPECT_EQ(findings([](Compiled& c) { c.instructions.matrix_products = 4095; }), Checks{"matrix"});
  EXPECT_EQ(findings([](Compiled& c) { c.instructions.matrix_products = 8193; }), Checks{"matrix"});
  EXPECT_EQ(findings([](Compiled& c) { c.instructions.narrow_loads = 1; }), Checks{"narrow"});
  EXPECT_EQ(findings([](Compiled& c) { c.instructions.wide_loads = 0; }), Checks{"wide"});
  EXPECT_EQ(findings([](Compiled& c) { c.instructions.wide_stores = 0; }), Checks{"wide"});
}

// By hand: a tile of 128x128x32 is 2 steps of 16 along k, which the compiler may write out or leave a
// loop, each of 4 x 4 products for each of 2 x 2 subgroups; the loop over k stands three times in the
// text: whole tiles, the rest, and without vectors.
TEST(OfflineJudgement, CountsTheProductsOfAMatrixKernel) {
  gen::KernelRequest request = gen::request_of(ScalarType::f16);
  request.options = {{"atom", "16x16x16"}, {"tile", "128x128x32"}, {"subgroups", "2x2"}};
  const Demands demands = demands_of(gen::find_kernel("gemm/coopmat")->describe(request));
  EXPECT_EQ(demands.min_products, 3 * 4 * 4 * 16 * 16 * 16);
  EXPECT_EQ(demands.max_products, 2 * demands.min_products);
  EXPECT_TRUE(demands.wide_loads);
}

TEST(OfflineJudgement, KnowsWhichKernelsMove16BytesAtOnce) {
  const auto demands = [](const char* kernel, ScalarType type) {
    return demands_of(gen::find_kernel(kernel)->describe(gen::request_of(type)));
  };
  const Demands vectors = demands("copy/auto", ScalarType::f16);
  EXPECT_TRUE(vectors.wide_loads && vectors.wide_stores);
  const Demands singles = demands("transpose/naive", ScalarType::f32);
  EXPECT_FALSE(singles.wide_loads || singles.wide_stores);
  EXPECT_EQ(singles.max_products, 0);
}

}  // namespace
}  // namespace vkmoye::test
