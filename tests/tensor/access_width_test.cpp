// SPDX-License-Identifier: MIT
// Widths against their definition: every value of every worker, offset by offset.

#include "vkmoye/tensor/access_width.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "layout/random_layout.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye {
namespace {

using Limit = AccessWidth::Limit;

constexpr AccessWidth width(const Layout& values, const Layout& starts, std::int64_t bytes,
                            const Swizzle& swizzle = {}) {
  return access_width(values, starts, bytes, kWidestCopy, swizzle);
}
constexpr bool is(const AccessWidth& width, std::int64_t elements, Limit limit,
                  std::int64_t number) {
  return width.elements == elements && width.limit == limit && width.number == number;
}

// The header's examples, and a row of shared memory read in fragments of 8 halves.
constexpr Layout kStarts = "(8,8):(4,128)"_layout;
static_assert(is(width("(4,2):(1,64)"_layout, kStarts, 4), 4, Limit::bytes, 16));
static_assert(is(width("(4,2):(1,65)"_layout, kStarts, 4), 1, Limit::step, 65));
static_assert(is(width("(2,8):(1,130)"_layout, kStarts, 4), 2, Limit::run, 2));
static_assert(is(width("(8,2):(1,64)"_layout, "8:4"_layout, 2), 4, Limit::start, 4));
// In any order: along the second mode.
static_assert(is(width("(2,4):(64,1)"_layout, "1:0"_layout, 4), 4, Limit::bytes, 16));
static_assert(is(width("6:1"_layout, "1:0"_layout, 4), 2, Limit::run, 6));
// A swizzle of bits from 1 on leaves pairs together; one of bits from 3 on vectors of 8.
static_assert(is(width("4:1"_layout, "8:4"_layout, 4, Swizzle(3, 1, 6)), 2, Limit::swizzle, 2));
static_assert(width("8:1"_layout, "8:8"_layout, 2, Swizzle(3, 3, 3)).elements == 8);
// It reads bit 1.
static_assert(width("4:1"_layout, "8:4"_layout, 4, Swizzle(2, 1, -2)).elements == 2);

static_assert(widest_copy({"(4,2):(1,64)"_layout, kStarts}, {"(4,2):(1,8)"_layout, kStarts}, 4)
                  .together == 4);
// Both sides have vectors of 4, but of different values.
constexpr CopyWidths kTurned =
    widest_copy({"(4,4):(1,64)"_layout, "1:0"_layout}, {"(4,4):(64,1)"_layout, "1:0"_layout}, 4);
static_assert(kTurned.source.elements == 4 && kTurned.destination.elements == 4);
static_assert(kTurned.together == 1);

TEST(AccessWidth, RefusesNoBytesAndDifferentCounts) {
  EXPECT_THROW(width("4:1"_layout, "1:0"_layout, 0), LayoutError);
  EXPECT_THROW(widest_copy({"4:1"_layout, "1:0"_layout}, {"8:1"_layout, "1:0"_layout}, 4),
               LayoutError);
}

// Postcondition: a worker accesses whole aligned runs, at aligned offsets.
TEST(AccessWidth, OfAnyLayoutIsMadeOfWholeRuns) {
  rc::check([] {
    const Layout values = *random_layout::any(), starts = *random_layout::any(4);
    const int bits = *random_layout::uniform(0, 3), base = *random_layout::uniform(0, 4);
    const int shift = bits + *random_layout::uniform(0, 3);
    const Swizzle swizzle(bits, base, *rc::gen::arbitrary<bool>() ? shift : -shift);
    const std::int64_t n = width(values, starts, 1, swizzle).elements;
    RC_ASSERT(n >= 1 && n <= 16);
    for (std::int64_t worker = 0; worker < starts.size(); ++worker) {
      std::set<std::int64_t> touched;
      for (std::int64_t v = 0; v < values.size(); ++v) touched.insert(starts(worker) + values(v));
      for (const std::int64_t offset : touched) {
        const std::int64_t first = offset / n * n;
        RC_ASSERT(swizzle(first) % n == 0);
        for (std::int64_t i = 0; i < n; ++i) {
          RC_ASSERT(touched.count(first + i) == 1u);
          RC_ASSERT(swizzle(first + i) == swizzle(first) + i);
        }
      }
    }
  });
}

// Postcondition: a run of the source holds the values of one run of the destination, in the same order.
TEST(AccessWidth, TogetherMeansTheSameValuesInTheSameOrder) {
  rc::check([] {
    const Layout from = *random_layout::ordered();
    const Layout to = *rc::gen::oneOf(rc::gen::just(from), rc::gen::just(Layout(from.shape())));
    const CopyWidths widths = widest_copy({from, "1:0"_layout}, {to, "1:0"_layout}, 1);
    const std::int64_t n = widths.together;
    RC_ASSERT(widths.source.elements % n == 0 && widths.destination.elements % n == 0);
    std::map<std::int64_t, std::int64_t> at;  // offset in the source -> value
    for (std::int64_t v = 0; v < from.size(); ++v) at[from(v)] = v;
    for (const auto& [offset, value] : at) {
      const std::int64_t first = at.at(offset / n * n);
      RC_ASSERT(to(value) == to(first) + offset % n && to(first) % n == 0);
    }
  });
}

}  // namespace
}  // namespace vkmoye
