// SPDX-License-Identifier: MIT
#pragma once
// The choices that Vulkan leaves to a device in floating-point arithmetic, and that the twin models. A kernel must be
// correct for each of them.
//
//   fma(x, f, -(x * f))       0 if the multiply-add is separate; the rounding error of x * f if it is fused
//   x * f + y                 two roundings, or one if the compiler contracts it
//   a * b + (a * c - p)       a * (b + c) - p, if the compiler rearranges it: Mesa does
//   1e-39f * 1e30f            1e-9, or 0 if subnormal numbers are flushed
//
// None of the first three happens to an exact value (Let::exact, Builder::let_exact): GLSL declares it `precise`, and
// SPIR-V marks its operations NoContraction.
//
// Sources: the Vulkan specification, "Precision and Operation of SPIR-V Instructions" (Fma is a multiplication followed
// by an addition, fused or not) and VkPhysicalDeviceFloatControlsProperties (without a requested mode, a device may
// flush subnormal numbers); SPIR-V, NoContraction; nir_opt_algebraic.py of Mesa, whose inexact rules ("~") are left out
// for operations with NoContraction only.
//
// Not modelled:
//   contraction and rearrangement across statements: the twin looks at one expression, compilers at all of a function;
//   rearranged products, such as x * (a * b) for x * a * b with constants, and quotients as products with 1 / b;
//   infinities and NaN, which a device may take as other numbers unless a shader asks for
//     shaderSignedZeroInfNanPreserve. All GPUs that we know keep infinities, on which masks of -infinity rely;
//   flushed subnormal numbers of f16 and f64, which all GPUs that we know keep;
//   rounding towards zero; other orders of sums in matrix units;
//   the errors of exp, log, sin, cos, sqrt and of divisions (here they are those of the host, below one ulp).

#include <cstdint>

namespace vkmoye::gen::ir {

/// How often a multiply-add rounds.
enum class MultiplyAdd : std::uint8_t {
  fused,       // Op::multiply_add rounds once; separate products and sums round twice
  separate,    // Op::multiply_add rounds the product and then the sum
  contracted,  // fused, and so are a product and the sum of it in one expression
};

struct Arithmetic {
  MultiplyAdd multiply_add = MultiplyAdd::fused;
  /// Operations on f32 replace subnormal operands and results by 0 of the same sign, also in comparisons and in
  /// conversions from and to other types. Negation, absolute values, selections, bit casts and moves keep subnormal
  /// numbers.
  bool flushes_subnormals = false;
  /// The terms of a sum in one expression cancel, or share a factor, as `rearranged` in contracted.hpp describes.
  bool rearranges_sums = false;
};

}  // namespace vkmoye::gen::ir
