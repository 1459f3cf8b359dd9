// SPDX-License-Identifier: MIT
// Kernels that were compiled with the program: the softmax of two rows, and a product with k in two slices.
#include <kernels/product.hpp>
#include <kernels/softmax_rows.hpp>

#include <cmath>
#include <cstdio>
#include <span>
#include <vkmoye/runtime/plan_recorder.hpp>

int main() {
  vkmoye::Device device = vkmoye::Device::open();
  const vkmoye::Pipeline softmax = device.load(kernels::softmax_rows::compiled(device.caps()));
  std::vector<float> x = {0, 0, 0, 0, 1, 1, 1, 1}, y(8);
  vkmoye::Buffer src = device.buffer(32), dst = device.buffer(32);
  src.write(std::as_bytes(std::span(x)));
  device.run(softmax, kernels::softmax_rows::Arrays{src, dst},
             kernels::softmax_rows::Arguments{.cols = 4, .rows = 2});
  dst.read(std::as_writable_bytes(std::span(y)));
  for (const float value : y) {
    if (std::fabs(value - 0.25f) > 1e-6f) return 1;
  }
  const vkmoye::CompiledPlan product = kernels::product::compiled(device.caps());
  std::printf("%zu arrays, %zu steps, %zu variants of softmax\n", product.arrays.size(),
              product.steps.size(), kernels::softmax_rows::kFiles.size());
  return product.arrays.size() == 3 && product.steps.size() == 2 ? 0 : 1;
}
