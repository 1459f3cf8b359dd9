// SPDX-License-Identifier: MIT
#include "commands/random_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "commands/kernel_names.hpp"
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

}  // namespace

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

}  // namespace vkmoye::bench
