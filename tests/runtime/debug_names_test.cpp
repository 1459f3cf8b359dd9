// SPDX-License-Identifier: MIT
// What debuggers and profilers are told: the names of pipelines and buffers, and a label around each kernel. A layer
// of the test's own stands between the runtime and Vulkan. Under the validation layer, all device tests have names.

#include <dlfcn.h>

#include <cstring>

#include "runtime/shaders.hpp"
#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "support/their_device.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/values/kernel_label.hpp"
#include "vkmoye/runtime/vk/context.hpp"
#include "vkmoye/runtime/vulkan.hpp"

namespace vkmoye::test {
namespace {

// "pipeline: affine", "begin affine", "dispatch", "end"
std::vector<std::string> events;

PFN_vkGetInstanceProcAddr next_instance_proc = nullptr;
PFN_vkGetDeviceProcAddr next_device_proc = nullptr;
PFN_vkCmdDispatch next_dispatch = nullptr;

VKAPI_ATTR VkResult VKAPI_CALL set_name(VkDevice, const VkDebugUtilsObjectNameInfoEXT* info) {
  const char* kind = info->objectType == VK_OBJECT_TYPE_PIPELINE ? "pipeline"
                     : info->objectType == VK_OBJECT_TYPE_BUFFER ? "buffer"
                                                                 : "other";
  EXPECT_NE(info->objectHandle, 0u);
  events.push_back(std::string(kind) + ": " + info->pObjectName);
  return VK_SUCCESS;
}
VKAPI_ATTR void VKAPI_CALL begin_label(VkCommandBuffer, const VkDebugUtilsLabelEXT* label) {
  events.push_back(std::string("begin ") + label->pLabelName);
}
VKAPI_ATTR void VKAPI_CALL end_label(VkCommandBuffer) { events.push_back("end"); }
VKAPI_ATTR void VKAPI_CALL dispatch(VkCommandBuffer commands, std::uint32_t x, std::uint32_t y,
                                    std::uint32_t z) {
  events.push_back("dispatch");
  next_dispatch(commands, x, y, z);
}

template <class Function>
PFN_vkVoidFunction as_void(Function function) {
  return reinterpret_cast<PFN_vkVoidFunction>(function);
}

PFN_vkVoidFunction device_proc(VkDevice device, const char* name) {
  const PFN_vkVoidFunction next = next_device_proc(device, name);
  if (std::strcmp(name, "vkCmdDispatch") != 0) return next;
  next_dispatch = reinterpret_cast<PFN_vkCmdDispatch>(next);
  return as_void(dispatch);
}

bool has_debug_utils = true;

PFN_vkVoidFunction instance_proc(VkInstance instance, const char* name) {
  const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
  if (std::strstr(name, "DebugUtils") != nullptr && !has_debug_utils) return nullptr;
  if (is("vkSetDebugUtilsObjectNameEXT")) return as_void(set_name);
  if (is("vkCmdBeginDebugUtilsLabelEXT")) return as_void(begin_label);
  if (is("vkCmdEndDebugUtilsLabelEXT")) return as_void(end_label);
  const PFN_vkVoidFunction next = next_instance_proc(instance, name);
  if (!is("vkGetDeviceProcAddr")) return next;
  next_device_proc = reinterpret_cast<PFN_vkGetDeviceProcAddr>(next);
  return as_void(device_proc);
}

class DebugNamesTest : public testing::Test {
 protected:
  DebugNamesTest() {
    events.clear();
    has_debug_utils = true;
    loader_ = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (loader_ == nullptr) return;
    next_instance_proc =
        reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(loader_, "vkGetInstanceProcAddr"));
  }
  ~DebugNamesTest() override {
    if (loader_ != nullptr) dlclose(loader_);
  }
  void SetUp() override {
    if (loader_ == nullptr) GTEST_SKIP() << "no Vulkan loader";
  }

  static CompiledKernel kernel() {
    CompiledKernel affine = affine_kernel();
    affine.glsl = "// generated: " + affine.interface.name + "  type=u32\n//   unroll=4\n// why\n";
    return affine;
  }
  static std::string label() { return kernel().interface.name + " type=u32 unroll=4"; }

 private:
  void* loader_ = nullptr;
};

TEST_F(DebugNamesTest, NameWhatIsMadeAndRecorded) {
  Device device = open_through(instance_proc, "", {.debug_names = true});
  Buffer a = device.buffer(64, "weights"), b = device.buffer(64);
  const Pipeline pipeline = device.load(kernel());
  EXPECT_THAT(events,
              ElementsAre("buffer: weights", "buffer: vkmoye, 64 bytes", "pipeline: " + label()));
  events.clear();
  device.run(pipeline, {a, b}, {{"n", 16}});
  EXPECT_THAT(events, ElementsAre("begin " + label(), "dispatch", "end"));
}

TEST_F(DebugNamesTest, LabelEachStepOfARecording) {
  Device device = open_through(instance_proc, "", {.debug_names = true});
  Recorder recorder(device, kernel(), {.recordings = 2});
  Buffer a = device.buffer(64), b = device.buffer(64);
  events.clear();
  const auto work = [&](VkCommandBuffer commands) {
    const BufferView views[] = {a, b};
    const Argument sixteen[] = {16}, none[] = {0};
    recorder.record_values(commands, views, sixteen);
    recorder.record_values(commands, views, none);  // an empty grid: there is nothing to label
  };
  device.context()->commands->run(work, nullptr);
  EXPECT_THAT(events, ElementsAre("begin " + label(), "dispatch", "end"));
}

TEST_F(DebugNamesTest, AreLeftOutUnlessTheExtensionIsEnabled) {
  const auto run = [&](const OpenOptions& options) {
    events.clear();
    Device device = open_through(instance_proc, "", options);
    Buffer a = device.buffer(64, "weights"), b = device.buffer(64);
    device.run(device.load(kernel()), {a, b}, {{"n", 16}});
    EXPECT_THAT(events, ElementsAre("dispatch"));
  };
  run({});
  has_debug_utils = false;
  run({.debug_names = true});
}

TEST_F(DebugNamesTest, AreGivenOnAnAdoptedDeviceThatSaysSo) {
  Device owner = open_through(instance_proc, "", {.debug_names = true});
  AdoptedDevice theirs = handles_in(owner);
  events.clear();
  static_cast<void>(Device::adopt(theirs).buffer(16, "scratch"));
  EXPECT_THAT(events, Not(Contains(StartsWith("buffer"))));
  theirs.debug_utils = true;
  static_cast<void>(Device::adopt(theirs).buffer(16, "scratch"));
  EXPECT_THAT(events, Contains("buffer: scratch"));
  has_debug_utils = false;
  EXPECT_REFUSED(Device::adopt(theirs), ArgumentError, "VK_EXT_debug_utils is listed as enabled");
}

TEST(KernelLabel, IsTheNameAndTheConfig) {
  const auto label = [](const std::string& glsl) {
    CompiledKernel kernel;
    kernel.interface.name = "gemm/simt";
    kernel.glsl = glsl;
    return label_of(kernel);
  };
  EXPECT_EQ(label("// generated: gemm/simt  form=f32  tile=8x8\n//   pad=0,0  stages=1\n// each\n"),
            "gemm/simt form=f32 tile=8x8 pad=0,0 stages=1");
  EXPECT_EQ(label("// generated: gemm/simt\n#version 460\n"), "gemm/simt");
  EXPECT_EQ(label("// generated: gemm/simt  pad=1"), "gemm/simt pad=1");
  EXPECT_EQ(label("// generated: gemm/simt_wide  pad=1\n"), "gemm/simt") << "another kernel";
  EXPECT_EQ(label("#version 460\n"), "gemm/simt");
  EXPECT_EQ(label(""), "gemm/simt");
}

}  // namespace
}  // namespace vkmoye::test
