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

constexpr ScalarType f32 = ScalarType::f32, u32 = ScalarType::u32, i32 = ScalarType::i32;

// Element `i` of a block of 16-bit words of a table.
Expr decoded(Builder& k, const WeightFormat& format, const Expr& i, const Expr& block,
             const Expr& row) {
  const auto elements = static_cast<std::uint32_t>(format.elements);
  const auto word_at = [&](const char* name, const Expr& word, const char* what) {
    return k.load(name, ir::Element{"table", {word, block, row}, what});
  };
  const auto f16_at = [&](const char* name, std::int64_t byte) {
    return convert(bitcast(word_at(name, to_index(byte / 2), name), ScalarType::f16), f32);
  };
  const Expr scale = f16_at("scale", *format.scale_at);
  // The byte of the code in the block, and the lowest bit of the code in its word.
  const Expr byte = format.bits == 8 ? i : k.let("byte", i % (elements / 2));
  const Expr high = format.bits == 8 ? Expr(0) : i / (elements / 2);
  const Expr word = word_at("code_word", to_index(format.codes_at / 2) + byte / 2, "codes");
  const Expr shift = convert(8 * (byte % 2) + 4 * high, u32);
  const Expr code = k.let("code", bit_and(shift_right(convert(word, u32), shift),
                                          number(u32, (1U << format.bits) - 1)));
  Expr value = convert(code, f32);
  if (format.has_sign) {  // two's complement
    const double half = std::ldexp(1.0, static_cast<int>(format.bits) - 1);
    value = value - select(less(value, number(f32, half)), number(f32, 0), 2 * half);
  }
  value = scale * (value - static_cast<double>(format.zero));
  return format.minimum_at ? value + f16_at("minimum", *format.minimum_at) : value;
}

// 1 / rms(x), in all of `threads` threads.
View scale_of_norm(Builder& k, const Tensor& x, std::uint32_t threads, double epsilon) {
  const std::uint32_t width = 16 / static_cast<std::uint32_t>(size_of(x.array.type));
  const std::uint32_t of_part = 4 * threads * width;  // four accesses of a thread in flight
  const TiledCopy copy = make_tiled_copy(make_layout({threads}), make_layout({width}));
  const auto part = [&](const Expr& block) {
    return partition(tile(x, {of_part}, {block}), copy, k.thread());
  };
  const View values = k.make_fragment_like("values_of_x", f32, part(0));
  const View sum = k.registers("sum", f32, Layout()), scale = k.registers("scale", f32, Layout());
  k.assign(sum, number(f32, 0));
  k.loop("part", ceil_div(Builder::extent(x, 0), of_part), [&](const Expr& block) {
    k.copy(part(block), values, {.edges = Edges::zero, .vector = {width}, .loads_first = true});
    const View to = broadcast(sum, values.shape());
    k.with_title("sum += x * x, for each value of x", [&] {
      k.apply(
          to, [](const Expr& s, const Expr& v) { return multiply_add(v, v, s); }, to, values);
    });
  });
  k.reduce_across(sum, kSum, make_layout({threads, 1}), 0);
  const Expr count = convert(Builder::extent(x, 0), f32);
  k.with_title("scale <- 1 / sqrt(sum / width + epsilon)", [&] {
    k.apply(
        scale, [&](const Expr& s) { return rsqrt(s / count + number(f32, epsilon)); }, sum);
  });
  return scale;
}

}  // namespace

ir::Kernel embedding(const WeightFormat& format, ScalarType activations) {
  const auto elements = static_cast<std::uint32_t>(format.elements);
  const auto words = static_cast<std::uint32_t>(format.bytes / 2);
  Builder k("llama/embedding", 64);
  const Tensor table =
      k.input("table", ScalarType::u16, {{"word", words}, {"block", "blocks"}, {"row", "words"}});
  const Tensor tokens = k.input("tokens", i32, {{"token", "count"}});
  const Tensor x = k.output("x", activations, {{"d", "width"}, {"token", "count"}});
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

ir::Kernel last_row(ScalarType type) {
  constexpr std::uint32_t kThreads = 64;
  Builder k("llama/last_row", kThreads);
  const Tensor x = k.input("x", type, {{"d", "width"}, {"token", "count"}});
  const Tensor y = k.output("y", type, {{"d", "width"}, {"row", 1}});
  const auto mine = [&](const Tensor& of, const Expr& row) {
    return parallelize(tile(of, {kThreads, 1}, {k.block_x(), row}), make_layout({kThreads, 1}),
                       k.thread());
  };
  const View last = mine(x, Builder::extent(x, 1) - 1);
  const View values = k.make_fragment_like("values", type, last);
  k.copy(last, values, {.edges = Edges::zero});
  k.copy(values, mine(y, 0));
  return k.finish();
}

ir::Kernel weighted(ScalarType activations) {
  constexpr std::uint32_t kThreads = 64;
  Builder k("llama/weighted", kThreads);
  const std::vector<Builder::AxisSpec> row = {{"d", "width"}};
  const auto mine = [&](const Tensor& of) {
    return parallelize(tile(of, {kThreads}, {k.block_x()}), make_layout({kThreads}), k.thread());
  };
  const View x = mine(k.input("x", activations, row)),
             weight = mine(k.input("weight", activations, row));
  k.apply(
      mine(k.output("y", activations, row)),
      [](const Expr& v, const Expr& w) { return convert(v, f32) * convert(w, f32); }, x, weight);
  return k.finish();
}

ir::Kernel gated(ScalarType activations, const NormOfRow& norm) {
  constexpr std::uint32_t kThreads = 256;
  Builder k("llama/gated", kThreads, norm.lanes);
  k.describe({}, "each workgroup computes the norm of x, and a part of the result");
  const std::vector<Builder::AxisSpec> row = {{"d", "hidden"}};
  const Tensor gate = k.input("gate", f32, row), up = k.input("up", f32, row);
  const Tensor x = k.input("x", activations, {{"d", "width"}});
  const Tensor dst = k.output("gated", activations, row);
  const View scale = scale_of_norm(k, x, kThreads, norm.epsilon);
  const auto mine = [&](const Tensor& of) {
    return parallelize(tile(of, {kThreads}, {k.block_x()}), make_layout({kThreads}), k.thread());
  };
  k.apply(
      mine(dst),
      [&](const Expr& g, const Expr& u, const Expr& s) {
        const Expr v = k.let("scaled_gate", g * s);
        return v / (1 + exp(-v)) * (u * s);
      },
      mine(gate), mine(up), scale);
  return k.finish();
}

ir::Kernel rotate_and_append(ScalarType activations, ScalarType cache,
                             const std::optional<NormOfRow>& norm) {
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
  Tensor row;
  if (norm) row = k.input("x", activations, {{"d", "width"}});
  const Tensor rotated = k.output("rotated", activations, heads_of("heads", "count"));
  const Tensor cache_k = k.in_out("cache_k", cache, heads_of("kv_heads", "places"));
  const Tensor cache_v = k.in_out("cache_v", cache, heads_of("kv_heads", "places"));
  const char* why = "positions are distinct";
  k.assume_distinct(cache_k, why);
  k.assume_distinct(cache_v, why);

  k.grid(0, "heads", 1);
  const Expr head = k.let("head", k.block_x()), token = k.block_y();
  const Expr position = k.load("position", tile(positions, {1}, {token}));
  const Expr place = k.let("place", ir::to_index(position));
  const View scale =
      norm ? scale_of_norm(k, row, kThreads, norm->epsilon) : k.registers("scale", f32, Layout());
  if (!norm) k.assign(scale, number(f32, 1));
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
