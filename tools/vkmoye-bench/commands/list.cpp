// list [PATTERN]: every kernel, what it computes, its config, types and source.

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "commands/command.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {

void add_list(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("list", "every kernel: what it computes, configs, types");
  command->footer("Examples:\n  vkmoye-bench list\n  vkmoye-bench list 'transpose/*'");
  auto pattern = std::make_shared<std::string>("*");
  command->add_option("PATTERN", *pattern, "kernels to show; * and ? match any characters (*)");
  command->callback([pattern] {
    for (const gen::KernelEntry* entry : find_kernels({*pattern})) {
      std::vector<std::string> types;
      for (const ScalarType type : entry->types) types.emplace_back(to_string(type));
      std::cout << fmt::format("{}\n  {}\n  source  {}\n  types   {}\n", entry->name,
                               entry->summary, entry->source, join(types, " "));
      for (const gen::OptionRow& option : entry->options) {
        std::cout << fmt::format("  --{:<9}{:<19}{}\n", option.name, option.value, option.help);
      }
    }
  });
}

}  // namespace vkmoye::bench
