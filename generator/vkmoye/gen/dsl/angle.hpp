// SPDX-License-Identifier: MIT
#pragma once
// The angle of a rotation at a position, as rotary position embeddings need it.
//
//   reduced_angle(k, position, frequency)      131071 * 1  ->  -2.1756..: 131071 - 20861 * 2 pi
//
// Devices bound the errors of sine and cosine only between -pi and pi, so whole turns are subtracted first. The product
// of the two f32 numbers is exact: the part that rounding cuts off is computed, and reduced as well.

#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen {

/// position * frequency minus as many turns as bring it to -pi..pi, or at most 2^-10 beyond. The error is below 2^-22,
/// about one rounding of the result, for whole numbers `position` of f32 up to 2^24 and products up to 2^24, on every
/// device: all that rounds is computed as written (Builder::let_exact). Both are f32. Names the result `reduced_angle`.
/// Sources: Cody and Waite, Software Manual for the Elementary Functions, 1980, chapter 8, for the parts of 2 pi;
/// Dekker, A floating-point technique for extending the available precision, 1971, for the rest of the product.
ir::Expr reduced_angle(Builder& k, const ir::Expr& position, const ir::Expr& frequency);

}  // namespace vkmoye::gen
