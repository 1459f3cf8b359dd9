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

ir::Kernel append(ScalarType activations, ScalarType cache) {
  Builder k("llama/append", 64);
  const std::vector<Builder::AxisSpec> rows = {{"d", "width"}, {"token", "count"}};
  const std::vector<Builder::AxisSpec> places = {{"d", "width"}, {"place", "places"}};
  const Tensor keys = k.input("k", activations, rows), values = k.input("v", activations, rows);
  const Tensor positions = k.input("positions", i32, {{"token", "count"}});
  const Tensor cache_k = k.in_out("cache_k", cache, places);
  const Tensor cache_v = k.in_out("cache_v", cache, places);
  const char* why = "positions are distinct";
  k.assume_distinct(cache_k, why);
  k.assume_distinct(cache_v, why);
  k.grid(0, "width", 64);
  const Expr token = k.block_y(), d = k.let("d", 64 * k.block_x() + k.thread());
  const Expr place =
      k.let("place", ir::to_index(k.load("position", tile(positions, {1}, {token}))));
  k.branch({less(d, Builder::extent(keys, 0)), less(place, Builder::extent(cache_k, 1))}, [&] {
    const Expr key = k.load("key", ir::Element{"k", {d, token}, "k"});
    const Expr value = k.load("value_of_token", ir::Element{"v", {d, token}, "v"});
    k.store(convert(key, cache), ir::Element{"cache_k", {d, place}, "cache_k"});
    k.store(convert(value, cache), ir::Element{"cache_v", {d, place}, "cache_v"});
  });
  return k.finish();
}

}  // namespace llama
