// SPDX-License-Identifier: MIT
#pragma once
// The epilogue of a product: how it is typed, and the definition of each step in f64 with an error bound.
//
//   --epilogue bias,gelu,scale:0.5       v = alpha A B^T + beta C;  v += bias[n];  v = gelu(v);  v *= 0.5
//
// If the kernel's v differs from the definition by at most d, then after a step f it differs by at most
//
//   steepest * d  +  eps * of_value * (|f(v)| + steepest * d)  +  of_function  +  tiny
//
//   step                     steepest |f'|   of_value   of_function
//   bias, bias_m, residual   1               1          0             a sum; residual_c as well
//   relu                     1               0          0             no rounding
//   gelu                     1.13            0          error_of_gated(v) + 6 eps d
//   silu                     1.1             0          error_of_gated(v) + 6 eps d
//   scale                    |scale|         2          0             the product, and the rounding of scale
//   scale_m, scale_n         |the input|     1          0             the product
//
// eps and tiny are those of the type of the computation, see products/check.hpp; error_of_gated is in
// numbers/activations.hpp. An input below tiny may be taken as 0, which adds its effect. A result beyond the largest
// number may be infinite.

#include <string>
#include <vector>

#include "vkmoye/gen/kernels/products/gemm_call.hpp"
#include "vkmoye/gen/numbers/expected.hpp"
#include "vkmoye/gen/numbers/number.hpp"

namespace vkmoye::gen {

/// Parses "bias,relu,scale:0.5". Throws ArgumentError for an unknown step, listing all; a missing, invalid or
/// unexpected number; a step given twice.
std::vector<AppliedEpilogueOp> parse_epilogue(const std::string& text);
std::string epilogue_text(const std::vector<AppliedEpilogueOp>& epilogue);

/// "bias", "bias_m", "relu", ..
std::vector<std::string> epilogue_step_names();

/// The description of the values of `--epilogue`.
std::string epilogue_expects();

/// Whether `step` multiplies by its input or its number.
bool multiplies(const EpilogueOp& step);
/// Whether `step` adds its input.
bool adds(const EpilogueOp& step);

/// `v` after `step`, which may read `input`; v.overflow is not read. NaN and infinity have no bound: they must be
/// equal. The overflow of the result is what it may be besides. `exact`: nothing has been rounded so far; gelu and silu
/// set it to false.
Expected after(const AppliedEpilogueOp& step, Expected v, double input, const NumberRange& range,
               bool& exact);

}  // namespace vkmoye::gen
