// SPDX-License-Identifier: MIT
#pragma once
// What subgroups do with matrices that their lanes hold together, computed on the host.
//
//   A of 8 x 8 and 8 lanes: lane l holds row by row what stands in column l.
//   B likewise: lane l holds column by column what stands in row l, as matrix units have k alike in both.

#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/machine/evaluator.hpp"

namespace vkmoye::gen::machine {

/// A matrix of each subgroup: held[i] in lane l is element l + lanes * i, counted along its rows, of B
/// along its columns.
using Held = std::vector<Values>;

/// What vectors of memory bring: `vectors[i]` in lane l is number l + region.lanes * i.
Held held_from(const ir::MatrixRegion& region, const std::vector<Values>& vectors,
               ir::MatrixType::Use use, const Workgroup& workgroup);

/// The other way round.
std::vector<Values> vectors_from(const ir::MatrixRegion& region, const Held& held,
                                 ir::MatrixType::Use use, const Workgroup& workgroup);

/// a * b + c, each sum of c's type in the order of k. `a`, `b`, `c`: arrays of the operands.
Held product(const ir::Array& a_array, const Held& a, const ir::Array& b_array, const Held& b,
             const ir::Array& c_array, const Held& c, const Workgroup& workgroup);

}  // namespace vkmoye::gen::machine
