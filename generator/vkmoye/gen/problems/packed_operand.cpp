// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/packed_operand.hpp"

#include "vkmoye/layout/checked.hpp"

namespace vkmoye::gen {

std::uint64_t PackedOperand::bytes() const {
  return static_cast<std::uint64_t>(ceil_div(rows, form.block_rows()) *
                                    ceil_div(k, form.block_depth()) * form.block_bytes() *
                                    batch.value_or(1));
}

Extents PackedOperand::shape() const {
  if (batch) return {*batch, rows, k};
  return {rows, k};
}

}  // namespace vkmoye::gen
