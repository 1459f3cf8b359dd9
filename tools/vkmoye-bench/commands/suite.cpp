// SPDX-License-Identifier: MIT
// suite: verifies and times every kernel on this device and compares it with the copy, in one report that ends
// with a summary of the ladders; or random shapes, with those that are farthest from their bounds.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "baselines/baselines.hpp"
#include "commands/kernel_names.hpp"
#include "commands/measure_all.hpp"
#include "commands/open_device.hpp"
#include "commands/options.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

class Choices {
 public:
  Choices(std::uint64_t seed, std::int64_t number)
      : random_(seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(number)) {}

  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
  template <class T>
  const T& one_of(const std::vector<T>& list) {
    return list[below(list.size())];
  }
  // Each of `list` in turn, from those that are left.
  template <class T>
  std::vector<T> shuffled(std::vector<T> list) {
    std::vector<T> out;
    while (!list.empty()) {
      const auto at = list.begin() + static_cast<std::ptrdiff_t>(below(list.size()));
      out.push_back(*at);
      list.erase(at);
    }
    return out;
  }
  // From `min` to `max`, log-uniformly; every third one a multiple of 64, if it is larger.
  std::int64_t extent(double min, double max) {
    const double part = static_cast<double>(random_() >> 11) * 0x1p-53;
    const auto value = static_cast<std::int64_t>(min * std::pow(max / min, part));
    return below(3) == 0 && value > 64 ? value / 64 * 64 : std::max<std::int64_t>(1, value);
  }

 private:
  std::mt19937_64 random_;
};

// The smallest and largest problems: on GPUs, up to several times a cache of 50 MiB, as a minute on the host makes and
// checks few gigabytes; CPUs run kernels to test them.
struct Limits {
  double min_bytes, max_bytes, max_products, max_extent;
};
Limits limits_of(const DeviceCaps& device) {
  if (device.kind == DeviceKind::cpu) return {0x1p12, 0x1p20, 0x1p20, 4096};
  return {0x1p24, 0x1p28, 0x1p37, 32768};
}

// Extents whose product is about `elements`.
Extents shape_of(std::size_t rank, double elements, Choices& draw) {
  Extents shape;
  for (std::size_t i = 1; i < rank; ++i) {
    shape.push_back(draw.extent(1, std::max(1.0, elements)));
    elements /= static_cast<double>(shape.back());
  }
  shape.push_back(std::max<std::int64_t>(1, static_cast<std::int64_t>(elements)));
  return draw.shuffled(shape);  // the last extent is as likely to be drawn first
}

std::string permutation(std::size_t rank, Choices& draw) {
  std::vector<std::string> axes;
  for (std::size_t i = 0; i < rank; ++i) axes.push_back(std::to_string(i));
  return join(draw.shuffled(axes), ",");
}

Workload move_or_rows(const gen::KernelEntry& entry, const Limits& limits, Choices& draw) {
  const ScalarType type = draw.one_of(entry.types);
  const double bytes = static_cast<double>(draw.extent(limits.min_bytes, limits.max_bytes)) / 2;
  gen::Options config;
  std::size_t rank = 2;
  if (entry.name == "relayout") {
    rank = 3 + draw.below(3);
    config["permute"] = permutation(rank, draw);
  }
  const auto has_axis =
      std::any_of(entry.options.begin(), entry.options.end(),
                  [](const gen::KernelOption& option) { return option.name == "axis"; });
  if (has_axis) config["axis"] = draw.below(2) == 0 ? "0" : "1";
  const Extents size = shape_of(rank, bytes / static_cast<double>(size_of(type)), draw);
  return workload_of({&entry, std::string(to_string(type)), config, {}}, size);
}

Workload product(const gen::KernelEntry& entry, const Limits& limits, Choices& draw) {
  const std::string type =
      draw.one_of<std::string>({"f32", "f16,f32", "bf16,f32", "i8", "f64", "f16*q4_0,f32"});
  const bool is_thin = draw.below(3) == 0;
  Extents size = {draw.extent(1, is_thin ? 64 : limits.max_extent),
                  draw.extent(1, limits.max_extent), draw.extent(1, limits.max_extent)};
  const auto too_large = [&] {
    return static_cast<double>(size[0]) * static_cast<double>(size[1]) *
               static_cast<double>(size[2]) >
           limits.max_products;
  };
  while (too_large()) {
    std::int64_t& largest = *std::max_element(size.begin(), size.end());
    largest /= 2;
  }
  if (type.find('q') != std::string::npos) size[2] = (size[2] + 31) / 32 * 32;  // whole blocks
  return workload_of({&entry, type, {}, {}}, size);
}

// The first `count` random problems of `seed`, with sizes for `device`. Extents are drawn log-uniformly, so that thin,
// flat, tiny and ragged shapes are as likely as squares.
//
//   reduce/sum --axis 0 f16 1048576x64;  relayout --permute 3,0,2,1 i8 7x300x12x501;  gemm/auto f16,f32 3x4099x17
Workloads random_shapes(std::int64_t count, std::uint64_t seed, const DeviceCaps& device) {
  const Limits limits = limits_of(device);
  const std::vector<std::string> families = {
      "copy/auto",    "transpose/auto", "relayout",    "reduce/sum", "reduce/max",
      "softmax/rows", "norm/rms",       "argmax/rows", "gate/rows",  "gemm/auto"};
  Workloads out;
  for (std::int64_t number = 0; number < count; ++number) {
    Choices draw(seed, number);
    const gen::KernelEntry& entry = *find_kernels({draw.one_of(families)}).front();
    out.push_back(entry.operation == "gemm" ? product(entry, limits, draw)
                                            : move_or_rows(entry, limits, draw));
  }
  return out;
}

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
