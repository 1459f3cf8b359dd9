// SPDX-License-Identifier: MIT
// Runs a transpose that came as a file: game TRANSPOSE.json. Exit status 0: the result is right.

#include <cstdio>
#include <exception>
#include <numeric>
#include <span>
#include <vector>
#include <vkmoye/contract/kernel_file.hpp>
#include <vkmoye/runtime/device.hpp>

int main(int count, char** arguments) {
  if (count != 2) return 2;
  try {
    const int rows = 37, cols = 70;
    std::vector<float> a(rows * cols), b(cols * rows);
    std::iota(a.begin(), a.end(), 0.0f);
    vkmoye::Device device = vkmoye::Device::open();
    const vkmoye::Pipeline transpose = device.load(vkmoye::read_kernel_file(arguments[1]));
    vkmoye::Buffer src = device.buffer(4 * a.size()), dst = device.buffer(4 * b.size());
    src.write(std::as_bytes(std::span(a)));
    device.run(transpose, {src, dst}, {{"rows", rows}, {"cols", cols}});
    dst.read(std::as_writable_bytes(std::span(b)));
    int wrong = 0;
    for (int row = 0; row < rows; ++row) {
      for (int col = 0; col < cols; ++col) wrong += b[col * rows + row] != a[row * cols + col];
    }
    return wrong == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
