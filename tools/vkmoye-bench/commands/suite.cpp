// suite: every kernel on this device, verified, timed and compared with the copy, as one report that ends
// with the ladders side by side.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands/command.hpp"
#include "commands/open_device.hpp"
#include "commands/run_options.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

struct SuiteOptions {
  bool quick = false;
  std::vector<std::string> baselines = {"copy"};
  OutputOptions output;
};

// The tutorials' squares from 256 to 8192 on a GPU, and rectangles, one of them ragged; a CPU gets
// sizes that it finishes.
std::vector<Extents> sizes_of_moves(bool cpu, bool quick) {
  if (cpu && quick) return {{256, 256}, {512, 512}, {511, 1023}};
  if (cpu) return {{256, 256}, {512, 512}, {1024, 1024}, {256, 2048}, {2048, 256}, {1023, 2047}};
  if (quick) return {{2048, 2048}, {8192, 8192}, {2048, 8192}, {1023, 2047}};
  return {{256, 256},   {512, 512},  {1024, 1024}, {2048, 2048}, {4096, 4096},
          {8192, 8192}, {256, 8192}, {8192, 256},  {2048, 8192}, {4095, 4097}};
}

std::vector<Extents> sizes_of_products(bool cpu, bool quick) {
  if (cpu && quick) return {{128, 128, 128}, {127, 65, 130}};
  if (cpu) return {{128, 128, 128}, {256, 256, 256}, {256, 256, 32}, {255, 129, 257}};
  if (quick) return {{2048, 2048, 2048}, {4096, 4096, 4096}, {2048, 2048, 256}};
  return {{512, 512, 512},    {1024, 1024, 1024}, {2048, 2048, 2048},
          {4096, 4096, 4096}, {2048, 2048, 256},  {4095, 4097, 4093}};
}

int suite(const SuiteOptions& options, const std::string& program) {
  const std::vector<std::string> baselines = parse_baselines(options.baselines);
  Device device = open_device(options.output.device);
  const bool cpu = device.caps().kind == DeviceKind::cpu;
  std::vector<ScalarType> types = {ScalarType::f32};
  if (!options.quick) types.insert(types.end(), {ScalarType::f16, ScalarType::f64, ScalarType::i8});

  std::vector<Problem> problems;
  const auto add = [&](ScalarType type, bool products, const std::vector<Extents>& sizes) {
    for (const Extents& size : sizes) {
      for (const gen::KernelEntry& entry : gen::registry()) {
        const bool has_type =
            std::find(entry.types.begin(), entry.types.end(), type) != entry.types.end();
        if ((entry.operation == gen::Operation::gemm) != products || !has_type) continue;
        problems.push_back(problems_of(entry, std::string(to_string(type)), size, {}, {}).front());
      }
    }
  };
  for (const ScalarType type : types) {
    add(type, false, sizes_of_moves(cpu, options.quick));
    add(type, true, sizes_of_products(cpu, options.quick));
  }
  MeasureOptions measure;
  measure.program = program;
  measure.device = options.output.device;
  measure.min_time = options.quick ? (cpu ? 0.02 : 0.1) : 0.25;
  measure.baselines = baselines;
  return run_problems(device, problems, measure, options.output, /*summary=*/true);
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
  command->add_option(
      "--baseline", options->baselines,
      "time these as well, beside the kernels (copy): " + join(baseline_names(), ", "));
  options->output.add_to(*command);
  command->callback([options, &app, &status] { status = suite(*options, app.get_name()); });
}

}  // namespace vkmoye::bench
