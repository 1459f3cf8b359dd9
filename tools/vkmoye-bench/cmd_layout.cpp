// layout EXPR: evaluates layout algebra.

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "command.hpp"
#include "layout_expression.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::bench {

void add_layout(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("layout", "evaluate layout algebra");
  command->footer("Examples:\n  vkmoye-bench layout 'composition((4,8):(8,1), 4:2)'\n"
                  "  vkmoye-bench layout 'zipped_divide((32,32):(1,33), (32,8))'");
  auto expression = std::make_shared<std::string>();
  command->add_option("EXPR", *expression, "a layout, or operations on layouts")->required();
  command->callback([expression] {
    const LayoutValue value = evaluate_layout_expression(*expression);
    std::cout << std::visit([](const auto& v) { return to_string(v); }, value) << '\n';
  });
}

}  // namespace vkmoye::bench
