// SPDX-License-Identifier: MIT
// Where the formula knows the arguments, it gives the dispatches of prepare_dispatches, which refuses none of them.

#include "vkmoye/runtime/values/launch_formula.hpp"

#include <algorithm>
#include <random>

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye::test {
namespace {

const std::vector<std::string> kNames = {"alpha", "k", "lda", "m", "n", "shift"};

Extent random_extent(std::mt19937& random) {
  static const std::vector<std::string> sizes = {"k", "lda", "m", "n"};
  const auto name = [&] { return sizes[random() % sizes.size()]; };
  switch (random() % 8) {
    case 0: return 1 + random() % 4;
    case 1: return Extent(name(), name());
    case 2: return Extent::parts(name(), 1 + random() % 40);
    default: return name();
  }
}

KernelInterface random_interface(std::mt19937& random) {
  KernelInterface kernel;
  kernel.name = "random";
  const ScalarType types[] = {ScalarType::f32, ScalarType::f16, ScalarType::i8, ScalarType::f64};
  for (const char* name : {"a", "b", "c"}) {
    Binding& binding = kernel.bindings.emplace_back();
    binding.name = name;
    binding.type = types[random() % 4];
    binding.access = random() % 2 == 0 ? Access::read : Access::write;
    for (std::size_t modes = 1 + random() % 3; modes > 0; --modes) {
      binding.extents.push_back(random_extent(random));
    }
    if (random() % 2 == 0) continue;
    binding.strides.push_back(1);
    while (binding.strides.size() < binding.extents.size()) {
      binding.strides.push_back(random_extent(random));
    }
  }
  kernel.push_constants = {"n", {"alpha", ScalarType::f32}, "lda", "m",
                           "k", {"shift", ScalarType::i32}};
  if (random() % 2 == 0) kernel.push_constants.push_back(kFirstGroup[0]);
  for (GridDimension& dimension : kernel.grid) {
    if (random() % 2 == 0) {
      dimension = {random_extent(random), static_cast<std::int64_t>(1 + random() % 64),
                   static_cast<std::int64_t>(random() % 3 == 0 ? 1 + random() % 9 : 0)};
    }
  }
  return kernel;
}

std::int64_t random_size(std::mt19937& random) {
  switch (random() % 16) {
    case 0: return 0;
    case 1: return -1;
    case 2: return kMaxExtent + static_cast<std::int64_t>(random() % 3) - 1;
    case 3: return static_cast<std::int64_t>(random() % 100000);
    default: return 1 + random() % 30;
  }
}

DeviceCaps device() {
  DeviceCaps caps = common_device();
  caps.max_group_count = {64, 64, 64};
  caps.max_storage_buffer_bytes = 1 << 16;
  caps.max_buffer_bytes = 1 << 20;
  caps.max_allocation_bytes = 1 << 18;
  return caps;
}

const int three_buffers[3] = {};
const std::vector<BoundRange> kRanges = {{&three_buffers[0], 1 << 20, 0, 1 << 20, 0},
                                         {&three_buffers[1], 1 << 20, 0, 1 << 20, 0},
                                         {&three_buffers[2], 1 << 20, 0, 1 << 20, 0}};

// Makes some arguments of a random interface specialised, with values that may be too large for its arrays.
void specialise_some(KernelInterface& kernel, std::mt19937& random) {
  for (const char* name : {"k", "lda", "m", "n"}) {
    if (random() % 3 != 0) continue;
    std::erase(kernel.push_constants, PushConstant(name));
    const std::int64_t value = std::max<std::int64_t>(1, random_size(random));
    kernel.specialised.push_back({name, static_cast<std::uint32_t>(value)});
  }
}

// The dispatches for these arguments by name; nullopt if they are refused.
std::optional<Dispatches> by_name(const KernelInterface& kernel, std::span<const Argument> values) {
  const std::vector<std::string> names = argument_names(kernel);
  Arguments arguments;
  for (std::size_t i = 0; i < names.size(); ++i) arguments[names[i]] = values[i];
  try {
    return prepare_dispatches(kernel, device(), kRanges, arguments);
  } catch (const ArgumentError&) {
    return std::nullopt;
  }
}

// Launches that are not refused, and those that the formula knows.
struct Launches {
  int accepted = 0, known = 0;
};

// Compares what the formula gives for `values` after the launch `last` with what the names give. `last` becomes this
// launch if the formula knows it.
void compare(const KernelInterface& kernel, const LaunchFormula& formula,
             std::span<const Argument> values, Dispatches& last, Launches& launches) {
  const std::optional<Dispatches> expected = by_name(kernel, values);
  launches.accepted += expected ? 1 : 0;
  Dispatches got = last;
  if (!formula.evaluate(values, got)) return;
  ++launches.known;
  ASSERT_TRUE(expected) << "the formula knows what is refused";
  EXPECT_EQ(got.needed_bytes, expected->needed_bytes);
  EXPECT_EQ(got.push_constants, expected->push_constants);
  EXPECT_EQ(got.pieces, expected->pieces);
  EXPECT_EQ(got.first_group, expected->first_group);
  last = got;
}

// Specialised arguments are not among the values, and count as the numbers that they are.
TEST(LaunchFormula, GivesWhatTheNamesGive) {
  std::mt19937 random(7);
  for (const bool has_specialised : {false, true}) {
    Launches launches;
    int interfaces = 0;
    while (interfaces < 500) {
      KernelInterface kernel = random_interface(random);
      if (has_specialised) specialise_some(kernel, random);
      const std::vector<std::string> names = argument_names(kernel);
      const std::vector<Argument> ones(names.size(), Argument(1));
      std::optional<Dispatches> dispatches = by_name(kernel, ones);
      if (!dispatches || (has_specialised ? kernel.specialised.empty() : names != kNames)) continue;
      ++interfaces;
      const LaunchFormula formula(kernel, device());
      ASSERT_EQ(formula.names(), names);
      for (int launch = 0; launch < 40; ++launch) {
        std::vector<Argument> values;
        for (std::size_t i = 0; i < names.size(); ++i) values.emplace_back(random_size(random));
        const auto set = [&](const char* name, const Argument& value) {
          const auto at = std::find(names.begin(), names.end(), name);
          if (at != names.end()) values[static_cast<std::size_t>(at - names.begin())] = value;
        };
        if (random() % 2 == 0) set("alpha", 0.1 * static_cast<double>(random() % 100));
        if (random() % 8 == 0) set("shift", -static_cast<std::int64_t>(random() % 100));
        if (random() % 32 == 0) values[random() % names.size()] = 2.5;
        ASSERT_NO_FATAL_FAILURE(compare(kernel, formula, values, *dispatches, launches));
      }
    }
    // Most of what is valid: the rest has strides in an unusual order, or a split grid.
    EXPECT_GT(launches.accepted, 2000);
    EXPECT_GT(launches.known, launches.accepted / 2);
  }
}

TEST(LaunchFormula, LeavesTheUnusualToTheNames) {
  KernelInterface kernel;
  kernel.name = "copy";
  kernel.bindings = {{"a", ScalarType::f32, Access::read, {"n", "m"}, {1, "lda"}},
                     {"b", ScalarType::f32, Access::write, {"n", "m"}, {1, "lda"}}};
  kernel.push_constants = {"n", "m", "lda"};
  kernel.grid[0] = {"n", 8};
  const LaunchFormula formula(kernel, device());
  Dispatches dispatches = prepare_dispatches(kernel, device(), std::span(kRanges).first(2),
                                             {{"n", 4}, {"m", 4}, {"lda", 4}});
  const auto knows = [&](Argument lda, Argument m, Argument n) {
    const Argument values[] = {lda, m, n};
    return formula.evaluate(values, dispatches);
  };
  EXPECT_TRUE(knows(9, 3, 9));
  EXPECT_FALSE(knows(8, 3, 9)) << "rows of b overlap";
  EXPECT_TRUE(knows(8, 1, 9)) << "there is one row";
  EXPECT_FALSE(knows(9, 0, 9)) << "no elements";
  EXPECT_FALSE(knows(1000, 3, 8 * 64 + 1)) << "the grid takes two dispatches";
  EXPECT_FALSE(knows(20000, 3, 9)) << "160036 bytes exceed a binding of 65536";
  EXPECT_FALSE(knows(9, 3, -9));
  EXPECT_FALSE(knows(9.0, 3, 9)) << "a real size";
}

}  // namespace
}  // namespace vkmoye::test
