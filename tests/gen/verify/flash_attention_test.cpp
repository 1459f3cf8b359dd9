// SPDX-License-Identifier: MIT
// Flash attention on matrix units, written from the pages alone: the verifier accepts it for all sizes.

#include <gtest/gtest.h>

#include <functional>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen {
namespace {

using ir::Expr;
using Use = ir::MatrixType::Use;

// y = exp(q * k) * v over the tiles of keys up to the causal end. A tile of keys is staged where `where` holds,
// and read by matrices in the same round.
ir::Kernel flash_attention(const std::function<Expr(const Expr& tile, const Expr& keys)>& where) {
  const ScalarType f16 = ScalarType::f16, f32 = ScalarType::f32;
  const std::int64_t size = 16, width = 64, queries = 64, block = 32;
  Builder k("flash_attention", 128, 32);
  const auto axes = [&](const char* token) {
    return std::vector<Builder::AxisSpec>{{"d", width}, {"token", token}, {"head", "heads"}};
  };
  const Tensor q = k.input("q", f16, axes("queries"));
  const Tensor keys = k.input("keys", f16, axes("tokens"));
  const Tensor values = k.input("values", f16, axes("tokens"));
  const Tensor y = k.output("y", f32, axes("queries"));
  const auto rows = [&](const Tensor& of, std::int64_t count, const Expr& at) {
    return slice(tile(of, {width, count, 1}, {0, at, k.block_y()}), {_, _, 0});
  };
  const TiledCopy copy = make_tiled_copy(make_layout({8, 16}), make_layout({8, 1}));
  const auto stage = [&](const View& from, const View& to) {
    k.copy(partition(from, copy, k.thread()), partition(to, copy, k.thread()),
           {.edges = Edges::zero, .loads_first = true});
  };
  const auto matrices = [&](const char* name, ScalarType type, Use use, std::int64_t rows,
                            std::int64_t columns) {
    return k.matrices(name, type, {use, 16, 16}, rows / size, columns / size);
  };
  const View sQ = k.shared("shared_q", f16, make_layout({width, queries}, {1, width + 8}));
  const View sK = k.shared("shared_k", f16, make_layout({width, block}, {1, width + 8}));
  const View sV = k.shared("shared_v", f16, make_layout({width, block}, {1, width + 8}));
  const View sS = k.shared("shared_s", f32, make_layout({width, queries}, {1, width + 8}));
  const View sP = k.shared("shared_p", f16, make_layout({block, queries}, {1, block + 8}));
  const Matrices query = matrices("query", f16, Use::a, size, width);
  const Matrices key = matrices("keys_b", f16, Use::b, width, block);
  const Matrices value = matrices("values_b", f16, Use::b, block, width);
  const Matrices weights = matrices("weights", f16, Use::a, size, block);
  const Matrices scores = matrices("scores", f32, Use::accumulator, size, block);
  const Matrices sums = matrices("sums", f32, Use::accumulator, size, width);
  const auto mine = [&](const View& view) {
    return parallelize(view, make_layout({32, 4}), k.thread());
  };
  const auto of_subgroup = [&](const View& view, std::int64_t columns) {
    return transpose(tile(view, {columns, size}, {0, k.subgroup()}));
  };
  stage(rows(q, queries, k.block_x()), sQ);
  k.barrier();
  k.load(of_subgroup(sQ, width), query);
  k.assign(sums, 0);
  const Expr count = keys.extent(1);
  const Expr end = minimum(ir::ceil_div(count, block), (queries / block) * (k.block_x() + 1));
  k.loop("key_tile", end, [&](const Expr& at) {
    k.branch({where(at, count)}, [&] {
      stage(rows(keys, block, at), sK);
      stage(rows(values, block, at), sV);
    });
    k.barrier();
    k.load(sK, key);
    k.load(transpose(sV), value);
    k.assign(scores, 0);
    k.multiply(query, key, scores);
    k.store(scores, 0, of_subgroup(sS, block));
    k.barrier();
    k.apply(
        mine(sP), [](Expr x) { return exp(x); }, mine(tile(sS, {block, queries}, {0, 0})));
    k.barrier();
    k.load(of_subgroup(sP, block), weights, 4);
    k.multiply(weights, value, sums);
    k.barrier();
  });
  k.store(sums, 0, of_subgroup(sS, width));
  k.barrier();
  k.copy(mine(sS), mine(rows(y, queries, k.block_x())));
  return k.finish();
}

TEST(FlashAttention, IsAcceptedWhereTheLoopEndsAtTheMinimumOfTwoSizes) {
  const auto begins_inside = [](const Expr& tile, const Expr& keys) {
    return less(32 * tile, keys);
  };
  EXPECT_NO_THROW(flash_attention(begins_inside));
  // The last tile is ragged, and not staged.
  const auto is_inside = [](const Expr& tile, const Expr& keys) { return less(tile, keys / 32); };
  EXPECT_THROW(flash_attention(is_inside), KernelError);
}

}  // namespace
}  // namespace vkmoye::gen
