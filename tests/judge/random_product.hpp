// SPDX-License-Identifier: MIT
#pragma once
// Random matrix products with small tiles, in all ways of staging that the config offers.

#include "judge/judged_kernel.hpp"

namespace vkmoye::judge {

/// Throws KernelError if the verifier rejects it, which would be a false alarm.
Subject random_product(Draw& draw);

}  // namespace vkmoye::judge
