// SPDX-License-Identifier: MIT
#pragma once
// What is worth timing for a product: the rows of a table like the one that ships, with alternatives.
//
//   * | f16,f32 | least>=17 | gemm/coopmat --tile 128x256x32/128x128x64 --subgroups 2x4/2x2 |
//
//   --tile 128x256x32 --subgroups 2x4      the first of each
//   --tile 128x128x64 --subgroups 2x4      one of them another
//   --tile 128x256x32 --subgroups 2x2
//   --tile 128x128x64 --subgroups 2x2      two of them

#include <vector>

#include "vkmoye/gen/kernels/products/choice/choice.hpp"

namespace vkmoye::gen {

/// Every candidate of the rows that hold: those with fewer other alternatives first, then in the order
/// of the rows. Each once; some may be refused.
std::vector<GemmChoice> gemm_candidates(const GemmQuestion& question, const DeviceCaps& device);

}  // namespace vkmoye::gen
