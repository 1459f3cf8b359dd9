// SPDX-License-Identifier: MIT
#include "devices/noop_driver.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::bench {
namespace {

constexpr std::int64_t kElements = 32;

gen::ir::Kernel copy_of_one_tile() {
  using namespace gen;
  const Layout threads = make_layout({kElements});
  Builder k("executes", kElements);
  k.describe({}, "a copy whose result is known: does the device execute anything?");
  const Tensor src = k.input("src", ScalarType::u32, {{"i", kElements}});
  const Tensor dst = k.output("dst", ScalarType::u32, {{"i", kElements}});
  k.copy(parallelize(tile(src, {kElements}, {k.block_x()}), threads, k.thread()),
         parallelize(tile(dst, {kElements}, {k.block_x()}), threads, k.thread()));
  return k.finish();
}

}  // namespace

void require_execution(Device& device) {
  std::vector<std::uint32_t> sent(kElements), before(kElements, 0xdeadbeef), found(kElements);
  std::iota(sent.begin(), sent.end(), 1u);
  Buffer src = device.buffer(kElements * 4), dst = device.buffer(kElements * 4);
  src.write(std::as_bytes(std::span(sent)));
  dst.write(std::as_bytes(std::span(before)));
  const Pipeline copy = device.load(gen::compile(copy_of_one_tile()));
  // Not timed: the clock would be the first to fail.
  device.submit(device.prepare(copy, {src, dst}, {})).wait();
  dst.read(std::as_writable_bytes(std::span(found)));
  if (found == sent) return;
  throw DeviceError(
      DeviceError::Kind::kNoDevice,
      fmt::format(
          "{} executes nothing: a copy of {} numbers, beginning with {}, did not change {:#x} in "
          "its output; it can compile (emit, explain), but not verify or time kernels",
          device.caps().name, kElements, sent[0], found[0]));
}

}  // namespace vkmoye::bench
