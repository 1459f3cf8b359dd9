// SPDX-License-Identifier: MIT
// The positions of the 4 largest numbers of each row, the largest first; of equal ones, the first.

#include "model.hpp"

namespace models {
namespace {

constexpr std::uint32_t kTaken = 4;

ir::Kernel top_k(std::uint32_t lanes) {
  const ScalarType f32 = ScalarType::f32, u32 = ScalarType::u32;
  Builder k("top_k", 128, lanes);
  const Tensor x = k.input("x", f32, {{"col", 1000}, {"row", "rows"}});
  const Tensor top = k.output("top", u32, {{"place", kTaken}, {"row", "rows"}});
  const Layout threads = make_layout({128, 1});
  const View row =
      parallelize(tile(x, {1024, 1}, {0, k.block_x()}), threads, k.thread());  // (8, 1)
  const View left = k.make_fragment_like("left", f32, row);
  const View places = k.make_fragment_like("places", u32, row);
  const View most = k.registers("most", f32, Layout()),
             first = k.registers("first", u32, Layout());
  const Expr none = number(f32, -std::numeric_limits<double>::infinity());
  k.assign(left, none);
  k.apply(
      left, [](Expr v) { return v; }, row);  // elements past the edge stay -infinity
  k.loop("taken", kTaken, [&](const Expr& taken) {
    k.assign(most, none);
    k.accumulate(most, kMaximum, left);
    k.reduce_across(most, kMaximum, threads, 0);
    k.apply(places, row,
            [&](const std::vector<Expr>& v, const std::vector<Expr>& at) {
              return select(equal(v[0], v[1]), convert(at[0], u32), number(u32, 1024));
            },
            {left, most});
    k.assign(first, number(u32, 1024));
    k.accumulate(first, kMinimum, places);
    k.reduce_across(first, kMinimum, threads, 0);
    k.apply(left, row,
            [&](const std::vector<Expr>& v, const std::vector<Expr>& at) {
              return select(equal(convert(at[0], u32), v[1]), none, v[0]);
            },
            {left, first});
    k.branch({equal(k.thread(), 0)}, [&] {
      k.copy(first, tile(top, {1, 1}, {taken, k.block_x()}));
    });
  });
  return k.finish();
}

const Model kTopK("top k", [](const Machine& machine) {
  const std::size_t cols = 1000, rows = 3;
  const Data x = data(ScalarType::f32, cols * rows, [](std::size_t i) {
    return static_cast<double>(i * 7919 % 257);  // some are equal
  });
  std::vector<Expected> top;
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<std::size_t> order(cols);
    for (std::size_t i = 0; i < cols; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return x[row * cols + a] > x[row * cols + b];
    });
    for (std::size_t i = 0; i < kTaken; ++i) top.push_back({static_cast<double>(order[i]), 0});
  }
  machine.check(top_k(machine.lanes()), {x, unwritten(ScalarType::u32, top.size())},
                {{"rows", rows}}, top);
});

}  // namespace
}  // namespace models
