// SPDX-License-Identifier: MIT
#include "vkmoye/gen/glsl/repeated.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "vkmoye/gen/glsl/print.hpp"

namespace vkmoye::gen::glsl {
namespace {

using ir::Expr;

// Counts how often the text of each part occurs. Parts of a repeated part are counted only once, and a conversion that
// is not printed is not a part of its own.
void count(const Expr& e, std::map<std::string, std::pair<Expr, int>>& parts) {
  if (e->operands.empty()) return;
  const std::string text = print(e);
  if (e->operands.size() == 1 && print(e->operands.front()) == text) {
    return count(e->operands.front(), parts);
  }
  const auto [found, is_new] = parts.try_emplace(text, e, 0);
  ++found->second.second;
  if (!is_new) return;
  for (const Expr& operand : e->operands) count(operand, parts);
}

}  // namespace

std::optional<Expr> repeated_part(const Expr& index) {
  constexpr std::size_t kShort = 12;
  std::map<std::string, std::pair<Expr, int>> parts;
  count(index, parts);
  std::optional<Expr> out;
  std::size_t length = kShort;
  for (const auto& [text, part] : parts) {
    if (part.second < 2 || text.size() <= length || !(part.first->type == ir::kIndex)) continue;
    out = part.first;
    length = text.size();
  }
  return out;
}

Expr replaced(const Expr& index, const Expr& part, const Expr& by) {
  if (print(index) == print(part)) return by;
  if (index->operands.empty()) return index;
  ir::Node node = *index;
  for (Expr& operand : node.operands) operand = replaced(operand, part, by);
  return Expr(std::make_shared<const ir::Node>(std::move(node)));
}

}  // namespace vkmoye::gen::glsl
