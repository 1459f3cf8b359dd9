// SPDX-License-Identifier: MIT
#include "vkmoye/tensor/copy_atom.hpp"

#include <set>
#include <string>

#include "support/expect.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye {
namespace {

// The six-thread copy of MoYe.jl's manual, with every layout printed there (its threads are 1-based).
constexpr Layout kSixThreads = "(2,3):(3,1)"_layout, kValues = "(2,3):(1,2)"_layout;
constexpr Layout kTensor = "(4,9)"_layout;
constexpr TiledCopy kScalar = make_tiled_copy(universal_copy(8, 8), kSixThreads, kValues);
static_assert(kScalar.layout_tv == "((3,2),(2,3)):((12,2),(1,4))"_layout);
static_assert(kScalar.tiler == IntTuple{4, 9});

TEST(CopyAtom, DrawsTheManualsPicture) {
  std::string picture;
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 9; ++column) {
      for (int thread = 0; thread < 6; ++thread) {
        for (int value = 0; value < 6; ++value) {
          if (kScalar.layout_tv(thread, value) == row + 4 * column) {
            picture += std::to_string(thread + 1);
          }
        }
      }
    }
    picture += '\n';
  }
  EXPECT_EQ(picture, "111222333\n111222333\n444555666\n444555666\n");
}

std::vector<std::int64_t> offsets(const OffsetLayout& part) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < part.layout.size(); ++i) out.push_back(part(i));
  return out;
}

TEST(CopyAtom, PartitionsAsTheManualPrints) {
  const OffsetLayout source = partition_S(get_slice(kScalar, 1), kTensor);
  EXPECT_EQ(to_string(source.layout.shape()), "((1,(2,3)),1,1)");
  EXPECT_EQ(source.layout.mode(0).mode(1), "(2,3):(1,4)"_layout);
  EXPECT_THAT(offsets(source), ElementsAre(12, 13, 16, 17, 20, 21));
  EXPECT_EQ(partition_D(get_slice(kScalar, 1), kTensor), source);

  // UniversalCopy{UInt128} of Float64: (CPY, CPY_M, CPY_N) with two elements an access.
  const TiledCopy wide = make_tiled_copy(universal_copy(16, 8), kSixThreads, kValues);
  const OffsetLayout vectors = partition_S(get_slice(wide, 1), kTensor);
  EXPECT_EQ(to_string(vectors.layout.shape().mode(0).mode(0)), "2");
  EXPECT_EQ(size(vectors.layout.mode(0).mode(1)), 3);
  EXPECT_THAT(offsets(vectors), ElementsAre(12, 13, 16, 17, 20, 21));
}

TEST(CopyAtom, FurtherTilesAreFurtherModes) {
  const OffsetLayout part = partition_S(get_slice(kScalar, 3), "(8,27)"_layout);
  EXPECT_EQ(size(part.layout.mode(0)), 6);
  EXPECT_EQ(part.layout.mode(1), "2:4"_layout);   // CPY_M
  EXPECT_EQ(part.layout.mode(2), "3:72"_layout);  // CPY_N
  std::multiset<std::int64_t> all;
  for (int thread = 0; thread < 6; ++thread) {
    for (const std::int64_t at : offsets(partition_S(get_slice(kScalar, thread), "(8,27)"_layout)))
      all.insert(at);
  }
  EXPECT_EQ(all.size(), 8u * 27u);
  EXPECT_EQ(std::set<std::int64_t>(all.begin(), all.end()).size(), all.size());
}

// A fragment of six values, seen by a copy that moves two at once.
static_assert(retile(make_tiled_copy(universal_copy(16, 8), kSixThreads, kValues),
                     "(6,2):(1,6)"_layout) == "((2,3),2):((1,2),6)"_layout);

// Columns of (4,9) have two neighbours in common, a row-major destination none; a base aligned to 8 bytes only allows
// two f32.
constexpr Layout kRows = "(4,9):(9,1)"_layout;
static_assert(widest_copy(kScalar, kTensor, 16, kTensor, 16, 8) == universal_copy(16, 8));
static_assert(widest_copy(kScalar, kTensor, 16, kRows, 16, 8) == universal_copy(8, 8));
static_assert(widest_copy(kScalar, kTensor, 8, kTensor, 16, 8) == universal_copy(8, 8));
constexpr TiledCopy kLines = make_tiled_copy("(32,8)"_layout, "(16,1)"_layout);
constexpr Layout kTile = "(512,8)"_layout;
static_assert(widest_copy(kLines, kTile, 256, kTile, 256, 1) == universal_copy(16, 1));
static_assert(widest_copy(kLines, kTile, 256, kTile, 256, 4) == universal_copy(16, 4));
static_assert(widest_copy(kLines, kTile, 8, kTile, 256, 2) == universal_copy(8, 2));
// Rows of 513 elements: the second row is not aligned to any vector.
static_assert(widest_copy(kLines, "(512,8):(1,513)"_layout, 256, kTile, 256, 4) ==
              universal_copy(4, 4));

TEST(CopyAtom, RefusesWhatNoAccessCanBe) {
  EXPECT_THROW(universal_copy(32, 4), LayoutError);
  EXPECT_THROW(universal_copy(12, 4), LayoutError);
  EXPECT_THROW(universal_copy(0, 1), LayoutError);
  EXPECT_THROW(universal_copy(4, 8), LayoutError);
  EXPECT_THROW(make_tiled_copy(universal_copy(16, 4), kSixThreads, kValues), LayoutError);
  EXPECT_THROW(get_slice(kScalar, 6), LayoutError);
  EXPECT_THROW(partition_S(get_slice(kScalar, 0), "(5,9)"_layout), LayoutError);
  // Tiles of 5 x 1 cover 5 * 2^62 elements, which in wrapping 64-bit arithmetic is the size of the tensor.
  const TiledCopy five = make_tiled_copy("(5,1)"_layout, "(1,1)"_layout);
  EXPECT_THROW(partition_S(get_slice(five, 0), "(1,4611686018427387904)"_layout), LayoutError);
}

}  // namespace
}  // namespace vkmoye
