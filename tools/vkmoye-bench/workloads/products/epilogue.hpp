// SPDX-License-Identifier: MIT
#pragma once
// The epilogue of a product as a user types it, and what each step means: in f64, with a bound.
//
//   --epilogue bias,gelu,scale:0.5       v = alpha A B^T + beta C;  v += bias[n];  v = gelu(v);  v *= 0.5
//
// Let the kernel's v differ from the definition by at most d. After a step f it differs by at most
//
//   steepest * d  +  eps * (of_value * (|f(v)| + steepest * d) + of_argument * (|v| + d))  +  tiny
//
//   step                     steepest |f'|   of_value   of_argument
//   bias, bias_m, residual   1               1          0             a sum
//   relu                     1               0          0             nothing is rounded
//   gelu                     1.13            0          6
//   silu                     1.1             0          6
//   scale                    |scale|         2          0             a product, and scale itself
//
// eps and tiny are those of the type that is computed in, see products/check.hpp. gelu and silu are
// x s(t), s(t) = 1 / (1 + exp(-t)), t = x or 2 sqrt(2/pi) (x + 0.044715 x^3): the exponent is rounded
// 4 times, exp by 3 + 2 |t| (Vulkan specification, "Precision and Operation of SPIR-V Instructions"), so
// that exp is off by (3 + 6 |t|) eps of itself, s by s (1 - s) times that: at most (0.75 + 6 * 0.225)
// eps; the sum by 1, the division by 2.5: less than 6 |x| eps.

#include <string>
#include <vector>

#include "vkmoye/gen/kernels/products/call.hpp"
#include "workloads/number.hpp"

namespace vkmoye::bench {

/// "bias,relu,scale:0.5". Throws ArgumentError: an unknown name with all there are, a number that is
/// missing, bad or too many, a step given twice.
std::vector<gen::AppliedStep> parse_epilogue(const std::string& text);
std::string epilogue_text(const std::vector<gen::AppliedStep>& epilogue);

/// What `--epilogue` expects.
std::string epilogue_expects();

/// A value of the definition, and how far the kernel's may lie from it.
struct Bounded {
  double value, bound;
};

/// `v` after `step`, which reads `input` if it reads something. What is not finite has no bound: it
/// must be so alike. `exact`: nothing has been rounded; false from gelu and silu on.
Bounded after(const gen::AppliedStep& step, Bounded v, double input, const NumberRange& range,
              bool& exact);

}  // namespace vkmoye::bench
