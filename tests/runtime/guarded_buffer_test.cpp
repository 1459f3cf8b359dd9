// SPDX-License-Identifier: MIT
// Guards: a read from a guard changes the result, a write to a guard is detected.

#include "vkmoye/runtime/guarded_buffer.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/shaders.hpp"
#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "support/guarded_buffer.hpp"
#include "vkmoye/contract/scalar_value.hpp"

namespace vkmoye::test {
namespace {

constexpr std::int64_t kGuardBytes = 4096;

// The element of `bytes` bytes at byte `at` of a guard.
std::uint64_t guard_element(std::int64_t at, std::size_t bytes, std::uint64_t seed) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::byte byte = GuardedBuffer::guard_byte(at + static_cast<std::int64_t>(i), seed);
    out |= std::to_integer<std::uint64_t>(byte) << (8 * i);
  }
  return out;
}

TEST(GuardPattern, IsNotANumberOfAnyFloatingType) {
  for (const ScalarType type :
       {ScalarType::f16, ScalarType::bf16, ScalarType::f32, ScalarType::f64}) {
    const std::size_t width = size_of(type);
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      for (std::int64_t at = -kGuardBytes; at < kGuardBytes; at += static_cast<int>(width)) {
        const std::uint64_t bits = guard_element(at, width, seed);
        ASSERT_TRUE(std::isnan(number_of(type, bits)))
            << to_string(type) << " " << std::hex << bits << " at " << std::dec << at;
      }
    }
  }
}

// The values of faulty writes are detected: the NaNs of processors, -1, and small numbers.
TEST(GuardPattern, IsNoCommonResult) {
  const std::vector<std::uint64_t> common[] = {
      {0x7e00, 0xfe00, 0x7fff, 0xffff, 0x7fc0, 0xffc0, 0, 1, 0x7f7f},  // f16, bf16, i16
      {0x7fc00000, 0xffc00000, 0x7fffffff, 0xffffffff, 0, 1, 0x7f7f7f7f},
      {0x7ff8000000000000, 0xfff8000000000000, 0x7fffffffffffffff, 0xffffffffffffffff, 0, 1}};
  for (std::size_t row = 0; row < 3; ++row) {
    const std::size_t width = std::size_t{2} << row;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      for (std::int64_t at = -kGuardBytes; at < kGuardBytes; at += static_cast<int>(width)) {
        const std::uint64_t bits = guard_element(at, width, seed);
        ASSERT_EQ(std::count(common[row].begin(), common[row].end(), bits), 0) << bits;
      }
    }
  }
}

class GuardedBufferTest : public DeviceTest {
 protected:
  // Runs `body` with the device and each way to access an array.
  void for_each_reach(const std::function<void(Device&, Addressing)>& body) {
    for_each_device([&](Device& device) {
      for (const Addressing addressing : {Addressing::descriptor, Addressing::pointer}) {
        SCOPED_TRACE(to_string(addressing));
        if (!reasons_against(store_kernel(addressing).interface, device.caps()).empty()) continue;
        body(device, addressing);
      }
    });
  }
};

// The sum of 1 to 10, or with one more element at either end.
TEST_F(GuardedBufferTest, AnElementReadOutsideChangesTheResult) {
  for_each_reach([&](Device& device, Addressing addressing) {
    for (const ScalarType type :
         {ScalarType::f32, ScalarType::f16, ScalarType::f64, ScalarType::i32, ScalarType::i8}) {
      SCOPED_TRACE(to_string(type));
      const std::size_t width = size_of(type);
      const CompiledKernel kernel = sum_kernel(type, addressing);
      if (!reasons_against(kernel.interface, device.caps()).empty()) continue;
      const Pipeline pipeline = device.load(kernel);
      GuardedBuffer a(device, 10 * width), sum(device, 4);
      std::vector<std::uint8_t> bytes;
      for (int i = 1; i <= 10; ++i) {
        const std::uint64_t bits = bits_of(type, i);
        for (std::size_t b = 0; b < width; ++b) {
          bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * b)));
        }
      }
      write_as(a, bytes);
      const auto sum_of = [&](int first, int n) {
        device.run(pipeline, {a.view(), sum.view()}, {{"first", first}, {"n", n}});
        return is_floating(type) ? static_cast<double>(read_as<float>(sum).at(0))
                                 : read_as<std::int32_t>(sum).at(0);
      };
      EXPECT_EQ(sum_of(0, 10), 55);
      const double after = sum_of(0, 11);
      // With a descriptor, index -1 does not addressing the element before the array.
      const double before = addressing == Addressing::pointer ? sum_of(-1, 10) : after;
      for (const double outside : {after, before}) {
        if (is_floating(type)) {
          EXPECT_TRUE(std::isnan(outside)) << outside;
        } else {
          EXPECT_NE(outside, 55);
        }
      }
      EXPECT_EQ(a.damage() + sum.damage(), "");
    }
  });
}

TEST_F(GuardedBufferTest, AnElementWrittenOutsideIsDamage) {
  for_each_reach([&](Device& device, Addressing addressing) {
    const Pipeline store = device.load(store_kernel(addressing));
    // -1 and the poison, NaNs as f32 and pairs of f16 or bf16, small numbers.
    for (const std::uint32_t value : {0xffffffffu, 0x7fc00000u, 0xffc00000u, 0x7fffffffu,
                                      0x7e007e00u, 0x7fff7fffu, 0xffc0ffc0u, 0u, 1u}) {
      SCOPED_TRACE(value);
      GuardedBuffer dst(device, 40);
      const auto run = [&](int first, int n) {
        device.run(store, {dst.view()}, {{"first", first}, {"n", n}, {"value", value}});
      };
      run(0, 10);
      EXPECT_EQ(dst.damage(), "");
      if (addressing == Addressing::pointer) {
        GuardedBuffer other(device, 40);
        device.run(store, {other.view()}, {{"first", -1}, {"n", 10}, {"value", value}});
        EXPECT_THAT(other.damage(), HasSubstr("of the guard before a payload of 40 bytes became"));
      }
      run(0, 11);
      EXPECT_THAT(dst.damage(), HasSubstr("of the guard after a payload of 40 bytes became"));
      EXPECT_EQ(read_as<std::uint32_t>(dst), std::vector<std::uint32_t>(10, value));
    }
  });
}

// The two guards have different contents.
TEST_F(GuardedBufferTest, ACopyThatOverrunsBothArraysIsDamage) {
  for_each_reach([&](Device& device, Addressing addressing) {
    const Pipeline copy = device.load(copy_kernel(addressing));
    GuardedBuffer src(device, 40), dst(device, 40);
    device.run(copy, {src.view(), dst.view()}, {{"first", 0}, {"n", 10}});
    EXPECT_EQ(src.damage() + dst.damage(), "");
    device.run(copy, {src.view(), dst.view()}, {{"first", 0}, {"n", 12}});
    EXPECT_EQ(src.damage(), "");
    EXPECT_THAT(dst.damage(), HasSubstr("of the guard after a payload of 40 bytes became"));
  });
}

// Unwritten elements are poison: NaN or -1, which no guard contains.
TEST_F(GuardedBufferTest, WhatIsNotWrittenStaysPoison) {
  for_each_reach([&](Device& device, Addressing addressing) {
    const Pipeline store = device.load(store_kernel(addressing));
    GuardedBuffer dst(device, 41);
    device.run(store, {dst.view()}, {{"first", 2}, {"n", 9}, {"value", 7}});
    const auto bytes = read_as<std::uint8_t>(dst);
    EXPECT_EQ(bytes.back(), 0xff);
    std::vector<std::uint32_t> expected(10, 7);
    expected[0] = expected[1] = expected[9] = 0xffffffff;
    std::vector<std::uint32_t> words(10);
    dst.read(std::as_writable_bytes(std::span(words)));
    EXPECT_EQ(words, expected);
    dst.poison();
    EXPECT_EQ(read_as<std::uint8_t>(dst), std::vector<std::uint8_t>(41, 0xff));
    EXPECT_EQ(dst.damage(), "");
  });
}

}  // namespace
}  // namespace vkmoye::test
