// SPDX-License-Identifier: MIT
#pragma once
// The second kernel of a product whose k is split into slices: adds their sums and writes C.
//
//   partials (n, m, slice)   compact, A * B^T over a slice of k each, of a form with split_k
//   C(m, n) = epilogue(alpha * sum over slices of partials + beta * C), rounded once
//
//   16 slices    32 x 2 threads along (n, m), 4 along slices    each loads 4 slices at once
//    4 slices    32 x 8 threads along (n, m)
//
// The order of the additions depends only on the number of slices: the same input gives the same bits.
// Interface: bindings partials (for a batch (n, m, slice, batch)), the inputs of the epilogue, c; push
// constants m, n, slices and those of products/result/result.hpp. The kernel of the slices gets alpha 1, or 0
// if alpha is 0, so that it does not read A and B.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"

namespace vkmoye::gen {

/// The form of the kernel that sums each slice of the product `form`: its results are the sums, in the type
/// of the factors, without C and epilogue.
GemmForm form_of_slices(GemmForm form);

/// The combining kernel for the product `form`, which must not have split_k. It adds any number of slices,
/// and is tuned for `slices`. `shape`: {M, N, ..}, if it is known. Throws KernelError.
ir::Kernel gemm_combine(const GemmForm& form, std::int64_t slices,
                        const std::optional<std::vector<std::int64_t>>& shape,
                        const DeviceCaps& device, const std::string& name = "gemm/combine");

}  // namespace vkmoye::gen
