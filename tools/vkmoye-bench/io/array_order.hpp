// SPDX-License-Identifier: MIT
#pragma once
// The two orders in which NumPy writes arrays. The memory of an array in Fortran order is that of the
// transposed array in C order:
//
//   (2,3) in Fortran order      a00 a10 a01 a11 a02 a12    =    (3,2) in C order

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vkmoye::bench {

/// Converts an array of `shape`, with elements of `width` bytes, from Fortran order to C order.
std::vector<std::byte> in_c_order(std::span<const std::byte> data,
                                  const std::vector<std::int64_t>& shape, std::size_t width);

}  // namespace vkmoye::bench
