// SPDX-License-Identifier: MIT
// Attention: which kernel is chosen and why, its plan, refusals. On the twin, attention_options_test.cpp has lengths,
// masks, slopes, sinks, logarithms of sums and orders of axes; attention_scores_test.cpp has rows that see no key, and
// NaN.

#include "support/expect.hpp"
#include "support/fake_devices.hpp"
#include "support/fragment_orders.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/attention/choice/choose.hpp"

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
              ElementsAre(HasSubstr("width 20 is not a multiple of 8 from 8 to 1024"),
                          HasSubstr("-1 queries"), HasSubstr("3 heads are not a multiple of 2")));
  call = problem_of(1, 1);
  call.scale = -1;
  EXPECT_THAT(reasons_against(call), ElementsAre(HasSubstr("scale -1 is outside")));
  call = problem_of(std::int64_t{1} << 32, 1);
  EXPECT_THAT(reasons_against(call), Contains(HasSubstr("are more than")));
}

}  // namespace
}  // namespace vkmoye::gen
