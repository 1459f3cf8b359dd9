// SPDX-License-Identifier: MIT
#pragma once
// Logits and tokens of a decoder beside those of the definition.
//
// A logit may differ from its definition by a part of the largest logit:
//
//   2^-16    everything is computed in f32: sums of up to 384 terms, in 15 products one after the other
//   2^-8     the cache, activations, or the matrix units of a product, round to f16: by up to 2^-11, in each product of
//            each layer
//
// A token must be the definition's, unless the definition's logits of both differ by less than the sum of what may be
// wrong in them.

#include <cstdint>
#include <vector>

namespace llama {

/// The part of the largest logit.
inline double allowed(bool is_rounded_to_f16) { return is_rounded_to_f16 ? 0x1p-8 : 0x1p-16; }

/// The largest difference, as a part of what is allowed; throws for one above it, and for a wrong token. `tolerance`:
/// a part of the largest logit.
double compare(const std::vector<double>& expected, const std::vector<float>& got,
               std::uint32_t token, double tolerance);

}  // namespace llama
