// SPDX-License-Identifier: MIT
#pragma once
// A or B of a product, as kernels that read tiles see it.
//
//   GemmOperand a = operand_a(form, 128);
//   (buffers.*a.tile)(k_tile)     tile number k_tile along k: 128 rows of A

#include "vkmoye/gen/kernels/products/parts/buffers.hpp"

namespace vkmoye::gen {

struct GemmOperand {
  const char* name;                              // name of the buffer
  const char* title;                             // in comments of the shader
  ScalarType type;                               // in the buffer
  View (GemmBuffers::*tile)(const Expr&) const;  // its tile number .. along k
  bool k_contiguous;                             // in the buffer
  std::int64_t rows;                             // rows per tile
  ir::MatrixType::Use use;                       // which of A and B it is
  bool in_blocks = false;                        // its elements are words of blocks of weights
};

inline GemmOperand operand_a(const GemmForm& form, std::int64_t rows) {
  return {
      "a", "A", form.a_type, &GemmBuffers::a, form.a_k_contiguous, rows, ir::MatrixType::Use::a};
}
inline GemmOperand operand_b(const GemmForm& form, std::int64_t rows) {
  return {"b",
          "B",
          form.b_type,
          &GemmBuffers::b,
          form.b_k_contiguous,
          rows,
          ir::MatrixType::Use::b,
          form.weights != nullptr};
}

}  // namespace vkmoye::gen
