// SPDX-License-Identifier: MIT
#pragma once
// Explains why an access is not wider, from the elements that each thread accesses one after the other.
//
//   col, then col + 1, col a multiple of 2        one access of two would do
//   row, then row + 8                             consecutive values are 8 apart along row

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/guards.hpp"

namespace vkmoye::gen {

/// Collects the accesses of each thread at one site, in their order.
class WidthLimit {
 public:
  WidthLimit(const ir::Array& array, std::uint32_t width, std::size_t threads)
      : array_(&array), width_(width), last_(threads) {}

  /// `thread` accesses the element at `coordinates`, which is at `offset`. `strides` are those of the axes.
  void add(std::size_t thread, const std::vector<std::uint32_t>& coordinates,
           const std::vector<std::uint64_t>& strides, std::int64_t offset);

  /// The reason, in one sentence. `guards` hold at the access.
  std::string why(const ir::Guards& guards) const;

 private:
  struct Position {
    std::vector<std::uint32_t> coordinates;
    std::int64_t offset = 0;
  };
  std::string distance(const Position& from, const Position& to,
                       const std::vector<std::uint64_t>& strides) const;
  bool extents_allow(std::uint32_t width, const ir::Guards& guards) const;

  const ir::Array* array_;
  std::uint32_t width_;
  // The first access of a pair of each thread, until the second comes.
  std::vector<std::optional<Position>> last_;
  bool any_pair_ = false;
  std::string apart_;      // describes the first pair that are not neighbours
  std::string unaligned_;  // describes the first pair of neighbours that is not aligned
};

}  // namespace vkmoye::gen
