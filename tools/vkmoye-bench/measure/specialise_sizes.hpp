// SPDX-License-Identifier: MIT
#pragma once
// --specialise: sizes of a plan as specialisation constants of its kernels.

#include <string>

#include "devices/execution.hpp"

namespace vkmoye::bench {

/// Specialises each kernel of `plan` for those of the sizes `names` that it has: "rows,cols", or "all" for all sizes
/// that its arguments do not make 0. Throws ArgumentError naming each that no kernel has, and with the reasons of
/// gen::with_specialised_sizes.
void specialise_sizes(RunPlan& plan, const std::string& names);

}  // namespace vkmoye::bench
