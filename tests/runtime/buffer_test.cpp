// SPDX-License-Identifier: MIT
// Buffers: the host reads what it wrote, by every route and at every alignment.

#include "vkmoye/runtime/buffer.hpp"

#include <algorithm>
#include <cstring>
#include <random>

#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "support/fault_table.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/vulkan.hpp"

namespace vkmoye::test {
namespace {

class BufferTest : public DeviceTest {
 protected:
  // Both routes to the memory, on each device.
  void for_each_route(const std::function<void(Device&)>& body) {
    for (const bool direct : {true, false}) {
      SCOPED_TRACE(direct ? "direct" : "staged");
      OpenOptions options;
      options.direct_access = direct;
      for_each_device(body, options);
    }
  }
};

std::vector<std::byte> random_bytes(std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<std::byte> bytes(count);
  for (std::size_t at = 0; at < count; at += sizeof(std::uint64_t)) {
    const std::uint64_t bits = random();
    std::memcpy(&bytes[at], &bits, std::min(sizeof bits, count - at));
  }
  return bytes;
}

std::vector<std::byte> contents(const Buffer& buffer) {
  std::vector<std::byte> bytes(buffer.bytes());
  buffer.read(bytes);
  return bytes;
}

TEST_F(BufferTest, ReturnsWhatWasWrittenAtEverySize) {
  for_each_route([&](Device& device) {
    // The last is two staging chunks and a bit.
    for (const std::size_t bytes : {1, 2, 3, 4, 5, 7, 4096, 65537, 70'000'001}) {
      Buffer buffer = device.buffer(bytes);
      const std::vector<std::byte> expected = random_bytes(bytes);
      buffer.write(expected);
      EXPECT_TRUE(contents(buffer) == expected) << bytes << " bytes";
    }
  });
}

TEST_F(BufferTest, WritesAndReadsParts) {
  for_each_route([&](Device& device) {
    Buffer buffer = device.buffer(100);
    std::vector<std::byte> expected = random_bytes(100);
    buffer.write(expected);
    const std::vector<std::byte> part = random_bytes(13);
    buffer.write(part, 41);
    std::copy(part.begin(), part.end(), expected.begin() + 41);
    EXPECT_TRUE(contents(buffer) == expected);
    std::vector<std::byte> tail(3);
    buffer.read(tail, 97);
    EXPECT_TRUE(std::equal(tail.begin(), tail.end(), expected.begin() + 97));
    buffer.write({}, 100);  // an empty range at the end is valid
  });
}

TEST_F(BufferTest, FillsAnyRange) {
  for_each_route([&](Device& device) {
    for (const std::uint64_t bytes : {1, 3, 8, 11}) {
      Buffer buffer = device.buffer(bytes);
      for (std::uint64_t offset = 0; offset <= bytes; ++offset) {
        for (std::uint64_t count = 0; count <= bytes - offset; ++count) {
          std::vector<std::byte> expected(bytes, std::byte{0x11});
          buffer.fill(std::byte{0x11});
          buffer.fill(std::byte{0xc3}, offset, count);
          std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(offset), count,
                      std::byte{0xc3});
          ASSERT_TRUE(contents(buffer) == expected)
              << count << " bytes at " << offset << " of " << bytes;
        }
      }
    }
  });
}

TEST_F(BufferTest, RefusesRangesThatLeaveIt) {
  for_each_device([&](Device& device) {
    Buffer buffer = device.buffer(10);
    std::vector<std::byte> five(5);
    EXPECT_REFUSED(buffer.write(five, 6), ArgumentError,
                   StrEq("write: 5 bytes at offset 6 reach beyond a buffer of 10 bytes"));
    EXPECT_REFUSED(buffer.read(five, ~std::uint64_t{0}), ArgumentError,
                   "reach beyond a buffer of 10 bytes");
    EXPECT_REFUSED(buffer.fill(std::byte{0}, 11), ArgumentError,
                   "reach beyond a buffer of 10 bytes");
  });
}

TEST_F(BufferTest, HoldsNothingForAnArrayWithoutElements) {
  for_each_device([&](Device& device) {
    Buffer buffer = device.buffer(0);
    EXPECT_EQ(buffer.bytes(), 0u);
    buffer.fill(std::byte{1});
    buffer.write({});
    std::vector<std::byte> one(1);
    EXPECT_THROW(buffer.read(one), ArgumentError);
  });
}

TEST_F(BufferTest, RefusesSizesThatCannotBe) {
  for_each_device([&](Device& device) {
    const std::uint64_t max = device.caps().max_buffer_bytes;
    EXPECT_REFUSED(device.buffer(max + 1), ArgumentError,
                   "a buffer of " + std::to_string(max + 1) + " bytes: the device allows " +
                       std::to_string(max) + " in one buffer (maxBufferSize)");
  });
}

TEST(TooLargeABuffer, IsRefusedBeforeVulkanIsCalled) {
  FaultTable faults;
  OpenOptions options;
  options.cache = false;
  options.pretend = [](DeviceCaps& caps) {
    caps.max_allocation_bytes = 4097;
    caps.max_sparse_buffer_bytes = 0;
  };
  Device device = open_through(FaultTable::get_instance_proc_addr(), "0", options);
  EXPECT_REFUSED(device.buffer(4098), ArgumentError,
                 "a buffer of 4098 bytes: the device allows 4097 in one allocation of "
                 "memory (maxMemoryAllocationSize)");
  EXPECT_EQ(faults.calls("vkCreateBuffer"), 0);
  EXPECT_EQ(faults.calls("vkAllocateMemory"), 0);
  // The largest allowed size is not a multiple of 4, so it cannot be rounded up.
  EXPECT_EQ(device.buffer(4097).bytes(), 4097u);
}

TEST_F(BufferTest, RefusesMoreThanTheMemoryHas) {
  OpenOptions options;
  options.pretend = [](DeviceCaps& caps) {
    caps.max_buffer_bytes = caps.max_allocation_bytes = std::uint64_t{1} << 60;
  };
  for_each_device(
      [&](Device& device) {
        try {
          device.buffer(device.caps().device_memory_bytes + 4);
          FAIL() << "granted";
        } catch (const DeviceError& error) {
          EXPECT_EQ(error.kind, DeviceError::Kind::kOutOfMemory);
          EXPECT_THAT(error.what(),
                      AllOf(HasSubstr(std::to_string(device.caps().device_memory_bytes + 4)),
                            HasSubstr("bytes of memory")));
        }
      },
      options);
}

// Its bytes are nevertheless contiguous: writes, fills, copies and reads cross the boundaries.
TEST_F(BufferTest, LiesInSeveralAllocationsWhereOneIsTooSmall) {
  OpenOptions options;
  options.pretend = [](DeviceCaps& caps) { caps.max_allocation_bytes = 1 << 20; };
  for_each_device(
      [&](Device& device) {
        const std::size_t bytes = (5 << 20) + 13;
        if (device.caps().max_sparse_buffer_bytes < bytes) {
          GTEST_SKIP() << "it binds no buffer to several allocations";
        }
        std::vector<std::byte> expected(bytes);
        for (std::size_t i = 0; i < bytes; ++i) expected[i] = static_cast<std::byte>(i * 7 >> 5);
        for (int round = 0; round < 2; ++round) {  // the memory of the first is freed
          Buffer buffer = device.buffer(bytes);
          EXPECT_FALSE(buffer.is_mapped());
          buffer.write(expected);
          std::vector<std::byte> found(bytes);
          buffer.read(found);
          EXPECT_TRUE(found == expected);
          buffer.fill(std::byte{0x5a}, (1 << 20) - 3, 7 << 10);
          buffer.read(found);
          std::vector<std::byte> filled = expected;
          std::fill_n(filled.begin() + (1 << 20) - 3, 7 << 10, std::byte{0x5a});
          EXPECT_TRUE(found == filled);
        }
      },
      options);
}

TEST_F(BufferTest, OutlivesItsDevice) {
  for_each_device([&](Device& device) {
    auto other = std::make_unique<Device>(Device::open(device.caps().name, validated()));
    Buffer buffer = other->buffer(8);
    other.reset();
    Buffer moved = std::move(buffer);
    EXPECT_EQ(moved.bytes(), 8u);
  });
}

}  // namespace
}  // namespace vkmoye::test
