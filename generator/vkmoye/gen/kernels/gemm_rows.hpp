// SPDX-License-Identifier: MIT
#pragma once
// The registry's rows of matrix products: a ladder of configs of `gemm`.

#include <vector>

#include "vkmoye/gen/kernels/registry.hpp"

namespace vkmoye::gen {

std::vector<KernelEntry> gemm_rows();

}  // namespace vkmoye::gen
