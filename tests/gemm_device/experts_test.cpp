// SPDX-License-Identifier: MIT
// Random products of groups of rows on devices, against f64: experts without rows, more of them than rows, sizes that
// tiles do not divide, rows that are and are not aligned.

#include <gtest/gtest.h>

#include "gemm_device/products.hpp"
#include "support/device_fixture.hpp"
#include "support/effort.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/numbers/random.hpp"

namespace vkmoye::test {
namespace {

using namespace bench;

struct ExpertSlot {
  const char* kernel;
  const char* type;
  gen::Options config;
  bool b_k_contiguous;
};

class ExpertProducts : public DeviceTest {};

TEST_F(ExpertProducts, AreRight) {
  const ExpertSlot slots[] = {{"gemm/simt", "f32", kSmallTiles, true},
                              {"gemm/coopmat", "f16,f32", {}, true},
                              {"gemm/simt", "f16,f32", kSmallTiles, false},
                              {"gemm/coopmat", "bf16", {}, true},
                              {"gemm/coopmat", "f16*q4_0,f32", {}, true},
                              {"gemm/coopmat", "f16", {}, false},
                              {"gemm/auto", "f32", {}, false}};
  for_each_device([&](Device& device) {
    Products products(device);
    int right = 0;
    for (std::size_t slot = 0; slot < std::size(slots); ++slot) {
      const auto& [kernel, type, config, b_k_contiguous] = slots[slot];
      Problem problem{gen::find_kernel(kernel), config, gen::parse_gemm_type(type)};
      gen::GemmOptions& p = problem.gemm;
      p.b_k_contiguous = b_k_contiguous;
      if (slot % 2 == 0) p.epilogue = gen::parse_epilogue("scale:2");
      const bool on_units = problem.entry->name == "gemm/coopmat";
      if (on_units && !has_matrices(device.caps(), p)) continue;
      const gen::KernelEntry entry = describes_once(*problem.entry);
      if (!entry.chooses) problem.entry = &entry;
      for (int i = 0; i < often(20, 4); ++i) {
        Dice dice(gen::random_bits(slot, static_cast<std::uint64_t>(i)));
        const auto extent = [&] {
          return dice.one_in(3) ? 32 * (1 + dice.below(4)) : 1 + dice.below(100);
        };
        problem.size = {dice.one_in(4) ? 300 : extent() - 1, extent(), extent()};
        if (p.weights != nullptr) problem.size[2] = 32 * (1 + dice.below(4));
        p.experts = dice.one_in(5) ? 1 + dice.below(200) : 1 + dice.below(9);
        p.alpha = dice.of({1.0, 1.0, -0.5});
        p.init = dice.one_in(2) && p.weights == nullptr ? gen::Init::integers : gen::Init::random;
        p.a.leading =
            dice.one_in(3) ? std::optional(problem.size[2] + dice.below(9)) : std::nullopt;
        p.c.leading =
            dice.one_in(3) ? std::optional(problem.size[1] + dice.below(9)) : std::nullopt;
        p.b.stride = {};
        if (dice.one_in(3) && p.weights == nullptr) {
          p.b.stride = problem.size[1] * problem.size[2] + 8 * dice.below(3);
        }
        const auto seed = static_cast<std::uint64_t>(i);
        ASSERT_EQ(products.wrong(problem, seed), "") << command_of(problem, seed);
        ++right;
      }
    }
    EXPECT_GE(right, 3 * often(20, 4));
  });
}

}  // namespace
}  // namespace vkmoye::test
