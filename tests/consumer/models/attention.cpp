// SPDX-License-Identifier: MIT
// Flash attention, causal, with grouped heads: a workgroup has 32 queries of a head of 64 elements, and goes through
// the keys in blocks of 32 with a running maximum and a running sum of exponentials. With pages, a table says where
// each block of keys and values is in the cache.

#include "attention.hpp"

namespace models {
namespace {

constexpr std::int64_t kQueries = 32, kKeys = 32, kWidth = 64;

ir::Kernel attention(std::uint32_t lanes, std::uint32_t group, bool has_pages) {
  const ScalarType f32 = ScalarType::f32;
  Builder k("attention", 128, lanes);
  const Tensor q = k.input("q", f32, {{"d", kWidth}, {"head", "heads"}, {"token", "tokens"}});
  const Extent places = has_pages ? "places" : "tokens";
  const Tensor keys =
      k.input("keys", f32, {{"d", kWidth}, {"head", "kv_heads"}, {"token", places}});
  const Tensor values =
      k.input("values", f32, {{"d", kWidth}, {"head", "kv_heads"}, {"token", places}});
  Tensor table;
  if (has_pages) table = k.input("table", ScalarType::u32, {{"block", "blocks"}});
  const Tensor y = k.output("y", f32, {{"d", kWidth}, {"head", "heads"}, {"token", "tokens"}});
  const TiledMma mma = make_tiled_mma(make_layout({16, 8}));  // queries, keys or elements
  const auto rows = [&](const Tensor& of, std::int64_t count, const Expr& head,
                        const Expr& at) {
    return slice(tile(of, {kWidth, 1, count}, {0, head, at}), {_, 0, _});  // (64, count)
  };
  const View sQ = k.shared("shared_q", f32, make_layout({kWidth, kQueries}, {1, kWidth + 1}));
  const View sK = k.shared("shared_k", f32, make_layout({kWidth, kKeys}, {1, kWidth + 1}));
  const View sV = k.shared("shared_v", f32, make_layout({kWidth, kKeys}));
  const View sP = k.shared("shared_p", f32, make_layout({kQueries, kKeys}));
  const auto load = [&](const View& from, const View& to) {
    const Layout movers = make_layout({64, 2});
    k.copy(parallelize(from, movers, k.thread()), parallelize(to, movers, k.thread()),
           {.edges = Edges::zero});
  };
  const View weights = partition_C(mma, sP, k.thread());  // ((1,1), 2, 4)
  const View scores = k.make_fragment_like("scores", f32, weights);
  const View mine =
      partition_C(mma, transpose(rows(y, kQueries, k.block_y(), k.block_x())), k.thread());
  const View sums = k.make_fragment_like("sums", f32, mine);  // ((1,1), 2, 8)
  const auto of_rows = [&](const char* name) {
    return k.registers(name, f32, Layout(IntTuple{{1, 1}, 2, 1}));
  };
  const View most = of_rows("most"), before = of_rows("before"), total = of_rows("total");
  const auto multiply = [&](const std::string& name, const View& a, const View& b,
                            const View& c, std::uint32_t count) {
    const View tA = partition_A(mma, a, k.thread()), tB = partition_B(mma, b, k.thread());
    const View rA = k.make_fragment_like(name + "_a", f32, select(tA, 2, 0));
    const View rB = k.make_fragment_like(name + "_b", f32, select(tB, 2, 0));
    k.loop(name, count, [&](const Expr& i) {
      k.copy(select(tA, 2, i), rA);
      k.copy(select(tB, 2, i), rB);
      k.gemm(rA, rB, c);
    });
  };
  k.assign(most, number(f32, kLeast));
  k.assign(total, number(f32, 0));
  k.assign(sums, number(f32, 0));
  load(rows(q, kQueries, k.block_y(), k.block_x()), sQ);
  const Expr kv_head = k.let("kv_head", k.block_y() / group);
  const View page = k.registers("page", ScalarType::u32, Layout());
  const auto page_of = [&](const Expr& block) {  // the first, if the table has no such block
    if (!has_pages) return block;
    k.assign(page, number(ScalarType::u32, 0));
    k.branch({less(block, Builder::extent(table, 0))}, [&] {
      k.assign(page, k.load("entry", {"table", {block}, "table"}));
    });
    return k.let("page_at", to_index(k.load("page_of_block", page)));
  };
  k.loop("block", k.block_x() + 1, [&](const Expr& block) {
    const Expr at = page_of(block);
    load(rows(keys, kKeys, kv_head, at), sK);
    load(rows(values, kKeys, kv_head, at), sV);
    k.barrier();
    k.assign(scores, number(f32, 0));
    multiply("qk", transpose(sQ), transpose(sK), scores, kWidth);
    k.apply(  // no key after its query
        scores, partition_C(mma, make_identity_view({kQueries, kKeys}), k.thread()),
        [&](const std::vector<Expr>& v, const std::vector<Expr>& at) {
          const Expr query = kQueries * k.block_x() + at[0], key = kKeys * block + at[1];
          return select(less(query, key), number(f32, kHidden),
                        v[0] * (1 / std::sqrt(double{kWidth})));
        },
        {scores});
    k.copy(most, before);
    k.accumulate(most, kMaximum, scores);
    k.reduce_across(most, kMaximum, mma.threads, 1);
    k.apply(
        scores, [](Expr s, Expr m) { return exp(s - m); }, scores, most);
    k.copy(scores, weights);
    const auto rescale = [&](const View& of) {
      k.apply(
          of, [](Expr s, Expr old, Expr m) { return s * exp(old - m); }, of, before, most);
    };
    rescale(total);
    k.accumulate(total, kSum, scores);  // of this thread's keys
    rescale(sums);
    k.barrier();
    multiply("pv", sP, sV, sums, kKeys);
    k.barrier();
  });
  k.reduce_across(total, kSum, mma.threads, 1);
  k.apply(
      mine, [](Expr s, Expr t) { return s / t; }, sums, total);
  return k.finish();
}

const Model kAttention("attention", [](const Machine& machine) {
  const std::size_t heads = 4, kv_heads = 2, tokens = 75, d = kWidth;
  const Data q = random_data(ScalarType::f32, d * heads * tokens, 2),
             keys = random_data(ScalarType::f32, d * kv_heads * tokens, 2),
             values = random_data(ScalarType::f32, d * kv_heads * tokens);
  const std::vector<Expected> y = attention_of(q, keys, values, {d, heads, kv_heads, tokens},
                                               0x1p-15);  // of scores, up to 16, and exp
  const Data empty = unwritten(ScalarType::f32, y.size());
  machine.check(attention(machine.lanes(), heads / kv_heads, false), {q, keys, values, empty},
                {{"heads", heads}, {"kv_heads", kv_heads}, {"tokens", tokens}}, y);
  // The same in pages of 32 places, in another order.
  const Data table{ScalarType::u32, {4, 0, 2}};
  const std::size_t of_place = d * kv_heads, places = 5 * kKeys;
  Data paged_keys = random_data(ScalarType::f32, of_place * places), paged_values = paged_keys;
  for (std::size_t i = 0; i < of_place * tokens; ++i) {
    const std::size_t token = i / of_place;
    const auto page = static_cast<std::size_t>(table[token / kKeys]);
    const std::size_t to = (page * kKeys + token % kKeys) * of_place + i % of_place;
    paged_keys.values[to] = keys[i];
    paged_values.values[to] = values[i];
  }
  machine.check(attention(machine.lanes(), heads / kv_heads, true),
                {q, paged_keys, paged_values, table, empty},
                {{"heads", heads},
                 {"kv_heads", kv_heads},
                 {"tokens", tokens},
                 {"places", places},
                 {"blocks", 3}},
                y);
});

}  // namespace
}  // namespace models
