// SPDX-License-Identifier: MIT
// The other device tests rely on the validation layer: here it must report errors.

#include "runtime/shaders.hpp"
#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "vkmoye/runtime/vk/launch_state.hpp"

namespace vkmoye::test {
namespace {

class ValidationTest : public DeviceTest {};

TEST_F(ValidationTest, SeesAHazardBetweenTwoDispatches) {
  if (!has_validation()) GTEST_SKIP() << "VKMOYE_TEST_VALIDATION=off";
  for_each_device([&](Device& device) {
    Buffer a = device.buffer(400), b = device.buffer(400), c = device.buffer(400);
    const Pipeline pipeline = device.load(affine_kernel());
    const Launch first = device.prepare(pipeline, {a, b}, {{"n", 100}});
    const Launch second = device.prepare(pipeline, {b, c}, {{"n", 100}});
    device.run(first);
    device.run(second);
    EXPECT_THAT(take_messages(), IsEmpty());
    // The second launch reads what the first writes, without a barrier.
    device.context()->commands->run(
        [&](VkCommandBuffer commands) {
          vk::record(commands, *first.state());
          vk::record(commands, *second.state());
        },
        nullptr);
    EXPECT_THAT(take_messages(), Contains(HasSubstr("READ_AFTER_WRITE")));
  });
}

TEST_F(ValidationTest, SeesAWrongCall) {
  if (!has_validation()) GTEST_SKIP() << "VKMOYE_TEST_VALIDATION=off";
  for_each_device([&](Device& device) {
    Buffer a = device.buffer(8);
    device.context()->commands->run(
        [&](VkCommandBuffer commands) {
          device.context()->table().CmdFillBuffer(commands, a.state()->block.buffer, 2, 4, 0);
        },
        nullptr);
    EXPECT_THAT(take_messages(), Contains(HasSubstr("vkCmdFillBuffer")));
  });
}

}  // namespace
}  // namespace vkmoye::test
