// SPDX-License-Identifier: MIT
#pragma once
// Why an access is not wider, told from what a thread touches one after the other.
//
//   col, then col + 1, col a multiple of 2        two at once would do
//   row, then row + 8                             consecutive values are 8 apart along row

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/guards.hpp"

namespace vkmoye::gen {

/// Collects the values of one access, thread by thread, in the order in which they are touched.
class WidthLimit {
 public:
  WidthLimit(const ir::Array& array, std::uint32_t width, std::size_t threads)
      : array_(&array), width_(width), last_(threads) {}

  /// `thread` touches the element at `coordinates`, which lies at `offset`; `strides`: of the axes.
  void touch(std::size_t thread, const std::vector<std::uint32_t>& coordinates,
             const std::vector<std::uint64_t>& strides, std::int64_t offset);

  /// One sentence. `guards` hold where the access stands.
  std::string why(const ir::Guards& guards) const;

 private:
  struct Touch {
    std::vector<std::uint32_t> coordinates;
    std::int64_t offset = 0;
  };
  std::string distance(const Touch& from, const Touch& to,
                       const std::vector<std::uint64_t>& strides) const;
  bool extents_allow(std::uint32_t width, const ir::Guards& guards) const;

  const ir::Array* array_;
  std::uint32_t width_;
  std::vector<std::optional<Touch>> last_;  // of each thread, while the pair's second is to come
  bool any_pair_ = false;
  std::string apart_;      // the first pair that are no neighbours
  std::string unaligned_;  // the first pair of neighbours that begins at no multiple
};

}  // namespace vkmoye::gen
