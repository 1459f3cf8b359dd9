// SPDX-License-Identifier: MIT
#pragma once
// Properties of memory accesses that follow from a layout alone.
//
//   why_no_storage((32,32):(1,31))   "(0,1) and (31,0) share offset 31"
//   contiguous_run((8,6):(1,12))     8      elements 0..7 are neighbours
//   widest_access of the values (4,4):(1,32) of threads (8,8):(4,128), 4-byte elements, base
//   aligned to 16 bytes: 4 elements, one 16-byte access

#include <cstdint>
#include <numeric>
#include <string>

#include "vkmoye/layout/coalesce.hpp"
#include "vkmoye/layout/injective.hpp"

namespace vkmoye {

/// Why elements cannot be stored by `layout`: two coordinates that share an offset. "" if they can.
std::string why_no_storage(const Layout& layout);

/// The largest n such that elements 0..n-1 are at offsets 0..n-1.
constexpr std::int64_t contiguous_run(const Layout& layout) {
  const FlatModes flat = coalesced_modes(layout);
  return flat.count > 0 && flat.modes[0].stride == 1 ? flat.modes[0].extent : 1;
}

/// How many elements of one worker's `values` a single access may take, when the worker starts at
/// any of the offsets `starts`: the largest power of two n such that every aligned group of n
/// values is n consecutive elements, n * element_bytes is at most max_bytes, and no group starts
/// off a multiple of n * element_bytes, the base of the array being aligned to `alignment` bytes.
/// Precondition: element_bytes, alignment, max_bytes >= 1.
constexpr std::int64_t widest_access(const Layout& values, const Layout& starts,
                                     std::int64_t element_bytes, std::int64_t alignment,
                                     std::int64_t max_bytes = 16) {
  if (element_bytes < 1 || alignment < 1 || max_bytes < 1)
    raise("widest_access", {values, element_bytes, alignment, max_bytes}, "bytes are at least 1");
  const FlatModes flat = coalesced_modes(values);
  const std::int64_t run = contiguous_run(values);
  std::int64_t common = run;  // what n must divide
  for (int i = 0; i < flat.count; ++i)
    if (i > 0 || flat.modes[0].stride != 1) common = std::gcd(common, flat.modes[i].stride);
  for (const Mode& mode : starts.leaves())
    if (mode.extent > 1) common = std::gcd(common, mode.stride);
  std::int64_t n = 1;
  while (n <= max_bytes / element_bytes / 2 && common % (2 * n) == 0 &&
         alignment % (2 * n * element_bytes) == 0)
    n *= 2;
  return n;
}

}  // namespace vkmoye
