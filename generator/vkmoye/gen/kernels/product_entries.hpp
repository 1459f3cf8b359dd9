// SPDX-License-Identifier: MIT
#pragma once
// The registry's rows of matrix products: a ladder of configs of `gemm`.

#include <vector>

#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {

std::vector<KernelEntry> product_entries();

}  // namespace vkmoye::gen
