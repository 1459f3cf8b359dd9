// SPDX-License-Identifier: MIT
// Checks that recording a kernel, or a plan, with the same arguments as before allocates no host memory, and neither
// does recording a kernel with other arguments by index. Usage: allocations GEMM.json PLAN.json. Exit status 0: so it
// is.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <vkmoye/contract/compact_strides.hpp>
#include <vkmoye/contract/kernel_file.hpp>
#include <vkmoye/contract/plan_file.hpp>
#include <vkmoye/runtime/plan_recorder.hpp>
#include <vkmoye/runtime/vulkan.hpp>

namespace {
long allocations = 0;
}

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

int run(const char* file, const char* plan_file) {
  constexpr std::uint64_t kArray = 4096;
  vkmoye::Device device = vkmoye::Device::open();
  vkmoye::Recorder gemm(device, vkmoye::read_kernel_file(file), {.recordings = 1000});
  vkmoye::Buffer memory = device.buffer(30 * kArray);
  const vkmoye::Arguments sizes = vkmoye::with_compact_strides(
      gemm.interface(), {{"m", 8}, {"n", 8}, {"k", 8}, {"alpha", 1.0}});
  const auto array = [&](std::uint64_t number) {
    return vkmoye::view_of(vkmoye::handle_of(memory), number * kArray, kArray);
  };
  vkmoye::PlanRecorder product(device, vkmoye::read_plan_file(plan_file), {.recordings = 1000});
  constexpr std::uint64_t kPlanArray = 16384;  // bytes
  vkmoye::Buffer plan_memory = device.buffer(30 * kPlanArray);
  const auto plan_array = [&](std::uint64_t number) {
    return vkmoye::view_of(vkmoye::handle_of(plan_memory), number * kPlanArray, kPlanArray);
  };
  vkmoye::Recorder other_sizes(device, vkmoye::read_kernel_file(file), {.recordings = 1000});
  const auto record_size = [&](VkCommandBuffer commands, std::int64_t size) {
    vkmoye::Argument values[16];
    for (std::size_t i = 0; i < other_sizes.argument_names().size(); ++i) {
      values[i] = other_sizes.argument_names()[i] == "alpha" ? vkmoye::Argument(0.5) : size;
    }
    const vkmoye::BufferView views[] = {array(0), array(1), array(2)};
    other_sizes.record_values(commands, views,
                              std::span(values, other_sizes.argument_names().size()));
  };
  long first = 0, others = 0;
  const auto record = [&](VkCommandBuffer commands) {
    for (std::uint64_t i = 0; i < 10; ++i) {
      const long before = allocations;
      gemm.record(commands, {array(3 * i), array(3 * i + 1), array(3 * i + 2)}, sizes);
      product.record(commands, {plan_array(3 * i), plan_array(3 * i + 1), plan_array(3 * i + 2)});
      record_size(commands, static_cast<std::int64_t>(i) + 1);
      (i == 0 ? first : others) += allocations - before;
    }
  };
  vkmoye::TimeOptions once;
  once.warm_up_seconds = once.min_seconds = once.batch_seconds = 0;
  once.min_samples = once.max_samples = 1;
  vkmoye::measure(device, record, once);
  std::printf("%ld allocations for the first sizes, %ld after\n", first, others);
  return first > 0 && others == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  try {
    return run(arguments[1], arguments[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
