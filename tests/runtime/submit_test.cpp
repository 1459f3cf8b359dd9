// SPDX-License-Identifier: MIT
// Submissions that wait for and signal timeline semaphores of the user and of other submissions.

#include "runtime/shaders.hpp"
#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "support/guarded_buffer.hpp"
#include "support/their_device.hpp"
#include "support/timeline.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye::test {
namespace {

class SubmitTest : public DeviceTest {
 protected:
  static VkResult wait_for(const Device& owner, const TimelinePoint& point, std::uint64_t ns) {
    VkSemaphoreWaitInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
    info.semaphoreCount = 1;
    info.pSemaphores = &point.semaphore;
    info.pValues = &point.value;
    return function_of<PFN_vkWaitSemaphores>(owner, "vkWaitSemaphores")(handles_of(owner).device,
                                                                        &info, ns);
  }
};

constexpr std::uint64_t kSecond = 1000000000;

TEST_F(SubmitTest, WaitsForAndSignalsTheUsersTimeline) {
  for_each_device([&](Device& owner) {
    const Timeline theirs(owner);
    Device device = Device::adopt(handles_in(owner));
    GuardedBuffer a(device, 400);
    write_as(a, std::vector<std::uint32_t>(100, 7));
    const Launch launch = device.prepare(device.load(increment_kernel()), {a.view()}, {{"n", 100}});
    Pending pending = submit(device, std::vector{launch, launch},
                             {.wait = {theirs.at(3)}, .signal = {theirs.at(5)}});
    EXPECT_FALSE(pending.is_done());
    EXPECT_EQ(wait_for(owner, theirs.at(5), kSecond / 100), VK_TIMEOUT);
    theirs.signal(3);
    EXPECT_EQ(wait_for(owner, theirs.at(5), 30 * kSecond), VK_SUCCESS);
    EXPECT_EQ(wait_for(owner, point_of(pending), 30 * kSecond), VK_SUCCESS);
    pending.wait();
    EXPECT_EQ(read_as<std::uint32_t>(a), std::vector<std::uint32_t>(100, 9));
    EXPECT_EQ(a.damage(), "");
  });
}

// A Pending is a point on the timeline of its Device: values increase, and work of another device can wait for it.
TEST_F(SubmitTest, PendingIsAPointToWaitFor) {
  for_each_device([&](Device& owner) {
    Device first = Device::adopt(handles_in(owner)), second = Device::adopt(handles_in(owner));
    Buffer shared = owner.buffer(400);
    shared.fill(std::byte{0});
    const BufferView view = view_of(handle_of(shared), 0, 400);
    const CompiledKernel increment = increment_kernel();
    const Launch a = first.prepare(first.load(increment), {view}, {{"n", 100}});
    const Launch b = second.prepare(second.load(increment), {view}, {{"n", 100}});
    std::uint64_t last = 0;
    for (int i = 0; i < 4; ++i) {
      const Pending one = first.submit(a);
      EXPECT_GT(one.value(), last);
      EXPECT_EQ(point_of(one).value, one.value());
      Pending two = submit(second, {&b, 1}, {.wait = {point_of(one)}});
      two.wait();
      EXPECT_TRUE(one.is_done());
      last = one.value();
    }
    std::vector<std::uint32_t> got(100);
    shared.read(std::as_writable_bytes(std::span(got)));
    EXPECT_EQ(got, std::vector<std::uint32_t>(100, 8));
  });
}

TEST_F(SubmitTest, RefusesSemaphoresThatWereNotEnabled) {
  for_each_device([&](Device& owner) {
    const Timeline timeline(owner);
    AdoptedDevice theirs = handles_in(owner);
    theirs.timeline_semaphores = false;
    Device device = Device::adopt(theirs);
    GuardedBuffer a(device, 400);
    const Launch launch = device.prepare(device.load(increment_kernel()), {a.view()}, {{"n", 100}});
    EXPECT_REFUSED(submit(device, {&launch, 1}, {.signal = {timeline.at(1)}}), ArgumentError,
                   "AdoptedDevice::timeline_semaphores");
    Pending pending = device.submit(launch);
    EXPECT_REFUSED(point_of(pending), ArgumentError, "timelineSemaphore");
    EXPECT_EQ(pending.value(), 0u);
    pending.wait();
    Device able = Device::adopt(handles_in(owner));
    EXPECT_REFUSED(submit(able, {}, {.wait = {{VK_NULL_HANDLE, 1}}}), ArgumentError,
                   "to wait for is VK_NULL_HANDLE");
    EXPECT_REFUSED(submit(able, {&launch, 1}), ArgumentError, "another Device");
  });
}

}  // namespace
}  // namespace vkmoye::test
