// SPDX-License-Identifier: MIT
// layout: the value of an expression, as `vkmoye-bench layout` prints and draws it, and two more pictures of a layout:
// in which bank each element lies, and the tiles into which a divide cuts its first argument.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api.hpp"
#include "layout/expression.hpp"
#include "layout/layout_operations.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/layout/draw.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::playground {
namespace {

// A browser shows 1,024 cells in 30 ms, and this many in about 100 ms.
constexpr std::int64_t kMaxDrawnCells = 4096;

struct Picture {
  std::string name;
  Table table;
};

Json json_of(const Picture& picture, bool is_drawn) {
  const Table& table = picture.table;
  Json out = {{"name", picture.name}};
  if (table.rows * table.columns > kMaxDrawnCells) {
    out["why_not"] = fmt::format("{} x {} cells: the page draws at most {}", table.rows,
                                 table.columns, kMaxDrawnCells);
  } else {
    if (is_drawn) out["svg"] = draw_svg(table);
    if (is_drawn || picture.name == "layout") out["text"] = draw_text(table);
  }
  return out;
}

// The picture of a layout with each cell in the colour of its bank: 32 banks of one element each, as for f32.
Table in_banks(const Layout& layout) {
  constexpr std::int64_t kBanks = 32;
  Table table = offset_table(layout);
  for (Cell& cell : table.cells) cell.colour = static_cast<int>(std::stoll(cell.text) % kBanks);
  table.title += ", one colour for each of 32 banks";
  return table;
}

struct Call {
  std::string name;       // "zipped_divide"
  std::string arguments;  // "(4,8), [2, 4]"
  std::string first;      // "(4,8)"
};

// `expression` as a call of several arguments, if it is one: "zipped_divide((4,8), [2, 4])".
std::optional<Call> call_in(const std::string& expression) {
  const std::size_t begin = expression.find_first_not_of(' ');
  const std::size_t open = expression.find('('), close = expression.find_last_not_of(' ');
  if (open == std::string::npos || expression[close] != ')') return std::nullopt;
  const std::string arguments = expression.substr(open + 1, close - open - 1);
  int depth = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const char c = arguments[i];
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (depth < 0) return std::nullopt;
    if (c == ',' && depth == 0) {
      return Call{expression.substr(begin, open - begin), arguments, arguments.substr(0, i)};
    }
  }
  return std::nullopt;
}

// The tile that `parallelize` divides among threads, with the thread and value of each cell; nullopt if it is not
// compact, so that an offset in it says nothing about its place.
std::optional<Table> in_threads(const Call& call, const Layout& by_thread) {
  const Layout tile = bench::to_layout(bench::evaluate_layout_expression(call.first));
  if (tile.size() > kMaxDrawnCells || tile != make_layout(tile.shape())) return std::nullopt;
  return thread_value_table(by_thread, product_each(tile.shape()));
}

// The first argument of the divide, with one colour for each tile.
std::optional<Table> in_tiles(const Call& divide) {
  const bench::Value whole = bench::evaluate_layout_expression(divide.first);
  const bench::Value parts =
      bench::evaluate_layout_expression("zipped_divide(" + divide.arguments + ")");
  const auto* zipped = std::get_if<Layout>(&parts);
  if (zipped == nullptr || zipped->rank() != 2 || zipped->size() > kMaxDrawnCells) {
    return std::nullopt;
  }
  const Layout tile = zipped->mode(0), rest = zipped->mode(1);
  std::map<std::string, int> tile_of;
  for (std::int64_t r = 0; r < rest.size(); ++r) {
    for (std::int64_t t = 0; t < tile.size(); ++t) {
      tile_of.emplace(std::to_string(tile(t) + rest(r)), static_cast<int>(r));
    }
  }
  Table table = offset_table(bench::to_layout(whole));
  for (Cell& cell : table.cells) {
    const auto found = tile_of.find(cell.text);
    if (found != tile_of.end()) cell.colour = found->second;
  }
  table.title += fmt::format(", one colour for each of {} tiles", rest.size());
  return table;
}

Json operations() {
  Json out = Json::array();
  for (const bench::LayoutOperation& one : bench::layout_operations()) {
    out.push_back(fmt::format("{}({})", one.name, one.parameters));
  }
  return {{"operations", out}};
}

}  // namespace

Json layout(const Json& request) {
  if (find(request, "operations") != nullptr) return operations();
  const std::string* expression = text_of(member_or_null(request, "expression"));
  if (expression == nullptr) throw ArgumentError("layout needs an \"expression\"");
  const bench::Value value = bench::evaluate_layout_expression(*expression);
  Json out = {{"text", bench::to_text(value)}, {"kind", bench::kind_of(value)}};
  std::vector<Picture> pictures;
  try {
    pictures.push_back({"layout", bench::table_of(value)});
  } catch (const LayoutError& error) {  // a number, a truth value: its text is all there is
    out["why_no_picture"] = error.what();
  }
  const auto* as_layout = std::get_if<Layout>(&value);
  if (const auto call = call_in(*expression)) {
    std::optional<Table> table;
    const bool divides = call->name.ends_with("_divide");
    if (divides) table = in_tiles(*call);
    if (call->name == "parallelize" && as_layout != nullptr) table = in_threads(*call, *as_layout);
    if (table) pictures.push_back({divides ? "tiles" : "threads", std::move(*table)});
  }
  if (as_layout != nullptr && as_layout->size() <= kMaxDrawnCells) {
    pictures.push_back({"banks", in_banks(*as_layout)});
  }
  const Json& wanted = member_or_null(request, "picture");
  const bool has_wanted = std::any_of(pictures.begin(), pictures.end(),
                                      [&](const Picture& one) { return wanted == one.name; });
  out["pictures"] = Json::array();
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const bool is_drawn = has_wanted ? wanted == pictures[i].name : i == 0;
    out["pictures"].push_back(json_of(pictures[i], is_drawn));
  }
  return out;
}

}  // namespace vkmoye::playground
