// SPDX-License-Identifier: MIT
#pragma once
// Operations on matrices that the lanes of a subgroup hold together, computed on the host.
//
//   A of 8 x 8, 8 lanes: lane l holds column l, the element of each row in order.
//   B of 8 x 8, 8 lanes: lane l holds row l, the element of each column in order: lane l has k = l of both.

#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/machine/evaluator.hpp"

namespace vkmoye::gen::machine {

/// A matrix for each subgroup: fragment[i] in lane l is its element l + lanes * i, counted along rows, or along columns
/// for B.
using Fragment = std::vector<Values>;

/// The matrix that was loaded as `vectors`: vectors[i] in lane l is vector number l + region.lanes * i of the region.
Fragment fragment_from_vectors(const ir::MatrixRegion& region, const std::vector<Values>& vectors,
                               ir::MatrixType::Use use, const Workgroup& workgroup);

/// The inverse: the vectors to be stored.
std::vector<Values> vectors_from_fragment(const ir::MatrixRegion& region, const Fragment& held,
                                          ir::MatrixType::Use use, const Workgroup& workgroup);

/// a * b + c, summed in the type of c, in the order of k. The arrays are those of the operands.
Fragment product(const ir::Array& a_array, const Fragment& a, const ir::Array& b_array,
                 const Fragment& b, const ir::Array& c_array, const Fragment& c,
                 const Workgroup& workgroup);

}  // namespace vkmoye::gen::machine
