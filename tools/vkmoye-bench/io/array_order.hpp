// SPDX-License-Identifier: MIT
#pragma once
// The two orders in which NumPy writes arrays. An array in Fortran's order is, in C's, the array of the
// axes in reverse:
//
//   (2,3) in Fortran's order    a00 a10 a01 a11 a02 a12    =    (3,2) in C's order

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vkmoye::bench {

/// The shape, in C's order, of the memory of an array of `shape` in Fortran's, and the other way round.
std::vector<std::int64_t> reversed(std::vector<std::int64_t> shape);

/// The elements of `width` bytes of an array of `shape` in Fortran's order, put into C's.
std::vector<std::byte> in_c_order(std::span<const std::byte> data,
                                  const std::vector<std::int64_t>& shape, std::size_t width);

}  // namespace vkmoye::bench
