// SPDX-License-Identifier: MIT
// The layout algebra in one page: read it from top to bottom, every line is checked by the
// compiler.
#include "vkmoye/layout/algebra.hpp"
#include "vkmoye/layout/analysis.hpp"
#include "vkmoye/tensor/coordinates.hpp"
#include "vkmoye/tensor/partition.hpp"
#include "vkmoye/tensor/tiled_copy.hpp"

namespace vkmoye {
namespace {

// 1. A layout is a function from coordinates to offsets, written shape:stride.
//    The first mode is the fastest, indices start at 0.
constexpr Layout rows_of_eight = "(4,8):(8,1)"_layout;  // a 4x8 matrix, row-major
static_assert(rows_of_eight == make_layout({4, 8}, {8, 1}));
static_assert(rows_of_eight == make_layout({4, 8}, Major::kRow));
static_assert(rows_of_eight(2, 3) == 2 * 8 + 3);
static_assert(size(rows_of_eight) == 32 && rank(rows_of_eight) == 2);

//    Without strides it is compact and column-major.
static_assert(make_layout({4, 8}) == "(4,8):(1,4)"_layout);

//    The same element by a single index, which counts the first mode first.
static_assert(rows_of_eight(2 + 4 * 3) == rows_of_eight(2, 3));
static_assert(idx2crd(14, shape(rows_of_eight)) == IntTuple{2, 3});
static_assert(crd2idx({2, 3}, shape(rows_of_eight)) == 14);

// 2. Modes nest. This is a 4x8 matrix stored as 2x2 blocks, each block together.
constexpr Layout blocked = "((2,2),(2,4)):((1,8),(2,16))"_layout;
static_assert(blocked(0, 0) == 0 && blocked(1, 0) == 1 && blocked(0, 1) == 2);  // inside a block
static_assert(blocked(2, 0) == 8);                                              // the block below
static_assert(blocked({{1, 1}, {0, 2}}) == blocked(3, 4));  // a coordinate may nest as well
static_assert(product_each(shape(blocked)) == IntTuple{4, 8});

// 3. cosize is the storage; padding makes it larger than size.
constexpr Layout padded = "(32,32):(1,33)"_layout;
static_assert(size(padded) == 1024 && cosize(padded) == 31 + 31 * 33 + 1);
static_assert(is_injective(padded));
static_assert(!is_injective("(32,32):(1,31)"_layout), "(31,0) and (0,1) share offset 31");

// 4. coalesce writes the same function with fewer modes.
static_assert(coalesce("(2,(1,6)):(1,(6,2))"_layout) == "12:1"_layout);

// 5. composition(A, B)(c) == A(B(c)): B picks elements of A in its own order.
static_assert(composition("20:2"_layout, "(5,4):(4,1)"_layout) == "(5,4):(8,2)"_layout);
static_assert(composition(rows_of_eight, "8:4"_layout) == "8:1"_layout, "row 0: every 4th index");
//    By mode: the first 2 rows and every second column.
static_assert(composition(rows_of_eight, {2, "4:2"_layout}) == "(2,4):(8,2)"_layout);

// 6. complement: where else copies of a layout can go.
static_assert(complement("4:2"_layout, 24) == "(2,3):(1,8)"_layout);

// 7. divide = composition with (tile, complement of tile). zipped_divide gathers what is inside a
//    tile into mode 0 and says in mode 1 which tile it is.
constexpr Layout tiles = zipped_divide(rows_of_eight, {2, 4});
static_assert(tiles == "((2,4),(2,2)):((8,1),(16,4))"_layout);
static_assert(tiles({{1, 3}, {1, 0}}) == rows_of_eight(1 + 2 * 1, 3 + 4 * 0));

//    A tiler with a layout for the first mode: every second row belongs to the tile.
static_assert(zipped_divide(make_layout({4, 8}), {"2:2"_layout, 4}) ==
              "((2,4),(2,2)):((2,4),(1,16))"_layout);

// 8. local_tile is one of them: tile (1,0), with the offset where it starts.
static_assert(local_tile(rows_of_eight, {2, 4}, {1, 0}) == OffsetLayout{"(2,4):(8,1)"_layout, 16});
//    `_` keeps a direction of tiles: all tiles along the columns of row 1.
static_assert(local_tile(rows_of_eight, {2, 4}, {1, _}) ==
              OffsetLayout{"(2,4,2):(8,1,4)"_layout, 16});

// 9. local_partition spreads a tile over threads; each keeps every (2,4)-th element.
constexpr Layout threads = "(2,4):(4,1)"_layout;  // thread 1 is at (0,1)
static_assert(thread_coordinate(threads, 1) == IntTuple{0, 1});
static_assert(local_partition(rows_of_eight, threads, 1) == OffsetLayout{"(2,2):(16,4)"_layout, 1});
//    A projection shares: with (1,_) only the thread's row matters, as for the operand A of a
//    product.
static_assert(local_partition(rows_of_eight, threads, 1, {1, _}) ==
              OffsetLayout{"(2,8):(16,1)"_layout, 0});

// 10. product repeats: a 2x2 block, six times, as a matrix of 2x3 blocks.
static_assert(blocked_product("(2,2):(1,2)"_layout, "(2,3):(3,1)"_layout) ==
              "((2,2),(2,3)):((1,12),(2,4))"_layout);
static_assert(raked_product("(2,2):(1,2)"_layout, "(2,3):(3,1)"_layout) ==
                  "((2,2),(3,2)):((12,1),(4,2))"_layout,
              "the same six blocks, interleaved");

// 11. Inverses: which index lies at an offset?
static_assert(right_inverse("(4,3):(3,1)"_layout) == "(3,4):(4,1)"_layout);
static_assert(left_inverse("(4,4):(1,5)"_layout) == "(5,4):(1,4)"_layout, "through the padding");

// 12. make_tiled_copy: six threads with 2x3 values each own a 4x9 tile. (thread, value) -> index.
constexpr TiledCopy copy = make_tiled_copy("(2,3):(3,1)"_layout, "(2,3):(1,2)"_layout);
static_assert(copy.layout_tv == "((3,2),(2,3)):((12,2),(1,4))"_layout);
static_assert(copy.tiler == IntTuple{4, 9});

// 13. A swizzle moves columns into other banks without padding, and slicing keeps it.
constexpr ComposedLayout swizzled = composition(Swizzle(5, 0, 5), "(32,32):(1,32)"_layout);
static_assert(swizzled(0, 1) % 32 == 1 && swizzled(0, 2) % 32 == 2, "row 0: one bank each");
static_assert(slice({_, 7}, swizzled)(3) == swizzled(3, 7));

// 14. Ragged edges: partition the coordinates like the data and compare.
constexpr CoordinateTensor corner = local_tile(make_identity_tensor({100, 70}), {32, 32}, {3, 2});
static_assert(corner({3, 5}) == IntTuple{99, 69});
static_assert(elem_less(corner({3, 5}), {100, 70}) && !elem_less(corner({4, 5}), {100, 70}));
static_assert(ceil_div({100, 70}, {32, 32}) == IntTuple{4, 3}, "the grid of tiles");

// 15. How wide may an access be? Four values in a row, every thread's start a multiple of four.
static_assert(widest_access("(4,2):(1,64)"_layout, "(8,4):(4,128)"_layout, 4, 16) == 4);
static_assert(max_common_vector(make_layout({8, 4}), "(8,4):(1,12)"_layout) == 8);

}  // namespace
}  // namespace vkmoye
