// explain KERNEL: what the layouts prove of each access; needs no device.

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "commands/command.hpp"
#include "commands/explain_report.hpp"
#include "io/parse.hpp"
#include "vkmoye/base/error.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {
namespace {

struct ExplainOptions {
  std::string kernel, type = "f32", size = "4096", format = "table";
  int subgroup = 32;
  ConfigOptions config;
  GemmOptions gemm;
};

void explain(const ExplainOptions& options) {
  const gen::KernelEntry& entry = find_one_kernel(options.kernel);
  const auto sizes = parse_sizes({options.size});
  if (sizes.size() != 1) {
    throw ArgumentError(
        fmt::format("explain: --size {} is {} sizes, one is needed", options.size, sizes.size()));
  }
  options.gemm.refuse_without_product({&entry});
  const auto problems =
      problems_of(entry, options.type, size_of_problem(entry.operation, sizes.front()),
                  options.config.given(), options.gemm);
  if (problems.size() != 1) {
    throw ArgumentError(fmt::format("explain: --type {} is {} types, one is needed", options.type,
                                    problems.size()));
  }
  const Problem& problem = problems.front();
  gen::AccessModel model;
  model.banks.lanes = options.subgroup;
  for (const auto& [name, value] : make_workload(problem)->arguments()) {
    const auto* size = std::get_if<std::int64_t>(&value.value);
    if (size != nullptr) model.sizes[name] = static_cast<std::uint32_t>(*size);
  }
  const gen::ir::Kernel kernel = entry.describe(problem.request);
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
  command->add_option("--type", options->type,
                      "element type (f32); of a product also operands,accumulator,result");
  command
      ->add_option("--size", options->size,
                   "size to assume, ROWSxCOLUMNS of the source or MxNxK (4096)")
      ->check(not_empty());
  command->add_option("--subgroup", options->subgroup, "lanes that make one request, 1..128 (32)")
      ->check(CLI::Range(1, 128));
  command->add_option("--format", options->format, "table, json or markdown (table)")
      ->check(one_of("format", {"table", "json", "markdown"}));
  options->config.add_to(*command);
  options->gemm.add_to(*command, GemmOptions::Command::run);
  command->callback([options] { explain(*options); });
}

}  // namespace vkmoye::bench
