// SPDX-License-Identifier: MIT
// Runs a kernel of own_bench, which the build has compiled: 3 * src + shift.
#include <cstddef>
#include <kernels/own_scale.hpp>
#include <span>
#include <vector>

int main() {
  vkmoye::Device device = vkmoye::Device::open();
  std::vector<float> numbers(1000, 2);
  vkmoye::Buffer src = device.buffer(4000), shift = device.buffer(4000), dst = device.buffer(4000);
  for (vkmoye::Buffer* of : {&src, &shift}) of->write(std::as_bytes(std::span(numbers)));
  const vkmoye::Pipeline scale = device.load(kernels::own_scale::compiled(device.caps()));
  device.run(scale, kernels::own_scale::Arrays{src, shift, dst},
             kernels::own_scale::Arguments{.count = 1000});
  dst.read(std::as_writable_bytes(std::span(numbers)));
  for (const float number : numbers) {
    if (number != 8) return 1;
  }
}
