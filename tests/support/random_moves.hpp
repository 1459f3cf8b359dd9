// SPDX-License-Identifier: MIT
#pragma once
// Seeded random relayouts: permutations of 1 to 5 axes (half of them with a small innermost axis), gaps between rows,
// broadcasts, elements of every size, and some configs other than the default.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "vkmoye/gen/kernels/moves/relayout/relayout.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::test {

struct RandomMove {
  Layout src, dst;
  gen::RelayoutConfig config;

  std::size_t width() const { return size_of(config.type); }
  std::size_t src_bytes() const { return static_cast<std::size_t>(cosize(src)) * width(); }
  std::size_t dst_bytes() const { return static_cast<std::size_t>(cosize(dst)) * width(); }
  std::string text() const {
    return std::string(to_string(config.type)) + " " + to_string(src) + " -> " + to_string(dst) +
           " vector=" + std::to_string(config.vector) + " run=" + std::to_string(config.run);
  }

  /// Changes `before`, the bytes of dst, to the expected result.
  template <class Byte>
  void apply(const std::vector<Byte>& from, std::vector<Byte>& before) const {
    for (std::int64_t i = 0; i < src.size(); ++i) {
      std::memcpy(&before[static_cast<std::size_t>(dst(i)) * width()],
                  &from[static_cast<std::size_t>(src(i)) * width()], width());
    }
  }
};

/// The same numbers give the same relayout on every machine.
inline RandomMove random_move(std::uint64_t seed, std::int64_t number) {
  std::mt19937_64 random(seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(number));
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  const auto one_of = [&](const auto& values) { return values[below(std::size(values))]; };
  const std::int64_t max_elements = number % 8 == 0 ? 1 << 15 : 1 << 12;  // elements
  constexpr std::int64_t kSmall[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 31};
  constexpr std::int64_t kLarge[] = {17, 32, 33, 64, 100, 127, 128, 130, 256, 1000, 4097};

  const std::size_t rank = 1 + below(5);
  std::vector<std::int64_t> extents(rank);
  std::int64_t all = 1;
  for (std::int64_t& extent : extents) {
    extent = below(2) == 0 ? one_of(kSmall) : one_of(kLarge);
    if (all * extent > max_elements) extent = 1 + static_cast<std::int64_t>(below(3));
    all *= extent;
  }
  const bool compact = below(2) == 0;  // else with gaps, and with broadcasts in src
  const auto strided = [&](bool may_repeat) {
    std::vector<std::size_t> order(rank);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = rank; i > 1; --i) std::swap(order[i - 1], order[below(i)]);
    std::vector<Layout> modes(rank);
    std::int64_t stride = !compact && below(8) == 0 ? 2 : 1;
    for (const std::size_t m : order) {
      const bool repeats = !compact && may_repeat && below(8) == 0;
      modes[m] = Layout(extents[m], repeats ? 0 : stride);
      if (!repeats) stride *= extents[m];
      if (!compact && below(3) == 0)
        stride = (stride + 7) / 8 * 8;  // rows begin at multiples of this
    }
    return make_layout(modes);
  };
  RandomMove move{strided(true), strided(false), {}};
  const auto types = scalar_types();  // in turn, so that a few moves cover all
  move.config.type = types[static_cast<std::size_t>(number) % std::size(types)].type;
  if (below(4) == 0) {
    constexpr std::int64_t kVectors[] = {4, 8, 16}, kRuns[] = {0, 8, 16, 32};
    constexpr gen::TileOrder kOrders[] = {gen::TileOrder::dst, gen::TileOrder::src,
                                          gen::TileOrder::both};
    move.config.vector = one_of(kVectors);
    move.config.run = one_of(kRuns);
    move.config.order = one_of(kOrders);
  }
  return move;
}

}  // namespace vkmoye::test
