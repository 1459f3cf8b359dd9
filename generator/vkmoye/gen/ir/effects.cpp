// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/effects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <unordered_set>

#include "vkmoye/gen/ir/combining.hpp"
#include "vkmoye/gen/ir/operation.hpp"

namespace vkmoye::gen::ir {
namespace {

// --- the parts of each kind of statement ---
// `visitor` is shown each part of a statement, which it may look at (S const) or replace.

struct TouchKind {
  bool reads = false, writes = false, atomic = false;
  std::uint32_t lanes = 0;
  bool by_any_lane = false;
};

template <class Part, class Visitor>
void show_matrix(Part& part, TouchKind kind, Visitor& visitor) {
  visitor.use(part.number);
  for (auto& element : part.elements) visitor.touch(element, kind);
}

template <class Region, class Visitor>
void show_region(Region& region, TouchKind kind, Visitor& visitor) {
  for (auto& coordinate : region.first.coordinates) visitor.use(coordinate);
  visitor.use(region.stride);
  kind.lanes = region.lanes;
  kind.by_any_lane = true;
  for (auto& vector : region.vectors) visitor.touch(vector, kind);
}

template <class S, class Visitor>
void show_parts(S& s, Visitor& visitor) {
  using Kind = std::remove_const_t<S>;
  if constexpr (std::is_same_v<Kind, Let>) {
    visitor.use(s.value);
    visitor.define(s.name, s.value);
  } else if constexpr (std::is_same_v<Kind, Load>) {
    visitor.touch(s.from, {.reads = true});
    visitor.define_data(s.name, visitor.type_at(s.from));
  } else if constexpr (std::is_same_v<Kind, Store>) {
    visitor.touch(s.to, {.writes = true});
    visitor.use(s.value);
    visitor.require_type(s.to, "stores", s.value->type);
  } else if constexpr (std::is_same_v<Kind, If>) {
    visitor.use(s.condition);
    visitor.require(s.condition->type == kBoolean, "the condition of an if is {}, not a boolean",
                    s.condition->type);
    visitor.body(s.body, {.steered_by = &s.condition, .where_it_holds = true});
    visitor.body(s.otherwise, {.steered_by = &s.condition});
  } else if constexpr (std::is_same_v<Kind, For>) {
    visitor.use(s.end);
    visitor.require(s.end->type == kIndex, "the end of a loop is {}, not an index", s.end->type);
    visitor.body(s.body, {.steered_by = &s.end,
                          .defines = {{s.variable, variable(s.variable, kIndex, s.end->bound - 1)}},
                          .repeats = true});
    if (s.unroll != Unroll::free) visitor.unrolls();
  } else if constexpr (std::is_same_v<Kind, Barrier>) {
    visitor.act_as(Agent::workgroup, "a barrier");
    visitor.order_shared();
  } else if constexpr (std::is_same_v<Kind, Block>) {
    visitor.body(s.body, {});
  } else if constexpr (std::is_same_v<Kind, Subgroup>) {
    if (s.kind != Subgroup::Kind::elect) visitor.use(s.value);
    visitor.use(s.lane);
    visitor.act_as(Agent::subgroup, "a subgroup operation");
    visitor.subgroup(s);
    visitor.define_data(s.name, type_of(s));
  } else if constexpr (std::is_same_v<Kind, Atomic>) {
    visitor.touch(s.to, {.reads = true, .writes = true, .atomic = true});
    visitor.use(s.value);
    visitor.require_type(s.to, "combines", s.value->type);
    visitor.atomic(s);
    visitor.define_data(s.name, visitor.type_at(s.to));
  } else if constexpr (std::is_same_v<Kind, MatrixLoad>) {
    visitor.act_as(Agent::subgroup, "a load of a matrix");
    show_region(s.from, {.reads = true}, visitor);
    show_matrix(s.to, {.writes = true}, visitor);
    visitor.moves(s.to, s.from);
  } else if constexpr (std::is_same_v<Kind, MatrixStore>) {
    visitor.act_as(Agent::subgroup, "a store of a matrix");
    show_matrix(s.from, {.reads = true}, visitor);
    show_region(s.to, {.writes = true}, visitor);
    visitor.moves(s.from, s.to);
  } else if constexpr (std::is_same_v<Kind, MatrixFill>) {
    visitor.act_as(Agent::subgroup, "a matrix that is filled");
    visitor.use(s.value);
    show_matrix(s.to, {.writes = true}, visitor);
    visitor.fills(s);
  } else if constexpr (std::is_same_v<Kind, MatrixMultiply>) {
    visitor.act_as(Agent::subgroup, "a product of matrices");
    for (auto* operand : {&s.a, &s.b, &s.c}) show_matrix(*operand, {.reads = true}, visitor);
    show_matrix(s.to, {.writes = true}, visitor);
    visitor.multiplies(s);
  } else {
    static_assert(!sizeof(Kind), "say what this statement does");
  }
}

template <class AnyStmt, class Visitor>
void show_statement(AnyStmt& statement, Visitor& visitor) {
  std::visit([&](auto& s) { show_parts(s, visitor); }, statement.value);
}

// --- reading them: effects ---

struct Collector {
  const Kernel& kernel;
  Effects out = {};

  void use(const Expr& e) { out.uses.push_back(&e); }
  void touch(const Element& element, TouchKind kind) {
    for (const Expr& coordinate : element.coordinates) out.uses.push_back(&coordinate);
    out.touches.push_back(
        {&element, kind.reads, kind.writes, kind.atomic, kind.lanes, kind.by_any_lane});
  }
  void define(const std::string& name, const Expr& value) {
    out.defines.push_back({name, within_grid(value, kernel.grid)});
  }
  void define_data(const std::string& name, const Type& type) {
    out.defines.push_back({name, variable(name, type), /*is_data=*/true});
  }
  void body(const Body& statements, Inner inner) {
    inner.body = &statements;
    out.inner.push_back(std::move(inner));
  }
  void act_as(Agent agent, const char* act) {
    out.agent = agent;
    out.act = act;
    out.all_must_come = true;
  }
  void order_shared() { out.orders_shared = true; }
  void unrolls() { out.unrolls = true; }

  Type type_at(const Element& e) const {
    const Array* array = kernel.find(e.array);
    return array != nullptr ? type_of(e, *array) : element(ScalarType::u32, e.width);
  }
  void require(bool holds, const char* what, const Type& type) {
    if (!holds) out.reasons.push_back(fmt::format(fmt::runtime(what), name_of(type)));
  }
  void require_type(const Element& to, const char* verb, const Type& found) {
    if (kernel.find(to.array) == nullptr || found == type_at(to)) return;
    out.reasons.push_back(
        fmt::format("'{}' {} {} into {}, which takes {} there{}", to.partition, verb,
                    name_of(found), to.array, name_of(type_at(to)),
                    found == kIndex ? ": ir::number or ir::convert makes one of an index" : ""));
  }

  void subgroup(const Subgroup& s) {
    using Kind = Subgroup::Kind;
    const Type& type = s.value->type;
    const auto refuse = [&](const std::string& what) {
      out.reasons.push_back(fmt::format("subgroup operation '{}': {}", s.name, what));
    };
    const bool is_number =
        type == kIndex || (type.kind == Type::Kind::element && type.width == 1 &&
                           is_arithmetic(type.element) && size_of(type.element) >= 4);
    switch (s.kind) {
      case Kind::reduce:
      case Kind::inclusive_scan:
      case Kind::exclusive_scan:
        out.needs.add(Feature::subgroup_arithmetic);
        if (combining(s.combine) == nullptr) {
          refuse(fmt::format("lanes cannot be combined by {}; there are add, minimum and maximum",
                             name_of(s.combine)));
        }
        break;
      case Kind::broadcast:
        // GL_KHR_shader_subgroup: the id of a broadcast is dynamically uniform within the subgroup.
        out.alike.push_back(&s.lane);
        out.needs.add(Feature::subgroup_ballot);
        break;
      case Kind::shuffle:
      case Kind::shuffle_xor: out.needs.add(Feature::subgroup_shuffle); break;
      case Kind::ballot:
        out.needs.add(Feature::subgroup_ballot);
        if (!(type == kBoolean))
          refuse(fmt::format("a ballot of {}, not a boolean", name_of(type)));
        return;
      case Kind::elect: return;
    }
    if (!is_number) {
      refuse(fmt::format("of {}: it takes an index, f32, f64, i32 or u32; convert it first",
                         name_of(type)));
    }
    if (!(s.lane->type == kIndex)) {
      refuse(fmt::format("lane of type {}, not an index", name_of(s.lane->type)));
    }
  }

  // --- matrices ---

  void matrix_reason(const std::string& what) { out.reasons.push_back("matrix " + what); }

  // The array that `part` belongs to; nullptr: it is none of matrices.
  const Array* matrices_of(const MatrixPart& part) {
    out.needs.add(Feature::cooperative_matrix);
    const Array* array = kernel.find(part.array);
    if (array != nullptr && array->matrix) {
      if (array->type == ScalarType::bf16) out.needs.add(Feature::bf16_matrix);
      const std::size_t held = elements_per_lane(*array->matrix, kernel.subgroup);
      const std::size_t all = std::size_t{array->matrix->rows} * array->matrix->columns;
      if (held == 0 || held * kernel.subgroup != all) {
        matrix_reason(fmt::format("of {}: {} lanes do not hold its {} elements", part.array,
                                  kernel.subgroup, all));
        return nullptr;
      }
      if (part.elements.size() == held) return array;
      matrix_reason(fmt::format("of {}: a lane holds {} elements of it, not {}", part.array, held,
                                part.elements.size()));
      return nullptr;
    }
    matrix_reason(fmt::format("of {}: it is no array of matrices", part.array));
    return nullptr;
  }
  void moves(const MatrixPart& part, const MatrixRegion& region) {
    const Array *held = matrices_of(part), *memory = kernel.find(region.first.array);
    if (held == nullptr || memory == nullptr) return;
    if (memory->type != held->type) {
      matrix_reason(fmt::format("of {} in {}, moved from or to {} in {}", to_string(held->type),
                                part.array, to_string(memory->type), memory->name));
    }
    if (region.rows != held->matrix->rows || region.columns != held->matrix->columns) {
      matrix_reason(fmt::format("of {}x{} in {}, moved from or to {}x{} of {}", held->matrix->rows,
                                held->matrix->columns, part.array, region.rows, region.columns,
                                memory->name));
    }
    // Lanes that move vectors have as many each, and all of them make up the matrix.
    const std::size_t side = region.by_columns ? region.rows : region.columns;
    const std::size_t width = region.first.width, lanes = region.lanes;
    const bool of_one_width =
        std::all_of(region.vectors.begin(), region.vectors.end(),
                    [&](const Element& vector) { return vector.width == width; });
    if (lanes == 0 || lanes > kernel.subgroup || width == 0 || side % width != 0 || !of_one_width ||
        lanes * region.vectors.size() * width != std::size_t{region.rows} * region.columns) {
      matrix_reason(fmt::format(
          "of {}x{} of {}: {} vectors of {} elements by each of {} lanes do "
          "not make it up",
          region.rows, region.columns, memory->name, region.vectors.size(), width, lanes));
    }
    if (memory->space == Array::Space::registers) {
      matrix_reason(fmt::format("of {} moved from or to registers: {}", part.array, memory->name));
    }
  }
  void fills(const MatrixFill& s) {
    const Array* held = matrices_of(s.to);
    if (held == nullptr || s.value->type == element(held->type)) return;
    matrix_reason(fmt::format("of {} in {}, filled with {}", to_string(held->type), s.to.array,
                              name_of(s.value->type)));
  }
  void multiplies(const MatrixMultiply& s) {
    using Use = MatrixType::Use;
    const Array *to = matrices_of(s.to), *a = matrices_of(s.a), *b = matrices_of(s.b),
                *c = matrices_of(s.c);
    if (to == nullptr || a == nullptr || b == nullptr || c == nullptr) return;
    const MatrixType &ta = *a->matrix, &tb = *b->matrix, &tc = *c->matrix;
    const bool fits = ta.use == Use::a && tb.use == Use::b && tc.use == Use::accumulator &&
                      *to->matrix == tc && to->type == c->type && ta.rows == tc.rows &&
                      tb.columns == tc.columns && ta.columns == tb.rows;
    if (!fits) {
      matrix_reason(fmt::format("{} = {} * {} + {}: uses or sizes do not fit", s.to.array,
                                s.a.array, s.b.array, s.c.array));
      return;
    }
    out.multiplies.push_back({tc.rows, tc.columns, ta.columns, component_name(a->type),
                              component_name(b->type), component_name(c->type),
                              component_name(to->type), "subgroup"});
  }

  void atomic(const Atomic& s) {
    const Array* array = kernel.find(s.to.array);
    if (array == nullptr) return;
    const auto refuse = [&](const std::string& what) {
      out.reasons.push_back(fmt::format("atomic operation on {}: {}", s.to.array, what));
    };
    if (combining(s.combine) == nullptr) {
      refuse(fmt::format("it cannot {}; there are add, minimum and maximum", name_of(s.combine)));
    }
    if (array->space == Array::Space::registers) refuse("registers belong to one invocation");
    if (s.to.width != 1) refuse("vectors have none");
    if (array->type == ScalarType::f32 && s.combine == Op::add) {
      out.needs.add(array->space == Array::Space::shared ? Feature::shared_f32_atomic_add
                                                         : Feature::buffer_f32_atomic_add);
    } else if (array->type != ScalarType::i32 && array->type != ScalarType::u32) {
      refuse(
          fmt::format("{} of {}: there are add, minimum and maximum of i32 and u32, and add of "
                      "f32",
                      name_of(s.combine), to_string(array->type)));
    }
  }
};

// --- replacing them ---

struct Rewriter {
  const std::function<Expr(const Expr&)>& expression;
  const std::function<Body(const Body&)>& statements;

  void use(Expr& e) { e = expression(e); }
  void touch(Element& element, TouchKind) {
    for (Expr& coordinate : element.coordinates) coordinate = expression(coordinate);
  }
  void body(Body& inner, const Inner&) { inner = statements(inner); }
  void define(const std::string&, const Expr&) {}
  void define_data(const std::string&, const Type&) {}
  Type type_at(const Element&) const { return kIndex; }
  void require(bool, const char*, const Type&) {}
  void require_type(const Element&, const char*, const Type&) {}
  void act_as(Agent, const char*) {}
  void order_shared() {}
  void unrolls() {}
  void subgroup(const Subgroup&) {}
  void atomic(const Atomic&) {}
  void moves(const MatrixPart&, const MatrixRegion&) {}
  void fills(const MatrixFill&) {}
  void multiplies(const MatrixMultiply&) {}
};

struct BodyFinder : Rewriter {
  std::vector<const Body*>& found;
  void use(const Expr&) {}
  void touch(const Element&, TouchKind) {}
  void body(const Body& inner, const Inner&) { found.push_back(&inner); }
};

}  // namespace

Effects effects_of(const Stmt& statement, const Kernel& kernel) {
  Collector collector{kernel};
  show_statement(statement, collector);
  return std::move(collector.out);
}

Stmt rewritten(const Stmt& statement, const std::function<Expr(const Expr&)>& expression,
               const std::function<Body(const Body&)>& body) {
  Stmt copy = statement;
  Rewriter rewriter{expression, body};
  show_statement(copy, rewriter);
  return copy;
}

std::vector<const Body*> bodies_of(const Stmt& statement) {
  std::vector<const Body*> found;
  BodyFinder finder{{nullptr, nullptr}, found};
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

// Each node once, of all expressions together.
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

Type type_of(const Subgroup& s) {
  switch (s.kind) {
    case Subgroup::Kind::ballot: return element(ScalarType::u32, 4);
    case Subgroup::Kind::elect: return kBoolean;
    default: return s.value->type;
  }
}

}  // namespace vkmoye::gen::ir
