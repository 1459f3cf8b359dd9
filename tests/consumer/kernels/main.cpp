// SPDX-License-Identifier: MIT
// Kernels that were compiled with the program: a softmax, a product, and a product with k in two slices, a plan.
#include <cmath>
#include <cstdio>
#include <kernels/gemm_moye_simple.hpp>
#include <kernels/product.hpp>
#include <kernels/softmax_rows.hpp>
#include <span>
#include <vkmoye/base/error.hpp>
#include <vkmoye/runtime/plan_recorder.hpp>

namespace {

vkmoye::Buffer filled(vkmoye::Device& device, std::size_t count, float value) {
  const std::vector<float> values(count, value);
  vkmoye::Buffer buffer = device.buffer(4 * count);
  buffer.write(std::as_bytes(std::span(values)));
  return buffer;
}

bool has_only(const vkmoye::Buffer& buffer, std::size_t count, float value) {
  std::vector<float> found(count);
  buffer.read(std::as_writable_bytes(std::span(found)));
  for (const float one : found) {
    if (!(std::fabs(one - value) <= 1e-6f)) return false;
  }
  return true;
}

}  // namespace

int main() {
  vkmoye::Device device = vkmoye::Device::open();
  const vkmoye::Pipeline softmax = device.load(kernels::softmax_rows::compiled(device.caps()));
  const vkmoye::Buffer src = filled(device, 8, 1), dst = filled(device, 8, 0);
  device.run(softmax, kernels::softmax_rows::Arrays{src, dst},
             kernels::softmax_rows::Arguments{.cols = 4, .rows = 2});
  if (!has_only(dst, 8, 0.25f)) return 1;

  // Strides are left out; what else is missing is named.
  const vkmoye::Pipeline gemm = device.load(kernels::gemm_moye_simple::compiled(device.caps()));
  const vkmoye::Buffer a = filled(device, 3 * 64, 1), b = filled(device, 5 * 64, 0.5f),
                       c = filled(device, 15, 7);
  device.run(gemm, kernels::gemm_moye_simple::Arrays{a, b, c},
             kernels::gemm_moye_simple::Arguments{.m = 3, .n = 5, .k = 64, .alpha = 2});
  if (!has_only(c, 15, 64)) return 2;
  try {
    device.run(gemm, kernels::gemm_moye_simple::Arrays{a, b, c},
               kernels::gemm_moye_simple::Arguments{.m = 3, .n = 5, .k = 64});
    return 3;
  } catch (const vkmoye::ArgumentError& error) {
    std::printf("%s\n", error.what());
  }

  const vkmoye::CompiledPlan product = kernels::product::compiled(device.caps());
  const std::vector<vkmoye::BufferView> arrays = kernels::product::Arrays{a, b, c};
  std::printf("%zu arrays, %zu steps, %zu variants of softmax\n", arrays.size(),
              product.steps.size(), vkmoye::parse_variants(kernels::softmax_rows::text()).size());
  return product.arrays.size() == arrays.size() ? 0 : 4;
}
