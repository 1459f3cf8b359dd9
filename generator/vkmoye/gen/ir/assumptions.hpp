// SPDX-License-Identifier: MIT
#pragma once
// What the author of a kernel asserts about values, in the order of its statements.
//
//   Assume{equal(n % 4, 0), "rows are padded"}          text: "n % 4 == 0: rows are padded"
//   Let{"width", 4 * n}, Assume{less(width, m), ..}     of a launch: 4 * n < m

#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::ir {

/// `e` in short, for messages: "n % 4 == 0".
std::string to_string(const Expr& e);

/// "n % 4 == 0: rows are padded".
std::string to_string(const Assume& assume);

/// The assumptions that depend on arguments alone and that every invocation reaches: they decide which launches are
/// allowed. Names for values are replaced by the values.
std::vector<Assume> assumptions_of_launch(const Kernel& kernel);

/// Whether the argument is an extent by itself: no launch has it above kMaxExtent.
bool is_extent(const std::string& argument, const Kernel& kernel);

/// The variables of `e`, each once, in the order in which they occur.
std::vector<Expr> variables_of(const Expr& e);

}  // namespace vkmoye::gen::ir
