// SPDX-License-Identifier: MIT
// Flash attention on matrix units, causal, with grouped heads and any number of tokens: each of 4 subgroups has the
// queries of one row of matrices. Scores and probabilities stay in registers: how a lane holds a matrix is a layout
// that a probe of the device finds.

#include "attention.hpp"

namespace models {
namespace {

using Use = ir::MatrixType::Use;

constexpr std::int64_t kWidth = 64, kSubgroups = 4;

// (row, column) -> lane * elements of a lane + number, of accumulators of f32 and of A of f16.
struct Orders {
  std::uint32_t size, lanes;
  Layout sums, a;
};

ir::Kernel attention_matrices(const Orders& on, std::uint32_t group) {
  const ScalarType f16 = ScalarType::f16, f32 = ScalarType::f32;
  const std::int64_t size = on.size, block = 4 * size, queries = kSubgroups * size;
  Builder k("attention_matrices", kSubgroups * on.lanes, on.lanes);
  const auto heads = [](const char* head) {
    return std::vector<Builder::AxisSpec>{{"d", kWidth}, {"head", head}, {"token", "tokens"}};
  };
  const Tensor q = k.input("q", f16, heads("heads"));
  const Tensor keys = k.input("keys", f16, heads("kv_heads"));
  const Tensor values = k.input("values", f16, heads("kv_heads"));
  const Tensor y = k.output("y", f16, heads("heads"));
  const auto rows = [&](const Tensor& of, std::int64_t count, Expr head, Expr at) {
    return slice(tile(of, {kWidth, 1, count}, {0, head, at}), {_, 0, _});
  };
  const auto stage = [&](const View& from, const View& to) {  // 8 elements of a row in a thread
    const Layout movers = make_layout({8, k.threads() / 8});
    const TiledCopy copy = make_tiled_copy(movers, make_layout({8, 1}));
    k.copy(partition(from, copy, k.thread()), partition(to, copy, k.thread()),
           {.edges = Edges::zero, .vector = {8}});
  };
  const auto matrices = [&](const char* name, ScalarType type, Use use, std::int64_t rows,
                            std::int64_t columns) {
    return k.matrices(name, type, {use, on.size, on.size}, rows / size, columns / size);
  };
  const View sQ = k.shared("shared_q", f16, make_layout({kWidth, queries}, {1, kWidth + 8}));
  const View sK = k.shared("shared_k", f16, make_layout({kWidth, block}, {1, kWidth + 8}));
  const View sV = k.shared("shared_v", f16, make_layout({kWidth, block}, {1, kWidth + 8}));
  const Matrices query = matrices("query", f16, Use::a, size, kWidth);
  const Matrices key = matrices("key", f16, Use::b, kWidth, block);
  const Matrices v = matrices("v", f16, Use::b, block, kWidth);
  const MatrixValues scores =
      matrix_values(k, matrices("scores", f32, Use::accumulator, size, block), on.sums);
  const MatrixValues probabilities =
      matrix_values(k, matrices("probabilities", f16, Use::a, size, block), on.a);
  const MatrixValues sums =
      matrix_values(k, matrices("sums", f32, Use::accumulator, size, kWidth), on.sums);
  const View of_rows = first_along(scores.by_row, {0});
  const View most = k.make_fragment_like("most", f32, of_rows);
  const View before = k.make_fragment_like("before", f32, of_rows);
  const View total = k.make_fragment_like("total", f32, of_rows);

  stage(rows(q, queries, k.block_y(), k.block_x()), sQ);
  k.barrier();
  k.load(transpose(tile(sQ, {kWidth, size}, {0, k.subgroup()})), query);
  k.assign(most, number(f32, kLeast));
  k.assign(total, number(f32, 0));
  k.fill(sums.matrices, number(f32, 0));
  const Expr kv_head = k.let("kv_head", k.block_y() / group);
  k.loop("key_block", k.block_x() + 1, [&](const Expr& at) {
    stage(rows(keys, block, kv_head, at), sK);
    stage(rows(values, block, kv_head, at), sV);
    k.barrier();
    k.load(sK, key);
    k.load(transpose(sV), v);
    k.fill(scores.matrices, number(f32, 0));
    k.multiply(query, key, scores.matrices);
    const View places = scores.part(k, make_identity_view({size, block}));
    k.apply(scores.values, places,
            [&](const std::vector<Expr>& x, const std::vector<Expr>& place) {
              const Expr row = queries * k.block_x() + size * k.subgroup() + place[0];
              return select(less(row, block * at + place[1]), number(f32, kHidden),
                            x[0] * (1 / std::sqrt(double{kWidth})));
            },
            {scores.values});
    k.copy(most, before);
    k.accumulate(most, kMaximum, scores.by_row);
    k.reduce_across(most, kMaximum, scores.threads, 0);
    const auto rescale = [&](const View& of) {
      k.apply(
          of, [](Expr x, Expr old, Expr m) { return x * exp(old - m); }, of, before, most);
    };
    k.apply(
        scores.by_row, [](Expr x, Expr m) { return exp(x - m); }, scores.by_row, most);
    rescale(total);
    rescale(sums.by_row);
    k.accumulate(total, kSum, scores.by_row);
    convert_matrices(k, scores, probabilities);
    k.multiply(probabilities.matrices, v, sums.matrices);
    k.barrier();
  });
  k.reduce_across(total, kSum, scores.threads, 0);
  k.apply(
      sums.by_row, [](Expr x, Expr t) { return x / t; }, sums.by_row, total);
  const View mine = rows(y, size, k.block_y(), Expr(kSubgroups) * k.block_x() + k.subgroup());
  k.apply(
      sums.part(k, transpose(mine)), [](Expr x) { return x; }, sums.values);
  return k.finish();
}

Orders orders_of(const Machine& machine, const MatrixShape& shape, bool on_twin) {
  const auto order = [&](ScalarType type, Use use) {
    return machine.order_of({type, {use, shape.m, shape.m}, machine.lanes()}, on_twin);
  };
  return {shape.m, machine.lanes(), order(ScalarType::f32, Use::accumulator),
          order(ScalarType::f16, Use::a)};
}

const Model kAttentionMatrices("attention on matrix units", [](const Machine& machine) {
  const auto& shapes = machine.caps().matrix_shapes;
  const auto shape = std::find_if(shapes.begin(), shapes.end(), [](const MatrixShape& one) {
    const bool is_square = one.m == one.n && one.n == one.k && kWidth % one.m == 0;
    return is_square && one.scope == "subgroup" && one.a == "f16" && one.c == "f32";
  });
  if (shape == shapes.end()) return;  // a device without such matrices
  const std::size_t heads = 4, kv_heads = 2, tokens = 75, d = kWidth;
  const Data q = random_data(ScalarType::f16, d * heads * tokens, 2),
             keys = random_data(ScalarType::f16, d * kv_heads * tokens, 2),
             values = random_data(ScalarType::f16, d * kv_heads * tokens);
  std::vector<Expected> y = attention_of(q, keys, values, {d, heads, kv_heads, tokens},
                                         0x1p-10);  // probabilities and the result are f16
  for (Expected& element : y) element.tolerance += 0x1p-24;  // flushed probabilities
  const std::uint32_t group = heads / kv_heads;
  machine.check({{attention_matrices(orders_of(machine, *shape, false), group),
                  {0, 1, 2, 3},
                  attention_matrices(orders_of(machine, *shape, true), group)}},
                {q, keys, values, unwritten(ScalarType::f16, y.size())},
                {{"heads", heads}, {"kv_heads", kv_heads}, {"tokens", tokens}}, y);
});

}  // namespace
}  // namespace models
