// SPDX-License-Identifier: MIT
#pragma once
// Whether a result depends on which elements of a matrix a lane holds. The device decides that.
//
//   for (v < 8) sums[v] = 2 * sums[v]        treats all elements alike: the same on every device
//   for (m < 4) for (v < 8)                  so does this, of 4 matrices: it differs only between matrices
//     sums[8 * m + v] = m
//   for (v < 8) a[v] = f16(sums[v])          a matrix of another type may be held in another order
//   dst[8 * lane + v] = sums[v]              stores elements by lane
//   if (lane < 16) sums[v] = 0               chooses elements by lane
//   sums[3] = 0                              chooses one by its number
//   for (v < 8) sums[9 * v] = 0              chooses another one in each of 8 matrices
//   for (v < 8) sums[v] = count++            gives each another value
//
// The last six are refused unless the kernel states the order that it is made for: Builder::assume_order, which
// matrix_values calls. The statement is part of the kernel's file and of what `explain` prints.

#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// One reason for each array of matrices for which the kernel depends on an order that it does not state.
/// Precondition: check_scope gave no reason.
std::vector<std::string> check_fragment_orders(const ir::Kernel& kernel);

}  // namespace vkmoye::gen
