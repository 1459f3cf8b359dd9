// SPDX-License-Identifier: MIT
// An engine that records a product of vkmoye between two of its own compute passes, in its own command buffer, on
// arrays that it suballocated. Usage: between GEMM.json PRODUCT.json ROWS.json SPECIALISED.json FILL.spv TONE.spv. It
// links only the runtime: the kernel, the plan of a product whose k is split into slices, the plan of one whose number
// of rows is in a buffer, and the kernel with n and k as specialisation constants come from files written by
// `vkmoye-bench emit --kernel`. Exit status 0: the image is right in all five runs.

#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>
#include <vkmoye/contract/compact_strides.hpp>
#include <vkmoye/contract/kernel_file.hpp>
#include <vkmoye/contract/plan_file.hpp>
#include <vkmoye/runtime/plan_recorder.hpp>
#include <vkmoye/runtime/vulkan.hpp>

#include "engine.hpp"

namespace {

constexpr std::uint32_t kM = 33, kN = 65, kK = 17;
constexpr std::uint32_t kVisible = 20;  // of kM rows, in the product whose rows a buffer counts

// Elements of the first `rows` rows of the image that are not 2 * (A * B^T) + 1, all whole numbers.
int wrong_in(const float* image, std::uint32_t rows = kM) {
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
  const VkInstance instance = engine::create_instance();
  const VkPhysicalDevice physical = engine::first_device(instance);
  const std::uint32_t family = engine::compute_family(physical);

  // Before the device is created: the requirements of the kernel, added to those of the engine.
  const vkmoye::CompiledKernel kernel = vkmoye::read_kernel_file(kernel_file);
  const vkmoye::DeviceCaps caps =
      vkmoye::caps_of(vkGetInstanceProcAddr, instance, physical, VK_API_VERSION_1_3);
  const vkmoye::CompiledPlan plan = vkmoye::read_plan_file(plan_file);
  std::vector<const vkmoye::KernelInterface*> all = vkmoye::kernels_of(plan);
  all.push_back(&kernel.interface);
  const vkmoye::DeviceRequirements needs = vkmoye::required_for(all, caps, VK_API_VERSION_1_3);
  VkPhysicalDeviceVulkan12Features v12 = {};
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  VkPhysicalDeviceVulkan13Features v13 = {};
  v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  v12.pNext = &v13;
  VkPhysicalDeviceFeatures2 features = {};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &v12;
  vkmoye::enable(needs, features);  // throws if the chain lacks a structure
  std::vector<const char*> extensions = needs.extensions;
  bool pushes = false;
  for (const char* useful : needs.useful_extensions) {
    if (!engine::has_extension(physical, useful)) continue;
    extensions.push_back(useful);
    pushes = pushes || std::string_view(useful) == VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME;
  }
  const VkDevice vk_device = engine::create_device(physical, family, features, extensions);

  vkmoye::AdoptedDevice ours;
  ours.get_instance_proc_addr = vkGetInstanceProcAddr;
  ours.instance = instance;
  ours.physical_device = physical;
  ours.device = vk_device;
  vkGetDeviceQueue(vk_device, family, 0, &ours.queue);
  ours.queue_family = family;
  ours.api_version = VK_API_VERSION_1_3;
  ours.features = needs.features;
  ours.timeline_semaphores = true;  // among needs.bits
  ours.push_descriptors = pushes;   // a recording then takes a fraction of the time
  int wrong = 0;
  {
    vkmoye::Device device = vkmoye::Device::adopt(ours);
    vkmoye::Recorder gemm(device, kernel, {.recordings = 16});

    engine::Arena arena(instance, physical, vk_device, 1 << 20);
    engine::Pass fill(vk_device, fill_file), tone(vk_device, tone_file);
    const auto array = [&](std::uint64_t elements) {
      return engine::Range{arena.buffer(), arena.allocate(4 * elements), 4 * elements};
    };
    const engine::Range a = array(kM * kK), b = array(kN * kK), c = array(kM * kN),
                        image = array(kM * kN);
    const auto view = [](const engine::Range& range) {
      return vkmoye::view_of(range.buffer, range.offset, range.bytes);
    };
    const vkmoye::Arguments sizes = vkmoye::with_compact_strides(
        gemm.interface(), {{"m", kM}, {"n", kN}, {"k", kK}, {"alpha", 1.0}});

    // The product between two passes in one command buffer.
    const VkSemaphore timeline = engine::create_timeline(vk_device);
    const engine::Recording frame = engine::begin(vk_device, family);
    const VkCommandBuffer commands = frame.commands;
    fill.record(commands, {a, b}, {kM, kN, kK}, kM * kK + kN * kK);
    gemm.record(commands, {view(a), view(b), view(c)}, sizes,
                {.after = vkmoye::kComputePass, .before = vkmoye::kComputePass});
    tone.record(commands, {c, image}, {kM, kN, kK}, kM * kN);
    engine::submit(ours.queue, frame, timeline, 0, 1);
    engine::wait_for(vk_device, timeline, 1);
    wrong += wrong_in(arena.host(image.offset));

    // A product of several kernels: the sums of slices of k, then C.
    vkmoye::PlanRecorder product(device, plan, {.recordings = 16});
    const engine::Range sum = array(kM * kN), third = array(kM * kN);
    const engine::Recording frame_of_plan = engine::begin(vk_device, family);
    const VkCommandBuffer plan_commands = frame_of_plan.commands;
    product.record(plan_commands, {view(a), view(b), view(sum)},
                   {.after = vkmoye::kComputePass, .before = vkmoye::kComputePass});
    tone.record(plan_commands, {sum, third}, {kM, kN, kK}, kM * kN);
    engine::submit(ours.queue, frame_of_plan, timeline, 1, 2);
    engine::wait_for(vk_device, timeline, 2);
    wrong += wrong_in(arena.host(third.offset));

    // The product submitted by the Device, between two submissions of the engine.
    const engine::Range other = array(kM * kN), again = array(kM * kN);
    const vkmoye::Launch launch =
        device.prepare(device.load(kernel), {view(a), view(b), view(other)}, sizes);
    vkmoye::Pending pending =
        vkmoye::submit(device, {&launch, 1}, {.wait = {{timeline, 2}}, .signal = {{timeline, 3}}});
    const engine::Recording next = engine::begin(vk_device, family);
    tone.record(next.commands, {other, again}, {kM, kN, kK}, kM * kN);
    engine::submit(ours.queue, next, timeline, 3, 4);
    engine::wait_for(vk_device, timeline, 4);
    wrong += wrong_in(arena.host(again.offset));
    pending.wait();

    // A product whose number of rows is in a buffer, where an earlier command of the engine writes it.
    const vkmoye::CompiledPlan plan_of_rows = vkmoye::read_plan_file(rows_file);
    vkmoye::PlanRecorder of_rows(device, plan_of_rows, {.recordings = 16});
    const engine::Range part = array(kM * kN), toned = array(kM * kN), count = array(1),
                        status = array(1);
    const engine::Recording frame_of_rows = engine::begin(vk_device, family);
    const VkCommandBuffer rows_commands = frame_of_rows.commands;
    vkCmdUpdateBuffer(rows_commands, count.buffer, count.offset, sizeof kVisible, &kVisible);
    of_rows.record(rows_commands, {view(a), view(b), view(part), view(count), view(status)},
                   {.after = {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT},
                    .before = vkmoye::kComputePass});
    tone.record(rows_commands, {part, toned}, {kM, kN, kK}, kM * kN);
    engine::submit(ours.queue, frame_of_rows, timeline, 4, 5);
    engine::wait_for(vk_device, timeline, 5);
    wrong += wrong_in(arena.host(toned.offset), kVisible);
    if (*arena.host(status.offset) != 0) ++wrong;  // the bits of 0 as f32

    // A product whose SPIR-V has n and k as specialisation constants, with these values.
    const vkmoye::CompiledKernel specialised = vkmoye::read_kernel_file(specialised_file);
    vkmoye::Recorder for_size(device, specialised,
                              {.recordings = 16, .specialised = {{"n", kN}, {"k", kK}}});
    const engine::Range product_of_size = array(kM * kN), last = array(kM * kN);
    const engine::Recording frame_of_size = engine::begin(vk_device, family);
    const vkmoye::Arguments rest =
        vkmoye::with_compact_strides(for_size.interface(), {{"m", kM}, {"alpha", 1.0}});
    for_size.record(frame_of_size.commands, {view(a), view(b), view(product_of_size)}, rest,
                    {.after = vkmoye::kComputePass, .before = vkmoye::kComputePass});
    tone.record(frame_of_size.commands, {product_of_size, last}, {kM, kN, kK}, kM * kN);
    engine::submit(ours.queue, frame_of_size, timeline, 5, 6);
    engine::wait_for(vk_device, timeline, 6);
    wrong += wrong_in(arena.host(last.offset));

    vkDestroySemaphore(vk_device, timeline, nullptr);
    for (const engine::Recording& recording :
         {frame, frame_of_plan, next, frame_of_rows, frame_of_size}) {
      vkDestroyCommandPool(vk_device, recording.pool, nullptr);
    }
  }
  vkDestroyDevice(vk_device, nullptr);
  vkDestroyInstance(instance, nullptr);
  std::printf("%s: %d of %u elements are wrong\n", caps.name.c_str(), wrong,
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
