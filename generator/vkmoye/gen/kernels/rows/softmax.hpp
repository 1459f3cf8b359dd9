// SPDX-License-Identifier: MIT
#pragma once
// dst(r, c) = exp(src(r, c) - m) / sum over c of exp(src(r, c) - m), m the largest of row r.
//
// A workgroup has a row, or several short ones. Those that fit the registers are read once; longer
// ones three times: for the largest, for the sum, and for the result.
//
// As in NumPy: a NaN in a row, or infinity, or nothing but -infinity, makes the row NaN.

#include <string>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/common/threads_config.hpp"

namespace vkmoye::gen {

/// src and dst (cols, rows), f16 or f32. Throws KernelError with every reason.
ir::Kernel softmax(const ThreadsConfig& config, const std::string& name = "softmax/rows");

}  // namespace vkmoye::gen
