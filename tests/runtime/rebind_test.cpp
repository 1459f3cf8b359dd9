// SPDX-License-Identifier: MIT
// Rebinding a plan to other ranges gives the same plan or the same error as making it for them.

#include <random>

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/values/dispatches.hpp"

namespace vkmoye::test {
namespace {

KernelInterface sum_interface() {
  KernelInterface kernel;
  kernel.name = "sum";
  kernel.bindings = {{"a", ScalarType::f32, Access::read, {"n"}, {}, 16},
                     {"b", ScalarType::f16, Access::read, {"n"}, {}, 8, Addressing::pointer},
                     {"c", ScalarType::f32, Access::write, {"n"}}};
  kernel.push_constants = {"n", {address_name("b"), ScalarType::u64}, kFirstGroup[0]};
  kernel.grid = {GridDimension{"n", 64}, GridDimension{1, 1}};
  return kernel;
}

DeviceCaps small_device() {
  DeviceCaps caps = common_device();
  caps.max_group_count = {3, 1, 1};
  caps.storage_buffer_alignment = 32;
  return caps;
}

const int memory[2] = {};

std::vector<BoundRange> random_ranges(std::mt19937& random) {
  std::vector<BoundRange> ranges;
  const std::size_t count = random() % 16 == 0 ? 2 : 3;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t offset = random() % 4 == 0 ? random() % 4096 : random() % 4 * 2048;
    const std::uint64_t bytes = random() % 4 == 0 ? random() % 4096 : 2048;
    ranges.push_back({&memory[random() % 2], 8192, offset, bytes, 4096 * (random() % 8)});
  }
  return ranges;
}

TEST(Rebind, IsWhatAPlanFromTheStartIs) {
  const KernelInterface kernel = sum_interface();
  const DeviceCaps caps = small_device();
  const Arguments arguments = {{"n", 500}};
  const std::vector<BoundRange> usual = {{&memory[0], 8192, 0, 2048, 0},
                                         {&memory[0], 8192, 2048, 2048, 0},
                                         {&memory[1], 8192, 0, 2048, 0}};
  Dispatches again = prepare_dispatches(kernel, caps, usual, arguments);
  ASSERT_EQ(again.pieces.size(), 3u);
  std::mt19937 random(7);
  int accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::vector<BoundRange> ranges = random_ranges(random);
    std::string refusal, refusal_again;
    Dispatches fresh;
    try {
      fresh = prepare_dispatches(kernel, caps, ranges, arguments);
    } catch (const ArgumentError& error) {
      refusal = error.what();
    }
    try {
      rebind(kernel, caps, ranges, again);
    } catch (const ArgumentError& error) {
      refusal_again = error.what();
    }
    ASSERT_EQ(refusal_again, refusal) << i;
    if (!refusal.empty()) continue;
    ++accepted;
    ASSERT_EQ(again.bound_bytes, fresh.bound_bytes) << i;
    ASSERT_EQ(again.push_constants, fresh.push_constants) << i;
    ASSERT_EQ(again.pieces, fresh.pieces) << i;
  }
  EXPECT_GT(accepted, 100);
  EXPECT_LT(accepted, 2900);
}

}  // namespace
}  // namespace vkmoye::test
