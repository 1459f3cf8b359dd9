// SPDX-License-Identifier: MIT
// Attention of one query to a cache, of sequences of different lengths with grouped heads: a workgroup has a head of a
// sequence and goes through its keys in blocks of 32. The loop ends where the sequence does. All invocations read the
// same length, so the loop may have barriers.

#include "model.hpp"

namespace models {
namespace {

constexpr std::int64_t kWidth = 64, kKeys = 32;
// The score of a key beyond the end; and the first maximum, above it but not above any other score. The weight of such
// a key, exp(score - maximum), is therefore 0 even before a key is seen.
constexpr double kHidden = -std::numeric_limits<double>::infinity(),
                 kLeast = std::numeric_limits<float>::lowest();

ir::Kernel ragged(std::uint32_t lanes, std::uint32_t group) {
  const ScalarType f32 = ScalarType::f32;
  Builder k("ragged_attention", 128, lanes);
  const Tensor q =
      k.input("q", f32, {{"d", kWidth}, {"head", "heads"}, {"sequence", "sequences"}});
  const std::vector<Builder::AxisSpec> cache = {
      {"d", kWidth}, {"head", "kv_heads"}, {"token", "places"}, {"sequence", "sequences"}};
  const Tensor keys = k.input("keys", f32, cache), values = k.input("values", f32, cache);
  const Tensor lengths = k.input("lengths", ScalarType::u32, {{"sequence", "sequences"}});
  const Tensor y =
      k.output("y", f32, {{"d", kWidth}, {"head", "heads"}, {"sequence", "sequences"}});
  const Layout threads = make_layout({16, 8});  // elements, keys
  const auto of_head = [&](const Tensor& of) {  // (64, 1), of which a thread has (4, 1)
    const View head = slice(tile(of, {kWidth, 1, 1}, {0, k.block_x(), k.block_y()}), {_, _, 0});
    return parallelize(head, make_layout({16, 1}), k.thread() % 16);
  };
  const auto block_of = [&](const Tensor& of, const Expr& block) {  // (64, 32): (4, 4)
    const View head =
        slice(tile(of, {kWidth, 1, kKeys, 1}, {0, k.block_x() / group, block, k.block_y()}),
              {_, 0, _, 0});
    return parallelize(head, threads, k.thread());
  };
  const View query = k.make_fragment_like("query", f32, of_head(q));
  const View sums = k.make_fragment_like("sums", f32, query);
  const View key = k.make_fragment_like("own_key", f32, block_of(keys, 0));
  const View value = k.make_fragment_like("own_value", f32, key);
  const View scores = k.registers("scores", f32, make_layout({1, 4}));
  const auto single = [&](const char* name) {
    return k.registers(name, f32, make_layout({1, 1}));
  };
  const View products = k.make_fragment_like("products", f32, key);
  const auto add_products = [&](const View& to, const View& a, const View& b) {
    k.apply(
        products, [](Expr x, Expr y) { return x * y; }, a, b);
    k.accumulate(to, kSum, products);
  };
  // Of the keys of this thread, until all are added up.
  const View most = single("most"), before = single("before"), total = single("total");
  const auto rescale = [&] {
    for (const View& of : {total, sums}) {
      k.apply(
          of, [](Expr s, Expr old, Expr m) { return s * exp(old - m); }, of, before, most);
    }
  };
  k.assign(most, kLeast);
  k.assign(total, 0);
  k.assign(sums, 0);
  k.copy(of_head(q), query, {.edges = Edges::zero});
  const Expr length = k.let(
      "length", minimum(to_index(k.load("of_sequence", tile(lengths, {1}, {k.block_y()}))),
                        keys.extent(2)));
  k.loop("block", (length + (kKeys - 1)) / kKeys, [&](const Expr& block) {
    k.copy(block_of(keys, block), key, {.edges = Edges::zero});
    k.copy(block_of(values, block), value, {.edges = Edges::zero});
    k.assign(scores, 0);
    add_products(scores, query, key);
    k.reduce_across(scores, kSum, threads, 0);
    k.barrier();  // before the next round's
    k.apply(scores, parallelize(make_identity_view({16, kKeys}), threads, k.thread()),
            [&](const std::vector<Expr>& v, const std::vector<Expr>& at) {
              return select(less(kKeys * block + at[1], length),
                            v[0] * (1 / std::sqrt(double{kWidth})), number(f32, kHidden));
            },
            {scores});
    k.copy(most, before);
    k.accumulate(most, kMaximum, scores);
    k.apply(
        scores, [](Expr s, Expr m) { return exp(s - m); }, scores, most);
    rescale();
    k.accumulate(total, kSum, scores);
    add_products(sums, value, scores);
  });
  k.copy(most, before);
  k.reduce_across(most, kMaximum, threads, 1);
  rescale();
  k.reduce_across(total, kSum, threads, 1);
  k.reduce_across(sums, kSum, threads, 1);
  k.branch({less(k.thread(), 16)}, [&] {  // whose key is the first
    k.apply(
        of_head(y), [](Expr s, Expr t) { return s / t; }, sums, total);
  });
  return k.finish();
}

// --- the problem ---

constexpr std::int64_t kPlaces = 75;  // for tokens of a sequence
constexpr std::uint32_t kGroup = 2;   // heads of q for each head of the cache

const Model kRagged({
    .name = "models/ragged",
    .summary = "attention of one query to caches of different lengths, with grouped heads",
    .size_form = "SEQUENCESxHEADSxWIDTH",
    .example = {16, 8, kWidth},
    .problem =
        [](const Size& s) {
          if (s[1] % kGroup != 0 || s[2] != kWidth) {
            throw ArgumentError("models/ragged: needs an even number of heads, of 64 elements");
          }
          const std::int64_t kv_heads = s[1] / kGroup;
          const Size cache = {s[0], kPlaces, kv_heads, kWidth};
          bench::Problem problem{{{"q", s},
                                  {"keys", cache},
                                  {"values", cache},
                                  {"lengths", {s[0]}, ScalarType::u32}},
                                 {"y", s},
                                 {{"heads", s[1]},
                                  {"kv_heads", kv_heads},
                                  {"places", kPlaces},
                                  {"sequences", s[0]}},
                                 4.0 * double(s[0] * s[1] * kWidth * kPlaces)};
          for (const std::size_t i : {0, 1}) {
            problem.inputs[i].value = [](std::uint64_t, std::uint64_t bits) {
              return 4 * fraction(bits) - 2;
            };
          }
          problem.inputs[3].value = [](std::uint64_t sequence, std::uint64_t bits) {
            const double first[] = {33, 1, kPlaces};
            return sequence < 3 ? first[sequence] : 1 + whole(bits, kPlaces);
          };
          return problem;
        },
    .reference =
        [](const bench::Problem& problem, Inputs in, Result y) {
          const std::size_t d = kWidth, heads = std::size_t(problem.output.shape[1]);
          const std::size_t of_token = d * heads / kGroup;
          for (std::size_t row = 0; row * d < y.size(); ++row) {
            const std::size_t sequence = row / heads, head = row % heads / kGroup;
            const auto at = [&](std::size_t token) {  // of keys and values
              return (sequence * kPlaces + token) * of_token + head * d;
            };
            std::vector<double> weights;
            double total = 0;
            for (std::size_t token = 0; token < std::size_t(in[3][sequence]); ++token) {
              double dot = 0;
              for (std::size_t i = 0; i < d; ++i)
                dot += in[0][row * d + i] * in[1][at(token) + i];
              total += weights.emplace_back(std::exp(dot / std::sqrt(d)));
            }
            for (std::size_t token = 0; token < weights.size(); ++token) {
              for (std::size_t i = 0; i < d; ++i) {
                const double part = weights[token] / total * in[2][at(token) + i];
                y[row * d + i].value += part;
                y[row * d + i].bound += std::fabs(part) * 0x1p-15;  // scores up to 16, and exp
              }
            }
          }
        },
    .kernel = [](const DeviceCaps& device) { return ragged(device.subgroup_size, kGroup); },
});

}  // namespace
}  // namespace models
