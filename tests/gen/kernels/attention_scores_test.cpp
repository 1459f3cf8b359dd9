// SPDX-License-Identifier: MIT
// Attention on the twin where scores are large: masks as people write them, rows and slices without keys, sinks, and
// products near the largest number of f32. Only -infinity hides a key.

#include <cfloat>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/attention_on_twin.hpp"
#include "support/expect.hpp"

namespace vkmoye::gen::attention_scores {
namespace {

using test::attention_of;
using test::Floats;
using test::of_rows;
using test::rows_of_numbers;
using testing::FloatNear;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr const char* kBoth[] = {"attention/simt", "attention/decode"};
constexpr const char* kAll[] = {"attention/simt", "attention/decode", "attention/coopmat"};

// `problems` of them, as entries of the batch.
AttentionCall call_of(std::int64_t queries, std::int64_t keys, std::size_t problems = 1) {
  AttentionCall call;
  call.queries = queries;
  call.keys = keys;
  call.batch = static_cast<std::int64_t>(problems);
  call.form.width = call.form.value_width = 32;
  return call;
}

std::vector<float> repeated(const std::vector<float>& numbers, std::size_t count) {
  std::vector<float> out;
  for (std::size_t i = 0; i < count; ++i) out.insert(out.end(), numbers.begin(), numbers.end());
  return out;
}

// Small tiles, so that maxima change from one to the next, and slices of few keys.
Options small_tiles(const std::string& kernel) {
  if (kernel == "attention/simt") return {{"tile", "8x8"}, {"threads", "64"}};
  if (kernel == "attention/coopmat") return {{"rows", "16"}, {"keys", "16"}, {"subgroups", "1"}};
  return {{"slices", "3"}, {"reads", "1"}};
}

// Queries and keys with scores of a few units.
std::vector<float> waves(std::size_t rows, float step) {
  std::vector<float> out;
  for (std::size_t i = 0; i < 32 * rows; ++i) {
    out.push_back(1.5f * std::sin(step * static_cast<float>(i)));
  }
  return out;
}

// 70 keys, of which a mask hides those before or after some, as padding does.
TEST(AttentionScores, FiniteMasksHideBehindOthers) {
  constexpr std::size_t kKeys = 70;
  const std::vector<float> hidden = {-1e5f, -1e9f, -1e10f, -1e30f, -FLT_MAX};
  const std::size_t count = hidden.size();
  AttentionCall call = call_of(2, kKeys, count);
  call.form.mask = ScalarType::f32;
  call.mask_batch = call.batch;
  std::vector<float> numbers, mask;
  for (std::size_t j = 0; j < kKeys; ++j) numbers.push_back(static_cast<float>(j % 7));
  for (const float number : hidden) {
    std::vector<float> own(2 * kKeys, number);
    own[kKeys - 1] = 0;                      // the first row sees the last key alone,
    own[kKeys + 3] = own[kKeys + 10] = 0.5;  // the second two keys with one value
    mask.insert(mask.end(), own.begin(), own.end());
  }
  for (const char* kernel : kAll) {
    const Floats got = attention_of(kernel, call,
                                    {{"q", repeated(waves(2, 1.7f), count)},
                                     {"k", repeated(waves(kKeys, 0.9f), count)},
                                     {"v", repeated(rows_of_numbers(numbers), count)},
                                     {"mask", mask}},
                                    small_tiles(kernel));
    const std::vector<float> rows = of_rows(got.at("o"));
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(rows[2 * i], 69 % 7) << kernel << ' ' << hidden[i];
      EXPECT_NEAR(rows[2 * i + 1], 3, 1e-3) << kernel << ' ' << hidden[i];
    }
  }
}

// The mask absorbs the scores, which are then equal.
TEST(AttentionScores, EqualMasksOfAnySizeGiveTheMean) {
  constexpr std::size_t kKeys = 37;
  const std::vector<float> masks = {-1e10f, -1e30f, -1e38f, -FLT_MAX, 1e30f};
  const std::size_t count = masks.size();
  AttentionCall call = call_of(1, kKeys, count);
  call.form.mask = ScalarType::f32;
  call.mask_batch = call.batch;
  call.form.log_sums = true;
  std::vector<float> numbers, mask;
  for (std::size_t j = 0; j < kKeys; ++j) numbers.push_back(static_cast<float>(j));
  for (const float number : masks) mask.insert(mask.end(), kKeys, number);
  for (const char* kernel : kAll) {
    const Floats got = attention_of(kernel, call,
                                    {{"q", repeated(waves(1, 1.7f), count)},
                                     {"k", repeated(waves(kKeys, 0.9f), count)},
                                     {"v", repeated(rows_of_numbers(numbers), count)},
                                     {"mask", mask}},
                                    small_tiles(kernel));
    EXPECT_THAT(of_rows(got.at("o")), Each(FloatNear(18, 2e-2f))) << kernel;
    EXPECT_EQ(got.at("log_sums"), masks) << kernel;
  }
}

// Of the slices of decode, one sees no key, and others see keys with the least scores.
TEST(AttentionScores, OnlyMinusInfinityHidesAKey) {
  constexpr std::size_t kKeys = 3 * 16;
  AttentionCall call = call_of(3, kKeys);
  call.form.mask = ScalarType::f32;
  call.form.log_sums = true;
  std::vector<float> mask(3 * kKeys, -kInfinity), numbers(kKeys, 5), k(32 * kKeys, 0);
  for (std::size_t j = 0; j < 4; ++j) mask[j] = mask[kKeys - 1 - j] = -FLT_MAX;
  for (std::size_t j = 0; j < 4; ++j) numbers[j] = 1;
  mask[kKeys + 20] = -FLT_MAX;  // its score overflows
  for (std::size_t d = 0; d < 32; ++d) k[32 * 20 + d] = 60000;
  call.scale = 1;
  for (const char* kernel : kAll) {
    const bool overflows = std::string(kernel) != "attention/coopmat";  // f16 is not large enough
    const std::vector<float> q = rows_of_numbers({0, overflows ? -1e30f : -60000.0f, 0});
    const Floats got = attention_of(
        kernel, call, {{"q", q}, {"k", k}, {"v", rows_of_numbers(numbers)}, {"mask", mask}},
        small_tiles(kernel));
    EXPECT_THAT(of_rows(got.at("o")), ElementsAre(3, overflows ? 0 : 5, 0)) << kernel;
    EXPECT_THAT(got.at("log_sums"),
                ElementsAre(-FLT_MAX, overflows ? -kInfinity : -FLT_MAX, -kInfinity))
        << kernel;
  }
}

// Scores without a mask, up to the largest numbers; as exponents of 2 the last would overflow. Keys have one score, or
// the last but one a larger one.
TEST(AttentionScores, LargeProductsOfQueriesAndKeys) {
  constexpr std::size_t kKeys = 20;
  const std::vector<float> sizes = {1e9f, -1e9f, 1e20f, -1e30f, 3e38f, -3e38f};
  AttentionCall call = call_of(1, kKeys, 2 * sizes.size());
  call.scale = 1;
  call.form.log_sums = true;
  std::vector<float> q(32, 0), numbers, k;
  q[0] = 1;
  for (std::size_t j = 0; j < kKeys; ++j) numbers.push_back(static_cast<float>(j));
  for (const float size : sizes) {
    for (const bool has_larger : {false, true}) {
      for (std::size_t j = 0; j < kKeys; ++j) {
        const bool is_larger = has_larger && j == kKeys - 2;
        k.push_back(is_larger ? size + std::fabs(size) / 16 : size);
        k.insert(k.end(), 31, 0.0f);
      }
    }
  }
  for (const char* kernel : kBoth) {
    const Floats got = attention_of(kernel, call,
                                    {{"q", repeated(q, 2 * sizes.size())},
                                     {"k", k},
                                     {"v", repeated(rows_of_numbers(numbers), 2 * sizes.size())}},
                                    small_tiles(kernel));
    const std::vector<float> rows = of_rows(got.at("o"));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      EXPECT_NEAR(rows[2 * i], 9.5, 1e-5) << kernel << ' ' << sizes[i];
      EXPECT_EQ(got.at("log_sums")[2 * i], sizes[i]) << kernel;
      EXPECT_EQ(rows[2 * i + 1], kKeys - 2) << kernel << ' ' << sizes[i];
    }
  }
}

// Numbers that are not exact in the unit of the scores, and some that are beyond its range: one for each head.
TEST(AttentionScores, SinksOfAnySize) {
  const std::vector<float> sinks = {1e9f, 3e37f, FLT_MAX, -1e9f, -FLT_MAX, -kInfinity};
  const std::size_t heads = sinks.size();
  AttentionCall call = call_of(1, 3);
  call.heads = call.kv_heads = static_cast<std::int64_t>(heads);
  call.form.sinks = call.form.log_sums = true;
  const std::vector<float> ones(32 * heads, 1), of_keys(3 * 32 * heads, 1);
  for (const bool has_mask : {false, true}) {
    call.form.mask = has_mask ? std::optional(ScalarType::f32) : std::nullopt;
    for (const double scale : {0.1, 1e-6}) {
      call.scale = scale;
      for (const std::string kernel : kAll) {
        if (scale != 0.1 && (has_mask || kernel == "attention/coopmat")) continue;
        const Floats got = attention_of(
            kernel, call, {{"q", ones}, {"k", of_keys}, {"v", of_keys}, {"sinks", sinks}},
            small_tiles(kernel));
        for (std::size_t i = 0; i < heads; ++i) {
          const double of_scores = 32 * scale + std::log(3.0);
          EXPECT_EQ(got.at("o")[32 * i], sinks[i] > 0 ? 0 : 1) << kernel << ' ' << sinks[i];
          EXPECT_FLOAT_EQ(got.at("log_sums")[i],
                          sinks[i] > 0 ? sinks[i] : static_cast<float>(of_scores))
              << kernel << ' ' << scale;
        }
      }
    }
  }
}

TEST(AttentionScores, SinksAloneAreTheSum) {
  const std::vector<float> sinks = {0.7f, 1e9f, -3e37f, -FLT_MAX, -kInfinity};
  AttentionCall call = call_of(1, 0);
  call.heads = call.kv_heads = static_cast<std::int64_t>(sinks.size());
  call.scale = 0.1;
  call.form.sinks = call.form.log_sums = true;
  for (const char* kernel : kBoth) {
    const Floats got = attention_of(kernel, call, {{"sinks", sinks}}, small_tiles(kernel));
    EXPECT_THAT(got.at("o"), Each(0)) << kernel;
    EXPECT_EQ(got.at("log_sums"), sinks) << kernel;
  }
}

TEST(AttentionScores, NaNAndInfinityAreNotHidden) {
  AttentionCall call = call_of(1, 20);
  call.form.sinks = true;
  call.heads = call.kv_heads = 4;  // two with such a key, two with such a sink
  std::vector<float> k(4 * 32 * 20, 0);
  k[32 * 17] = std::nanf(""), k[32 * (20 + 3)] = kInfinity;
  const Floats given = {{"q", std::vector<float>(4 * 32, 1)},
                        {"k", k},
                        {"v", std::vector<float>(4 * 32 * 20, 1)},
                        {"sinks", {0, 0, std::nanf(""), kInfinity}}};
  for (const char* kernel : kAll) {
    const Floats got = attention_of(kernel, call, given, small_tiles(kernel));
    EXPECT_THAT(got.at("o"), Each(testing::IsNan())) << kernel;
  }
}

}  // namespace
}  // namespace vkmoye::gen::attention_scores
