// SPDX-License-Identifier: MIT
#include "vkmoye/tensor/partition.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "vkmoye/layout/text.hpp"

namespace vkmoye {
namespace {

// The tutorial's transpose: 32x32 tile, 32x8 threads.
constexpr Split kTileSplit = tile_split("(128,96):(1,128)"_layout, {32, 32});
static_assert(kTileSplit.kept == "(32,32):(1,128)"_layout);
static_assert(kTileSplit.chosen == "(4,3):(32,4096)"_layout);

constexpr Split kThreadSplit = thread_split("(32,32):(1,33)"_layout, "(32,8):(1,32)"_layout);
static_assert(kThreadSplit.kept == "(1,4):(0,264)"_layout);
static_assert(kThreadSplit.chosen == "(32,8):(1,33)"_layout);
static_assert(kThreadSplit.chosen(thread_coordinate("(32,8):(1,32)"_layout, 33)) == 34);

static_assert(thread_coordinate("(16):(1)"_layout, 17) == IntTuple{1}, "ids wrap");
static_assert(thread_coordinate("((2,4),8):((1,2),8)"_layout, 13) == IntTuple{5, 1});
static_assert(thread_coordinate("32:1"_layout, 33) == IntTuple(1));

// Projections: all threads of a row share the same part of A.
constexpr Layout kGrid = "(16,16):(1,16)"_layout;
static_assert(local_partition("(128,8):(1,129)"_layout, kGrid, 5 + 16 * 3, {1, _}) ==
              OffsetLayout{"(8,8):(16,129)"_layout, 5});
static_assert(local_partition("(128,8):(1,129)"_layout, kGrid, 5 + 16 * 3, {_, 1}) ==
              OffsetLayout{"(8,8):(16,129)"_layout, 3});

// A `_` in the coordinate keeps the tiles along k.
static_assert(local_tile("(256,64):(1,256)"_layout, {128, 8}, {1, _}) ==
              OffsetLayout{"(128,8,8):(1,256,2048)"_layout, 128});
static_assert(local_tile("((3,4),(4,2)):((8,24),(1,4))"_layout, {6, 4}, {1, 1}).offset == 52);

void expect_each_element_once(const Layout& layout, const Split& split) {
  std::vector<int> owners(static_cast<std::size_t>(layout.cosize()), 0);
  for (std::int64_t c = 0; c < split.chosen.size(); ++c)
    for (std::int64_t v = 0; v < split.kept.size(); ++v)
      ++owners.at(static_cast<std::size_t>(split.kept(v) + split.chosen(c)));
  std::vector<int> expected(owners.size(), 0);
  for (std::int64_t i = 0; i < layout.size(); ++i) ++expected[static_cast<std::size_t>(layout(i))];
  EXPECT_EQ(owners, expected);
}

TEST(Partition, OwnsEveryElementExactlyOnce) {
  for (const char* text : {"(32,32):(1,33)", "(32,32):(33,1)", "((4,8),(2,16)):((1,8),(4,64))"}) {
    const Layout layout = parse_layout(text);
    expect_each_element_once(layout, tile_split(layout, {8, 4}));
    expect_each_element_once(layout, tile_split(layout, {8}));
    expect_each_element_once(layout, thread_split(layout, "(16,8):(1,16)"_layout));
    expect_each_element_once(layout, thread_split(layout, "((2,4),(4)):((1,2),(8))"_layout));
  }
  expect_each_element_once("(6,4):(1,6)"_layout, thread_split("(6,4):(1,6)"_layout, "8:1"_layout));
  expect_each_element_once("64:3"_layout, tile_split("64:3"_layout, 8));
}

}  // namespace
}  // namespace vkmoye
