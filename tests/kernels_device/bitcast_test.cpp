// SPDX-License-Identifier: MIT
// Vectors whose bits are those of another type: on devices and on the twin, as in memory.

#include <random>

#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"

namespace vkmoye::test {
namespace {

using gen::Builder;
using gen::Expr;

class BitcastTest : public DeviceTest {};

struct BitcastCase {
  ScalarType from;
  std::uint32_t width;
  ScalarType to;
};

// A thread reads a vector of 4, 8 or 16 bytes and stores the same bytes as another type.
gen::ir::Kernel bitcasts(const BitcastCase& one) {
  constexpr std::int64_t kThreads = 64;
  const std::size_t bytes = one.width * size_of(one.from);
  const auto width = static_cast<std::uint32_t>(bytes / size_of(one.to));
  Builder k("bitcasts", kThreads);
  k.input("from", one.from, {{"at", kThreads * one.width}});
  k.output("to", one.to, {{"at", kThreads * width}});
  k.grid(0, 1, 1);
  const Expr value =
      k.load("vector", {"from", {k.thread() * one.width}, "a vector of the thread", one.width});
  k.store(bitcast(value, one.to), {"to", {k.thread() * width}, "its bytes", width});
  return k.finish();
}

TEST_F(BitcastTest, VectorsKeepTheirBytes) {
  using enum ScalarType;
  const std::vector<BitcastCase> cases = {
      {u32, 1, f16}, {f16, 2, u32}, {u32, 1, u8},  {u8, 4, u32},  {u32, 1, i16}, {u16, 8, u32},
      {u32, 4, u16}, {u16, 4, u32}, {u32, 2, f16}, {f32, 2, u16}, {u8, 4, f32},  {u16, 2, i32},
      {f32, 4, u32}, {u8, 16, f16}, {i8, 8, u32},  {u16, 2, i8},
  };
  std::mt19937_64 random(4);
  for_each_device([&](Device& device) {
    for (const BitcastCase& one : cases) {
      const gen::ir::Kernel kernel = bitcasts(one);
      std::vector<std::byte> from(64 * one.width * size_of(one.from)), to(from.size());
      for (std::size_t i = 0; i < from.size(); ++i) {  // no NaN, whose bits may change
        from[i] = static_cast<std::byte>(random() & (i % 2 == 1 ? 0xbb : 0xff));
      }
      const std::string name = std::string(to_string(one.from)) + " to " +
                               std::string(to_string(one.to)) + " x" + std::to_string(one.width);
      const gen::TwinReport report = gen::run_on_host(kernel, {from, to}, {});
      EXPECT_THAT(report.reasons, IsEmpty()) << name;
      EXPECT_EQ(to, from) << name << " on the twin";
      if (!reasons_against(gen::ir::interface_of(kernel), device.caps()).empty()) continue;
      Buffer src = device.buffer(from.size()), dst = device.buffer(to.size());
      src.write(from);
      device.run(device.load(gen::compile(kernel, device.caps())), {src, dst}, {});
      std::fill(to.begin(), to.end(), std::byte{0});
      dst.read(to);
      EXPECT_EQ(to, from) << name;
    }
  });
}

}  // namespace
}  // namespace vkmoye::test
