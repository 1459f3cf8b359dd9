// SPDX-License-Identifier: MIT
#pragma once
// Packs an operand in fragment order, see packed_form.hpp.
//
//   src  (rows, k), one of them contiguous, the other with stride `leading`
//   dst  (elements of a block, k_blocks, blocks)
//
// A workgroup writes one block. A thread's values are contiguous in dst, and also in src if the order of the
// fragment keeps neighbours together.

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/products/packing/packed_form.hpp"

namespace vkmoye::gen {

struct PackConfig {
  ScalarType type = ScalarType::f16;  // type of src; the form has the type of the fragments
  bool k_contiguous = true;           // in src; else its rows are contiguous
  bool batched = false;               // several operands, whose blocks of rows are consecutive
};

/// Packs weights in blocks, which are decoded and rounded to the type of the form. Arguments: those of
/// pack_weights.
ir::Kernel pack_decoded(const WeightFormat& format, bool batched, const PackedForm& form,
                        const DeviceCaps& device);

/// Arguments: rows, k, leading, k_blocks, blocks; batch and stride of a batch.
/// Throws KernelError, with the reason if the fragments of `device` have no layout.
ir::Kernel pack(const PackConfig& config, const PackedForm& form, const DeviceCaps& device);

}  // namespace vkmoye::gen
