// SPDX-License-Identifier: MIT
#pragma once
// The kernels and configs that are worth timing for a product: a table like the shipped one, in which options
// have several values.
//
//   "gemm/coopmat", {{"tile", "128x256x32/128x128x64"}, {"subgroups", "2x4/2x2"}}
//
//   --tile 128x256x32 --subgroups 2x4      the first value of each option
//   --tile 128x128x64 --subgroups 2x4      one other value
//   --tile 128x256x32 --subgroups 2x2
//   --tile 128x128x64 --subgroups 2x2      two other values

#include <vector>

#include "vkmoye/gen/kernels/products/choice/choose_gemm.hpp"

namespace vkmoye::gen {

/// All candidates of the rows whose conditions hold, without duplicates. Candidates with fewer values other
/// than the first come first; otherwise they are in the order of the rows. A kernel may still refuse the
/// product.
std::vector<GemmChoice> gemm_candidates(const GemmProduct& product, const DeviceCaps& device);

}  // namespace vkmoye::gen
