// run KERNEL...: verifies, then times.

#include <memory>

#include "baselines/baselines.hpp"
#include "commands/command.hpp"
#include "commands/open_device.hpp"
#include "commands/run_options.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

struct RunOptions {
  std::vector<std::string> kernels, sizes = {"2048"}, types = {"f32"};
  std::vector<std::string> baselines;
  std::string verify;
  MeasureOptions measure;
  OutputOptions output;
  ConfigOptions config;
  GemmOptions gemm;
};

// Commas sweep; for products they part the types of one.
std::vector<std::string> sweep_of(const std::vector<std::string>& types,
                                  const std::vector<const gen::KernelEntry*>& kernels) {
  for (const gen::KernelEntry* entry : kernels) {
    if (entry->operation == gen::Operation::gemm) return types;
  }
  return split(join(types, ","), ',');
}

int run(RunOptions& options) {
  if (options.verify == "full") options.measure.verify = Verify::full;
  if (options.verify == "sample") options.measure.verify = Verify::sample;
  if (options.verify == "off") options.measure.verify = Verify::off;

  options.measure.baselines = parse_baselines(options.baselines);

  std::vector<Problem> problems;
  const auto kernels = find_kernels(options.kernels);
  const auto sizes = parse_sizes(options.sizes);
  options.gemm.refuse_without_product(kernels);
  if (options.measure.gate && options.measure.baselines.empty()) {
    throw ArgumentError("--gate: is for a --baseline, and none is given");
  }
  refuse_useless_baselines(options.measure.baselines, kernels);
  for (const std::string& type : sweep_of(options.types, kernels)) {
    for (const Extents& size : sizes) {
      for (const gen::KernelEntry* entry : kernels) {
        for (Problem& problem : problems_of(*entry, type, size_of_problem(entry->operation, size),
                                            options.config.given(), options.gemm)) {
          // A bad config is refused before any work; of several kernels, those without this type
          // are skipped.
          const bool refuses = kernels.size() == 1 || has_type(*entry, problem.request);
          if (refuses && &size == &sizes.front()) entry->describe(problem.request);
          problems.push_back(std::move(problem));
        }
      }
    }
  }
  Device device = open_device(options.output.device);
  return run_problems(device, problems, options.measure, options.output);
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("run", "verify kernels, then time them");
  command->footer(
      "Examples:\n  vkmoye-bench run 'copy/*' 'transpose/*' --size 2048x2048,1023x2047\n"
      "  vkmoye-bench run transpose/padded --type f16 --pad 2 --baseline copy --format json");
  auto options = std::make_shared<RunOptions>();
  command->add_option("KERNEL", options->kernels, "family/variant; * and ? match any characters")
      ->required();
  // One value for each: the word behind it is a kernel.
  const auto add_sweep = [&](const std::string& name, std::vector<std::string>& values,
                             const std::string& help) {
    command->add_option(name, values, help)->allow_extra_args(false);
  };
  add_sweep("--type", options->types,
            "element types, commas or repeats sweep (f32); of a product "
            "operands,accumulator,result, repeats sweep");
  add_sweep("--size", options->sizes,
            "ROWSxCOLUMNS of the source, MxNxK of a product; commas or repeats sweep (2048)");
  command
      ->add_option(
          "--verify", options->verify,
          "full, sample or off (full up to 2^26 elements moved or 2^29 products, else sample)")
      ->check(one_of("verification", {"full", "sample", "off"}));
  add_sweep("--baseline", options->baselines,
            "time these as well and report the ratio: " + join(baseline_names(), ", "));
  // Read by functions of ours: CLI11 takes NaN for a number of any range, and -1 for 2^64-1.
  const auto add_number = [&](const std::string& name, auto& value, auto parse,
                              const std::string& help) {
    command->add_option_function<std::string>(
        name,
        [name, &value, parse](const std::string& text) {
          try {
            value = parse(text);
          } catch (const ArgumentError& error) {
            throw ArgumentError(name + ": " + error.what());
          }
        },
        help);
  };
  add_number("--min-time", options->measure.min_time, parse_seconds,
             "seconds of timed work, after as much warm-up (0.5)");
  command->add_flag("--bake", options->measure.bake,
                    "make the sizes numbers in the kernel: faster, one pipeline for each size");
  add_number("--gate", options->measure.gate, parse_number,
             "exit status 4 if the speed is below this multiple of a --baseline's");
  add_number("--seed", options->measure.seed, parse_seed, "of the random input (1)");
  options->output.add_to(*command);
  options->config.add_to(*command);
  options->gemm.add_to(*command, GemmOptions::Command::run);
  command->callback([options, &app, &status] {
    options->measure.program = app.get_name();
    options->measure.device = options->output.device;
    status = run(*options);
  });
}

}  // namespace vkmoye::bench
