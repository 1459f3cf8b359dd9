// SPDX-License-Identifier: MIT
// What a user can type never crashes, never runs for ever, and is refused by LayoutError alone.
//
// An input is a request of `layout eval --jsonl` if it starts with '{', otherwise a layout and an
// expression. tests/fuzz/run makes the first inputs and starts this.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "layout/eval.hpp"
#include "layout/expression.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::bench {
namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

void layouts(std::string_view text) try {
  const Layout layout = parse_layout(text);
  require(parse_layout(to_string(layout)) == layout, "a printed layout is read back");
  if (const auto collision = find_collision(layout))
    require(collision->first != collision->second &&
                layout(collision->first) == collision->offset &&
                layout(collision->second) == collision->offset,
            "two coordinates collide where it is said");
} catch (const LayoutError&) {
}

void expressions(std::string_view text) try {
  const Value value = evaluate_layout_expression(text);
  const std::string printed = to_text(value);
  if (!std::holds_alternative<Table>(value))
    require(to_text(evaluate_layout_expression(printed)) == printed,
            "a printed value is read back");
  const Table table = table_of(value);
  if (table.cells.size() > 4096) return;  // drawing is linear, its time is another test's matter
  for (auto* draw : {draw_text, draw_svg, draw_typst, draw_latex}) draw(table);
} catch (const LayoutError&) {
}

void requests(std::string_view text) {
  std::string answer;
  evaluate_json(text, answer);
  require(answer.size() > 100000 || nlohmann::json::accept(answer), "an answer is JSON");
}

}  // namespace
}  // namespace vkmoye::bench

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vkmoye::bench;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with('{')) {
    requests(text);
  } else {
    layouts(text);
    expressions(text);
  }
  return 0;
}
