// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/titles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "vkmoye/base/text.hpp"

namespace vkmoye::gen {
namespace {

std::optional<std::string> sum_text(const Expr& e);

// A factor of a product: a sum is in parentheses.
std::optional<std::string> factor_text(const Expr& e) {
  const auto text = sum_text(e);
  const bool is_call = e->op == ir::Op::minimum || e->op == ir::Op::maximum;
  if (!text || e->operands.empty() || is_call) return text;
  return "(" + *text + ")";
}

std::optional<std::string> sum_text(const Expr& e) {
  if (e->op == ir::Op::variable) return e->name;
  if (e->op == ir::Op::constant) return std::to_string(e->value);
  const bool is_product = e->op == ir::Op::multiply;
  const bool is_limited = e->op == ir::Op::minimum || e->op == ir::Op::maximum;
  const bool is_difference = e->op == ir::Op::subtract;
  if (!is_product && !is_limited && !is_difference && e->op != ir::Op::add) return std::nullopt;
  std::vector<std::string> parts;
  for (const Expr& operand : e->operands) {
    const bool is_factor = is_product || (is_difference && !parts.empty());
    const auto part = is_factor ? factor_text(operand) : sum_text(operand);
    if (!part) return std::nullopt;
    parts.push_back(*part);
  }
  if (is_limited) {
    return fmt::format("{}({})", e->op == ir::Op::minimum ? "min" : "max", join(parts, ", "));
  }
  return join(parts, is_product ? " " : is_difference ? " - " : " + ");
}

}  // namespace

std::string place_text(const View& view) {
  if (view.name.find("take(") != std::string::npos) return "";
  std::vector<std::string> places;
  for (const View::Tiling& tiling : view.tilings) {
    const auto place = sum_text(Expr(to_index(tiling.tile)) * tiling.coordinate);
    if (!place) return "";
    places.push_back(*place);
  }
  // Of a tile of a tile, only the place of the outer one is known.
  const bool is_inner = std::any_of(view.tilings.begin(), view.tilings.end(),
                                    [](const View::Tiling& tiling) { return tiling.has_inner; });
  return places.empty()
             ? ""
             : fmt::format(" {} ({})", is_inner ? "in the tile at" : "at", join(places, ", "));
}

ir::Body under_title(const std::string& title, ir::Body body) {
  if (title.empty() || body.empty()) return body;
  auto* only = body.size() == 1 ? std::get_if<ir::Titled>(&body.front().value) : nullptr;
  if (only == nullptr || !only->function.empty())
    return ir::statements(ir::Titled{title, std::move(body)});
  only->title = title + ":\n" + only->title;
  return body;
}

}  // namespace vkmoye::gen
