// SPDX-License-Identifier: MIT
#pragma once
// Visiting and replacing the parts of a kernel: statements, the bodies inside them, the nodes of expressions.
//
//   for_each(kernel.body, [&](const Stmt& statement) { .. });     If{c, {Store}}: the If, then the Store

#include <functional>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::ir {

/// Replaces the name of an array, and the element of it that is accessed; null where only the array is named.
using ArrayRewriter = std::function<void(std::string& array, Element* element)>;

/// A copy of `statement` with each expression replaced by `expression` of it, and each body inside by `body` of it;
/// then with the arrays that `arrays` says, unless that is null.
Stmt rewritten(const Stmt& statement, const std::function<Expr(const Expr&)>& expression,
               const std::function<Body(const Body&)>& body, const ArrayRewriter& arrays = nullptr);

/// The bodies directly inside `statement`. They belong to it.
std::vector<const Body*> bodies_of(const Stmt& statement);

/// Calls `visit` for each statement of `body`, and after each for those inside it.
void for_each(const Body& body, const std::function<void(const Stmt&)>& visit);

/// Calls `visit` once for each node of `e`, however often it is shared.
void for_each_node(const Expr& e, const std::function<void(const Node&)>& visit);
/// Calls `visit` once for each node of all expressions that statements of `kernel` use.
void for_each_node(const Kernel& kernel, const std::function<void(const Node&)>& visit);

}  // namespace vkmoye::gen::ir
