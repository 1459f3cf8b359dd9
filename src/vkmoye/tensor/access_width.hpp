// SPDX-License-Identifier: MIT
#pragma once
// The widest accesses that layouts allow.
//
//   a thread's values (4,2):(1,64), beginning at (8,8):(4,128), of 4 bytes
//                            4 elements: runs of 4 neighbours, and 64, 4, 128 are multiples of 4
//   values (4,2):(1,65)      1 element: a run begins at 65
//   values (2,8):(1,130)     2 elements: there are runs of 2
//
// Values may be touched in any order, so a copy may read along one mode and write along another, each
// side as wide as its own layout allows; elements then change places in registers between.
//
// CuTe: max_common_vector, and copy with AutoVectorizingCopy (include/cute/algorithm/copy.hpp), which
// keeps the order of the values.

#include <cstdint>
#include <numeric>

#include "vkmoye/layout/common_vector.hpp"
#include "vkmoye/layout/swizzle.hpp"

namespace vkmoye {

inline constexpr std::int64_t kWidestCopy = 16;  // bytes: the widest access that devices have

/// The number of elements of one access, and why twice as many are not possible.
struct AccessWidth {
  /// What limits the width.
  enum class Limit : std::uint8_t {
    bytes,    // `number` bytes are the most
    run,      // the values make runs of `number` neighbours
    step,     // runs of a worker are `number` apart, or a divisor of that
    start,    // workers begin `number` apart, or a divisor of that
    swizzle,  // a swizzle moves runs of `number` apart
  };
  std::int64_t elements = 1;  // a power of two
  Limit limit = Limit::bytes;
  std::int64_t number = kWidestCopy;
};

/// The widest access to the values of workers that begin at the offsets `starts`, stored under
/// `swizzle`, in an array that begins at a multiple of `max_bytes`.
/// Post, n being result.elements: for each start s, the offsets s + values(v) are whole runs of
/// n * i .. n * i + n - 1, and so are their places under the swizzle; n * element_bytes <= max_bytes.
/// Throws LayoutError unless element_bytes and max_bytes are at least 1.
constexpr AccessWidth access_width(const Layout& values, const Layout& starts,
                                   std::int64_t element_bytes, std::int64_t max_bytes = kWidestCopy,
                                   const Swizzle& swizzle = {}) {
  if (element_bytes < 1 || max_bytes < 1)
    raise("access_width", {values, element_bytes, max_bytes}, "bytes are at least 1");
  const FlatModes sorted = sorted_by_stride(moving_modes(values));
  std::int64_t run = 1, step = 0, start = 0;
  for (const Mode& mode : sorted) {
    if (step == 0 && mode.stride == run) {
      run *= mode.extent;
    } else {
      step = std::gcd(step, mode.stride);
    }
  }
  for (const Mode& mode : starts.leaves())
    if (mode.extent > 1) start = std::gcd(start, mode.stride);
  // Bits of the offset below those that the swizzle reads or changes stay as they are.
  const std::int64_t bits = swizzle.source_mask() | swizzle.target_mask();
  const std::int64_t together = bits & -bits;

  using Limit = AccessWidth::Limit;
  for (std::int64_t n = 1;; n *= 2) {
    if (2 * n * element_bytes > max_bytes) return {n, Limit::bytes, max_bytes};
    if (run % (2 * n) != 0) return {n, Limit::run, run};
    if (step % (2 * n) != 0) return {n, Limit::step, step};
    if (start % (2 * n) != 0) return {n, Limit::start, start};
    if (together % (2 * n) != 0) return {n, Limit::swizzle, together};
  }
}

/// Where a copy finds or puts the values of its workers.
struct CopySide {
  Layout values;                         // the values of one worker
  Layout starts;                         // where workers begin
  Swizzle swizzle = {};                  // applied after both
  std::int64_t max_bytes = kWidestCopy;  // per access; also the alignment of the array
};

/// Both sides of a copy.
struct CopyWidths {
  AccessWidth source, destination;
  /// The number of values that one access can move on both sides without reordering.
  std::int64_t together = 1;
};

/// Postcondition: each width is that of access_width; `together` divides both, and every aligned run of that many
/// offsets of the source holds the values of one such run of the destination, in the same order.
/// Throws LayoutError like access_width, or if the sides have different numbers of values.
constexpr CopyWidths widest_copy(const CopySide& source, const CopySide& destination,
                                 std::int64_t element_bytes) {
  if (source.values.size() != destination.values.size())
    raise("widest_copy", {source.values, destination.values},
          "the sides have different numbers of values");
  const auto width = [&](const CopySide& side) {
    return access_width(side.values, side.starts, element_bytes, side.max_bytes, side.swizzle);
  };
  const AccessWidth from = width(source), to = width(destination);
  const std::int64_t common = max_common_vector(source.values, destination.values);
  return {from, to, std::gcd(std::gcd(from.elements, to.elements), common)};
}

}  // namespace vkmoye
