// SPDX-License-Identifier: MIT
#pragma once
// The second pass of a product whose k was cut into slices: their sums become C.
//
//   partials (n, m, slice)   compact, A * B^T over a slice of k each, of a form with split_k
//   C(m, n) = epilogue(alpha * sum over slices of partials + beta * C), rounded once
//
//   16 slices    32 x 2 threads along (n, m), 4 along slices    each has 4 slices in flight
//    4 slices    32 x 8 threads along (n, m)
//
// The order of the sums does not depend on anything but the number of slices: the same input gives
// the same bits. Interface: bindings partials (for a batch (n, m, slice, batch)), what the epilogue
// reads, c; push constants m, n, slices and those of products/parts/result.hpp. The kernel of the slices is given
// the alpha 1, or 0 where nothing is to be summed up.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/products/form/form.hpp"

namespace vkmoye::gen {

/// What the kernel that sums up slices computes of the product `form`: sums in the type of its
/// factors, without C and epilogue.
GemmForm form_of_slices(GemmForm form);

/// For the product `form`, itself not in slices. Adds up any number of slices, fastest about `slices`.
/// `shape`: {M, N, ..}, if it is known. Throws KernelError.
ir::Kernel gemm_combine(const GemmForm& form, std::int64_t slices,
                        const std::optional<std::vector<std::int64_t>>& shape,
                        const DeviceCaps& device, const std::string& name = "gemm/combine");

}  // namespace vkmoye::gen
