// layout EXPR: evaluates layout algebra; layout eval --jsonl: the same for scripts.

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "command.hpp"
#include "layout_eval.hpp"
#include "layout_expression.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye::bench {

void add_layout(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("layout", "evaluate layout algebra");
  command->footer(
      "Examples:\n  vkmoye-bench layout 'composition((4,8):(8,1), 4:2)'\n"
      "  vkmoye-bench layout eval --jsonl < requests.jsonl > answers.jsonl");
  auto expression = std::make_shared<std::string>();
  command->add_option("EXPR", *expression, "a layout, operations on layouts, or the word eval")
      ->required();
  auto jsonl = std::make_shared<bool>(false);
  command->add_flag("--jsonl", *jsonl,
                    "with eval: answer each line of stdin, {\"op\",\"args\"}, with one line");
  command->callback([expression, jsonl] {
    if (*jsonl != (*expression == "eval")) {
      throw ArgumentError("layout: --jsonl belongs to 'layout eval --jsonl'");
    }
    if (*jsonl) return evaluate_json_lines(std::cin, std::cout);
    std::cout << to_text(evaluate_layout_expression(*expression)) << '\n';
  });
}

}  // namespace vkmoye::bench
