// SPDX-License-Identifier: MIT
#pragma once
// The extents of arrays and problems, and their text.

#include <cstdint>
#include <string>
#include <vector>

namespace vkmoye {

/// The extents of an array in C order, or the size of a problem: {M, N, K} of a product.
using Extents = std::vector<std::int64_t>;

/// The number of elements of an array: 1 without extents, 0 if one of them is 0. Saturates at the largest number.
std::int64_t number_of_elements(const Extents& extents);

/// "2048x1024".
std::string size_text(const Extents& extents);

/// "(2048, 1024)", "(3,)": as NumPy prints it.
std::string shape_text(const Extents& extents);

/// The axes in reverse: the C-order shape of an array of this shape in Fortran order, and vice versa.
Extents reversed(Extents shape);

}  // namespace vkmoye
