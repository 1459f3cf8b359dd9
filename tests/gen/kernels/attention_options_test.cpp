// SPDX-License-Identifier: MIT
// Attention on the twin, with numbers that a human can verify: lengths of the entries of a batch, masks, slopes, sinks,
// logarithms of sums, orders of axes. tests/rows_device has random problems.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/attention_on_twin.hpp"
#include "support/expect.hpp"

namespace vkmoye::gen::attention_options {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr const char* kBoth[] = {"attention/simt", "attention/decode"};

using test::Floats;
using test::of_rows;
using test::rows_of_numbers;

AttentionCall call_of(std::int64_t queries, std::int64_t keys, std::int64_t batch = 1,
                      std::int64_t heads = 1) {
  AttentionCall call;
  call.queries = queries;
  call.keys = keys;
  call.batch = batch;
  call.heads = call.kv_heads = heads;
  call.form.width = call.form.value_width = 32;
  return call;
}

// Queries are 0, so that all keys have the same score.
TEST(AttentionOptions, EntriesHaveLengths) {
  AttentionCall call = call_of(1, 3, 3);
  call.form.lengths = true;
  for (const char* kernel : kBoth) {
    const Floats got =
        test::attention_of(kernel, call,
                           {{"k", rows_of_numbers({1, 1, kNaN, kNaN, kNaN, kNaN, 1, 1, 1})},
                            {"v", rows_of_numbers({3, 5, kNaN, kNaN, kNaN, kNaN, 1, 2, 6})},
                            {"lengths", {2, 0, 3}}});
    EXPECT_THAT(of_rows(got.at("o")), ElementsAre(4, 0, 3)) << kernel;
  }
}

TEST(AttentionOptions, LengthsBeyondTheKeysCountAsAll) {
  AttentionCall call = call_of(1, 2, 2);
  call.form.lengths = true;
  for (const char* kernel : kBoth) {
    const Floats got = test::attention_of(
        kernel, call, {{"v", rows_of_numbers({2, 4, 6, 8})}, {"lengths", {9, -1}}});
    EXPECT_THAT(of_rows(got.at("o")), ElementsAre(3, 0)) << kernel;
  }
}

TEST(AttentionOptions, CausalQueriesAreTheLastOfTheLength) {
  AttentionCall call = call_of(2, 4);
  call.form.lengths = call.form.causal = true;
  for (const char* kernel : kBoth) {
    const Floats got = test::attention_of(
        kernel, call, {{"v", rows_of_numbers({3, 5, 10, kNaN})}, {"lengths", {3}}});
    EXPECT_THAT(of_rows(got.at("o")), ElementsAre(4, 6)) << kernel;
    const Floats shorter =  // the first query sees nothing
        test::attention_of(kernel, call,
                           {{"v", rows_of_numbers({3, kNaN, kNaN, kNaN})}, {"lengths", {1}}});
    EXPECT_THAT(of_rows(shorter.at("o")), ElementsAre(0, 3)) << kernel;
  }
}

TEST(AttentionOptions, LogSumsOfEqualScores) {
  AttentionCall call = call_of(3, 2);
  call.form.log_sums = call.form.causal = true;
  for (const char* kernel : kBoth) {
    const Floats got = test::attention_of(kernel, call, {{"v", rows_of_numbers({3, 5})}});
    EXPECT_THAT(of_rows(got.at("o")), ElementsAre(0, 3, 4)) << kernel;
    EXPECT_THAT(got.at("log_sums"),
                ElementsAre(-kInfinity, 0, testing::FloatNear(std::log(2.0f), 1e-6f)))
        << kernel;
  }
}

TEST(AttentionOptions, ASinkTakesItsShare) {
  AttentionCall call = call_of(1, 3, 1, 2);
  call.form.sinks = call.form.log_sums = true;
  for (const char* kernel : kBoth) {
    const Floats got = test::attention_of(
        kernel, call, {{"v", rows_of_numbers({4, 4, 4, 8, 8, 8})}, {"sinks", {0, 1000}}});
    EXPECT_THAT(of_rows(got.at("o")), ElementsAre(3, 0)) << kernel;
    EXPECT_THAT(got.at("log_sums"), ElementsAre(testing::FloatNear(std::log(4.0f), 1e-6f),
                                                testing::FloatNear(1000, 1e-3f)))
        << kernel;
  }
}

// Weights of 1, 2 and 4: 2^(j - i - C).
TEST(AttentionOptions, SlopesPreferTheLastKeys) {
  AttentionCall call = call_of(1, 3);
  call.form.slopes = true;
  for (const char* kernel : kBoth) {
    const Floats got = test::attention_of(
        kernel, call, {{"v", rows_of_numbers({7, 14, 28})}, {"slopes", {std::log(2.0f)}}});
    EXPECT_NEAR(got.at("o")[0], 1 + 4 + 16, 1e-4) << kernel;
  }
}

TEST(AttentionOptions, MasksOfHeadsAndEntries) {
  AttentionCall call = call_of(1, 2, 2, 2);
  call.form.mask = ScalarType::f32;
  call.mask_batch = call.mask_heads = 2;
  const std::vector<float> v = rows_of_numbers({4, 8, 4, 8, 4, 8, 4, 8});
  const float three = std::log(3.0f);
  for (const char* kernel : kBoth) {
    const Floats got = test::attention_of(
        kernel, call,
        {{"v", v}, {"mask", {-kInfinity, 0, 0, three, 5, 5, -kInfinity, -kInfinity}}});
    EXPECT_THAT(of_rows(got.at("o")),
                ElementsAre(8, testing::FloatNear(7, 1e-5f), testing::FloatNear(6, 1e-5f), 0))
        << kernel;  // the exponential function of Windows rounds otherwise than that of Linux
  }
  call.mask_batch = 1;  // that of a head is the same in each entry
  const Floats got = test::attention_of("attention/simt", call,
                                        {{"v", v}, {"mask", {-kInfinity, 0, 0, -kInfinity}}});
  EXPECT_THAT(of_rows(got.at("o")), ElementsAre(8, 4, 8, 4));
}

// The same numbers in another order of axes.
std::vector<float> heads_inside(const std::vector<float>& from, std::size_t batch,
                                std::size_t heads) {
  std::vector<float> out(from.size());
  const std::size_t rows = from.size() / 32 / batch / heads;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::size_t row = i / 32 % rows, head = i / 32 / rows % heads,
                      entry = i / 32 / rows / heads;
    out[((entry * rows + row) * heads + head) * 32 + i % 32] = from[i];
  }
  return out;
}

TEST(AttentionOptions, OrdersOfAxesGiveTheSameBits) {
  AttentionCall call = call_of(3, 5, 2, 4);
  call.kv_heads = 2;
  const auto numbers = [](std::size_t count, float step) {
    std::vector<float> out;
    for (std::size_t i = 0; i < count * 32; ++i) {
      out.push_back(std::sin(step * static_cast<float>(i)));
    }
    return out;
  };
  const std::vector<float> q = numbers(24, 1.7f), k = numbers(20, 0.9f), v = numbers(20, 2.3f);
  for (const char* kernel : kBoth) {
    call.form.orders = {};
    const std::vector<float> o =
        test::attention_of(kernel, call, {{"q", q}, {"k", k}, {"v", v}}).at("o");
    call.form.orders.k = AttentionOrder::bshd;
    EXPECT_EQ(test::attention_of(kernel, call, {{"q", q}, {"k", heads_inside(k, 2, 2)}, {"v", v}})
                  .at("o"),
              o);
    call.form.orders = {AttentionOrder::bshd};
    const Floats got = test::attention_of(
        kernel, call,
        {{"q", heads_inside(q, 2, 4)}, {"k", heads_inside(k, 2, 2)}, {"v", heads_inside(v, 2, 2)}});
    EXPECT_EQ(got.at("o"), heads_inside(o, 2, 4)) << kernel;
  }
}

TEST(AttentionOptions, RefusesMasksThatFitNothing) {
  AttentionCall call = call_of(1, 1, 3, 2);
  call.mask_heads = 2;
  EXPECT_THAT(reasons_against(call), ElementsAre("a mask of 2 heads, but there is no mask"));
  call.form.mask = ScalarType::i32;
  call.mask_batch = 2;
  EXPECT_THAT(reasons_against(call), ElementsAre("a mask has type f32, f16 or bf16, not i32",
                                                 "a mask of 2 entries is neither of 1 nor of 3"));
}

// Statements that write log_sums do not make the claims about o harder, which then took too many steps.
TEST(AttentionOptions, EachResultIsDecidedByItsOwnWrites) {
  AttentionCall call;
  call.form.width = call.form.value_width = 32;
  call.form.causal = call.form.log_sums = true;
  call.form.key_type = call.form.value_type = ScalarType::bf16;
  call.form.mask = ScalarType::f32;
  call.form.page = 16;
  call.form.orders.q = call.form.orders.o = AttentionOrder::bshd;
  DeviceCaps device = test::h200_like();
  device.fragment_orders = {test::order_of(test::kOnAnH200, 'a'),
                            test::order_of(test::kOnAnH200, 'c', "f32")};
  const KernelRequest request = request_of(call, ScalarType::f16, device,
                                           {{"rows", "16"}, {"keys", "16"}, {"subgroups", "2"}});
  EXPECT_NO_THROW(find_kernel("attention/coopmat")->describe(request));
}

}  // namespace
}  // namespace vkmoye::gen::attention_options
