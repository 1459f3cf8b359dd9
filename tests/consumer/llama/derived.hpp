// SPDX-License-Identifier: MIT
#pragma once
// Tensors that kernels read in place of those of the file.

#include <cstdint>
#include <vector>

#include "model.hpp"
#include "plans.hpp"

namespace llama {

/// The rows of the heads of q or k, of a weight, a bias or a norm, so that those which are rotated together are
/// neighbours:
///
///   halves, 6 of 8 rotated   0 1 2 3 4 5 6 7   ->   0 3 1 4 2 5 6 7
///
/// The scores of attention are sums over a head, which has no order.
const FileTensor& in_pairs(Plans& plans, const FileTensor& tensor, const Sizes& sizes);

/// Some rows of a matrix, as a matrix of their own.
struct Rows {
  const FileTensor* tensor;
  std::uint32_t first;
};

/// The rows of a matrix in parts that kernels can bind (Plans::max_binding); the matrix itself, if that can be bound.
/// Rows have `row_bytes` where kernels read them. Throws std::runtime_error if 256 of them are too many.
std::vector<Rows> parts_to_bind(Plans& plans, const FileTensor& tensor, std::uint64_t row_bytes);

}  // namespace llama
