// SPDX-License-Identifier: MIT
#pragma once
// The matrices of a model as products read them: as they are in the file, or packed for matrix units.
//
// Matrices that multiply the same activations lie one after the other in an array, so that a product with a part of
// the array is one with a matrix, and a product with the whole array is one with all of them:
//
//   array        q q q q q q k v      rows of weights, or blocks of some rows
//   a token      q q q q q q k v      one product: the results of a row are contiguous, too
//   a prompt     q.. k.. v..          three products
//
// Packed rows are in blocks, whose size depends on the rows of the whole array. So matrices share an array only if they
// have the same type, and each ends with a whole block; and if a kernel can bind the whole array.

#include <cstdint>
#include <optional>
#include <vector>

#include "plans.hpp"

namespace llama {

struct Matrix {
  Part part;  // of an array of weights
  const TensorType* type;
  std::int64_t k, n;
  std::int64_t n_of_array;  // the rows of all matrices in it
};

/// Consecutive matrices of one array as one, if there is nothing between them.
std::optional<Matrix> joined(const std::vector<Matrix>& matrices);

/// What becomes of a product a * b.
enum class Result {
  stored,              // c = a * b
  added,               // c += a * b
  gated,               // c = silu(gate) * (a * b) / 2^kGatedExponent; gate has the shape of c
  of_gated,            // c += 2^kGatedExponent * (a * b)
  added_and_weighted,  // c += a * b;  h = c * weight * scale, as in norms.hpp
  of_gated_and_weighted,
};

class Matrices {
 public:
  /// For products with `activations`.
  Matrices(Plans& plans, vkmoye::ScalarType activations);

  /// Loads tensors of extents (k, n) with the same k: into one array, if they can share it.
  std::vector<Matrix> load(const std::vector<const FileTensor*>& tensors);

  /// The bytes of a row, packed or not, of many rows.
  std::uint64_t row_bytes(const FileTensor& tensor) const;
  /// The plan that packs `tensor` for an array of matrices with n rows together.
  vkmoye::gen::KernelPlan packing(const FileTensor& tensor, std::int64_t n_of_array) const;

  /// The plan for m rows of a, and c of `type`. Its arrays are a, b, gate or weight and scale, c, h.
  std::size_t product(std::int64_t m, const Matrix& b, vkmoye::ScalarType type, Result result);

 private:
  bool packs(const TensorType& type) const { return packs_ && type.blocks != nullptr; }
  bool can_share(const std::vector<const FileTensor*>& tensors, std::int64_t n) const;

  Plans& plans_;
  vkmoye::ScalarType activations_;
  vkmoye::gen::EpilogueOp weighted_;  // the step that writes h
  bool packs_;                        // whether matrices in blocks are packed
};

}  // namespace llama
