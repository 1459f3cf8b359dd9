// SPDX-License-Identifier: MIT
#pragma once
// The parts of each kind of statement, shown to a visitor: the only switch over statements in this folder. Only
// effects.cpp, which reads the parts, and traversal.cpp, which replaces them, include this.
//
//   show_statement(Store{{"dst", {i}, "dst"}, value}, visitor)
//     visitor.access(the element of dst, {.writes = true}), visitor.use(value), ..

#include <type_traits>
#include <utility>
#include <variant>

#include "vkmoye/gen/ir/effects.hpp"

namespace vkmoye::gen::ir {

/// How a statement accesses an element; the fields of StatementAccess without the element.
struct AccessKind {
  bool reads = false, writes = false, atomic = false;
  std::uint32_t lanes = 0;
  bool by_any_lane = false;
};

template <class Part, class Visitor>
void show_matrix(Part& part, AccessKind kind, Visitor& visitor) {
  visitor.name_array(part.array);
  visitor.use(part.number);
  for (auto& element : part.elements) visitor.access(element, kind);
}

template <class Region, class Visitor>
void show_region(Region& region, AccessKind kind, Visitor& visitor) {
  visitor.name_place(region.first);
  for (auto& coordinate : region.first.coordinates) visitor.use(coordinate);
  visitor.use(region.stride);
  kind.lanes = region.lanes;
  kind.by_any_lane = true;
  for (auto& vector : region.vectors) visitor.access(vector, kind);
}

template <class S, class Visitor>
void show_parts(S& s, Visitor& visitor) {
  using Kind = std::remove_const_t<S>;
  if constexpr (std::is_same_v<Kind, Let>) {
    visitor.use(s.value);
    visitor.define(s.name, s.value);
  } else if constexpr (std::is_same_v<Kind, Load>) {
    visitor.access(s.from, {.reads = true});
    visitor.define_data(s.name, visitor.type_at(s.from));
  } else if constexpr (std::is_same_v<Kind, Store>) {
    visitor.access(s.to, {.writes = true});
    visitor.use(s.value);
    visitor.require_type(s.to, "stores", s.value->type);
  } else if constexpr (std::is_same_v<Kind, If>) {
    visitor.use(s.condition);
    visitor.require(s.condition->type == kBoolean, "the condition of an if is {}, not a boolean",
                    s.condition->type);
    visitor.body(s.body, {.condition = &s.condition, .holds = true});
    visitor.body(s.otherwise, {.condition = &s.condition});
  } else if constexpr (std::is_same_v<Kind, For>) {
    visitor.use(s.end);
    visitor.require(s.end->type == kIndex, "the end of a loop is {}, not an index", s.end->type);
    visitor.body(s.body, {.condition = &s.end,
                          .defines = {{s.variable, variable(s.variable, kIndex, s.end->bound - 1)}},
                          .repeats = true});
    if (s.unroll != Unroll::free) visitor.unrolls();
  } else if constexpr (std::is_same_v<Kind, Barrier>) {
    visitor.act_as(ExecutionScope::workgroup, "a barrier");
    visitor.order_shared();
  } else if constexpr (std::is_same_v<Kind, GridBarrier>) {
    visitor.act_as(ExecutionScope::workgroup, "a grid barrier");
    visitor.order_shared();
    visitor.wait_for_grid();
  } else if constexpr (std::is_same_v<Kind, GridLoop>) {
    NestedBody inner;
    for (const std::string& name : s.variables)
      inner.defines.push_back({name, variable(name, kIndex)});
    visitor.body(s.body, std::move(inner));
  } else if constexpr (std::is_same_v<Kind, Titled>) {
    visitor.body(s.body, {});
  } else if constexpr (std::is_same_v<Kind, Assume>) {
    visitor.use(s.condition);
    visitor.require(s.condition->type == kBoolean, "an assumption is {}, not a boolean",
                    s.condition->type);
    visitor.assumes(s.condition);
  } else if constexpr (std::is_same_v<Kind, Subgroup>) {
    if (s.kind != Subgroup::Kind::elect) visitor.use(s.value);
    visitor.use(s.lane);
    visitor.act_as(ExecutionScope::subgroup, "a subgroup operation");
    visitor.subgroup(s);
    visitor.define_data(s.name, type_of(s));
  } else if constexpr (std::is_same_v<Kind, Atomic>) {
    visitor.access(s.to, {.reads = true, .writes = true, .atomic = true});
    visitor.use(s.value);
    visitor.require_type(s.to, "combines", s.value->type);
    visitor.atomic(s);
    visitor.define_data(s.name, visitor.type_at(s.to));
  } else if constexpr (std::is_same_v<Kind, MatrixLoad>) {
    visitor.act_as(ExecutionScope::subgroup, "a load of a matrix");
    show_region(s.from, {.reads = true}, visitor);
    show_matrix(s.to, {.writes = true}, visitor);
    visitor.moves(s.to, s.from);
  } else if constexpr (std::is_same_v<Kind, MatrixStore>) {
    visitor.act_as(ExecutionScope::subgroup, "a store of a matrix");
    show_matrix(s.from, {.reads = true}, visitor);
    show_region(s.to, {.writes = true}, visitor);
    visitor.moves(s.from, s.to);
  } else if constexpr (std::is_same_v<Kind, MatrixFill>) {
    visitor.act_as(ExecutionScope::subgroup, "a matrix that is filled");
    visitor.use(s.value);
    show_matrix(s.to, {.writes = true}, visitor);
    visitor.fills(s);
  } else if constexpr (std::is_same_v<Kind, MatrixMultiply>) {
    visitor.act_as(ExecutionScope::subgroup, "a product of matrices");
    for (auto* operand : {&s.a, &s.b, &s.c}) show_matrix(*operand, {.reads = true}, visitor);
    show_matrix(s.to, {.writes = true}, visitor);
    visitor.multiplies(s);
  } else {
    static_assert(!sizeof(Kind), "handle this statement here");
  }
}

/// Calls the functions of `visitor` for each part of `statement`, which may be const.
template <class AnyStmt, class Visitor>
void show_statement(AnyStmt& statement, Visitor& visitor) {
  std::visit([&](auto& s) { show_parts(s, visitor); }, statement.value);
}

}  // namespace vkmoye::gen::ir
