// SPDX-License-Identifier: MIT
#pragma once
// Copies, transposes and relayouts: the result is the input elsewhere, bit for bit.
//
//   transpose of 2x3    src (2,3)    dst (3,2), whose axes are 1 and 3 elements of src apart

#include "workloads/operation.hpp"

namespace vkmoye::bench {

Operation copies();
Operation transposes();
Operation relayouts();

/// Where each element comes from. Shapes in C's order.
struct MoveMap {
  Extents src, dst;
  Extents strides;  // in src, elements, along the axes of dst

  std::uint64_t elements() const;
  /// The place in src of what stands at `index` of dst.
  std::uint64_t source_of(std::uint64_t index) const;
};

}  // namespace vkmoye::bench
