// SPDX-License-Identifier: MIT
// The limits of a device: each reason against a buffer, an array and a kernel, with the numbers.

#include "support/expect.hpp"
#include "support/fake_devices.hpp"
#include "vkmoye/contract/kernel_interface.hpp"

namespace vkmoye::test {
namespace {

DeviceCaps device_with(std::uint64_t binding, std::uint64_t buffer, std::uint64_t allocation) {
  DeviceCaps caps = lavapipe_like();
  caps.max_storage_buffer_bytes = binding;
  caps.max_buffer_bytes = buffer;
  caps.max_allocation_bytes = allocation;
  return caps;
}

TEST(DeviceLimits, OfABufferAreThoseOfItsMemoryToo) {
  const DeviceCaps caps = device_with(4000, 3000, 2000);
  EXPECT_THAT(reasons_against_buffer(caps, 2000), IsEmpty());
  EXPECT_THAT(reasons_against_buffer(caps, 2001),
              ElementsAre("a buffer of 2001 bytes: the device allows 2000 in one allocation of "
                          "memory (maxMemoryAllocationSize)"));
  EXPECT_THAT(
      reasons_against_buffer(caps, 3001),
      ElementsAre("a buffer of 3001 bytes: the device allows 3000 in one buffer (maxBufferSize)",
                  "a buffer of 3001 bytes: the device allows 2000 in one allocation of memory "
                  "(maxMemoryAllocationSize)"));
}

TEST(DeviceLimits, OfABufferInSeveralAllocationsAreThoseOfAddresses) {
  DeviceCaps caps = device_with(4000, 3000, 2000);
  caps.max_sparse_buffer_bytes = 2500;
  EXPECT_THAT(reasons_against_buffer(caps, 2500), IsEmpty());
  EXPECT_THAT(reasons_against_buffer(caps, 2501),
              ElementsAre("a buffer of 2501 bytes: the device allows 2000 in one allocation of "
                          "memory (maxMemoryAllocationSize)",
                          "a buffer of 2501 bytes: the device allows 2500 in several of them "
                          "(sparseAddressSpaceSize)"));
}

TEST(DeviceLimits, OfAnArrayAreThoseOfItsBindingAndItsBuffer) {
  const Binding binding = {"src", ScalarType::f32, Access::read, {"cols", "rows"}};
  const Arguments sizes = {{"cols", 10}, {"rows", 20}};
  EXPECT_THAT(reasons_against(binding, sizes, device_with(800, 800, 800)), IsEmpty());
  EXPECT_THAT(reasons_against(binding, sizes, device_with(799, 800, 798)),
              ElementsAre("src: needs 200 elements of 4 bytes = 800 bytes, the device binds at "
                          "most 799",
                          "src: a buffer of 800 bytes: the device allows 798 in one allocation of "
                          "memory (maxMemoryAllocationSize)"));
  EXPECT_THAT(reasons_against(binding, {{"cols", 10}}, device_with(800, 800, 800)),
              ElementsAre("src: argument 'rows' is missing"));
}

TEST(DeviceLimits, OfAKernelCountArraysWhoseSizeIsKnown) {
  KernelInterface kernel;
  kernel.name = "copy";
  kernel.bindings = {{"src", ScalarType::f32, Access::read, {10, 20}},
                     {"dst", ScalarType::f32, Access::write, {10, 20}, {1, 16}},
                     {"any", ScalarType::f32, Access::read, {"cols", 20}}};
  EXPECT_THAT(reasons_against(kernel, device_with(4096, 4096, 4096)), IsEmpty());
  EXPECT_THAT(reasons_against(kernel, device_with(4096, 4096, 1000)),
              ElementsAre("dst: a buffer of 1256 bytes: the device allows 1000 in one allocation "
                          "of memory (maxMemoryAllocationSize)"));
}

}  // namespace
}  // namespace vkmoye::test
