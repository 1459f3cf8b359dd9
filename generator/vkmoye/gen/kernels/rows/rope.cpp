// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/rope.hpp"

#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/angle.hpp"

namespace vkmoye::gen {

const std::vector<ConfigField<RopeConfig>>& rope_fields() {
  static const auto fields = [] {
    auto pairs = choice_field<RopeConfig, RopePairs>("pairs", "the elements that form a pair",
                                                     {"neighbours", "halves"}, &RopeConfig::pairs);
    pairs.changes_result = true;
    return std::vector<ConfigField<RopeConfig>>{
        pairs,
        numbers_field<RopeConfig>("threads", "threads of a workgroup", {&RopeConfig::threads}),
        numbers_field<RopeConfig>("columns", "threads side by side along a row",
                                  {&RopeConfig::columns}),
        numbers_field<RopeConfig>("rounds", "heads of a thread", {&RopeConfig::rounds}),
    };
  }();
  return fields;
}

std::vector<std::string> reasons_against(const RopeConfig& config) {
  std::vector<std::string> reasons;
  require_power_of_two("threads", config.threads, 1024, reasons);
  require_power_of_two("columns", config.columns, 1024, reasons);
  require_power_of_two("rounds", config.rounds, 16, reasons);
  if (reasons.empty())
    require_divides("columns", config.columns, "the threads", config.threads, reasons);
  return reasons;
}

ir::Kernel rope(const RopeConfig& config, const std::string& name) {
  throw_if_any(name, reasons_against(config));
  const ScalarType f32 = ScalarType::f32;

  Builder k(name, config.threads);
  k.header(typed_items(rope_fields(), config),
           "a thread has the same pair of several heads, which share a sine and a cosine");
  const bool are_neighbours = config.pairs == RopePairs::neighbours;
  // Modes begin with (side, pair) or (pair, side).
  const auto in_order = [&](auto modes) {
    if (!are_neighbours) std::swap(modes[0], modes[1]);
    return modes;
  };
  const auto axes = in_order(std::vector<Builder::AxisSpec>{
      {"side", 2}, {"pair", "pairs"}, {"head", "heads"}, {"token", "tokens"}});
  const Tensor src = k.input("src", config.type, axes);
  const Tensor positions = k.input("positions", ScalarType::i32, {{"token", "tokens"}});
  const Tensor frequencies = k.input("frequencies", f32, {{"pair", "pairs"}});
  const Tensor dst = k.output("dst", config.type, axes);

  const std::int64_t columns = config.columns, lines = config.threads / columns;
  const std::int64_t heads = lines * config.rounds;
  const IntTuple extents =
      are_neighbours ? IntTuple{2, columns, heads, 1} : IntTuple{columns, 2, heads, 1};
  const Layout threads =
      are_neighbours ? make_layout({1, columns, lines, 1}) : make_layout({columns, 1, lines, 1});
  const auto mine = [&](const Tensor& of, const Expr& block) {  // (2, 1, rounds, 1) or (1, 2, ..)
    const auto at = in_order(std::vector<Expr>{0, block, k.block_x(), k.block_y()});
    return parallelize(tile(of, extents, at), threads, k.thread());
  };
  const auto of_pairs = [&](const Expr& block) {
    return parallelize(tile(frequencies, {columns}, {block}), make_layout({columns}),
                       k.thread() % to_index(columns));
  };
  const View x = k.make_fragment_like("x", config.type, mine(src, 0));
  const View y = k.make_fragment_like("y", config.type, x);
  const View frequency = k.make_fragment_like("frequency", f32, of_pairs(0));
  const View angle = k.make_fragment_like("angle", f32, frequency);
  const View c = k.make_fragment_like("c", f32, frequency);
  const View s = k.make_fragment_like("s", f32, frequency);
  const int sides = are_neighbours ? 0 : 1;
  const std::uint32_t sides_of_a_vector = are_neighbours ? 2 : 1;
  const View a = select(x, sides, 0), b = select(x, sides, 1);
  const Expr position =
      k.let("position", convert(k.load("at", tile(positions, {1}, {k.block_y()})), f32));

  k.loop("block", ceil_div(frequencies.extent(0), to_index(columns)), [&](const Expr& block) {
    k.copy(of_pairs(block), frequency, {.edges = Edges::zero});
    k.copy(mine(src, block), x, {.edges = Edges::zero, .vector = {sides_of_a_vector}});
    k.with_title("angle <- position * frequency, between -pi and pi", [&] {
      k.apply(
          angle, [&](const Expr& f) { return reduced_angle(k, position, f); }, frequency);
    });
    k.apply(
        c, [](const Expr& v) { return cos(v); }, angle);
    k.apply(
        s, [](const Expr& v) { return sin(v); }, angle);
    const auto wide = [&](const Expr& v) { return convert(v, f32); };
    k.with_title("y <- x, rotated", [&] {
      k.apply(
          select(y, sides, 0),
          [&](const Expr& l, const Expr& r, const Expr& co, const Expr& si) {
            return wide(l) * co - wide(r) * si;
          },
          a, b, c, s);
      k.apply(
          select(y, sides, 1),
          [&](const Expr& l, const Expr& r, const Expr& co, const Expr& si) {
            return wide(l) * si + wide(r) * co;
          },
          a, b, c, s);
    });
    k.copy(y, mine(dst, block), {.vector = {sides_of_a_vector}});
  });
  return k.finish();
}

}  // namespace vkmoye::gen
