// SPDX-License-Identifier: MIT
#include "vkmoye/gen/glsl/parts.hpp"

#include <fmt/format.h>

#include <vector>

#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/glsl/declarations.hpp"
#include "vkmoye/gen/glsl/expression.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/glsl/spelling.hpp"
#include "vkmoye/gen/ir/reduction_op.hpp"

namespace vkmoye::gen::glsl {

using ir::Array;
using ir::Expr;

bool is_single(const Array& array) {
  return array.is_registers() && !array.matrix && array.size() == array.vector;
}

Expr address_of(const ir::Element& element, const Array& array) {
  Expr address = 0;
  const std::vector<ir::Axis> axes = axes_of(element, array);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    address = address + axes[i].stride * element.coordinates[i];
  }
  return address;
}

std::string bytes_to(const ir::Element& element, const Array& array) {
  std::vector<std::string> terms;
  const std::vector<ir::Axis> axes = axes_of(element, array);
  for (std::size_t i = 0; needs_long_offsets(array) && i < axes.size(); ++i) {
    const Expr &step = axes[i].stride, &at = element.coordinates[i];
    if (ir::is_constant(at, 0)) continue;
    const std::string coordinate = fmt::format("uint64_t({})", glsl::print(at));
    terms.push_back(ir::is_constant(step, 1) ? coordinate
                    : ir::is_constant(step)
                        ? fmt::format("{}ul * {}", step->value, coordinate)
                        : fmt::format("uint64_t({}) * {}", glsl::print(step), coordinate));
  }
  if (terms.empty()) terms = {fmt::format("uint64_t({})", glsl::print(address_of(element, array)))};
  const std::string sum = join(terms, " + ");
  return fmt::format(fmt::runtime(terms.size() > 1 ? "{}ul * ({})" : "{}ul * {}"),
                     size_of(array.type), sum);
}

std::string matrix_name(const Array& array) {
  const char* use = array.matrix->use == ir::MatrixType::Use::a   ? "A"
                    : array.matrix->use == ir::MatrixType::Use::b ? "B"
                                                                  : "Accumulator";
  return fmt::format("coopmat<{}, gl_ScopeSubgroup, {}, {}, gl_MatrixUse{}>",
                     element_name(spelled_as(array.type), 1), array.matrix->rows,
                     array.matrix->columns, use);
}

std::string subscript(const std::string& array, const Expr& index) {
  const std::string text = is_constant(index) ? std::to_string(index->value) : glsl::print(index);
  return fmt::format("{}[{}]", array, text);
}

namespace {

std::string matrix(const ir::MatrixPart& part) { return subscript(part.array, part.number); }

// The start of a region, its stride and its order: arguments of coopMatLoad and coopMatStore.
std::string arguments_of(const ir::MatrixRegion& region, const ir::Kernel& kernel) {
  const Array& array = *kernel.find(region.first.array);
  const bool is_buffer = array.is_buffer();
  const std::uint32_t width = is_buffer ? region.first.width : shared_width(kernel, array);
  return fmt::format("{}, {}, {}, gl_CooperativeMatrixLayout{}Major",
                     is_buffer ? array_name(array.name, width) : array.name,
                     glsl::print(ir::divide_exactly(address_of(region.first, array), width)),
                     glsl::print(region.stride / width), region.by_columns ? "Column" : "Row");
}

}  // namespace

std::string matrix_statement(const ir::MatrixLoad& s, const ir::Kernel& kernel) {
  return fmt::format("coopMatLoad({}, {});", matrix(s.to), arguments_of(s.from, kernel));
}

std::string matrix_statement(const ir::MatrixStore& s, const ir::Kernel& kernel) {
  return fmt::format("coopMatStore({}, {});", matrix(s.from), arguments_of(s.to, kernel));
}

std::string matrix_statement(const ir::MatrixFill& s, const ir::Kernel& kernel) {
  return fmt::format("{} = {}({});", matrix(s.to), matrix_name(*kernel.find(s.to.array)),
                     glsl::print(s.value));
}

std::string matrix_statement(const ir::MatrixMultiply& s, const ir::Kernel&) {
  return fmt::format("{} = coopMatMulAdd({}, {}, {});", matrix(s.to), matrix(s.a), matrix(s.b),
                     matrix(s.c));
}

std::string subgroup_call(const ir::Subgroup& s) {
  using Kind = ir::Subgroup::Kind;
  const auto* row = ir::reduction_op(s.combine);
  const char* combine = row != nullptr ? row->glsl : "";
  switch (s.kind) {
    case Kind::reduce: return call(fmt::format("subgroup{}", combine), {s.value});
    case Kind::inclusive_scan: return call(fmt::format("subgroupInclusive{}", combine), {s.value});
    case Kind::exclusive_scan: return call(fmt::format("subgroupExclusive{}", combine), {s.value});
    case Kind::broadcast: return call("subgroupBroadcast", {s.value, s.lane});
    case Kind::shuffle: return call("subgroupShuffle", {s.value, s.lane});
    case Kind::shuffle_xor: return call("subgroupShuffleXor", {s.value, s.lane});
    case Kind::ballot: return call("subgroupBallot", {s.value});
    case Kind::elect: return "subgroupElect()";
  }
  return "?";
}

std::string comment_on_rounding_up(const Expr& e) {
  using ir::Op;
  if (e->op != Op::add || e->operands[0]->op != Op::divide) return "";
  const Expr &whole = e->operands[0]->operands[0], &part = e->operands[0]->operands[1];
  const Expr& rest = e->operands[1];
  const auto comment = [&](const Expr& rounded) {
    return fmt::format("  // ceil({} / {})", print(rounded), part->value);
  };
  if (!ir::is_constant(part)) return "";
  if (ir::is_constant(rest, 1) && whole->op == Op::subtract &&
      ir::is_constant(whole->operands[1], 1)) {
    return comment(whole->operands[0]);
  }
  const bool adds_one = rest->op == Op::minimum && ir::is_constant(rest->operands[1], 1) &&
                        rest->operands[0]->op == Op::modulo &&
                        ir::same(rest->operands[0]->operands[0], whole) &&
                        ir::same(rest->operands[0]->operands[1], part);
  return adds_one ? comment(whole) : "";
}

const char* unroll_text(ir::Unroll unroll) {
  switch (unroll) {
    case ir::Unroll::free: return "";
    case ir::Unroll::always: return "[[unroll]] ";
    case ir::Unroll::never: return "[[dont_unroll]] ";
  }
  return "";
}

}  // namespace vkmoye::gen::glsl
