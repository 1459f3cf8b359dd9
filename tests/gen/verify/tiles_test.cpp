// SPDX-License-Identifier: MIT
// Results that are written tile by tile: kernels for which that is proved, each beside ones that differ a little and
// are wrong. These must not be proved, whatever else refuses them.

#include <algorithm>

#include "gen/verify/attacked.hpp"
#include "support/expect.hpp"
#include "vkmoye/gen/proof/results.hpp"

namespace vkmoye::gen::attack {
namespace {

const Expr across = builtin(Builtin::group_y);

Stmt put_in(const Expr& at) { return If{less(at, n), {store(dst_at(at))}}; }
Expr in_tile(const Expr& at) { return 64 * group + at; }

/// dst of n x m elements in tiles of 8 x 8.
Kernel plane(Body body) {
  Kernel kernel = kernel_of(std::move(body));
  kernel.arrays[1].axes = {{"i", "n", 1}, {"j", "m", n}};
  kernel.grid[0] = {"n", 8};
  kernel.grid[1] = {"m", 8};
  return kernel;
}
Stmt put_in(const Expr& i, const Expr& j) {
  return If{logical_and(less(i, n), less(j, m)), {store({"dst", {i, j}, "plane"})}};
}
const Expr i_of = 8 * group + thread % 8, j_of = 8 * across + thread / 8;

bool is_proved(const Kernel& kernel, const std::string& claim) {
  const auto claims = proof::prove_results(kernel);
  return std::any_of(claims.begin(), claims.end(), [&](const proof::Obligation& one) {
    return one.claim == claim && one.decision == proof::Decision::proved;
  });
}
bool is_covered(const Kernel& kernel) { return is_proved(kernel, proof::claim_of_coverage("dst")); }
bool has_one_writer(const Kernel& kernel) {
  return is_proved(kernel, proof::claim_of_one_writer("dst"));
}

void expect_tiled(const Kernel& kernel, const Arguments& at, int line = __builtin_LINE()) {
  EXPECT_TRUE(is_covered(kernel) && has_one_writer(kernel)) << line;
  expect_accepted(kernel, at, 0, line);
}
// The twin finds an element that nothing writes, or a race.
void expect_uncovered(const Kernel& kernel, const Arguments& at, std::uint32_t word = 0,
                      int line = __builtin_LINE()) {
  EXPECT_FALSE(is_covered(kernel)) << line;
  expect_refused(kernel, at, word, 0, line);
}
void expect_raced(const Kernel& kernel, const Arguments& at, std::uint32_t word = 0,
                  int line = __builtin_LINE()) {
  EXPECT_FALSE(has_one_writer(kernel)) << line;
  expect_refused(kernel, at, word, 0, line);
}

TEST(Tiles, OfWholeAndPartialTiles) {
  const auto branches = [](const Expr& otherwise) {
    return kernel_of(
        {If{less(in_tile(63), n), {store(dst_at(own))}, {If{otherwise, {put_in(own)}}}}});
  };
  expect_tiled(kernel_of({put_in(own)}), sizes(130));
  expect_tiled(branches(less(thread, 63)), sizes(127));  // the last one is in a whole tile alone
  expect_uncovered(branches(less(thread, 62)), sizes(127));
  expect_uncovered(kernel_of({If{less(in_tile(63), n), {store(dst_at(own))}}}), sizes(127));
  expect_uncovered(kernel_of({If{not_equal(thread, 63), {put_in(own)}}}), sizes(130));
  expect_uncovered(kernel_of({If{less(own, m), {put_in(own)}}}), sizes(130, 70));
  expect_uncovered(kernel_of({If{equal(group % 2, 0), {put_in(own)}}}), sizes(130));
}

// The last tile first.
TEST(Tiles, ThatAreCountedDown) {
  const auto counted_down = [](const Expr& count, const Expr& more = 0) {
    const Expr block = variable("block"), tile = variable("tile");
    return kernel_of(
        {Let{"block", group}, Let{"tile", count - 1 - block}, put_in(64 * tile + thread + more)});
  };
  expect_tiled(counted_down(ceil_div(n, 64)), sizes(130));
  expect_uncovered(counted_down(ceil_div(n, 64), select(equal(variable("block"), 1), 64, 0)),
                   sizes(130));
  expect_uncovered(counted_down(n / 64 + 2), sizes(130));
  EXPECT_FALSE(is_covered(counted_down(ceil_div(n, 32))));
}

// Blocks of 2 x 2 tiles: each is counted along one dimension of the grid, and within the block by quotient and
// remainder.
TEST(Tiles, InBlocksOfWorkgroups) {
  const auto in_blocks = [](const Expr& x, const Expr& y, std::int64_t within = 4) {
    Kernel kernel = plane({put_in(8 * x + thread % 8, 8 * y + thread / 8)});
    kernel.grid = {{{within, 1}, {"n", 16}, {"m", 16}}};
    return kernel;
  };
  const Expr down = builtin(Builtin::group_z);
  const Expr x = 2 * across + group / 2, y = 2 * down + group % 2;
  const Arguments at = sizes(40, 17);
  expect_tiled(in_blocks(x, y), at);
  expect_raced(in_blocks(x, 2 * down + group / 2), at);
  expect_uncovered(in_blocks(x, 2 * down + group / 2), at);
  expect_uncovered(in_blocks(x, y, 3), at);  // no workgroup has the last tile of a block
  expect_raced(in_blocks(x, y, 6), at);      // 4 / 2 is the first tile of the next block
  expect_raced(in_blocks(2 * across + group / 3, y), at);
}

TEST(Tiles, OfFewElements) {
  const auto few = [](const Expr& many, std::uint32_t elements) {
    return kernel_of({If{many, {put_in(own)}, {If{less(thread, elements), {put_in(own)}}}}});
  };
  expect_tiled(few(less(16, n), 16), sizes(16));
  expect_uncovered(few(less(16, n), 15), sizes(16));
  expect_uncovered(few(less(17, n), 16), sizes(17));
  expect_uncovered(few(less(16, m), 16), sizes(40, 3));
  expect_uncovered(few(less(in_tile(16), n), 15), sizes(80));
}

TEST(Tiles, OfVectors) {
  const Expr i = 8 * group + 4 * (thread % 2), j = 8 * across + thread / 2;
  const auto vectors = [&](const Expr& where) {
    const Stmt four = store({"dst", {i, j}, "four", 4}, vector({one, one, one, one}));
    return plane(
        {If{equal(n % 4, 0),
            {If{logical_and(less(thread, 16), logical_and(less(i, n), less(j, m))), {four}}},
            {If{where, {put_in(i_of, j_of)}}}}});
  };
  expect_tiled(vectors(less(thread, 64)), sizes(12, 9));
  expect_uncovered(vectors(not_equal(thread % 8, 7)), sizes(9, 9));
}

TEST(Tiles, OfPlanes) {
  expect_tiled(plane({put_in(i_of, j_of)}), sizes(9, 9));
  expect_uncovered(plane({If{equal(group, across), {put_in(i_of, j_of)}}}), sizes(9, 9));
  const Expr other_i = 8 * group + thread / 8, other_j = 8 * across + thread % 8;
  const auto transposed = [&](std::uint32_t min_thread) {
    return plane({If{logical_and(less(8 * group + 7, n), less(8 * across + 7, m)),
                     {put_in(i_of, j_of)},
                     {If{less(thread, min_thread), {put_in(other_i, other_j)}}}}});
  };
  expect_tiled(transposed(63), sizes(15, 15));
  expect_uncovered(transposed(62), sizes(16, 15));
  expect_uncovered(plane({put_in(8 * across + thread % 8, 8 * group + thread / 8)}), sizes(9, 30));
}

TEST(Tiles, OfSwizzledWorkgroups) {
  const auto swizzled = [](std::int64_t along, std::uint32_t step, std::int64_t tile) {
    Kernel kernel = kernel_of({put_in(64 * (step * across + group) + thread)});
    kernel.grid[0] = {"n", 64, along};
    kernel.grid[1] = {"n", tile};
    return kernel;
  };
  expect_tiled(swizzled(4, 4, 64 * 4), sizes(64 * 9));
  expect_uncovered(swizzled(4, 4, 64 * 5), sizes(64 * 23));
  expect_uncovered(swizzled(2, 3, 64 * 3), sizes(64 * 9));
  expect_raced(swizzled(5, 4, 64 * 4), sizes(64 * 9));
}

TEST(Tiles, OfOtherGrids) {
  Kernel kernel = kernel_of({put_in(own)});
  kernel.grid[0] = {"n", 128};
  expect_uncovered(kernel, sizes(130));
  kernel.grid[0] = {"m", 64};
  expect_uncovered(kernel, sizes(130, 2));
  kernel.grid[0] = {"n", 64, 2};
  expect_uncovered(kernel, sizes(200));
  kernel.grid[0] = {"n", 64};
  kernel.grid[1] = {"m", 1};
  expect_raced(kernel, sizes(130, 2));
}

TEST(Tiles, InLoops) {
  expect_tiled(
      kernel_of({For{"r", 4, {If{less(thread, 16), {put_in(in_tile(16 * r + thread % 16))}}}}}),
      sizes(130));
  expect_uncovered(kernel_of({For{"r", p, {put_in(own)}}}), sizes(130, 1, 0));
  expect_uncovered(kernel_of({For{"r", p, {If{equal(r, 5), {put_in(own)}}}}}), sizes(130, 1, 5));
  expect_raced(kernel_of({For{"r", 2, {put_in(in_tile((thread + r) % 64))}}}), sizes(130));
  expect_raced(
      kernel_of({put_in(own), For{"r", p, {If{equal(r, 40), {put_in(in_tile(63 - thread))}}}}}),
      sizes(130, 1, 41));
}

TEST(Tiles, OfSeveralWriters) {
  const Stmt backwards = put_in(in_tile(63 - thread));
  // All take the one branch, or all the other.
  expect_tiled(kernel_of({If{less(m, p), {put_in(own)}, {backwards}}}), sizes(130));
  expect_raced(kernel_of({put_in(own), Barrier{}, backwards}), sizes(128));
  expect_raced(kernel_of({put_in(own), If{less(m, p), {backwards}}}), sizes(128, 2, 3));
  expect_raced(kernel_of({If{less(m, thread), {put_in(own)}, {backwards}}}), sizes(128, 20));
  Kernel reads =
      kernel_of({put_in(own), Barrier{},
                 If{less(in_tile(63 - thread), n), {Load{"z", dst_at(in_tile(63 - thread))}}}});
  reads.arrays[1].access = Access::read_write;
  expect_raced(reads, sizes(128));
}

}  // namespace
}  // namespace vkmoye::gen::attack
