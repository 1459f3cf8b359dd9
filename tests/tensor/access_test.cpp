// SPDX-License-Identifier: MIT
// Banks and sectors of the accesses in the tutorials, with numbers that can be checked by hand.
#include "vkmoye/layout/access.hpp"

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/layout/analysis.hpp"
#include "vkmoye/layout/search.hpp"
#include "vkmoye/layout/text.hpp"
#include "vkmoye/tensor/partition.hpp"

namespace vkmoye {
namespace {

static_assert(contiguous_run("(8,6):(1,12)"_layout) == 8);
static_assert(contiguous_run("(8,6):(1,8)"_layout) == 48);
static_assert(contiguous_run("(8,6):(6,1)"_layout) == 1);
static_assert(widest_access("(4,4):(1,32)"_layout, "(8,8):(4,128)"_layout, 4, 16) == 4);
static_assert(widest_access("(4,4):(1,33)"_layout, "(8,8):(4,128)"_layout, 4, 16) == 1);
static_assert(widest_access("(4,4):(1,32)"_layout, "(8,8):(2,128)"_layout, 4, 16) == 2);
static_assert(widest_access("(4,4):(1,32)"_layout, "(8,8):(4,128)"_layout, 4, 8) == 2);
static_assert(widest_access("(8,4):(1,32)"_layout, "1:0"_layout, 2, 256) == 8);
static_assert(widest_access("6:1"_layout, "1:0"_layout, 4, 16) == 2);

TEST(Storage, NamesTheCoordinatesThatShareAnOffset) {
  EXPECT_EQ(why_no_storage("(32,32):(1,33)"_layout), "");
  EXPECT_EQ(why_no_storage("(32,32):(1,31)"_layout), "(0,1) and (31,0) share offset 31");
}

// The tutorial's transpose: 32x8 threads write a 32x32 tile along mode 0 and read it along mode 1.
constexpr Layout kThreads = "(32,8):(1,32)"_layout;
constexpr Layout kIndices = "(32,32):(1,32)"_layout;
constexpr Layout kWrite = thread_value_layout(thread_split(kIndices, kThreads), kThreads);
constexpr Layout kRead = thread_value_layout(thread_split(transpose(kIndices), kThreads), kThreads);
static_assert(coalesce(kWrite) == "1024:1"_layout);
const TileAccess kTranspose[] = {{kWrite}, {kRead}};

int degree(const char* storage, const TileAccess& access, std::int64_t bytes = 4,
           const BankModel& model = {}) {
  return bank_conflicts(ComposedLayout{{}, 0, parse_layout(storage)}, access, bytes, model).degree;
}

TEST(BankConflicts, OfTheSeedsTranspose) {
  EXPECT_EQ(degree("(32,32):(1,32)", {kWrite}), 1);
  EXPECT_EQ(degree("(32,32):(1,32)", {kRead}), 32);
  EXPECT_EQ(degree("(32,32):(1,33)", {kRead}), 1);
  EXPECT_EQ(degree("(32,32):(1,34)", {kRead}), 2);
  // 64 banks: rows of 32 words use half of them.
  EXPECT_EQ(degree("(32,32):(1,32)", {kRead}, 4, {.lanes = 32, .banks = 64}), 16);
  // f64: two phases of 16 lanes.
  const auto wide = bank_conflicts(ComposedLayout{{}, 0, "(32,32):(1,33)"_layout}, {kRead}, 8);
  EXPECT_EQ(wide.phases, 2);
  EXPECT_EQ(wide.degree, 1);
  EXPECT_EQ(wide.wavefronts, 2);
  // f16: pairs of lanes share a word when they read along it.
  EXPECT_EQ(degree("(32,32):(1,32)", {kWrite}, 2), 1);
}

TEST(BankConflicts, CountsSixteenByteAccessesInFourPhases) {
  // 32 lanes with 4 consecutive floats each.
  const TileAccess rows{"32:4"_layout, 4};
  const auto cost = bank_conflicts(ComposedLayout{{}, 0, "(128):(1)"_layout}, rows, 4);
  EXPECT_EQ(cost.phases, 4);
  EXPECT_EQ(cost.degree, 1);
  EXPECT_EQ(cost.wavefronts, 4);
  // Each lane reads its own row of 32 floats: the 8 lanes of a phase share the same 4 banks.
  const TileAccess columns{"32:32"_layout, 4};
  EXPECT_EQ(degree("(32,32):(1,32)", columns), 8);
  // With a pitch of 129, the 16 bytes are not contiguous: no such access exists.
  EXPECT_REFUSED(degree("(32,32):(1,129)", columns), LayoutError,
                 "not a multiple of the 4 elements");
}

TEST(BankConflicts, OfSeed004AreThoseOfItsText) {
  // tile[tidx][4*tidy+k] with pitch 129, element (row tidx, column 4*tidy+k).
  EXPECT_EQ(degree("(128,32):(1,129)", {"(8,32):(128,4)"_layout}), 1);
}

TEST(Sectors, CountWhatARequestTouches) {
  const auto along = sectors_per_request("(32,32):(1,1024)"_layout, {kWrite}, 4);
  EXPECT_EQ(along.most, 4);
  EXPECT_EQ(along.ideal, 4);
  const auto across = sectors_per_request("(32,32):(1,1024)"_layout, {kRead}, 4);
  EXPECT_EQ(across.most, 32);
  EXPECT_EQ(across.ideal, 4);
}

TEST(Search, FindsThirtyThreeForTheTranspose) {
  const auto found = search_padding(kIndices, kTranspose, 4);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(to_string(found->storage.layout), "(32,32):(1,33)");
  EXPECT_EQ(found->padding, 1);
}

TEST(Search, FindsASwizzleThatNeedsNoStorage) {
  const auto found = search_swizzle(kIndices, kTranspose, 4);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->storage.swizzle, Swizzle(5, 0, 5));
  EXPECT_EQ(found->storage.cosize(), 1024);
  EXPECT_EQ(search_storage(kIndices, kTranspose, 4)->storage, found->storage);
}

TEST(Search, LeavesAloneWhatIsFreeAlready) {
  const TileAccess write[] = {{kWrite}};
  EXPECT_EQ(search_storage(kIndices, write, 4)->padding, 0);
  EXPECT_EQ(search_swizzle(kIndices, write, 4)->storage.swizzle, Swizzle());
}

TEST(Search, TakesTheCheapestPaddingWhereNoneIsFree) {
  EXPECT_EQ(cheapest_padding(kIndices, kTranspose, 4).padding, 1);
  // Distances of both 32 and 33 elements between lanes: no padding avoids conflicts for both.
  const TileAccess columns[] = {{"32:32"_layout}, {"(16,2):(32,16)"_layout}, {"31:33"_layout}};
  EXPECT_FALSE(search_padding(kIndices, columns, 4));
  const auto cost = [&](std::int64_t padding) {
    const ComposedLayout storage{{}, 0, make_layout({32, 32}, {1, 32 + padding})};
    std::int64_t sum = 0;
    for (const TileAccess& access : columns) sum += bank_conflicts(storage, access, 4).wavefronts;
    return sum;
  };
  const std::int64_t best = cheapest_padding(kIndices, columns, 4).padding;
  for (std::int64_t padding = 0; padding <= 32; ++padding) {
    EXPECT_TRUE(cost(best) < cost(padding) || (cost(best) == cost(padding) && best <= padding));
  }
}

TEST(Search, PadsWideAccessesInWholeVectors) {
  // 8 lanes read 16 bytes each, from 8 rows (a column of a matrix fragment); f16, rows of 64.
  const TileAccess fragment[] = {{"32:64"_layout, 8}};
  const auto found = search_padding("(64,32):(1,64)"_layout, fragment, 2);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(to_string(found->storage.layout), "(64,32):(1,72)");
}

TEST(Search, RefusesWhatIsNoStorage) {
  EXPECT_REFUSED(search_padding("(32,32):(1,31)"_layout, kTranspose, 4), LayoutError,
                 "(0,1) and (31,0) share offset 31");
}

}  // namespace
}  // namespace vkmoye
