// SPDX-License-Identifier: MIT
#include "kernels.hpp"

#include <cmath>
#include <functional>

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

// Element `i` of a block of a table: of 16-bit words, or the element itself.
Expr decoded(Builder& k, const TensorType& type, const Expr& i, const Expr& block,
             const Expr& row) {
  const auto word = [&](const std::string& name, const Expr& at) {
    return k.load(name, ir::Element{"table", {at, block, row}, name});
  };
  if (type.blocks == nullptr) return convert(word("element", 0), f32);
  return weight_in_block(k, *type.blocks, i, "", [&](const std::string& name, const Expr& at) {
    return convert(word(name, at), u32);
  });
}

}  // namespace

ir::Kernel embedding(const TensorType& type, std::uint32_t first) {
  const auto elements = static_cast<std::uint32_t>(type.block_elements);
  const ScalarType of_table = type.blocks != nullptr ? ScalarType::u16 : type.scalar;
  const auto words = static_cast<std::uint32_t>(type.block_bytes / size_of(of_table));
  Builder k("llama/embedding", 64);
  const Tensor table =
      k.input("table", of_table, {{"word", words}, {"block", "blocks"}, {"row", "words"}});
  const Tensor tokens = k.input("tokens", i32, {{"token", "count"}});
  const std::vector<Builder::AxisSpec> of_x = {{"d", "width"}, {"token", "count"}};
  const Tensor x = first == 0 ? k.output("x", f32, of_x) : k.in_out("x", f32, of_x);
  const View mine =
      parallelize(tile(x, {64, 1}, {k.block_x(), k.block_y()}), make_layout({64, 1}), k.thread());
  const View found = k.make_fragment_like("found", f32, mine);
  if (first == 0) {
    k.assign(found, 0);
  } else {
    k.copy(mine, found, {.edges = Edges::zero});
  }
  const Expr d = k.let("d", 64 * k.block_x() + k.thread()), block = k.let("block", d / elements);
  const Expr id = k.load("id", tile(tokens, {1}, {k.block_y()}));
  const Expr row = k.let("row", to_index(first == 0 ? id : id - number(i32, first)));
  k.branch({less(block, table.extent(1)), less(row, table.extent(2))},
           [&] { k.assign(found, decoded(k, type, k.let("i", d % elements), block, row)); });
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
  const View last = mine(x, x.extent(1) - 1);
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

ir::Kernel gated(ScalarType activations, const Norm& norm, bool together) {
  const std::uint32_t threads = norm.threads != 0 ? norm.threads : 256;
  Builder k("llama/gated", threads, norm.lanes);
  k.header({}, "each workgroup computes the norm of x, and a part of the result");
  const std::vector<Builder::AxisSpec> row = {{"d", "hidden"}};
  const auto rows = [&](const char* name, std::uint32_t count) {
    return k.input(name, f32, {{"d", "hidden"}, {"row", count}});
  };
  const Tensor gate = rows(together ? "gate_up" : "gate", together ? 2 : 1);
  const Tensor up = together ? gate : rows("up", 1);
  k.grid(0, "hidden", threads);
  const View by = of_sums(k, norm, threads, {equal(k.block_x(), 0)});
  const Tensor dst = k.output("gated", activations, row);
  const auto mine = [&](const Tensor& of) {
    return parallelize(tile(of, {threads}, {k.block_x()}), make_layout({threads}), k.thread());
  };
  const auto of_row = [&](const Tensor& of, std::uint32_t number) {
    return select(parallelize(tile(of, {threads, 1}, {k.block_x(), number}),
                              make_layout({threads, 1}), k.thread()),
                  1, 0);
  };
  k.apply(
      mine(dst),
      [&](const Expr& g, const Expr& u, const Expr& s) {
        const Expr v = k.let("scaled_gate", g * s);
        return v / (1 + exp(-v)) * (u * (s * std::ldexp(1, -kGatedExponent)));
      },
      of_row(gate, 0), of_row(up, together ? 1 : 0), by);
  return k.finish();
}

ir::Kernel rotate_and_append(ScalarType activations, ScalarType cache, const Norm& norm,
                             const Heads& are) {
  const std::uint32_t threads = are.are_sums && norm.threads != 0 ? norm.threads : 64;
  Builder k("llama/rotate_and_append", threads, are.are_sums || are.have_norms ? norm.lanes : 0);
  const ScalarType from_type = are.are_sums ? f32 : activations;
  k.header({}, "a workgroup has a head of q and, of the first heads, one of k and one of v");
  const auto heads_of = [](const Builder::AxisSpec& heads, const Builder::AxisSpec& rows) {
    return std::vector<Builder::AxisSpec>{{"side", 2}, {"pair", "pairs"}, heads, rows};
  };
  const Builder::AxisSpec of_q = {"head", "heads"}, of_kv = {"head", "kv_heads"};
  const Builder::AxisSpec of_all = {"head", "all_heads"};
  const Builder::AxisSpec tokens = {"row", "count"}, one_head = {"head", 1}, one_row = {"row", 1};
  struct Source {
    Tensor from;
    Expr first = 0;  // head of it
    std::optional<Tensor> bias = {}, norm = {};
    std::optional<View> inverse = {};
  };
  Source q = {k.input(are.are_together ? "qkv" : "q", from_type,
                      heads_of(are.are_together ? of_all : of_q, tokens))};
  Source keys = q, values = q;
  if (are.are_together) {
    keys.first = k.argument("heads", u32);
    values.first = keys.first + k.argument("kv_heads", u32);
  } else {
    keys = {k.input("k", from_type, heads_of(of_kv, tokens))};
    values = {k.input("v", from_type, heads_of(of_kv, tokens))};
  }
  const Tensor positions = k.input("positions", i32, {{"token", "count"}});
  const Tensor frequencies = k.input("frequencies", f32, {{"pair", "pairs"}});
  k.grid(0, "heads", 1);
  std::optional<View> scale;
  if (are.are_sums) {
    scale = of_sums(k, norm, threads, {equal(k.block_x(), 0), equal(k.block_y(), 0)});
  }
  if (are.have_biases) {
    q.bias = k.input("bias_q", f32, heads_of(of_q, one_row));
    keys.bias = k.input("bias_k", f32, heads_of(of_kv, one_row));
    values.bias = k.input("bias_v", f32, heads_of(of_kv, one_row));
  }
  if (are.have_norms) {
    q.norm = k.input("norm_q", f32, heads_of(one_head, one_row));
    keys.norm = k.input("norm_k", f32, heads_of(one_head, one_row));
  }
  const Tensor rotated = k.output("rotated", activations, heads_of(of_q, tokens));
  const Tensor cache_k = k.in_out("cache_k", cache, heads_of(of_kv, {"row", "places"}));
  const Tensor cache_v = k.in_out("cache_v", cache, heads_of(of_kv, {"row", "places"}));
  const char* why = "positions are distinct";
  k.assume_distinct(cache_k, why);
  k.assume_distinct(cache_v, why);

  const Expr head = k.let("head", k.block_x()), token = k.block_y();
  const Expr position = k.load("position", tile(positions, {1}, {token}));
  const Expr place = k.let("place", to_index(position));
  const Expr blocks = ceil_div(frequencies.extent(0), threads);
  const auto pair = [&](const Tensor& of, const Expr& block, const Expr& of_head,
                        const Expr& row) {  // (2, 1, 1, 1)
    return parallelize(tile(of, {2, threads, 1, 1}, {0, block, of_head, row}),
                       make_layout({1, threads, 1, 1}), k.thread());
  };
  const auto mine = [&](const Tensor& of, const Expr& block, const Expr& row) {
    return pair(of, block, head, row);
  };
  const View x = k.make_fragment_like("pair_of_head", from_type, mine(q.from, 0, 0));
  const View by = k.make_fragment_like("pair_of_weights", f32, x);
  const View y = k.make_fragment_like("y", f32, x), z = k.make_fragment_like("z", f32, x);
  const CopyOptions loads = {.edges = Edges::zero, .vector = {2}};
  // y <- the pair of a head, before it is rotated; 0 outside.
  const auto load = [&](const Source& source, const Expr& block) {
    k.copy(pair(source.from, block, source.first + head, token), x, loads);
    const auto in_f32 = [](const Expr& v) { return convert(v, f32); };
    if (scale) {
      k.apply(
          y, [&](const Expr& v, const Expr& s) { return in_f32(v) * s; }, x, *scale);
    } else {
      k.apply(y, in_f32, x);
    }
    if (source.bias) {
      k.copy(mine(*source.bias, block, 0), by, loads);
      k.apply(
          y, [](const Expr& v, const Expr& bias) { return v + bias; }, y, by);
    }
    if (source.inverse) {
      k.copy(pair(*source.norm, block, 0, 0), by, loads);
      k.apply(
          y, [](const Expr& v, const Expr& w, const Expr& inverse) { return v * inverse * w; }, y,
          by, *source.inverse);
    }
  };
  for (Source* source : {&q, &keys}) {
    if (!are.have_norms) break;
    const std::string suffix = source == &q ? "_of_q" : "_of_k";
    const auto numbers = [&](const std::function<void(const View&)>& add) {
      k.loop("block" + suffix, blocks, [&](const Expr& block) {
        load(*source, block);
        add(y);
      });
    };
    source->inverse =
        inverse_rms(k, numbers, 2 * frequencies.extent(0), threads, norm.epsilon, suffix);
  }
  const View c = k.registers("c", f32, Layout()), s = k.registers("s", f32, Layout());
  // z <- y, rotated.
  const auto rotate = [&] {
    const View a = select(y, 0, 0), b = select(y, 0, 1);
    k.apply(
        select(z, 0, 0),
        [](const Expr& l, const Expr& r, const Expr& co, const Expr& si) {
          return l * co - r * si;
        },
        a, b, c, s);
    k.apply(
        select(z, 0, 1),
        [](const Expr& l, const Expr& r, const Expr& co, const Expr& si) {
          return l * si + r * co;
        },
        a, b, c, s);
  };
  k.loop("block", blocks, [&](const Expr& block) {
    const View frequency =
        parallelize(tile(frequencies, {threads}, {block}), make_layout({threads}), k.thread());
    const View f = k.make_fragment_like("f", f32, frequency);
    k.copy(frequency, f, {.edges = Edges::zero});
    const View angle = k.make_fragment_like("angle", f32, f);
    k.with_title("angle <- position * f, between -pi and pi", [&] {
      k.apply(
          angle, [&](const Expr& v) { return reduced_angle(k, convert(position, f32), v); }, f);
    });
    k.apply(
        c, [](const Expr& v) { return cos(v); }, angle);
    k.apply(
        s, [](const Expr& v) { return sin(v); }, angle);
    load(q, block);
    rotate();
    k.copy(z, mine(rotated, block, token), {.vector = {2}});
    k.branch({less(head, cache_k.extent(2)), less(place, cache_k.extent(3))}, [&] {
      load(keys, block);
      rotate();
      k.copy(z, mine(cache_k, block, place), {.vector = {2}});
      load(values, block);
      k.copy(y, mine(cache_v, block, place), {.vector = {2}});
    });
  });
  return k.finish();
}

}  // namespace llama
