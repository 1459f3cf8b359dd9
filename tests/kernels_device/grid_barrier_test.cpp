// SPDX-License-Identifier: MIT
// Launches whose workgroups wait for each other, on every device.

#include "vkmoye/gen/ir/grid_barrier.hpp"

#include "support/expect.hpp"
#include "support/phases.hpp"
#include "support/resident_fixture.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"

namespace vkmoye::test {
namespace {

class GridBarrierTest : public ResidentDeviceTest {};

TEST_F(GridBarrierTest, ShowsWhatOtherWorkgroupsWroteInEachOfManyLaunches) {
  for_each_resident(kGroups, [](Device& device) {
    for (const std::int64_t groups : {1, 2, 3, 4}) {
      gen::ir::Kernel described = doubled_and_reversed(groups);
      described.most_polls = 1u << 30;  // threads of a busy CPU take turns
      const Pipeline kernel = device.load(gen::compile(described));
      Buffer arrivals = device.buffer(8);
      arrivals.fill(std::byte{0});
      for (int launch = 0; launch < 25; ++launch) {
        const std::size_t n = 1 + static_cast<std::size_t>(37 * launch);
        std::vector<float> src(n), dst(n);
        for (std::size_t i = 0; i < n; ++i) src[i] = static_cast<float>(i + 1 + launch);
        Buffer from = device.buffer(4 * n), middle = device.buffer(4 * n),
               to = device.buffer(4 * n);
        from.write(std::as_bytes(std::span(src)));
        middle.fill(std::byte{0xff});
        to.fill(std::byte{0xff});
        device.run(kernel, {from, middle, to, arrivals}, {{"n", n}});
        to.read(std::as_writable_bytes(std::span(dst)));
        for (std::size_t i = 0; i < n; ++i)
          ASSERT_EQ(dst[i], 2 * src[n - 1 - i]) << groups << " " << n;
      }
      std::vector<std::uint32_t> words(2);
      arrivals.read(std::as_writable_bytes(std::span(words)));
      EXPECT_EQ(words[1], 0u);
      EXPECT_EQ(words[0] & 0x7fffffffu, 0u);
    }
  });
}

// More workgroups than the device runs at once, by a false promise: the launch ends, and says so.
TEST_F(GridBarrierTest, EndsWhereAWorkgroupWaitsInVain) {
  constexpr std::uint32_t kTooMany = 64;
  for_each_resident(kTooMany, [](Device& device) {
    if (device.caps().kind != DeviceKind::cpu) return;
    const Pipeline kernel = device.load(gen::compile(doubled_and_reversed(kTooMany)));
    constexpr std::size_t n = 1000;
    Buffer from = device.buffer(4 * n), middle = device.buffer(4 * n), to = device.buffer(4 * n),
           arrivals = device.buffer(8);
    for (Buffer* buffer : {&from, &arrivals}) buffer->fill(std::byte{0});
    device.run(kernel, {from, middle, to, arrivals}, {{"n", n}});
    std::vector<std::uint32_t> words(2);
    arrivals.read(std::as_writable_bytes(std::span(words)));
    EXPECT_EQ(words[1], 1u);
  });
}

TEST_F(GridBarrierTest, IsRefusedByADeviceThatRunsFewerWorkgroups) {
  for_each_resident(3, [](Device& device) {
    EXPECT_REFUSED(
        device.load(gen::compile(doubled_and_reversed(4))), KernelError,
        "its 4 workgroups wait for each other, and must run at once; this device runs 3 at once");
  });
}

}  // namespace
}  // namespace vkmoye::test
