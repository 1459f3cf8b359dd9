// layout EXPR: evaluates layout algebra and draws it; layout eval --jsonl: the same for scripts.

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>

#include "commands/command.hpp"
#include "layout/eval.hpp"
#include "layout/expression.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

struct PictureFormat {
  std::string_view name;
  std::string (*draw)(const Table&);
};

constexpr PictureFormat kFormats[] = {
    {"text", draw_text}, {"svg", draw_svg}, {"typst", draw_typst}, {"latex", draw_latex}};

void print_operations() {
  for (const LayoutOperation& row : layout_operations())
    std::cout << row.name << '(' << row.parameters << ")\n";
}

std::string draw(const std::string& expression, const std::string& format) {
  const Table table = table_of(evaluate_layout_expression(expression));
  const auto* row = std::find_if(std::begin(kFormats), std::end(kFormats),
                                 [&](const PictureFormat& row) { return row.name == format; });
  return row->draw(table);  // the table of options has no other names
}

int layout(const Given& given) {
  if (given.jsonl != (given.expression == "eval")) {
    throw ArgumentError("layout: --jsonl belongs to 'layout eval --jsonl'");
  }
  if (!given.draw.empty() && (given.jsonl || given.expression == "operations")) {
    throw ArgumentError("layout: --draw belongs to an expression, '" + given.expression +
                        "' has no picture");
  }
  if (given.jsonl) {
    evaluate_json_lines(std::cin, std::cout);
  } else if (given.expression == "operations") {
    print_operations();
  } else if (given.draw.empty()) {
    std::cout << to_text(evaluate_layout_expression(given.expression)) << '\n';
  } else {
    std::cout << draw(given.expression, given.draw);
  }
  return kOk;
}

}  // namespace

const Command kLayout = {
    CommandName::layout, "evaluate layout algebra",
    "(4,8):(8,1) is a layout, shape:stride, and (4,8) the compact one of that\n"
    "shape; [4, 8:2] is a tiler, one entry per mode. 'layout operations' lists what\n"
    "can be called. An access is a layout (thread, value) -> element of a tile:\n"
    "parallelize((32,32), (32,8)). What is printed is an expression too:\n"
    "Swizzle<5,0,5> o 0 o (32,32):(1,32).\n\n"
    "Examples:\n  vkmoye-bench layout 'composition((4,8):(8,1), 4:2)'\n"
    "  vkmoye-bench layout 'make_tiled_copy((2,3):(3,1), (2,3))' --draw svg > c.svg\n"
    "  vkmoye-bench layout 'bank_map((32,32):(1,33), 32:32)' --draw svg > banks.svg\n"
    "  vkmoye-bench layout 'search_padding((32,32), parallelize((32,32), (32,8)),\n"
    "      parallelize((32,32):(32,1), (32,8)))'\n"
    "  vkmoye-bench layout eval --jsonl < requests.jsonl > answers.jsonl",
    layout};

}  // namespace vkmoye::bench
