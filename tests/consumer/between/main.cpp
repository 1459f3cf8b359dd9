// SPDX-License-Identifier: MIT
// An engine that records a product of vkmoye between two of its own compute passes, in its own command buffer, on
// arrays that it suballocated. Usage: between GEMM.json PRODUCT.json ROWS.json SPECIALISED.json FILL.spv TONE.spv. It
// links only the runtime: the kernel, the plan of a product whose k is split into slices, the plan of one whose number
// of rows is in a buffer, and the kernel with n and k as specialisation constants come from files written by
// `vkmoye-bench emit --kernel`. Exit status 0: the image is right in all five runs.

#include <cstdio>
#include <exception>
#include <optional>
#include <span>
#include <vector>
#include <vkmoye/contract/compact_strides.hpp>
#include <vkmoye/contract/kernel_file.hpp>
#include <vkmoye/contract/plan_file.hpp>
#include <vkmoye/runtime/plan_recorder.hpp>
#include <vkmoye/runtime/vulkan.hpp>

#include "engine.hpp"
#include "own_device/gpu.hpp"

namespace {

constexpr std::uint32_t kM = 33, kN = 65, kK = 17;
constexpr std::uint32_t kVisible = 20;  // of kM rows, in the product whose rows a buffer counts

// Elements of the first `rows` rows of the image that are not 2 * (A * B^T) + 1, all whole numbers.
int wrong_in(const std::vector<float>& image, std::uint32_t rows) {
  int wrong = 0;
  for (std::uint32_t m = 0; m < rows; ++m) {
    for (std::uint32_t n = 0; n < kN; ++n) {
      std::uint32_t sum = 0;
      for (std::uint32_t k = 0; k < kK; ++k) sum += (m + k) % 5 * ((n + 2 * k) % 7);
      if (image[m * kN + n] != 2.0f * static_cast<float>(sum) + 1) ++wrong;
    }
  }
  return wrong;
}

int run(const char* kernel_file, const char* plan_file, const char* rows_file,
        const char* specialised_file, const char* fill_file, const char* tone_file) {
  own::Gpu gpu(0);
  // The device is created with what these need; the other two files need no more.
  const vkmoye::CompiledKernel kernel = vkmoye::read_kernel_file(kernel_file);
  const vkmoye::CompiledPlan plan = vkmoye::read_plan_file(plan_file);
  std::vector<const vkmoye::KernelInterface*> all = vkmoye::kernels_of(plan);
  all.push_back(&kernel.interface);
  gpu.open(all);
  vkmoye::Device& device = gpu.device();
  vkmoye::Recorder gemm(device, kernel, {.recordings = 16});

  engine::Pass fill(gpu.handle(), fill_file), tone(gpu.handle(), tone_file);
  own::Array arena(gpu, 1 << 20, true);
  std::uint64_t used = 0;
  const auto array = [&](std::uint64_t elements) {
    const engine::Range range = {arena.handle(), used, 4 * elements};
    used = (used + range.bytes + 255) / 256 * 256;  // no device requires a larger alignment
    return range;
  };
  const engine::Range a = array(kM * kK), b = array(kN * kK);
  const auto view = [](const engine::Range& range) {
    return vkmoye::view_of(range.buffer, range.offset, range.bytes);
  };
  const vkmoye::Arguments sizes = vkmoye::with_compact_strides(
      gemm.interface(), {{"m", kM}, {"n", kN}, {"k", kK}, {"alpha", 1.0}});

  // In one command buffer: a product that `record` writes to C, then a pass. It runs after all earlier ones.
  const VkSemaphore timeline = engine::create_timeline(gpu.handle());
  std::uint64_t time = 0;
  int wrong = 0;
  const auto frame = [&](const auto& record, std::uint32_t rows = kM) {
    const engine::Range c = array(kM * kN), image = array(kM * kN);
    own::Commands commands(gpu);
    record(commands.handle(), c);
    tone.record(commands.handle(), {c, image}, {kM, kN, kK}, kM * kN);
    commands.end();
    engine::submit(gpu.queue(), commands.handle(), timeline, time, time + 1);
    engine::wait_for(gpu.handle(), timeline, ++time);
    std::vector<float> pixels(kM * kN);
    arena.read(std::as_writable_bytes(std::span(pixels)), image.offset);
    wrong += wrong_in(pixels, rows);
  };
  const vkmoye::Neighbours both = {.after = vkmoye::kComputePass, .before = vkmoye::kComputePass};

  // The product between two passes.
  frame([&](VkCommandBuffer commands, const engine::Range& c) {
    fill.record(commands, {a, b}, {kM, kN, kK}, kM * kK + kN * kK);
    gemm.record(commands, {view(a), view(b), view(c)}, sizes, both);
  });

  // A product of several kernels: the sums of slices of k, then C.
  vkmoye::PlanRecorder product(device, plan, {.recordings = 16});
  frame([&](VkCommandBuffer commands, const engine::Range& c) {
    product.record(commands, {view(a), view(b), view(c)}, both);
  });

  // The product submitted by the Device, between two submissions of the engine.
  std::optional<vkmoye::Pending> pending;
  frame([&](VkCommandBuffer, const engine::Range& c) {
    const vkmoye::Launch launch =
        device.prepare(device.load(kernel), {view(a), view(b), view(c)}, sizes);
    pending.emplace(vkmoye::submit(device, {&launch, 1},
                                   {.wait = {{timeline, time}}, .signal = {{timeline, time + 1}}}));
    ++time;
  });
  pending->wait();

  // A product whose number of rows is in a buffer, where an earlier command of the engine writes it.
  const vkmoye::CompiledPlan plan_of_rows = vkmoye::read_plan_file(rows_file);
  vkmoye::PlanRecorder of_rows(device, plan_of_rows, {.recordings = 16});
  const engine::Range count = array(1), status = array(1);
  frame(
      [&](VkCommandBuffer commands, const engine::Range& c) {
        vkCmdUpdateBuffer(commands, count.buffer, count.offset, sizeof kVisible, &kVisible);
        of_rows.record(commands, {view(a), view(b), view(c), view(count), view(status)},
                       {.after = {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT},
                        .before = vkmoye::kComputePass});
      },
      kVisible);
  std::uint32_t bits = 0;
  arena.read(std::as_writable_bytes(std::span(&bits, 1)), status.offset);
  if (bits != 0) ++wrong;

  // A product whose SPIR-V has n and k as specialisation constants, with these values.
  const vkmoye::CompiledKernel specialised = vkmoye::read_kernel_file(specialised_file);
  vkmoye::Recorder for_size(device, specialised,
                            {.recordings = 16, .specialised = {{"n", kN}, {"k", kK}}});
  const vkmoye::Arguments rest =
      vkmoye::with_compact_strides(for_size.interface(), {{"m", kM}, {"alpha", 1.0}});
  frame([&](VkCommandBuffer commands, const engine::Range& c) {
    for_size.record(commands, {view(a), view(b), view(c)}, rest, both);
  });

  vkDestroySemaphore(gpu.handle(), timeline, nullptr);
  std::printf("%s: %d of %u elements are wrong\n", gpu.caps().name.c_str(), wrong,
              (4 * kM + kVisible) * kN);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 7) return 2;
  try {
    return run(arguments[1], arguments[2], arguments[3], arguments[4], arguments[5], arguments[6]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
