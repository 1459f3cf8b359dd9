// SPDX-License-Identifier: MIT
#include "vkmoye/gen/glsl/limits.hpp"

#include <fmt/format.h>

#include "vkmoye/gen/glsl/expression.hpp"

namespace vkmoye::gen::glsl {
namespace {

using ir::Expr;
using ir::Op;

bool is_maximum_or_nan(const ir::Node& e) {
  return ir::same(e.operands[0]->operands[0]->operands[0], e.operands[2]);
}

}  // namespace

// (a < b || isnan(a)) ? a : b, or with b < a.
bool is_limit_or_nan(const ir::Node& e) {
  if (e.op != Op::select || !e.type.is_element() || e.type.width != 1) return false;
  const Expr &condition = e.operands[0], &a = e.operands[1], &b = e.operands[2];
  if (condition->op != Op::logical_or) return false;
  const Expr &less = condition->operands[0], &nan = condition->operands[1];
  if (less->op != Op::less || nan->op != Op::is_nan || !ir::same(nan->operands[0], a)) return false;
  const auto compares = [&](const Expr& left, const Expr& right) {
    return ir::same(less->operands[0], left) && ir::same(less->operands[1], right);
  };
  return compares(a, b) || compares(b, a);
}

const char* name_of_limit(const ir::Node& e) {
  return is_maximum_or_nan(e) ? "max_or_nan" : "min_or_nan";
}

std::string definition_of_limit(const ir::Node& e) {
  return fmt::format(
      "{0} {1}({0} a, {0} b) {{ return ({2} || isnan(a)) ? a : b; }}  // NaN if one is\n",
      spell_type(e.type), name_of_limit(e), is_maximum_or_nan(e) ? "b < a" : "a < b");
}

}  // namespace vkmoye::gen::glsl
