// SPDX-License-Identifier: MIT
// Attention: which kernel is chosen and why, its plan, refusals; rows that see no key, NaN, on the twin. What
// attention_options_test.cpp adds: lengths, masks, slopes, sinks, logarithms of sums, orders of axes.

#include <cmath>
#include <limits>
#include <span>

#include "support/expect.hpp"
#include "support/fake_devices.hpp"
#include "support/fragment_orders.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/attention/choice/choose.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"

namespace vkmoye::gen {
namespace {

AttentionCall problem_of(std::int64_t queries, std::int64_t keys, std::int64_t heads = 1,
                         std::int64_t kv_heads = 1) {
  AttentionCall call;
  call.queries = queries;
  call.keys = keys;
  call.heads = heads;
  call.kv_heads = kv_heads;
  return call;
}

std::string chosen(const AttentionCall& call, ScalarType type, const DeviceCaps& device) {
  return choose_attention(request_of(call, type, device)).entry->name;
}

TEST(Attention, ChoosesByRowsKeysTypeAndDevice) {
  const DeviceCaps h200 = test::h200_like();
  EXPECT_EQ(chosen(problem_of(4096, 4096), ScalarType::f16, h200), "attention/coopmat");
  EXPECT_EQ(chosen(problem_of(4096, 4096), ScalarType::bf16, h200), "attention/coopmat");
  EXPECT_EQ(chosen(problem_of(4096, 4096), ScalarType::f32, h200), "attention/simt");
  EXPECT_EQ(chosen(problem_of(4096, 4096), ScalarType::f16, common_device()), "attention/simt");
  EXPECT_EQ(chosen(problem_of(1, 4096), ScalarType::f16, h200), "attention/decode");
  EXPECT_EQ(chosen(problem_of(1, 4096, 32, 4), ScalarType::f16, h200), "attention/decode");
  EXPECT_EQ(chosen(problem_of(2, 4096, 32, 4), ScalarType::f16, h200), "attention/coopmat");
  EXPECT_EQ(chosen(problem_of(1, 100), ScalarType::f16, h200), "attention/coopmat");
  const AttentionChoice choice =
      choose_attention(request_of(problem_of(9, 100), ScalarType::f32, h200));
  EXPECT_THAT(choice.passed,
              ElementsAre("attention/decode: 9 rows share a head of K and V, more than 8",
                          HasSubstr("attention/coopmat: the kernel does not support f32")));
}

TEST(Attention, MatrixUnitsNeedKnownOrders) {
  const DeviceCaps h200 = test::h200_like();
  const auto kernel = [](const DeviceCaps& device) {
    return attention_plan(problem_of(64, 64), ScalarType::f16, device).steps.front().kernel.name;
  };
  EXPECT_EQ(kernel(h200), "attention/simt");
  DeviceCaps known = h200;
  known.fragment_orders = {test::order_of(test::kOnAnH200, 'a'),
                           test::order_of(test::kOnAnH200, 'c', "f32")};
  EXPECT_EQ(kernel(known), "attention/coopmat");
  known.fragment_orders.front().why_none = "lanes hold copies";  // RDNA3: weights through memory
  known.fragment_orders.front().places.clear();
  EXPECT_EQ(kernel(known), "attention/coopmat");
}

TEST(Attention, FewQueriesArePlansOfTwoKernels) {
  const KernelPlan plan =
      attention_plan(problem_of(1, 4096, 32, 8), ScalarType::f16, test::h200_like());
  ASSERT_EQ(plan.steps.size(), 2u);
  EXPECT_EQ(plan.steps[0].kernel.name, "attention/decode");
  EXPECT_EQ(plan.steps[1].kernel.name, "attention/combine");
  EXPECT_THAT(plan.steps[0].arrays, ElementsAre(0, 1, 2, 4, 5, 6));
  EXPECT_THAT(plan.steps[1].arrays, ElementsAre(4, 5, 6, 3));
  EXPECT_EQ(plan.arrays[0].bytes, 32u * 64 * 2);
  EXPECT_EQ(plan.arrays[1].bytes, 8u * 4096 * 64 * 2);
}

TEST(Attention, RefusesWithEveryReason) {
  AttentionCall call = problem_of(-1, 1, 3, 2);
  call.form.width = 20;
  EXPECT_THAT(reasons_against(call),
              ElementsAre(HasSubstr("width 20 is not a multiple of 8 from 8 to 256"),
                          HasSubstr("-1 queries"), HasSubstr("3 heads are not a multiple of 2")));
  call = problem_of(1, 1);
  call.scale = -1;
  EXPECT_THAT(reasons_against(call), ElementsAre(HasSubstr("scale -1 is outside")));
  call = problem_of(std::int64_t{1} << 32, 1);
  EXPECT_THAT(reasons_against(call), Contains(HasSubstr("are more than")));
}

// Runs attention/simt of one head, f32, 32 wide, on the twin.
std::vector<float> run_simt(AttentionCall call, std::vector<float> k, std::vector<float> v) {
  call.form.width = call.form.value_width = 32;
  const auto size = [](std::int64_t rows) { return static_cast<std::size_t>(32 * rows); };
  std::vector<float> q(size(call.queries), 1), o(size(call.queries), -7);
  const KernelRequest request = request_of(call, ScalarType::f32);
  const auto bytes = [](auto& values) { return std::as_writable_bytes(std::span(values)); };
  const TwinReport report =
      run_on_host(find_kernel("attention/simt")->describe(request),
                  {bytes(q), bytes(k), bytes(v), bytes(o)}, attention_arguments(call));
  EXPECT_THAT(report.reasons, IsEmpty());
  return o;
}

TEST(Attention, RowsThatSeeNoKeyAreZero) {
  AttentionCall call = problem_of(3, 1);
  call.form.causal = true;  // only the last query sees the key
  const std::vector<float> o = run_simt(call, std::vector<float>(32, 2), std::vector<float>(32, 5));
  for (std::size_t i = 0; i < o.size(); ++i) EXPECT_EQ(o[i], i < 64 ? 0 : 5) << i;
  for (const float x : run_simt(problem_of(2, 0), {}, {})) EXPECT_EQ(x, 0);
}

TEST(Attention, ANaNAmongTheKeysOfARowMakesItNaN) {
  for (const std::size_t place : {0u, 33u, 64u}) {
    std::vector<float> k(96, 0.5f);
    k[place] = std::numeric_limits<float>::quiet_NaN();
    for (const float x : run_simt(problem_of(1, 3), k, std::vector<float>(96, 1))) {
      EXPECT_TRUE(std::isnan(x)) << place;
    }
  }
}

}  // namespace
}  // namespace vkmoye::gen
