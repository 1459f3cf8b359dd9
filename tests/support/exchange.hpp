// SPDX-License-Identifier: MIT
#pragma once
// Seeded random exchanges between thread-value layouts, and a kernel that performs one.

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::test {

struct RandomExchange {
  Layout from, to;  // (thread, value) -> coordinate
  std::string text() const { return to_string(from) + " -> " + to_string(to); }
};

/// Two layouts over the same coordinates: each has the bits of lane and value in random order, sometimes with
/// gaps, and a digit of 3 values that stays among the values.
inline RandomExchange random_exchange(std::mt19937& random, std::int64_t lanes) {
  std::vector<std::int64_t> of_lanes, of_values;  // extents
  const std::int64_t threads = random() % 4 == 0 ? lanes / 2 : lanes;
  for (std::int64_t i = 1; i < threads; i *= 2) of_lanes.push_back(2);
  for (std::size_t i = random() % 5; i > 0; --i) of_values.push_back(2);
  const std::size_t bits = of_lanes.size() + of_values.size();
  // The strides of the coordinates, including the digit of 3.
  const bool has_three = random() % 3 == 0;
  const std::size_t place = has_three ? random() % (bits + 1) : bits + 1;
  std::int64_t stride = random() % 4 == 0 ? 2 : 1, three = 0;
  std::vector<std::int64_t> strides;
  for (std::size_t i = 0; i <= bits; ++i) {
    if (i == place) {
      three = stride;
      stride *= 3;
    }
    if (i < bits) strides.push_back(stride);
    stride *= 2;
  }
  const auto layout = [&] {
    std::vector<std::int64_t> mine = strides;
    std::shuffle(mine.begin(), mine.end(), random);
    // Sometimes lanes stay lanes.
    if (random() % 3 == 0) mine = strides;
    const auto mode = [&](std::size_t first, std::size_t end, bool with_three) {
      std::vector<Layout> leaves;
      for (std::size_t i = first; i < end; ++i) leaves.emplace_back(IntTuple(2), IntTuple(mine[i]));
      if (with_three) {
        const std::size_t where = random() % (leaves.size() + 1);
        leaves.insert(leaves.begin() + static_cast<std::ptrdiff_t>(where),
                      Layout(IntTuple(3), IntTuple(three)));
      }
      return leaves.empty() ? Layout() : make_layout(leaves);
    };
    return make_layout(mode(0, of_lanes.size(), false), mode(of_lanes.size(), bits, has_three));
  };
  RandomExchange out;
  out.from = layout();
  out.to = layout();
  return out;
}

/// dst (value, thread) = coordinate `to(thread, value)` of src (coordinate, group), for each group of as many threads
/// as the layouts have. The threads load `from` into registers.
inline gen::ir::Kernel exchange_kernel(ScalarType type, const RandomExchange& exchange,
                                       std::int64_t threads, std::uint32_t lanes) {
  using namespace gen;
  const std::int64_t group = size(exchange.from.mode(0)), values = size(exchange.from.mode(1));
  Builder k("exchange", threads, lanes);
  const Tensor src =
      k.input("src", type, {{"coordinate", cosize(exchange.from)}, {"group", threads / group}});
  const Tensor dst = k.output("dst", type, {{"value", values}, {"at", threads}});
  const View held = k.registers("held", type, Layout(values));
  const Expr lane = k.thread() % to_index(group), mine = k.thread() / to_index(group);
  const Expr first = evaluate(exchange.from.mode(0), lane);
  for (std::int64_t v = 0; v < values; ++v) {
    const Expr value = k.load(
        "value" + std::to_string(v),
        ir::Element{"src", {first + to_index(exchange.from.mode(1)(v)), mine}, "src by thread"});
    k.store(value, ir::Element{"held", {Expr(to_index(v))}});
  }
  const View moved = k.exchange(held, exchange.from, exchange.to);
  const Layout& places = moved.axes.front().values;
  for (std::int64_t v = 0; v < values; ++v) {
    const ir::Element at{"held", {Expr(to_index(places(v)))}, "moved"};
    k.store(k.load("result" + std::to_string(v), at),
            ir::Element{"dst", {Expr(to_index(v)), k.thread()}, "dst by thread"});
  }
  return k.finish();
}

}  // namespace vkmoye::test
