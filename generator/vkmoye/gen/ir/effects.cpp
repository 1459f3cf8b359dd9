// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/effects.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/gen/ir/operation.hpp"
#include "vkmoye/gen/ir/reduction_op.hpp"
#include "vkmoye/gen/ir/statement_parts.hpp"

namespace vkmoye::gen::ir {
namespace {

// Collects the effects of a statement and the reasons why it is wrong.
struct Collector {
  const Kernel& kernel;
  Effects out = {};

  void use(const Expr& e) { out.uses.push_back(&e); }
  void name_array(const std::string&) {}
  void name_place(const Element&) {}
  void access(const Element& element, AccessKind kind) {
    for (const Expr& coordinate : element.coordinates) out.uses.push_back(&coordinate);
    out.accesses.push_back(
        {&element, kind.reads, kind.writes, kind.atomic, kind.lanes, kind.by_any_lane});
  }
  void define(const std::string& name, const Expr& value) {
    out.defines.push_back({name, within_grid(value, kernel.grid)});
  }
  void define_data(const std::string& name, const Type& type) {
    out.defines.push_back({name, variable(name, type), /*is_data=*/true});
  }
  void body(const Body& statements, NestedBody inner) {
    inner.body = &statements;
    out.nested.push_back(std::move(inner));
  }
  void act_as(ExecutionScope scope, const char* operation) {
    out.scope = scope;
    out.operation = operation;
    out.all_must_arrive = true;
  }
  void order_shared() { out.orders_shared = true; }
  void wait_for_grid() { out.needs.add(Feature::grid_barrier); }
  void unrolls() { out.unrolls = true; }
  void assumes(const Expr& condition) { out.assumes.push_back(&condition); }

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
        fmt::format("'{}' {} {} into {}, which takes {} there{}", to.source_text, verb,
                    name_of(found), to.array, name_of(type_at(to)),
                    found == kIndex ? "; convert an index with ir::number or ir::convert" : ""));
  }

  static bool takes_lane(Subgroup::Kind kind) {
    using Kind = Subgroup::Kind;
    return kind == Kind::broadcast || kind == Kind::shuffle || kind == Kind::shuffle_xor;
  }

  void subgroup(const Subgroup& s) {
    using Kind = Subgroup::Kind;
    const Type& type = s.value->type;
    const auto refuse = [&](const std::string& what) {
      out.reasons.push_back(fmt::format("subgroup operation '{}': {}", s.name, what));
    };
    const bool is_number =
        type == kIndex || (type.is_element() && type.width == 1 && is_arithmetic(type.element) &&
                           size_of(type.element) >= 4);
    switch (s.kind) {
      case Kind::reduce:
      case Kind::inclusive_scan:
      case Kind::exclusive_scan:
        out.needs.add(Feature::subgroup_arithmetic);
        if (reduction_op(s.combine) == nullptr) {
          refuse(fmt::format("lanes cannot be combined by {}, only by add, minimum or maximum",
                             name_of(s.combine)));
        }
        break;
      case Kind::broadcast:
        // GL_KHR_shader_subgroup: the id of a broadcast is dynamically uniform within the subgroup.
        out.must_be_uniform.push_back(&s.lane);
        out.needs.add(Feature::subgroup_ballot);
        break;
      case Kind::shuffle:
      case Kind::shuffle_xor: out.needs.add(Feature::subgroup_shuffle); break;
      case Kind::ballot:
        out.needs.add(Feature::subgroup_ballot);
        if (type != kBoolean) refuse(fmt::format("a ballot of {}, not a boolean", name_of(type)));
        return;
      case Kind::elect: return;
    }
    if (!is_number) {
      refuse(fmt::format("of {}: it takes an index, f32, f64, i32 or u32; convert it first",
                         name_of(type)));
    }
    if (s.lane->type != kIndex) {
      refuse(fmt::format("lane of type {}, not an index", name_of(s.lane->type)));
    } else if (takes_lane(s.kind) && s.lane->bound > kernel.subgroup_size) {
      refuse(fmt::format(
          "from a lane that may be {}, of {} lanes; limit it with a remainder or a minimum",
          s.lane->bound >= kUnbounded ? "any number" : std::to_string(s.lane->bound - 1),
          kernel.subgroup_size));
    }
  }

  // --- matrices ---

  void matrix_reason(const std::string& what) { out.reasons.push_back("matrix " + what); }

  // The array of matrices that `part` belongs to; nullptr, with a reason, if it is not one.
  const Array* matrices_of(const MatrixPart& part) {
    out.needs.add(Feature::cooperative_matrix);
    out.must_be_uniform.push_back(&part.number);
    const Array* array = kernel.find(part.array);
    if (array != nullptr && array->matrix) {
      if (array->type == ScalarType::bf16) out.needs.add(Feature::bf16_matrix);
      const std::size_t held = elements_per_lane(*array->matrix, kernel.subgroup_size);
      const std::size_t all = std::size_t{array->matrix->rows} * array->matrix->columns;
      if (held == 0 || held * kernel.subgroup_size != all) {
        matrix_reason(fmt::format("of {}: {} lanes cannot share its {} elements equally",
                                  part.array, kernel.subgroup_size, all));
        return nullptr;
      }
      if (part.elements.size() != held) {
        matrix_reason(fmt::format("of {}: each lane holds {} of its elements, not {}", part.array,
                                  held, part.elements.size()));
        return nullptr;
      }
      // Shaders name a matrix by its number, the machine by its registers.
      for (std::uint32_t i = 0; i < held; ++i) {
        const std::vector<Expr>& at = part.elements[i].coordinates;
        if (at.size() == 1 && same(at[0], Expr(to_index(held)) * part.number + i)) continue;
        matrix_reason(fmt::format("of {}: its element {} is not register {} * number + {}",
                                  part.array, i, held, i));
        return nullptr;
      }
      return array;
    }
    matrix_reason(fmt::format("of {}: the array does not hold matrices", part.array));
    return nullptr;
  }
  void moves(const MatrixPart& part, const MatrixRegion& region) {
    for (const Expr& coordinate : region.first.coordinates)
      out.must_be_uniform.push_back(&coordinate);
    out.must_be_uniform.push_back(&region.stride);
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
    // Each lane that takes part moves the same number of vectors, and together they make up the matrix.
    const std::size_t side = region.by_columns ? region.rows : region.columns;
    const std::size_t width = region.first.width, lanes = region.lanes;
    const bool of_one_width =
        std::all_of(region.vectors.begin(), region.vectors.end(),
                    [&](const Element& vector) { return vector.width == width; });
    if (lanes == 0 || lanes > kernel.subgroup_size || width == 0 || side % width != 0 ||
        !of_one_width ||
        lanes * region.vectors.size() * width != std::size_t{region.rows} * region.columns) {
      matrix_reason(fmt::format(
          "of {}x{} of {}: {} vectors of {} elements by each of {} lanes do "
          "not make it up",
          region.rows, region.columns, memory->name, region.vectors.size(), width, lanes));
    }
    if (memory->is_registers()) {
      matrix_reason(fmt::format(
          "of {} is moved from or to the registers {}; only shared memory and buffers can be used",
          part.array, memory->name));
    }
  }
  void fills(const MatrixFill& s) {
    const Array* held = matrices_of(s.to);
    out.must_be_uniform.push_back(&s.value);
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
    if (reduction_op(s.combine) == nullptr) {
      refuse(fmt::format("it cannot combine by {}, only by add, minimum or maximum",
                         name_of(s.combine)));
    }
    if (array->is_registers()) refuse("registers belong to one invocation");
    if (s.to.width != 1) refuse("it takes one element, not a vector");
    if (array->type == ScalarType::f32 && s.combine == Op::add) {
      out.needs.add(array->is_shared() ? Feature::shared_f32_atomic_add
                                       : Feature::buffer_f32_atomic_add);
    } else if (array->type != ScalarType::i32 && array->type != ScalarType::u32) {
      refuse(
          fmt::format("{} of {}: there are add, minimum and maximum of i32 and u32, and add of "
                      "f32",
                      name_of(s.combine), to_string(array->type)));
    }
  }
};

}  // namespace

Effects effects_of(const Stmt& statement, const Kernel& kernel) {
  Collector collector{kernel};
  show_statement(statement, collector);
  return std::move(collector.out);
}

}  // namespace vkmoye::gen::ir
