// layout EXPR: evaluates layout algebra and draws it; layout eval --jsonl: the same for scripts.

#include <fmt/format.h>

#include <iostream>
#include <memory>

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

const PictureFormat& find_format(const std::string& name) {
  std::vector<std::string> names;
  for (const PictureFormat& format : kFormats) {
    if (format.name == name) return format;
    names.emplace_back(format.name);
  }
  const std::string near = did_you_mean(name, names);
  throw ArgumentError(fmt::format("layout: no picture format '{}'{}; there are {}", name,
                                  near.empty() ? "" : ", did you mean '" + near + "'?",
                                  join(names, " ")));
}

void print_operations() {
  for (const LayoutOperation& row : layout_operations())
    std::cout << row.name << '(' << row.parameters << ")\n";
}

}  // namespace

void add_layout(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("layout", "evaluate layout algebra");
  command->footer(
      "(4,8):(8,1) is a layout, shape:stride, and (4,8) the compact one of that shape; [4, 8:2]\n"
      "is a tiler, one entry per mode. 'layout operations' lists what can be called. An access\n"
      "is a layout (thread, value) -> element of a tile: parallelize((32,32), (32,8)).\n\n"
      "Examples:\n  vkmoye-bench layout 'composition((4,8):(8,1), 4:2)'\n"
      "  vkmoye-bench layout 'make_tiled_copy((2,3):(3,1), (2,3))' --draw svg > copy.svg\n"
      "  vkmoye-bench layout 'bank_map((32,32):(1,33), 32:32)' --draw svg > banks.svg\n"
      "  vkmoye-bench layout 'search_padding((32,32), parallelize((32,32), (32,8)),\n"
      "      parallelize((32,32):(32,1), (32,8)))'\n"
      "  vkmoye-bench layout eval --jsonl < requests.jsonl > answers.jsonl");
  auto expression = std::make_shared<std::string>();
  command
      ->add_option("EXPR", *expression,
                   "a layout, operations on layouts, or one of the words eval and operations")
      ->required();
  auto jsonl = std::make_shared<bool>(false);
  command->add_flag("--jsonl", *jsonl,
                    "with eval: answer each line of stdin, {\"op\",\"args\"}, with one line");
  auto format = std::make_shared<std::string>();
  command->add_option("--draw", *format,
                      "text, svg, typst or latex: the table of offsets, of threads and values for "
                      "make_tiled_copy, of lanes in banks for bank_map");
  command->callback([expression, jsonl, format] {
    if (*jsonl != (*expression == "eval"))
      throw ArgumentError("layout: --jsonl belongs to 'layout eval --jsonl'");
    if (*jsonl) return evaluate_json_lines(std::cin, std::cout);
    if (*expression == "operations") return print_operations();
    if (format->empty()) {
      std::cout << to_text(evaluate_layout_expression(*expression)) << '\n';
      return;
    }
    const PictureFormat& picture = find_format(*format);
    std::cout << picture.draw(table_of(evaluate_layout_expression(*expression)));
  });
}

}  // namespace vkmoye::bench
