// SPDX-License-Identifier: MIT
#include "kernels.hpp"

#include <cmath>

namespace llama {

using namespace vkmoye;
using namespace vkmoye::gen;
using ir::bit_and;
using ir::convert;
using ir::less;
using ir::number;
using ir::shift_right;

namespace {

constexpr ScalarType i32 = ScalarType::i32;

// Element `i` of a block of 16-bit words of a table.
Expr decoded(Builder& k, const WeightFormat& format, const Expr& i, const Expr& block,
             const Expr& row) {
  return weight_in_block(k, format, i, "", [&](const std::string& name, const Expr& at) {
    return convert(k.load(name, ir::Element{"table", {at, block, row}, name}), u32);
  });
}

}  // namespace

ir::Kernel embedding(const WeightFormat& format) {
  const auto elements = static_cast<std::uint32_t>(format.elements);
  const auto words = static_cast<std::uint32_t>(format.bytes / 2);
  Builder k("llama/embedding", 64);
  const Tensor table =
      k.input("table", ScalarType::u16, {{"word", words}, {"block", "blocks"}, {"row", "words"}});
  const Tensor tokens = k.input("tokens", i32, {{"token", "count"}});
  const Tensor x = k.output("x", f32, {{"d", "width"}, {"token", "count"}});
  const View mine =
      parallelize(tile(x, {64, 1}, {k.block_x(), k.block_y()}), make_layout({64, 1}), k.thread());
  const View found = k.make_fragment_like("found", f32, mine);
  k.assign(found, number(f32, 0));
  const Expr d = k.let("d", 64 * k.block_x() + k.thread()), block = k.let("block", d / elements);
  const Expr row = k.let("row", ir::to_index(k.load("id", tile(tokens, {1}, {k.block_y()}))));
  k.branch({less(block, Builder::extent(table, 1)), less(row, Builder::extent(table, 2))},
           [&] { k.assign(found, decoded(k, format, k.let("i", d % elements), block, row)); });
  k.copy(found, mine);
  return k.finish();
}

ir::Kernel last_row() {
  constexpr std::uint32_t kThreads = 64;
  Builder k("llama/last_row", kThreads);
  const Tensor x = k.input("x", f32, {{"d", "width"}, {"token", "count"}});
  const Tensor y = k.output("y", f32, {{"d", "width"}, {"row", 1}});
  const auto mine = [&](const Tensor& of, const Expr& row) {
    return parallelize(tile(of, {kThreads, 1}, {k.block_x(), row}), make_layout({kThreads, 1}),
                       k.thread());
  };
  const View last = mine(x, Builder::extent(x, 1) - 1);
  const View values = k.make_fragment_like("values", f32, last);
  k.copy(last, values, {.edges = Edges::zero});
  k.copy(values, mine(y, 0));
  return k.finish();
}

namespace {

// What turns the sums of a product with h into those with norm(x), in all of `threads` threads: 1 / (scale * rms(x)).
// Writes the scale of the next norm.
View of_sums(Builder& k, const Norm& norm, std::uint32_t threads, const Conditions& is_first) {
  const Tensor x = k.input("x", f32, {{"d", "width"}, {"row", 1}});
  const Tensor scale = k.input("scale", f32, {{"row", 1}});
  const Tensor next = k.in_out("next_scale", f32, {{"row", 1}});
  const View inverse = inverse_rms(k, x, 0, threads, norm.epsilon);
  store_scale(k, norm, inverse, next, is_first);
  const Expr given = k.load("given_scale", tile(scale, {1}, {0}));
  const View by = k.registers("by", f32, Layout());
  k.apply(
      by, [&](const Expr& v) { return v / given; }, inverse);
  k.apply(
      by, [&](const Expr& v) { return v / given; }, inverse);
  return by;
}

}  // namespace

ir::Kernel gated(ScalarType activations, const Norm& norm) {
  constexpr std::uint32_t kThreads = 256;
  Builder k("llama/gated", kThreads, norm.lanes);
  k.describe({}, "each workgroup computes the norm of x, and a part of the result");
  const std::vector<Builder::AxisSpec> row = {{"d", "hidden"}};
  const Tensor gate = k.input("gate", f32, row), up = k.input("up", f32, row);
  k.grid(0, "hidden", kThreads);
  const View by = of_sums(k, norm, kThreads, {equal(k.block_x(), 0)});
  const Tensor dst = k.output("gated", activations, row);
  const auto mine = [&](const Tensor& of) {
    return parallelize(tile(of, {kThreads}, {k.block_x()}), make_layout({kThreads}), k.thread());
  };
  k.apply(
      mine(dst),
      [&](const Expr& g, const Expr& u, const Expr& s) {
        const Expr v = k.let("scaled_gate", g * s);
        return v / (1 + exp(-v)) * (u * (s * std::ldexp(1, -kGatedExponent)));
      },
      mine(gate), mine(up), by);
  return k.finish();
}

ir::Kernel rotate_and_append(ScalarType activations, ScalarType cache,
                             const std::optional<Norm>& norm) {
  constexpr std::uint32_t kThreads = 64;
  Builder k("llama/rotate_and_append", kThreads, norm ? norm->lanes : 0);
  const ScalarType from_type = norm ? f32 : activations;
  k.describe({}, "a workgroup has a head of q and, of the first heads, one of k and one of v");
  const auto heads_of = [](const char* heads, const char* rows) {
    return std::vector<Builder::AxisSpec>{
        {"side", 2}, {"pair", "pairs"}, {"head", heads}, {"row", rows}};
  };
  const Tensor q = k.input("q", from_type, heads_of("heads", "count"));
  const Tensor keys = k.input("k", from_type, heads_of("kv_heads", "count"));
  const Tensor values = k.input("v", from_type, heads_of("kv_heads", "count"));
  const Tensor positions = k.input("positions", i32, {{"token", "count"}});
  const Tensor frequencies = k.input("frequencies", f32, {{"pair", "pairs"}});
  k.grid(0, "heads", 1);
  const View scale =
      norm ? of_sums(k, *norm, kThreads, {equal(k.block_x(), 0), equal(k.block_y(), 0)})
           : k.registers("scale_of_sums", f32, Layout());
  if (!norm) k.assign(scale, number(f32, 1));
  const Tensor rotated = k.output("rotated", activations, heads_of("heads", "count"));
  const Tensor cache_k = k.in_out("cache_k", cache, heads_of("kv_heads", "places"));
  const Tensor cache_v = k.in_out("cache_v", cache, heads_of("kv_heads", "places"));
  const char* why = "positions are distinct";
  k.assume_distinct(cache_k, why);
  k.assume_distinct(cache_v, why);

  const Expr head = k.let("head", k.block_x()), token = k.block_y();
  const Expr position = k.load("position", tile(positions, {1}, {token}));
  const Expr place = k.let("place", ir::to_index(position));
  const View c = k.registers("c", f32, Layout()), s = k.registers("s", f32, Layout());
  const auto mine = [&](const Tensor& of, const Expr& block, const Expr& row) {  // (2, 1, 1, 1)
    return parallelize(tile(of, {2, kThreads, 1, 1}, {0, block, head, row}),
                       make_layout({1, kThreads, 1, 1}), k.thread());
  };
  const View x = k.make_fragment_like("pair_of_head", from_type, mine(q, 0, 0));
  const View y = k.make_fragment_like("y", f32, x);
  // y <- the rotated pair of `from`.
  const auto rotate = [&](const View& from) {
    k.copy(from, x, {.edges = Edges::zero, .vector = {2}});
    const View a = select(x, 0, 0), b = select(x, 0, 1);
    k.apply(
        select(y, 0, 0),
        [](const Expr& l, const Expr& r, const Expr& co, const Expr& si) {
          return convert(l, f32) * co - convert(r, f32) * si;
        },
        a, b, c, s);
    k.apply(
        select(y, 0, 1),
        [](const Expr& l, const Expr& r, const Expr& co, const Expr& si) {
          return convert(l, f32) * si + convert(r, f32) * co;
        },
        a, b, c, s);
  };
  k.loop("block", ceil_div(Builder::extent(frequencies, 0), kThreads), [&](const Expr& block) {
    const View frequency =
        parallelize(tile(frequencies, {kThreads}, {block}), make_layout({kThreads}), k.thread());
    const View f = k.make_fragment_like("f", f32, frequency);
    k.copy(frequency, f, {.edges = Edges::zero});
    const View angle = k.make_fragment_like("angle", f32, f);
    k.with_title("angle <- position * f, between -pi and pi", [&] {
      k.apply(
          angle, [&](const Expr& v) { return reduced_angle(k, convert(position, f32), v); }, f);
    });
    k.apply(
        c, [](const Expr& v, const Expr& by) { return cos(v) * by; }, angle, scale);
    k.apply(
        s, [](const Expr& v, const Expr& by) { return sin(v) * by; }, angle, scale);
    rotate(mine(q, block, token));
    k.copy(y, mine(rotated, block, token), {.vector = {2}});
    k.branch({less(head, Builder::extent(keys, 2)), less(place, Builder::extent(cache_k, 3))}, [&] {
      rotate(mine(keys, block, token));
      k.copy(y, mine(cache_k, block, place), {.vector = {2}});
      k.copy(mine(values, block, token), x, {.edges = Edges::zero, .vector = {2}});
      k.apply(
          y, [](const Expr& v, const Expr& by) { return convert(v, f32) * by; }, x, scale);
      k.copy(y, mine(cache_v, block, place), {.vector = {2}});
    });
  });
  return k.finish();
}

}  // namespace llama
