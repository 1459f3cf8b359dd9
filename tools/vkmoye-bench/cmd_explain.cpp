// explain KERNEL: what the layouts prove of each access; needs no device.

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "explain_report.hpp"
#include "parse.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

struct ExplainOptions {
  std::string kernel, type = "f32", size, format = "table";
  int subgroup = 32;
  ConfigOptions config;
};

// The run-time sizes of `kernel` that `text` gives, in the order in which --size names them.
std::map<std::string, std::uint32_t> sizes_from(const std::string& text,
                                                const gen::ir::Kernel& kernel) {
  const std::vector<std::string> orders[] = {{"rows", "cols"}, {"m", "n", "k"}};
  const auto has = [&](const std::string& name) {
    return std::find(kernel.arguments.begin(), kernel.arguments.end(), name) !=
           kernel.arguments.end();
  };
  const auto order = std::find_if(std::begin(orders), std::end(orders),
                                  [&](const auto& names) { return has(names.front()); });
  if (order == std::end(orders)) {
    throw ArgumentError(fmt::format("{} has no run-time sizes for --size", kernel.name));
  }
  const auto extents = split(text, 'x');
  if (extents.size() != 1 && extents.size() != order->size()) {
    throw ArgumentError(fmt::format("size '{}' has {} extents, {} has the {} {}", text,
                                    extents.size(), kernel.name, order->size(), join(*order, " ")));
  }
  std::map<std::string, std::uint32_t> sizes;
  for (std::size_t i = 0; i < order->size(); ++i) {
    const std::string& extent = extents[extents.size() == 1 ? 0 : i];
    sizes[(*order)[i]] = static_cast<std::uint32_t>(parse_sizes({extent}).front().rows);
  }
  return sizes;
}

void explain(const ExplainOptions& options) {
  const gen::KernelEntry& entry = find_one_kernel(options.kernel);
  const gen::ir::Kernel kernel = entry.describe(parse_type(options.type), options.config.given());
  gen::AccessModel model;
  model.banks.lanes = options.subgroup;
  if (!options.size.empty()) model.sizes = sizes_from(options.size, kernel);
  std::cout << explain_text(kernel, model, gen::analyse(kernel, model), options.format);
}

}  // namespace

void add_explain(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand(
      "explain", "what the layouts prove of each memory access; needs no device");
  command->footer(
      "Examples:\n  vkmoye-bench explain transpose/simple\n"
      "  vkmoye-bench explain transpose/simple --type f16 --shared '(32,32):(1,34)'");
  auto options = std::make_shared<ExplainOptions>();
  command->add_option("KERNEL", options->kernel, "family/variant")->required();
  command->add_option("--type", options->type, "element type (f32)");
  command
      ->add_option("--size", options->size,
                   "run-time sizes to assume, ROWSxCOLUMNS of the source (4096x4096)")
      ->check(not_empty());
  command->add_option("--subgroup", options->subgroup, "lanes that make one request, 1..128 (32)")
      ->check(CLI::Range(1, 128));
  command->add_option("--format", options->format, "table, json or markdown (table)")
      ->check(one_of("format", {"table", "json", "markdown"}));
  options->config.add_to(*command);
  command->callback([options] { explain(*options); });
}

}  // namespace vkmoye::bench
