// SPDX-License-Identifier: MIT
#pragma once
// Copies, transposes and relayouts: the result is a permutation of the input, bit for bit; copies may convert to
// another type, see conversion.hpp.
//
//   transpose of 2x3    src (2,3)    dst (3,2), whose axes have strides 1 and 3 in src

#include "workloads/operation.hpp"

namespace vkmoye::bench {

Operation copies();
Operation transposes();
Operation relayouts();

/// The source of each element. Shapes are in C order.
struct MoveMap {
  Extents src, dst;
  Extents strides;  // strides in src along the axes of dst, in elements

  std::uint64_t elements() const;
  /// The index in src of the element at `index` of dst.
  std::uint64_t source_of(std::uint64_t index) const;
};

}  // namespace vkmoye::bench
