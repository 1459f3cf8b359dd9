// SPDX-License-Identifier: MIT
#include "judge/judged_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <span>

#include "support/effort.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"

namespace vkmoye::judge {

using gen::ir::Array;
using gen::ir::Expr;
using gen::ir::Kernel;
using gen::ir::Op;

Buffers random_data(const Kernel& kernel, const Arguments& sizes, bool whole_numbers, Draw& draw) {
  Buffers out;
  for (const Binding& binding : gen::ir::interface_of(kernel).bindings) {
    const std::size_t width = size_of(binding.type);
    std::vector<std::byte> bytes(element_count(binding, sizes) * width);
    for (std::size_t i = 0; i < bytes.size(); i += whole_numbers ? width : 1) {
      if (whole_numbers) {
        const auto bits = bits_of(binding.type, static_cast<double>(draw.below(7)) - 3);
        std::memcpy(&bytes[i], &bits, width);
      } else {
        bytes[i] = static_cast<std::byte>(draw.bits());
      }
    }
    out.push_back(std::move(bytes));
  }
  return out;
}

namespace {

// The rows of experts, from 0 to m.
std::vector<std::byte> rising_offsets(std::size_t count, std::int64_t m, Draw& draw) {
  std::vector<std::uint32_t> offsets(count);
  for (std::uint32_t& row : offsets) {
    row = static_cast<std::uint32_t>(draw.below(static_cast<std::size_t>(m + 1)));
  }
  offsets.front() = 0;
  std::sort(offsets.begin(), offsets.end());
  offsets.back() = static_cast<std::uint32_t>(m);
  const auto bytes = std::as_bytes(std::span(offsets));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

Buffers data_for(const Kernel& kernel, const Arguments& sizes, bool computes, Draw& draw) {
  if (!computes) return random_data(kernel, sizes, false, draw);
  Buffers out;
  for (const Binding& binding : gen::ir::interface_of(kernel).bindings) {
    const std::size_t width = size_of(binding.type);
    if (binding.name == "offsets") {
      const std::int64_t m = std::get<std::int64_t>(sizes.at("m").value);
      out.push_back(rising_offsets(element_count(binding, sizes), m, draw));
      continue;
    }
    std::vector<std::byte> bytes(element_count(binding, sizes) * width);
    if (binding.name == kernel.arrivals) {
      out.push_back(std::move(bytes));
      continue;
    }
    for (std::size_t i = 0; i < bytes.size(); i += width) {
      const double number = (static_cast<double>(draw.below(1025)) - 512) / 128;
      // Words of 16 bits may hold scales of f16, which must not be NaN.
      const bool is_half = binding.type == ScalarType::u16;
      const auto bits = is_half                     ? bits_of(ScalarType::f16, number)
                        : is_floating(binding.type) ? bits_of(binding.type, number)
                                                    : bits_of(binding.type, 32 * number);
      std::memcpy(&bytes[i], &bits, width);
    }
    out.push_back(std::move(bytes));
  }
  return out;
}

Finding try_on_host(const Subject& subject, const Arguments& sizes, Draw& draw) {
  constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 25;
  Finding out;
  try {
    const Buffers before = random_data(subject.kernel, sizes, subject.whole_numbers, draw);
    Buffers after = before;
    const std::vector<gen::HostArray> spans(after.begin(), after.end());
    out.faults = gen::run_on_host(subject.kernel, spans, sizes, {kMaxSteps}).reasons;
    if (subject.expected) out.right = after.back() == subject.expected(sizes, before);
  } catch (const ArgumentError&) {
    out.followed = false;
  }
  return out;
}

namespace {

using Sizes = std::map<std::string, std::int64_t>;

std::int64_t value_of(const Expr& e, const Sizes& sizes) {
  if (gen::ir::is_constant(e)) return static_cast<std::int64_t>(e->value);
  if (e->op == Op::variable) return sizes.contains(e->name) ? sizes.at(e->name) : 1;
  if (e->op != Op::multiply) return 1;
  return value_of(e->operands[0], sizes) * value_of(e->operands[1], sizes);
}

// A size along which tiles of extent `tile` are partial.
std::int64_t tiled_size(std::int64_t tile, Draw& draw) {
  const std::int64_t anything =
      1 + static_cast<std::int64_t>(draw.below(static_cast<std::size_t>(tile + 2)));
  return draw.one_of<std::int64_t>({1, 2, std::max<std::int64_t>(1, tile - 1), tile, tile + 4,
                                    2 * tile, 2 * tile + 3, 3 * tile + 2, anything, anything});
}

// The stride between rows, no smaller than the length of a row.
void add_steps(const Kernel& kernel, Sizes& sizes, bool has_gaps, Draw& draw) {
  Sizes steps;
  for (const Array& array : kernel.arrays) {
    std::int64_t span = 1;
    for (const gen::ir::Axis& axis : array.axes) {
      for (const std::string& name : gen::ir::extent_from(axis.stride).value_or(1).arguments()) {
        const auto gap = has_gaps ? draw.one_of<std::int64_t>({0, 0, 1, 3, 4}) : 0;
        if (!sizes.contains(name)) steps[name] = std::max(steps[name], span + gap);
      }
      Sizes all = sizes;
      all.insert(steps.begin(), steps.end());
      span = std::max(span, value_of(axis.stride, all) * value_of(extent_of(axis), all));
    }
  }
  sizes.merge(steps);
}

Sizes draw_sizes(const Kernel& kernel, const SizeRange& range, Draw& draw) {
  Sizes sizes;
  const bool whole = range.whole_tiles && draw.chance(2);
  for (const GridDimension& dimension : kernel.grid) {
    const std::vector<std::string> names = dimension.extent.arguments();
    for (const std::string& name : names) {
      // For a product of two sizes, each gets its share of a tile.
      std::int64_t part = 1;
      while (names.size() == 2 && part * part < dimension.tile) ++part;
      const std::int64_t tile = names.size() == 2 ? part : dimension.tile;
      sizes.try_emplace(
          name, whole ? draw.one_of({tile, 2 * tile, tile + tile / 2}) : tiled_size(tile, draw));
    }
  }
  for (const Array& array : kernel.arrays) {
    for (const gen::ir::Axis& axis : array.axes) {
      for (const std::string& name : axis.extent.arguments()) {
        sizes.try_emplace(name, draw.one_of(range.loops));
      }
    }
  }
  if (sizes.contains("experts")) {  // of a product: sizes that belong together
    const auto experts = draw.one_of<std::int64_t>({1, 2, 3, 20});  // more than a subgroup compares
    sizes["experts"] = experts;
    sizes["ends"] = experts + 1;
    sizes["padded_m"] = sizes["m"] + experts * kernel.grid[1].tile;
  }
  add_steps(kernel, sizes, !whole, draw);
  return sizes;
}

// The approximate number of elements that a launch processes.
double work_of(const Kernel& kernel, const Sizes& sizes) {
  double work = 1;
  for (const GridDimension& dimension : kernel.grid) {
    const std::int64_t extent = value_of(gen::ir::expression(dimension.extent), sizes);
    work *= static_cast<double>((extent + dimension.tile - 1) / dimension.tile * dimension.tile);
    for (const std::string& name : dimension.extent.arguments()) {
      if (sizes.at(name) > 4 * dimension.tile + 64) work *= 100;
    }
  }
  for (const auto& [name, size] : sizes) {
    bool is_of_grid = name.starts_with("ld") || name.starts_with("stride");
    // Each row has one expert, and the grid counts rows.
    const bool has_experts = sizes.contains("experts");
    is_of_grid =
        is_of_grid || (has_experts && (name == "experts" || name == "ends" || name == "m"));
    for (const GridDimension& dimension : kernel.grid) {
      is_of_grid = is_of_grid || dimension.extent.symbol == name || dimension.extent.times == name;
    }
    if (!is_of_grid) work *= static_cast<double>(size);
  }
  return work;
}

}  // namespace

std::vector<Arguments> judging_sizes(const Kernel& kernel, std::size_t count, Draw& draw,
                                     const SizeRange& range) {
  std::vector<Arguments> out;
  for (std::size_t tries = 0; out.size() < count && tries < 50 * count; ++tries) {
    const Sizes sizes = draw_sizes(kernel, range, draw);
    if (work_of(kernel, sizes) > range.max_work) continue;
    Arguments arguments;
    for (const PushConstant& argument : kernel.arguments) {
      if (is_first_group(argument.name)) continue;
      const auto found = sizes.find(argument.name);
      if (argument.type == ScalarType::u32) {
        arguments[argument.name] = found == sizes.end() ? 3 : found->second;
      } else if (const std::size_t factor = 1 + draw.below(2); is_floating(argument.type)) {
        arguments[argument.name] = static_cast<double>(factor);
      } else {
        arguments[argument.name] = factor;
      }
    }
    const bool is_new = std::find(out.begin(), out.end(), arguments) == out.end();
    if (is_new) out.push_back(std::move(arguments));
    if (sizes.empty()) break;
  }
  return out;
}

std::string to_text(const Arguments& sizes) {
  std::string out;
  for (const auto& [name, value] : sizes) {
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name, to_string(value));
  }
  return out;
}

std::size_t often(std::size_t count) {
  return static_cast<std::size_t>(test::often(static_cast<std::int64_t>(count)));
}

Seeds seeds(std::uint64_t first, std::uint64_t count) {
  const char* one = std::getenv("VKMOYE_JUDGE_SEED");
  return one == nullptr ? Seeds{first, count} : Seeds{std::strtoull(one, nullptr, 10), 1};
}

std::string again(std::uint64_t seed, const char* test) {
  return fmt::format("VKMOYE_JUDGE_SEED={} tests/test_judge --gtest_filter={}", seed, test);
}

}  // namespace vkmoye::judge
