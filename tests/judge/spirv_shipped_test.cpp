// SPDX-License-Identifier: MIT
// The SPIR-V interpreter on shipped kernels without matrix units: it finds no fault and computes the results of the
// twin. spirv_faults_test.cpp and spirv_random_test.cpp test that it finds faults. tools/test all takes one kernel in
// four, with subgroups of 32 lanes; tools/test long takes all, also with 8 and 64.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "golden/goldens.hpp"
#include "judge/barriers.hpp"
#include "judge/two_judges.hpp"
#include "judge/unverified.hpp"
#include "offline_gpus/cases.hpp"
#include "support/effort.hpp"
#include "support/fake_devices.hpp"
#include "vkmoye/gen/ir/traversal.hpp"
#include "vkmoye/gen/passes/fixed_sizes.hpp"

namespace vkmoye::judge {
namespace {

// A device without matrix units, with subgroups of `lanes` lanes.
DeviceCaps without_matrix_units(std::uint32_t lanes) {
  FeatureSet features = test::all_features();
  features.remove(Feature::cooperative_matrix);
  features.remove(Feature::bf16_matrix);
  return test::fake_device("without matrix units", 49152, 1024, lanes, features);
}

// Whether the kernel only moves elements: then its input can be any bytes.
bool is_move(const std::string& name) {
  const char* moves[] = {"copy", "transpose", "relayout", "pack"};
  return std::any_of(std::begin(moves), std::end(moves),
                     [&](const char* move) { return name.find(move) != std::string::npos; });
}

// norm/combine takes the root of sums of squares, which are not negative.
void make_sums_positive(const gen::ir::Kernel& kernel, Buffers& buffers) {
  const auto bindings = gen::ir::interface_of(kernel).bindings;
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    if (!bindings[i].name.ends_with("_sums")) continue;
    for (std::size_t at = 3; at < buffers[i].size(); at += 4) {
      buffers[i][at] &= std::byte{0x7f};  // the sign of an f32
    }
  }
}

// Judges a shipped kernel in a few launches; skips one that uses matrix units.
void judge_kernel(const std::string& name, const gen::ir::Kernel& kernel, Tally& tally) {
  const SizeRange range{.max_work = 1e5, .whole_tiles = true};
  const CompiledKernel compiled = compile_unverified(kernel);
  Draw draw(tally.kernels);
  std::vector<Arguments> all = judging_sizes(kernel, often(3), draw, range);
  if (all.empty())
    all = judging_sizes(kernel, 1, draw, {.max_work = 5e7});  // a kernel with one fixed shape
  if (all.empty()) {
    ++tally.skipped["no launch is small enough: " + name];
    return;
  }
  for (const Arguments& sizes : all) {
    Buffers before = data_for(kernel, sizes, !is_move(name), draw);
    make_sums_positive(kernel, before);
    const Both both = judge_both(kernel, compiled, sizes, before);
    if (!both.judge.unsupported.empty()) {
      ++tally.skipped[both.judge.unsupported];
      return;
    }
    tally.count(both);
    EXPECT_EQ(reasons_against(both), "") << name << '\n' << to_text(sizes);
  }
  ++tally.kernels;
}

TEST(SpirvGoldens, HaveNoFaultAndTheTwinsResults) {
  Tally tally;
  for (const test::Golden& golden : test::goldens()) {
    judge_kernel(golden.file, test::describe(golden), tally);
  }
  tally.print("goldens");
  EXPECT_GE(tally.kernels, 25u);
}

// `body` with each block as a function without parameters: what it uses from around it becomes its parameters.
gen::ir::Body with_functions(const gen::ir::Body& body, int& count) {
  gen::ir::Body out;
  for (const gen::ir::Stmt& statement : body) {
    out.push_back(gen::ir::rewritten(
        statement, [](const gen::ir::Expr& e) { return e; },
        [&](const gen::ir::Body& inner) { return with_functions(inner, count); }));
    auto* block = std::get_if<gen::ir::Titled>(&out.back().value);
    if (block != nullptr && block->function.empty()) {
      block->function = fmt::format("call{}", count++);
    }
  }
  return out;
}

TEST(SpirvGoldens, MayHaveFunctionsForTheirBlocks) {
  Tally tally;
  int functions = 0;
  const auto goldens = test::goldens();
  for (std::size_t i = 0; i < goldens.size(); i += test::is_quick() ? 3 : 1) {
    gen::ir::Kernel kernel = test::describe(goldens[i]);
    kernel.body = with_functions(kernel.body, functions);
    judge_kernel(goldens[i].file, kernel, tally);
  }
  EXPECT_GT(functions, 50);
  tally.print("goldens with functions");
}

// One SPIR-V at several sizes; in the quick run at one.
TEST(SpirvGoldens, MayHaveSpecialisedSizes) {
  Tally tally;
  for (const test::Golden& golden : test::goldens()) {
    const gen::ir::Kernel kernel = test::describe(golden);
    const std::vector<std::string> sizes = gen::fixable_sizes(kernel);
    if (!sizes.empty() && golden.specialised.empty()) {
      judge_kernel(golden.file, gen::with_specialised_sizes(kernel, sizes), tally);
    }
  }
  tally.print("goldens with specialised sizes");
  EXPECT_GE(tally.kernels, 20u);
}

constexpr std::uint32_t kUsual = 32;  // lanes
constexpr std::size_t kOneIn = 4;     // of the kernels

class SpirvShipped : public testing::TestWithParam<std::uint32_t> {};

TEST_P(SpirvShipped, HasNoFaultAndTheTwinsResults) {
  if (test::is_quick()) GTEST_SKIP() << "tools/test all runs it";
  if (GetParam() != kUsual && !test::is_long()) GTEST_SKIP() << "tools/test long runs it";
  const DeviceCaps caps = without_matrix_units(GetParam());
  Tally tally;
  std::size_t number = 0;
  for (const test::Case& one : test::cases_for(caps)) {
    if (!one.refusal.empty() ||
        !reasons_against(gen::ir::interface_of(one.description), caps).empty()) {
      ++tally.skipped["not for a device without matrix units: " + one.kernel];
      continue;
    }
    // The other kernels do not depend on the number of lanes.
    if (GetParam() != kUsual && gen::ir::interface_of(one.description).subgroup_size == 0) continue;
    if (!test::is_drawn(number++, kOneIn)) continue;
    judge_kernel(fmt::format("{} {} {}", one.kernel, one.types, one.variant), one.description,
                 tally);
  }
  tally.print(fmt::format("shipped kernels, subgroups of {}", GetParam()));
  EXPECT_GE(tally.kernels, GetParam() != kUsual ? 20u : test::is_long() ? 250u : 250u / kOneIn);
}

INSTANTIATE_TEST_SUITE_P(Lanes, SpirvShipped, testing::Values(8, kUsual, 64));

// Kernels that pack operands for matrix units do not use the units themselves.
TEST(SpirvPack, HasNoFaultAndTheTwinsResults) {
  if (test::is_quick()) GTEST_SKIP() << "tools/test all runs it";
  Tally tally;
  for (const test::Case& one : test::further_steps(with_all_orders(test::h200_like()))) {
    if (one.kernel != "gemm/pack" || !one.refusal.empty()) continue;
    judge_kernel(fmt::format("{} {} {}", one.kernel, one.types, one.variant), one.description,
                 tally);
  }
  tally.print("kernels that pack operands");
  EXPECT_EQ(tally.kernels, 3u);
}

}  // namespace
}  // namespace vkmoye::judge
