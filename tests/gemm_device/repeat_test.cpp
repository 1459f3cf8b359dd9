// SPDX-License-Identifier: MIT
// Repetition: each family of kernels gives the same bits in each of 100 runs, also if sums are split; and the
// memory of a process that runs all families for a long time does not grow.
//
//   VKMOYE_SOAK_MINUTES=10     duration of the soak (tools/test soak 10); not set: no soak

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "devices/device_executor.hpp"
#include "gemm_device/products.hpp"
#include "registry/operations.hpp"
#include "support/device_fixture.hpp"
#include "support/effort.hpp"
#include "support/expect.hpp"
#include "support/guarded_buffer.hpp"
#include "support/random_moves.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::test {
namespace {

using namespace bench;

struct Repeated {
  const char* kernel;
  const char* type;
  Extents size;
  gen::Options config = {}, values = {};  // of the kernel, of the operation
};

// Every family, with several workgroups and edge tiles.
const Repeated kRepeated[] = {
    {"copy/auto", "f32", {333, 257}},
    {"transpose/auto", "f16", {333, 257}},
    {"relayout", "f32", {17, 33, 65}, {{"permute", "2,0,1"}}},
    {"reduce/sum", "f32", {131, 4100}},
    {"reduce/sum", "f16", {4100, 131}, {{"axis", "0"}}},
    {"reduce/max", "f32", {131, 4100}},
    {"softmax/rows", "f32", {67, 1030}},
    {"norm/rms", "f16", {67, 1030}},
    {"gemm/simt", "f32", {65, 66, 999}, kSmallTiles},
    {"gemm/simt", "f32", {65, 66, 999}, kSmallTiles, {{"split-k", "9"}}},
    {"gemm/thin", "f32", {3, 130, 999}},
    {"gemm/thin", "f32", {3, 130, 999}, {}, {{"split-k", "4"}}},
    {"gemm/packed", "f16,f32", {64, 64, 999}, {{"subgroups", "1x1x4"}}},
    {"gemm/coopmat", "f16,f32", {64, 64, 999}, {{"subgroups", "1x1x2"}, {"tile", "32x32x32"}}},
    {"gemm/thin_coopmat", "f16,f32", {16, 130, 999}, {{"subgroups", "2"}, {"reads", "1"}}},
};

class RepeatTest : public DeviceTest {};

TEST_F(RepeatTest, TheSameBitsEachTime) {
  const std::int64_t times = often(100, 30);
  for_each_device([&](Device& device) {
    Products products(device);
    std::size_t families = 0;
    for (std::size_t number = 0; number < std::size(kRepeated); ++number) {
      const auto& [kernel, type, size, config, values] = kRepeated[number];
      // The quick run has the families whose sums are computed by several threads or workgroups.
      if (is_quick() && number % 2 == 0 && number != 12) continue;
      const gen::KernelEntry& entry = *gen::find_kernel(kernel);
      const Workload workload = workload_of({&entry, type, config, values}, size);
      RunPlan plan;
      try {
        plan = plan_on(products, workload);
        if (const auto reasons = products.reasons_against(plan); !reasons.empty()) {
          throw Unavailable(reasons.front());
        }
      } catch (const std::exception& reason) {
        std::printf("%s %s: %s\n", kernel, type, reason.what());
        EXPECT_TRUE(device.caps().matrix_shapes.empty()) << kernel;
        continue;
      }
      const auto execution = products.prepare(plan);
      workload.problem->fill(*execution, 1);
      std::vector<std::byte> first;
      for (std::int64_t i = 0; i < times; ++i) {
        execution->run();
        auto bits = read_all(*execution, plan.result, plan.arrays[plan.result].bytes);
        if (i == 0)
          first = std::move(bits);
        else
          ASSERT_TRUE(bits == first) << kernel << ' ' << type << ", run " << i;
      }
      ++families;
    }
    EXPECT_GE(families, is_quick() ? 6u : 10u);
  });
}

// The resident memory of this process in bytes, without free memory that malloc keeps.
std::int64_t resident_bytes() {
  malloc_trim(0);
  std::int64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// The numbers of checks of a soak so far.
struct Checked {
  std::size_t products = 0, moves = 0, others = 0;
};

// Products of one form of each slot. The forms are the same in each round, so that all kernels exist after the first;
// sizes, factors, offsets and data are new.
std::string wrong_product(Device& device, std::uint64_t round, Checked& checked) {
  for (std::int64_t f = 0; f < kKernelSlots; ++f) {
    auto form = random_form(1, f, device.caps());
    if (!form) continue;
    Products products(device);
    const gen::KernelEntry entry = describes_once(*form->entry);
    form->entry = &entry;
    for (std::int64_t i = 0; i < 4; ++i) {
      const Problem problem = random_problem(round + 1, f * kProblemsOfAForm + i, *form, 256);
      std::string text;
      try {
        text = products.wrong(problem, round);
      } catch (const Unavailable&) {
        break;  // the device lacks something for this form
      }
      if (!text.empty()) return text + "\n  " + command_of(problem, round);
      ++checked.products;
    }
  }
  return "";
}

// Eight relayouts on new data.
std::string wrong_move(Device& device, std::uint64_t round, Checked& checked) {
  for (std::int64_t number = 0; number < 8; ++number) {
    const RandomMove move = random_move(1, number);
    std::vector<std::uint8_t> input(move.src_bytes());
    std::mt19937_64 random(round);
    for (std::uint8_t& byte : input) byte = static_cast<std::uint8_t>(random());
    GuardedBuffer from(device, input.size()), to(device, move.dst_bytes());
    write_as(from, input);
    std::vector<std::uint8_t> expected = read_as<std::uint8_t>(to);
    move.apply(input, expected);
    const gen::ir::Kernel kernel = gen::relayout(move.src, move.dst, move.config);
    device.run(device.load(gen::compile(kernel)), {from.view(), to.view()}, {});
    if (read_as<std::uint8_t>(to) != expected) return "dst is wrong: " + move.text();
    ++checked.moves;
  }
  return "";
}

// The copies, transposes, reductions, softmax and norms of kRepeated, on new data.
std::string wrong_other(Device& device, std::uint64_t round, Checked& checked) {
  Products products(device);
  for (const auto& [kernel, type, size, config, values] : kRepeated) {
    const gen::KernelEntry& entry = *gen::find_kernel(kernel);
    if (entry.operation == "gemm") continue;
    const Workload workload = workload_of({&entry, type, config, values}, size);
    const RunPlan plan = plan_on(products, workload);
    if (!products.reasons_against(plan).empty()) continue;
    const auto execution = products.prepare(plan);
    workload.problem->fill(*execution, round);
    execution->run();
    const gen::CheckResult found = workload.problem->check(*execution, gen::Verify::full, round);
    const std::string text = found.first + execution->damage();
    if (found.mismatches > 0 || !text.empty()) return std::string(kernel) + ": " + text;
    ++checked.others;
  }
  return "";
}

// Each of the three creates all pipelines and destroys them.
std::string wrong_in_round(Device& device, std::uint64_t round, Checked& checked) {
  std::string text = wrong_product(device, round, checked);
  if (text.empty()) text = wrong_move(device, round, checked);
  return text.empty() ? wrong_other(device, round, checked) : text;
}

TEST_F(RepeatTest, MemoryDoesNotGrowInASoak) {
  const char* minutes = std::getenv("VKMOYE_SOAK_MINUTES");
  if (minutes == nullptr) GTEST_SKIP() << "VKMOYE_SOAK_MINUTES is not set";
  using Clock = std::chrono::steady_clock;
  for_each_device([&](Device& device) {
    const auto end = Clock::now() + std::chrono::duration<double>(60 * std::atof(minutes));
    std::vector<std::int64_t> resident;  // after each round
    Checked checked;
    for (std::uint64_t round = 0; Clock::now() < end || resident.size() < 8; ++round) {
      const std::string wrong = wrong_in_round(device, round, checked);
      ASSERT_EQ(wrong, "") << "round " << round;
      resident.push_back(resident_bytes());
    }
    // The minimum of the second quarter, when all kernels have run, and that of the last one.
    const auto min_resident = [&](std::size_t quarter) {
      const auto at = [&](std::size_t q) {
        return resident.begin() + static_cast<std::ptrdiff_t>(resident.size() * q / 4);
      };
      return *std::min_element(at(quarter), at(quarter + 1));
    };
    const std::int64_t growth = min_resident(3) - min_resident(1);
    std::printf(
        "soak of %zu rounds right: %zu products, %zu moves, %zu others; %.1f MiB resident, "
        "%+.2f MiB since the second quarter\n",
        resident.size(), checked.products, checked.moves, checked.others,
        static_cast<double>(min_resident(3)) / 0x1p20, static_cast<double>(growth) / 0x1p20);
    EXPECT_LT(growth, 1 << 20);
    EXPECT_GT(std::min({checked.products, checked.moves, checked.others}), resident.size());
  });
}

}  // namespace
}  // namespace vkmoye::test
