// SPDX-License-Identifier: MIT
// suite: verifies and times every kernel on this device and compares it with the copy, in one report that ends
// with a summary of the ladders; or random shapes, with those that are farthest from their bounds.

#include <string>
#include <vector>

#include "baselines/baselines.hpp"
#include "commands/command.hpp"
#include "commands/measure_all.hpp"
#include "commands/open_device.hpp"
#include "commands/random_shapes.hpp"
#include "commands/slow_compilers.hpp"
#include "registry/operations.hpp"
#include "registry/registry_in_use.hpp"

namespace vkmoye::bench {
namespace {

// On a GPU, the squares of the tutorials from 256 to 8192, and rectangles, one of them with odd extents; on a CPU,
// smaller sizes.
std::vector<Extents> sizes_of_moves(bool cpu, bool quick) {
  if (cpu && quick) return {{512, 512}, {511, 1023}};
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

// Operations with three extents are products; `suite` has none with more.
std::vector<Extents> sizes_of_rank(std::size_t rank, bool cpu, bool quick) {
  if (rank == 2) return sizes_of_moves(cpu, quick);
  if (rank == 3) return sizes_of_products(cpu, quick);
  return cpu ? std::vector<Extents>{{1 << 16}, {1 << 20}}
             : std::vector<Extents>{{1 << 20}, {1 << 26}};
}

int suite(const CommandOptions& command) {
  CommandOptions options = command;
  const auto executor = open_executor(options.device);
  if (options.cliffs > 0) {
    options.min_time = 0.03;
    options.verify = gen::Verify::sample;
    options.baselines = {kPeakBaseline};  // moves are compared with a copy anyway
    const Workloads shapes = random_shapes(options.cliffs, options.seed, executor->caps());
    return measure_all(*executor, shapes, options, Summary::cliffs);
  }
  const bool cpu = executor->caps().kind == DeviceKind::cpu;
  std::vector<ScalarType> types = {ScalarType::f32};
  if (!options.quick) types.insert(types.end(), {ScalarType::f16, ScalarType::f64, ScalarType::i8});

  Workloads workloads;
  for (const ScalarType type : types) {
    for (const std::size_t rank : {1, 2, 3}) {
      for (const Extents& size : sizes_of_rank(rank, cpu, options.quick)) {
        for (const gen::KernelEntry& entry : registry_in_use().kernels) {
          const Operation& operation = operation_of(entry);
          if (operation.size.rank != rank || operation.is_own || operation.suite_sizes) continue;
          Workload workload = workload_of({&entry, std::string(to_string(type)), {}, {}},
                                          in_whole_blocks(entry, size));
          if (workload.has_type()) workloads.push_back(std::move(workload));
        }
      }
    }
    for (const gen::KernelEntry& entry : registry_in_use().kernels) {
      const Operation& operation = operation_of(entry);
      std::vector<Extents> sizes;
      if (operation.is_own) sizes = {operation.size.example};
      if (operation.suite_sizes) sizes = operation.suite_sizes(cpu, options.quick);
      for (const Extents& size : sizes) {
        Workload workload = workload_of({&entry, std::string(to_string(type)), {}, {}},
                                        gen::size_of_form(operation.size, size));
        if (workload.has_type()) workloads.push_back(std::move(workload));
      }
    }
  }
  leave_out_slow_compiles("suite", executor->caps(), {}, workloads);
  options.min_time = options.quick ? (cpu ? 0.02 : 0.1) : 0.25;
  if (options.baselines.empty()) options.baselines = {"copy"};
  return measure_all(*executor, workloads, options, Summary::ladders);
}

}  // namespace

const Command kSuite = {CommandName::suite,
                        "time every kernel on this device against its baselines",
                        "Examples:\n  vkmoye-bench suite --quick\n"
                        "  vkmoye-bench suite --format markdown --output report.md\n"
                        "  vkmoye-bench suite --cliffs 200 --output cliffs.txt",
                        suite};

}  // namespace vkmoye::bench
