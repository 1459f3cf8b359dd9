// SPDX-License-Identifier: MIT
// topk/rows on the twin: examples, and random rows against a sort. tests/cli runs it on devices.

#include "vkmoye/gen/kernels/rows/top_k.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "support/effort.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"

namespace vkmoye::gen::largest_elements {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

struct Largest {
  std::vector<float> values;
  std::vector<std::uint32_t> places;
};

Largest run(const TopKConfig& config, std::vector<float> rows, std::uint32_t cols) {
  const std::size_t count = cols == 0 ? 1 : rows.size() / cols;
  Largest out;
  out.values.assign(count * static_cast<std::size_t>(config.k), -7);
  out.places.assign(out.values.size(), 7);
  const TwinReport report =
      run_on_host(top_k(config), {rows, out.values, out.places},
                  {{"rows", static_cast<std::int64_t>(count)}, {"cols", cols}});
  EXPECT_THAT(report.reasons, IsEmpty());
  return out;
}

// The same in two kernels, where each row is cut into so many slices.
Largest run_in_slices(const TopKConfig& config, std::vector<float> rows, std::uint32_t cols,
                      std::int64_t slices) {
  const auto count = static_cast<std::int64_t>(rows.size() / cols);
  std::vector<std::uint32_t> keys(static_cast<std::size_t>(config.k * slices * count), 7),
      columns = keys;
  Largest out;
  out.values.assign(static_cast<std::size_t>(config.k * count), -7);
  out.places.assign(out.values.size(), 7);
  const TwinReport of_slices =
      run_on_host(top_k(config, "topk/slices", RowPart::slices), {rows, keys, columns},
                  {{"rows", count}, {"cols", cols}, {"slices", slices}});
  EXPECT_THAT(of_slices.reasons, IsEmpty());
  TopKConfig of_candidates = config;
  of_candidates.type = ScalarType::u32;
  const TwinReport combined = run_on_host(top_k_combine(of_candidates, config.type, "topk/combine"),
                                          {keys, columns, out.values, out.places},
                                          {{"rows", count}, {"candidates", config.k * slices}});
  EXPECT_THAT(combined.reasons, IsEmpty());
  return out;
}

// By a sort: NaNs first, then the largest, of equal ones the first.
Largest sorted(const std::vector<float>& rows, std::uint32_t cols, std::size_t k) {
  Largest out;
  for (std::size_t row = 0; row * cols < rows.size(); ++row) {
    const std::span<const float> x = std::span(rows).subspan(row * cols, cols);
    std::vector<std::uint32_t> order(cols);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::isnan(x[a]) ? !std::isnan(x[b]) : x[a] > x[b];
    });
    for (std::size_t i = 0; i < k; ++i) {
      out.places.push_back(i < cols ? order[i] : kNone);
      out.values.push_back(i < cols ? x[order[i]] : -kInfinity);
    }
  }
  return out;
}

TopKConfig small(std::int64_t k) {
  TopKConfig config;
  config.k = k;
  config.threads = 64;
  config.subgroup_size = 32;
  return config;
}

TEST(TopK, TheFirstOfEqualElementsComesFirst) {
  const Largest got = run(small(3), {1, 5, 2, 5}, 4);
  EXPECT_THAT(got.values, ElementsAre(5, 5, 2));
  EXPECT_THAT(got.places, ElementsAre(1, 3, 2));
}

TEST(TopK, InfinitiesZerosAndRowsThatEnd) {
  const Largest got = run(small(6), {-kInfinity, -0.0f, kInfinity, 0, -1}, 5);
  EXPECT_THAT(got.values, ElementsAre(kInfinity, 0, 0, -1, -kInfinity, -kInfinity));
  EXPECT_THAT(got.places, ElementsAre(2, 1, 3, 4, 0, kNone));
  EXPECT_THAT(run(small(2), {}, 0).places, ElementsAre(kNone, kNone));
}

TEST(TopK, NaNsComeBeforeNumbers) {
  const Largest got = run(small(4), {3, NAN, kInfinity, -NAN}, 4);
  EXPECT_TRUE(std::isnan(got.values[0]) && std::isnan(got.values[1]));
  EXPECT_EQ(got.values[2], kInfinity);
  EXPECT_THAT(got.places, ElementsAre(1, 3, 2, 0));
}

// Rows that are read once, longer ones, several of a workgroup, and ties in different threads and blocks.
TEST(TopK, RandomRowsAreThoseOfASort) {
  std::mt19937 random(1);
  const auto below = [&](std::uint32_t end) { return random() % end; };
  for (std::int64_t i = 0; i < test::often(60, 4); ++i) {
    const std::uint32_t cols = 1 + below(i % 3 == 0 ? 700 : 60), rows = 1 + below(5);
    TopKConfig config = small(1 + below(12));
    config.rounds = i % 2;  // 0: as many as hold a row
    config.columns = i % 4 == 3 ? 8 : 0;
    std::vector<float> x(rows * cols);
    for (float& value : x) value = static_cast<float>(below(40)) - 20;
    const Largest got = run(config, x, cols),
                  wanted = sorted(x, cols, static_cast<std::size_t>(config.k));
    EXPECT_EQ(got.places, wanted.places) << rows << 'x' << cols << " k=" << config.k;
    EXPECT_EQ(got.values, wanted.values) << rows << 'x' << cols << " k=" << config.k;
  }
}

// Slices of several blocks or of one, slices without elements, and with fewer than k; ties across slices.
TEST(TopK, SlicesOfRowsHaveTheSameResults) {
  std::mt19937 random(2);
  const auto below = [&](std::uint32_t end) { return random() % end; };
  for (std::int64_t i = 0; i < test::often(40, 3); ++i) {
    const std::uint32_t cols = 1 + below(i % 3 == 0 ? 1500 : 300), rows = 1 + below(4);
    TopKConfig config = small(1 + below(12));
    config.rounds = 1;
    config.columns = i % 2 == 0 ? 8 : 0;
    std::vector<float> x(rows * cols);
    for (float& value : x) {
      const std::uint32_t dice = below(40);
      value = dice == 0 ? -kInfinity : dice == 1 ? NAN : static_cast<float>(dice) - 20;
    }
    const std::int64_t slices = 1 + below(9);
    const Largest got = run_in_slices(config, x, cols, slices),
                  wanted = sorted(x, cols, static_cast<std::size_t>(config.k));
    EXPECT_EQ(got.places, wanted.places)
        << rows << 'x' << cols << " k=" << config.k << " slices=" << slices;
    for (std::size_t place = 0; place < got.values.size(); ++place) {
      EXPECT_TRUE(got.values[place] == wanted.values[place] ||
                  (std::isnan(got.values[place]) && std::isnan(wanted.values[place])))
          << place << " of " << rows << 'x' << cols << " k=" << config.k << " slices=" << slices;
    }
  }
}

TEST(TopK, RowsThatDoNotFitAreCutIntoSlicesThatDo) {
  const auto slices_of = [](std::vector<std::int64_t> shape, Options options) -> std::int64_t {
    KernelRequest request = request_of(ScalarType::f32, std::move(options));
    request.elements().shape = std::move(shape);
    const KernelPlan plan = find_kernel("topk/rows")->in_slices(request);
    if (plan.steps.empty()) return 1;
    return std::get<std::int64_t>(plan.steps.front().arguments.at("slices").value);
  };
  EXPECT_EQ(slices_of({16, 128256}, {}), 16);  // of 8192 elements
  EXPECT_EQ(slices_of({1000, 128256}, {}), 16);
  EXPECT_EQ(slices_of({1000, 32768}, {}), 1);  // fits in 1024 threads
  EXPECT_EQ(slices_of({16, 32768}, {}), 4);    // but that leaves most of a device idle
  EXPECT_EQ(slices_of({1, 100000000}, {{"k", "64"}}), 512);
  EXPECT_EQ(slices_of({5, 0}, {}), 1);
}

TEST(TopK, RefusesOtherCounts) {
  EXPECT_REFUSED(top_k(small(0)), KernelError, "k 0 is outside 1..64");
  EXPECT_REFUSED(top_k(small(65)), KernelError, "k 65 is outside 1..64");
}

}  // namespace
}  // namespace vkmoye::gen::largest_elements
