// SPDX-License-Identifier: MIT
// Layouts and expressions as a user types them. An input is a request of `layout eval --jsonl` if it starts with '{',
// otherwise a layout and an expression.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "fuzz/formats.hpp"
#include "layout/eval.hpp"
#include "layout/expression.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::fuzz {
namespace {

using namespace bench;

bool layouts(std::string_view text) try {
  const Layout layout = parse_layout(text);
  require(parse_layout(to_string(layout)) == layout, "a printed layout is read back");
  if (const auto collision = find_collision(layout))
    require(collision->first != collision->second &&
                layout(collision->first) == collision->offset &&
                layout(collision->second) == collision->offset,
            "two coordinates collide where it is said");
  return true;
} catch (const LayoutError&) {
  return false;
}

bool expressions(std::string_view text) try {
  const Value value = evaluate_layout_expression(text);
  const std::string printed = to_text(value);
  if (!std::holds_alternative<Table>(value))
    require(to_text(evaluate_layout_expression(printed)) == printed,
            "a printed value is read back");
  const Table table = table_of(value);
  if (table.cells.size() > 4096)
    return true;  // drawing is linear, its time is another test's matter
  for (auto* draw : {draw_text, draw_svg, draw_typst, draw_latex}) draw(table);
  return true;
} catch (const LayoutError&) {
  return false;
}

bool requests(std::string_view text) {
  const std::string answer = evaluate_json(text);
  require(answer.size() > 100000 || nlohmann::json::accept(answer), "an answer is JSON");
  return answer.find("\"error\"") == std::string::npos;
}

}  // namespace

bool accepts_layout(std::string_view input) {
  if (input.starts_with('{')) return requests(input);
  const bool is_layout = layouts(input), is_expression = expressions(input);
  return is_layout || is_expression;
}

}  // namespace vkmoye::fuzz
