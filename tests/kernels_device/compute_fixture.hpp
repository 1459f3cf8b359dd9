// SPDX-License-Identifier: MIT
#pragma once
// Helpers for tests of kernels that compute: elements as bits, a launch between guard words.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "support/device_fixture.hpp"
#include "support/guarded_buffer.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/ir/evaluate.hpp"

namespace vkmoye::test {

using gen::Builder;
using gen::Expr;
using gen::Tensor;
using gen::View;
using gen::ir::Bits;
using gen::ir::Op;

inline std::vector<std::uint8_t> bytes_of(ScalarType type, const std::vector<Bits>& values) {
  std::vector<std::uint8_t> out;
  for (const Bits value : values) {
    for (std::size_t i = 0; i < size_of(type); ++i) {
      out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    }
  }
  return out;
}

inline std::vector<Bits> bits_from(ScalarType type, const std::vector<std::uint8_t>& bytes) {
  const std::size_t width = size_of(type);
  std::vector<Bits> out(bytes.size() / width, 0);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    out[i / width] |= static_cast<Bits>(bytes[i]) << (8 * (i % width));
  }
  return out;
}

// Runs `kernel`, whose buffers are inputs followed by one output of `count` elements of `type`.
inline std::vector<Bits> run(Device& device, const gen::ir::Kernel& kernel,
                             const std::vector<std::vector<std::uint8_t>>& inputs, ScalarType type,
                             std::size_t count, const Arguments& arguments = {}) {
  const Pipeline pipeline = device.load(gen::compile(kernel, device.caps()));
  std::vector<GuardedBuffer> buffers;
  std::vector<BufferView> views;
  for (const auto& input : inputs) {
    buffers.emplace_back(device, input.size());
    write_as(buffers.back(), input);
  }
  buffers.emplace_back(device, count * size_of(type));
  for (const GuardedBuffer& buffer : buffers) views.push_back(buffer.view());
  device.run(pipeline, views, arguments);
  for (const GuardedBuffer& buffer : buffers) EXPECT_EQ(buffer.damage(), "");
  return bits_from(type, read_as<std::uint8_t>(buffers.back()));
}

class ComputeTest : public DeviceTest {
 protected:
  // Small numbers of both signs, so that integers and floats have ties, zeros and equal values.
  std::vector<Bits> random_values(ScalarType type, std::size_t count) {
    std::vector<Bits> out;
    for (std::size_t i = 0; i < count; ++i) {
      const double whole = static_cast<double>(static_cast<int>(random_() % 17) - 8);
      const double part = is_floating(type) ? static_cast<double>(random_() % 1024) / 1024 : 0;
      const bool is_any = !is_floating(type) && random_() % 2 == 0;
      const Bits mask = (Bits{1} << std::min<std::size_t>(8 * size_of(type), 63)) - 1;
      out.push_back(is_any ? random_() & mask
                           : bits_of(type, is_unsigned(type) ? std::abs(whole) : whole + part));
    }
    return out;
  }

  // The results of a shader that converts `input`; nothing if the device lacks a type.
  std::vector<Bits> converted(Device& device, ScalarType from, ScalarType to,
                              const std::vector<Bits>& input) {
    const auto count = static_cast<std::int64_t>(input.size());
    Builder k("conversion", 64);
    const auto mine = [&](const Tensor& tensor) {
      return parallelize(tile(tensor, {64}, {k.block_x()}), Layout(64), k.thread());
    };
    const View src = mine(k.input("src", from, {{"at", count}}));
    const View dst = mine(k.output("dst", to, {{"at", count}}));
    k.apply(
        dst, [&](const Expr& x) { return convert(x, to); }, src);
    const gen::ir::Kernel kernel = k.finish();
    if (!reasons_against(gen::ir::interface_of(kernel), device.caps()).empty()) return {};
    return run(device, kernel, {bytes_of(from, input)}, to, input.size());
  }

  std::mt19937 random_{71};
};

}  // namespace vkmoye::test
