// suite: every kernel on this device, verified, timed and compared with the copy, as one report.

#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "open_device.hpp"
#include "run_options.hpp"

namespace vkmoye::bench {
namespace {

struct SuiteOptions {
  bool quick = false;
  OutputOptions output;
};

// A CPU gets sizes that it finishes; a GPU such that fill it. Each list has a ragged one.
std::vector<Extents> sizes_for(DeviceKind kind, bool quick) {
  if (kind == DeviceKind::cpu) {
    if (quick) return {{512, 512}, {1023, 511}};
    return {{256, 256}, {512, 512}, {1024, 1024}, {1023, 2047}};
  }
  if (quick) return {{2048, 2048}, {8192, 8192}, {1023, 2047}};
  return {{256, 256},   {512, 512},   {1024, 1024}, {2048, 2048},
          {4096, 4096}, {8192, 8192}, {4095, 4097}};
}

int suite(const SuiteOptions& options, const std::string& program) {
  Device device = open_device(options.output.device);
  const bool cpu = device.caps().kind == DeviceKind::cpu;
  std::vector<ScalarType> types = {ScalarType::f32};
  if (!options.quick) types.insert(types.end(), {ScalarType::f16, ScalarType::f64, ScalarType::i8});

  std::vector<Problem> problems;
  for (const ScalarType type : types) {
    for (const Extents& size : sizes_for(device.caps().kind, options.quick)) {
      for (const gen::KernelEntry& entry : gen::registry()) {
        problems.push_back({&entry, gen::request_of(type), size});
      }
    }
  }
  MeasureOptions measure;
  measure.program = program;
  measure.device = options.output.device;
  measure.min_time = options.quick ? (cpu ? 0.1 : 0.25) : 0.5;
  measure.baselines = {"copy"};
  return run_problems(device, problems, measure, options.output);
}

}  // namespace

void add_suite(CLI::App& app, int& status) {
  CLI::App* command =
      app.add_subcommand("suite", "every kernel on this device, compared with its baseline");
  command->footer(
      "Examples:\n  vkmoye-bench suite --quick\n"
      "  vkmoye-bench suite --format markdown --output report.md");
  auto options = std::make_shared<SuiteOptions>();
  command->add_flag("--quick", options->quick, "one type and few sizes: about a minute");
  options->output.add_to(*command);
  command->callback([options, &app, &status] { status = suite(*options, app.get_name()); });
}

}  // namespace vkmoye::bench
