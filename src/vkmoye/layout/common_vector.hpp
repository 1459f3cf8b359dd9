// SPDX-License-Identifier: MIT
#pragma once
// How much two layouts have in common, which is how wide a copy between them may be.
//
//   a = (4,(2,4)):(1,(8,16)), b = (4,(2,4)):(1,(4,8))
//   max_common_vector(a, b)    4       elements 0..3 are consecutive in both
//   max_common_layout(a, b)    4:1     and these are their indices
//   max_alignment((8,6):(1,12))  4     every run of 4 aligned elements stays together
//
// CuTe: max_common_vector, max_common_layout, max_alignment (include/cute/layout.hpp).

#include <cstdint>
#include <numeric>

#include "vkmoye/layout/composition.hpp"
#include "vkmoye/layout/inverse.hpp"

namespace vkmoye {

namespace detail {

/// The largest n with a(inverse(i)) == i for all i < n, found leaf by leaf as long as the leaves
/// cannot carry, then element by element (at most kExhaustiveSize more).
constexpr std::int64_t common_run(const Layout& a, const Layout& inverse) {
  const FlatModes flat = coalesced_modes(a, LastLeaf::kept);
  std::int64_t digits[kMaxLeaves] = {};
  std::int64_t run = 1;
  for (const Mode& leaf : inverse.leaves()) {
    const LeafComposition part = compose_leaf(flat, leaf, digits);
    bool proven = part.refused < 0;
    for (int k = 0; k + 1 < flat.count; ++k) proven = proven && digits[k] < flat.modes[k].extent;
    if (!proven) {
      std::int64_t end = inverse.size();
      if (end > run + kExhaustiveSize) end = run + kExhaustiveSize;
      while (run < end && a(inverse(run)) == run) ++run;
      return run;
    }
    for (const Mode& mode : part.out) {
      if (mode.extent == 1) continue;
      if (mode.stride != run) return run;
      run *= mode.extent;
    }
  }
  return run;
}

}  // namespace detail

/// The largest n such that for all i < n the element that `b` has at offset i is at offset i in
/// `a`. For irregular layouts of more than 2^16 elements the result may be too small, but never
/// too large.
constexpr std::int64_t max_common_vector(const Layout& a, const Layout& b) {
  return detail::common_run(a, right_inverse(b));
}

/// Postcondition: a(R(i)) == i and b(R(i)) == i for i < size(R); size(R) is max_common_vector, or less
/// where that many are not whole modes.
constexpr Layout max_common_layout(const Layout& a, const Layout& b) {
  const Layout inverse = right_inverse(b);
  std::int64_t rest = detail::common_run(a, inverse);
  FlatModes result;
  for (const Mode& mode : inverse.leaves()) {
    const std::int64_t taken = rest < mode.extent ? rest : mode.extent;
    if (taken > 1) result.push({taken, mode.stride});
    if (taken < mode.extent) break;
    rest /= taken;
  }
  return coalesce(result.layout());
}

/// The largest n for which the strides show that the offsets of `layout` are whole aligned runs of n
/// consecutive ones. upcast(layout, n) then loses nothing, but it may be refused: the offsets of
/// (2,2,3):(3,8,1) are runs of 2, and no mode of it is divided by 2.
constexpr std::int64_t max_alignment(const Layout& layout) {
  const FlatModes sorted = sorted_by_stride(moving_modes(layout));
  std::int64_t run = 1, others = 0;
  for (int i = 0; i < sorted.count; ++i) {
    const Mode& mode = sorted.modes[i];
    if (others == 0 && mode.stride == run) {
      run *= mode.extent;
    } else {
      others = std::gcd(others, mode.stride);
    }
  }
  return std::gcd(run, others);
}

}  // namespace vkmoye
