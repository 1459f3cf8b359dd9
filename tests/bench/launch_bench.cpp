// SPDX-License-Identifier: MIT
// What recording a launch costs on the host: bench_launch GEMM.json [DEVICE]. Records 100,000 launches of a kernel with
// the arguments of gemm into command buffers of 1,000 that are not submitted, and prints microseconds a launch, the
// median of 9 rounds, beside those of the Vulkan calls alone.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "vkmoye/contract/compact_strides.hpp"
#include "vkmoye/contract/kernel_file.hpp"
#include "vkmoye/runtime/vk/context.hpp"
#include "vkmoye/runtime/vulkan.hpp"

namespace vkmoye {
namespace {

constexpr int kLaunches = 100000, kInBuffer = 1000, kRounds = 9;

// Microseconds a call of `record`, which gets the number of the launch.
double cost(Device& device, const std::function<void()>& reset,
            const std::function<void(VkCommandBuffer, int)>& record) {
  std::vector<double> rounds;
  for (int round = 0; round < kRounds; ++round) {
    std::chrono::steady_clock::duration sum = {};
    vk::Commands& commands = *device.context()->commands;
    const vk::Lease slot = commands.lease();
    for (int first = 0; first < kLaunches; first += kInBuffer) {
      commands.begin(*slot, /*reusable=*/true);
      const auto start = std::chrono::steady_clock::now();
      for (int i = first; i < first + kInBuffer; ++i) record(slot->buffer, i);
      sum += std::chrono::steady_clock::now() - start;
      commands.end(*slot);
      reset();
    }
    rounds.push_back(std::chrono::duration<double, std::micro>(sum).count() / kLaunches);
  }
  std::nth_element(rounds.begin(), rounds.begin() + kRounds / 2, rounds.end());
  return rounds[kRounds / 2];
}

int run(const char* file, const char* selector) {
  Device device = Device::open(selector);
  const CompiledKernel kernel = read_kernel_file(file);
  Recorder recorder(device, kernel, {.recordings = kInBuffer});
  Buffer a = device.buffer(1 << 20), b = device.buffer(1 << 20), c = device.buffer(1 << 20);
  const std::vector<BufferView> views = {a, b, c};
  const std::vector<BufferView> raw = {view_of(handle_of(a), 0, 1 << 20),
                                       view_of(handle_of(b), 0, 1 << 20),
                                       view_of(handle_of(c), 0, 1 << 20)};
  const auto reset = [&] { recorder.reset(); };
  std::vector<Arguments> sizes;
  std::vector<std::vector<Argument>> values;
  for (int m = 1; m <= 16; ++m) {
    sizes.push_back(
        with_compact_strides(kernel.interface, {{"m", m}, {"n", 64}, {"k", 32}, {"alpha", 1.0}}));
    auto& row = values.emplace_back();
    for (const std::string& name : recorder.argument_names()) row.push_back(sizes.back()[name]);
  }
  std::printf("%s, %s, %d arguments, descriptors are %s: us a launch\n", device.caps().name.c_str(),
              kernel.interface.name.c_str(), static_cast<int>(sizes[0].size()),
              recorder.pushes_descriptors() ? "pushed" : "from a pool");
  const auto print = [&](const char* what, double microseconds) {
    std::printf("  %-40s %.2f\n", what, microseconds);
  };
  print("other arguments, by name", cost(device, reset, [&](VkCommandBuffer commands, int i) {
          recorder.record(commands, views, sizes[i % 16]);
        }));
  print("the same arguments, by name", cost(device, reset, [&](VkCommandBuffer commands, int) {
          recorder.record(commands, views, sizes[0]);
        }));
  print("other arguments, by index", cost(device, reset, [&](VkCommandBuffer commands, int i) {
          recorder.record_values(commands, views, values[i % 16]);
        }));
  print("the same, of the user's buffers",
        cost(device, reset, [&](VkCommandBuffer commands, int i) {
          recorder.record_values(commands, raw, values[i % 16]);
        }));
  // The calls of Vulkan that a recording makes, with a descriptor set that is there.
  const Launch launch = device.prepare(device.load(kernel), views, sizes[0]);
  print("a Launch: the Vulkan calls alone",
        cost(
            device, [] {}, [&](VkCommandBuffer commands, int) { record(commands, launch); }));
  return 0;
}

}  // namespace
}  // namespace vkmoye

int main(int count, char** arguments) {
  if (count < 2 || count > 3) return 2;
  try {
    return vkmoye::run(arguments[1], count == 3 ? arguments[2] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
