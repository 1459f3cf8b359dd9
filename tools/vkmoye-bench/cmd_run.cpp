// run KERNEL...: verifies, then times.

#include <memory>

#include "command.hpp"
#include "run_options.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye::bench {
namespace {

struct RunOptions {
  std::vector<std::string> kernels, sizes = {"2048x2048"}, types = {"f32"};
  std::string verify;
  MeasureOptions measure;
  OutputOptions output;
  ConfigOptions config;
};

int run(RunOptions& options) {
  if (options.verify == "full") options.measure.verify = Verify::full;
  if (options.verify == "sample") options.measure.verify = Verify::sample;
  if (options.verify == "off") options.measure.verify = Verify::off;

  std::vector<Problem> problems;
  const auto kernels = find_kernels(options.kernels);
  const auto sizes = parse_sizes(options.sizes);
  for (const ScalarType type : parse_types(options.types)) {
    for (const Size& size : sizes) {
      for (const gen::KernelEntry* entry : kernels) {
        entry->describe(type, options.config.given());  // refuses a bad config before any work
        problems.push_back({entry, type, size, options.config.given()});
      }
    }
  }
  Device device = Device::open(options.output.device);
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
  command->add_option("--type", options->types, "element types, commas or repeats sweep (f32)");
  command->add_option("--size", options->sizes,
                      "ROWSxCOLUMNS of the source, commas or repeats sweep (2048x2048)");
  command
      ->add_option("--verify", options->verify,
                   "full, sample or off (full up to 2^26 elements, else sample)")
      ->check(CLI::IsMember({"full", "sample", "off"}));
  command
      ->add_option("--min-time", options->measure.min_time,
                   "seconds of timed work, after as much warm-up (0.5)")
      ->check(CLI::Range(0.0, 60.0));
  command
      ->add_option("--baseline", options->measure.baselines,
                   "time this as well and report the ratio: copy, vkcmdcopy")
      ->check(CLI::IsMember({"copy", "vkcmdcopy"}));
  command->add_option("--seed", options->measure.seed, "of the random input (1)");
  options->output.add_to(*command);
  options->config.add_to(*command);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace vkmoye::bench
