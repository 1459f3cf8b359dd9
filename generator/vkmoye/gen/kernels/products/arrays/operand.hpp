// SPDX-License-Identifier: MIT
#pragma once
// A or B of a product, as the kernel and its buffers describe it.
//
//   GemmOperand a = operand_a(form, 128);
//   buffers.tile_of(a.use, k_tile)     tile number k_tile along k: 128 rows of A

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"

namespace vkmoye::gen {

/// How elements of the operands' tiles are moved: one by one, or in vectors along the contiguous axis.
enum class Moved : bool { one_by_one, in_vectors };

struct GemmOperand {
  ir::MatrixType::Use use;  // which of A and B it is
  const char* name;         // name of the buffer
  const char* title;        // in comments of the shader
  ScalarType type;          // in the buffer
  bool k_contiguous;        // in the buffer
  std::int64_t rows;        // rows per tile
  bool in_blocks = false;   // the buffer has words of blocks of weights

  /// The extents of a tile with `depth` elements of k: along the contiguous axis, and across it.
  std::int64_t along(std::int64_t depth) const { return k_contiguous ? depth : rows; }
  std::int64_t across(std::int64_t depth) const { return k_contiguous ? rows : depth; }
};

inline GemmOperand operand_a(const GemmForm& form, std::int64_t rows) {
  return {ir::MatrixType::Use::a, "a", "A", form.a_type, form.a_k_contiguous, rows};
}
inline GemmOperand operand_b(const GemmForm& form, std::int64_t rows) {
  return {ir::MatrixType::Use::b, "b", "B", form.b_type, form.b_k_contiguous, rows,
          form.weights != nullptr};
}

}  // namespace vkmoye::gen
