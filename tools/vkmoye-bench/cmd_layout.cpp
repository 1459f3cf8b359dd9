// layout EXPR: evaluates layout algebra.

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "command.hpp"
#include "layout_expression.hpp"

namespace vkmoye::bench {

void add_layout(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("layout", "evaluate layout algebra");
  command->footer("Examples:\n  vkmoye-bench layout 'composition((4,8):(8,1), 4:2)'\n"
                  "  vkmoye-bench layout 'zipped_divide((32,32):(1,33), (32,8))'");
  auto expression = std::make_shared<std::string>();
  command->add_option("EXPR", *expression, "a layout, or operations on layouts")->required();
  command->callback([expression] {
    std::cout << to_text(evaluate_layout_expression(*expression)) << '\n';
  });
}

}  // namespace vkmoye::bench
