// run KERNEL...: verifies, then times.

#include <memory>

#include "command.hpp"
#include "open_device.hpp"
#include "run_options.hpp"
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
};

int run(RunOptions& options) {
  if (options.verify == "full") options.measure.verify = Verify::full;
  if (options.verify == "sample") options.measure.verify = Verify::sample;
  if (options.verify == "off") options.measure.verify = Verify::off;

  options.measure.baselines = parse_baselines(options.baselines);

  std::vector<Problem> problems;
  const auto kernels = find_kernels(options.kernels);
  const auto sizes = parse_sizes(options.sizes);
  for (const ScalarType type : parse_types(options.types)) {
    const gen::Request request = gen::request_of(type, options.config.given());
    for (const gen::KernelEntry* entry : kernels) {
      entry->describe(request);  // refuses a bad config before any work
    }
    for (const Extents& size : sizes) {
      for (const gen::KernelEntry* entry : kernels) {
        problems.push_back({entry, request, size_of_problem(entry->operation, size)});
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
  add_sweep("--type", options->types, "element types, commas or repeats sweep (f32)");
  add_sweep("--size", options->sizes,
            "ROWSxCOLUMNS of the source, commas or repeats sweep (2048x2048)");
  command
      ->add_option("--verify", options->verify,
                   "full, sample or off (full up to 2^26 elements, else sample)")
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
  add_number("--seed", options->measure.seed, parse_seed, "of the random input (1)");
  options->output.add_to(*command);
  options->config.add_to(*command);
  command->callback([options, &app, &status] {
    options->measure.program = app.get_name();
    options->measure.device = options->output.device;
    status = run(*options);
  });
}

}  // namespace vkmoye::bench
