// SPDX-License-Identifier: MIT
#pragma once
// The changes that turn a kernel into mutants.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::judge {

struct Change {
  std::string text;
  /// Applies it to a copy of the kernel that it was listed for.
  std::function<void(gen::ir::Kernel&)> apply;
};

/// The changes by kind. Of statements: barriers, guards, loops, order, arrays and coordinates.
using Changes = std::map<std::string, std::vector<Change>>;
void list_statement_changes(const gen::ir::Kernel& kernel, Changes& changes);
/// Of numbers, threads and workgroups in indices.
void list_expression_changes(const gen::ir::Kernel& kernel, Changes& changes);
/// Of arrays, the grid and the number of threads.
void list_kernel_changes(const gen::ir::Kernel& kernel, Changes& changes);

/// Statement `number` in the order of the text, and the body that contains it.
struct Place {
  gen::ir::Body* body;
  std::size_t at;
  gen::ir::Stmt& statement() const { return (*body)[at]; }
};
std::vector<Place> places_of(gen::ir::Kernel& kernel);

/// `e` with each node replaced for which `change` returns an expression.
gen::ir::Expr with_nodes(
    const gen::ir::Expr& e,
    const std::function<const gen::ir::Expr*(const gen::ir::Expr& node)>& change);

}  // namespace vkmoye::judge
