// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/traversal.hpp"

#include <unordered_set>

#include "vkmoye/gen/ir/statement_parts.hpp"

namespace vkmoye::gen::ir {
namespace {

// Replaces expressions and bodies, and ignores everything else.
struct Rewriter {
  const std::function<Expr(const Expr&)>& expression;
  const std::function<Body(const Body&)>& statements;
  const ArrayRewriter& arrays;

  void use(Expr& e) { e = expression(e); }
  void name_array(std::string& array) {
    if (arrays) arrays(array, nullptr);
  }
  void name_place(Element& element) {
    if (arrays) arrays(element.array, &element);
  }
  void access(Element& element, AccessKind) {
    for (Expr& coordinate : element.coordinates) coordinate = expression(coordinate);
    name_place(element);
  }
  void body(Body& inner, const NestedBody&) { inner = statements(inner); }
  void define(const std::string&, const Expr&) {}
  void define_data(const std::string&, const Type&) {}
  Type type_at(const Element&) const { return kIndex; }
  void require(bool, const char*, const Type&) {}
  void require_type(const Element&, const char*, const Type&) {}
  void act_as(ExecutionScope, const char*) {}
  void order_shared() {}
  void wait_for_grid() {}
  void unrolls() {}
  void assumes(const Expr&) {}
  void subgroup(const Subgroup&) {}
  void atomic(const Atomic&) {}
  void moves(const MatrixPart&, const MatrixRegion&) {}
  void fills(const MatrixFill&) {}
  void multiplies(const MatrixMultiply&) {}
};

struct BodyFinder : Rewriter {
  std::vector<const Body*>& found;
  void use(const Expr&) {}
  void name_array(const std::string&) {}
  void name_place(const Element&) {}
  void access(const Element&, AccessKind) {}
  void body(const Body& inner, const NestedBody&) { found.push_back(&inner); }
};

}  // namespace

Stmt rewritten(const Stmt& statement, const std::function<Expr(const Expr&)>& expression,
               const std::function<Body(const Body&)>& body, const ArrayRewriter& arrays) {
  Stmt copy = statement;
  Rewriter rewriter{expression, body, arrays};
  show_statement(copy, rewriter);
  return copy;
}

std::vector<const Body*> bodies_of(const Stmt& statement) {
  std::vector<const Body*> found;
  BodyFinder finder{{nullptr, nullptr, nullptr}, found};
  show_statement(statement, finder);
  return found;
}

void for_each(const Body& body, const std::function<void(const Stmt&)>& visit) {
  for (const Stmt& statement : body) {
    visit(statement);
    for (const Body* inner : bodies_of(statement)) for_each(*inner, visit);
  }
}

namespace {

// Visits each node once, even if several expressions share it.
struct NodeWalk {
  const std::function<void(const Node&)>& visit;
  std::unordered_set<const Node*> seen = {};

  void look(const Expr& e) {
    if (!seen.insert(&*e).second) return;
    visit(*e);
    for (const Expr& operand : e->operands) look(operand);
  }
};

}  // namespace

void for_each_node(const Expr& e, const std::function<void(const Node&)>& visit) {
  NodeWalk{visit}.look(e);
}

void for_each_node(const Kernel& kernel, const std::function<void(const Node&)>& visit) {
  NodeWalk walk{visit};
  for_each(kernel.body, [&](const Stmt& statement) {
    for (const Expr* e : effects_of(statement, kernel).uses) walk.look(*e);
  });
}

}  // namespace vkmoye::gen::ir
