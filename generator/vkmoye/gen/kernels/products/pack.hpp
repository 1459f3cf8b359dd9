// SPDX-License-Identifier: MIT
#pragma once
// An operand into fragment order, see packed_form.hpp.
//
//   src  (rows, k), one of them contiguous, `leading` elements from one row of memory to the next
//   dst  (elements of a block, k_blocks, blocks)
//
// A workgroup writes one block; a thread's values lie side by side in dst, in src where the order of
// the fragment leaves neighbours together.

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/products/fragments/packed_form.hpp"

namespace vkmoye::gen {

struct PackConfig {
  ScalarType type = ScalarType::f16;  // of src; that of the fragments is the form's
  bool k_contiguous = true;           // of src; else its rows are
  bool batched = false;               // several operands, one block of rows after the other
};

/// Arguments: rows, k, leading, k_blocks, blocks; batch and stride of a batch.
/// Throws KernelError, where the fragments of `device` have no layout with the reason.
ir::Kernel pack(const PackConfig& config, const PackedForm& form, const DeviceCaps& device);

}  // namespace vkmoye::gen
