// SPDX-License-Identifier: MIT
#pragma once
// Whether integer arithmetic has a defined result, as far as bounds, the guards around it and the definitions of its
// names tell.
//
//   x % max(d, 1)                     the divisor is not 0
//   if (d != 0) { x / d }             nor is it here
//   1 << (i & 31)                     shifts by at most 31

#include <string>
#include <vector>

#include "vkmoye/gen/ir/guards.hpp"

namespace vkmoye::gen {

/// Why the operation may have no defined result: it "divides by 0". Its operands are not checked.
/// Source: GLSL 4.60, section 5.9: a shift by the width of the type, a quotient by 0, -2^31 / -1, and a remainder of or
/// by a negative number are undefined.
std::vector<std::string> undefined_arithmetic(const ir::Node& node, const ir::Guards& guards,
                                              const ir::Definitions& definitions);

}  // namespace vkmoye::gen
