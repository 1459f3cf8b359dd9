// SPDX-License-Identifier: MIT
#include "support/fault_table.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>

#include "vkmoye/runtime/vk/table.hpp"

namespace vkmoye::test {
namespace {

FaultTable* current = nullptr;
PFN_vkGetInstanceProcAddr real_instance_proc = nullptr;
PFN_vkGetDeviceProcAddr real_device_proc = nullptr;

// The functions that VMA calls in addition to our own table.
#define VKMOYE_MEMORY_FUNCTIONS(X) \
  X(AllocateMemory)                \
  X(FreeMemory)                    \
  X(MapMemory)                     \
  X(BindBufferMemory)              \
  X(BindBufferMemory2)

#define VKMOYE_NAME(name)                           \
  struct name##Name {                               \
    static constexpr const char* text = "vk" #name; \
  };
VKMOYE_GLOBAL_FUNCTIONS(VKMOYE_NAME)
VKMOYE_INSTANCE_FUNCTIONS(VKMOYE_NAME)
VKMOYE_OPTIONAL_INSTANCE_FUNCTIONS(VKMOYE_NAME)
VKMOYE_DEVICE_FUNCTIONS(VKMOYE_NAME)
VKMOYE_OPTIONAL_DEVICE_FUNCTIONS(VKMOYE_NAME)
VKMOYE_MEMORY_FUNCTIONS(VKMOYE_NAME)
#undef VKMOYE_NAME

// The kind of object that a call creates or destroys: "Fence" for "vkCreateFence" and "vkDestroyFence"; likewise for
// allocated and freed memory.
std::string kind_of(std::string_view name) {
  for (const std::string_view verb : {"vkCreate", "vkDestroy", "vkAllocate", "vkFree"}) {
    if (name.substr(0, verb.size()) == verb) return std::string(name.substr(verb.size()));
  }
  return "";
}

bool begins_with(std::string_view name, std::string_view verb) {
  return name.substr(0, verb.size()) == verb;
}

template <class Name, class Function>
struct Hook;

template <class Name, class Result, class... A>
struct Hook<Name, Result (*)(A...)> {
  static inline Result (*original)(A...) = nullptr;

  static Result call(A... arguments) {
    const std::string name = Name::text;
    current->called(name);
    const bool pooled = name == "vkAllocateDescriptorSets" || name == "vkAllocateCommandBuffers";
    if constexpr (std::is_same_v<Name, CreatePipelineCacheName>) {
      if (current->on_create_pipeline_cache) {
        current->on_create_pipeline_cache(*std::get<1>(std::tuple(arguments...)));
      }
    }
    if constexpr (std::is_same_v<Name, CreateComputePipelinesName>) {
      if (current->on_create_pipelines) {
        current->on_create_pipelines(std::get<1>(std::tuple(arguments...)));
      }
    }
    if constexpr (std::is_same_v<Name, WaitForFencesName>) {
      current->waits(std::get<4>(std::tuple(arguments...)));
    }
    if constexpr (std::is_same_v<Result, VkResult>) {
      const VkResult fault = current->fault_for(name);
      // A wait that fails has still waited, and a lost device runs nothing: the calls that follow must not race
      // with work on the real device.
      if constexpr (std::is_same_v<Name, GetFenceStatusName>) {
        while (fault == VK_ERROR_DEVICE_LOST && original(arguments...) == VK_NOT_READY) {
          std::this_thread::yield();
        }
      }
      if (fault != VK_SUCCESS && !begins_with(name, "vkWait")) return fault;
      if constexpr (std::is_same_v<Name, AllocateDescriptorSetsName>) {
        const auto& info = *std::get<1>(std::tuple(arguments...));
        if (!current->take_sets(info.descriptorPool, info.descriptorSetCount)) {
          return VK_ERROR_OUT_OF_POOL_MEMORY;
        }
      }
      const VkResult result = original(arguments...);
      if (fault != VK_SUCCESS) return fault;
      if constexpr (std::is_same_v<Name, CreateDescriptorPoolName>) {
        const auto given = std::tuple(arguments...);
        if (result == VK_SUCCESS)
          current->made_pool(*std::get<3>(given), std::get<1>(given)->maxSets);
      }
      if constexpr (std::is_same_v<Name, ResetDescriptorPoolName>) {
        current->reset_pool(std::get<1>(std::tuple(arguments...)));
      }
      const bool makes = begins_with(name, "vkCreate") || begins_with(name, "vkAllocate");
      if (result == VK_SUCCESS && makes && !pooled) current->changed(kind_of(name), 1);
      return result;
    } else {
      const bool ends = begins_with(name, "vkDestroy") || begins_with(name, "vkFree");
      if (ends) current->changed(kind_of(name), -1);
      return original(arguments...);
    }
  }
};

PFN_vkVoidFunction hooked_device_proc(VkDevice device, const char* name);

// The hook for `real`, or `real` itself if there is none.
PFN_vkVoidFunction hook(std::string_view name, PFN_vkVoidFunction real) {
  if (real == nullptr) return nullptr;
  if (name == "vkGetInstanceProcAddr") {
    return reinterpret_cast<PFN_vkVoidFunction>(FaultTable::get_instance_proc_addr());
  }
  if (name == "vkGetDeviceProcAddr") {
    real_device_proc = reinterpret_cast<PFN_vkGetDeviceProcAddr>(real);
    return reinterpret_cast<PFN_vkVoidFunction>(&hooked_device_proc);
  }
#define VKMOYE_HOOK(function)                                    \
  if (name == "vk" #function) {                                  \
    using Hooked = Hook<function##Name, PFN_vk##function>;       \
    Hooked::original = reinterpret_cast<PFN_vk##function>(real); \
    return reinterpret_cast<PFN_vkVoidFunction>(&Hooked::call);  \
  }
  VKMOYE_GLOBAL_FUNCTIONS(VKMOYE_HOOK)
  VKMOYE_INSTANCE_FUNCTIONS(VKMOYE_HOOK)
  VKMOYE_OPTIONAL_INSTANCE_FUNCTIONS(VKMOYE_HOOK)
  VKMOYE_DEVICE_FUNCTIONS(VKMOYE_HOOK)
  VKMOYE_OPTIONAL_DEVICE_FUNCTIONS(VKMOYE_HOOK)
  VKMOYE_MEMORY_FUNCTIONS(VKMOYE_HOOK)
#undef VKMOYE_HOOK
  return real;
}

PFN_vkVoidFunction hooked_device_proc(VkDevice device, const char* name) {
  return hook(name, real_device_proc(device, name));
}

PFN_vkVoidFunction hooked_instance_proc(VkInstance instance, const char* name) {
  return hook(name, real_instance_proc(instance, name));
}

}  // namespace

FaultTable::FaultTable(const char* loader)
    : library_(loader == nullptr ? nullptr : dlopen(loader, RTLD_NOW | RTLD_LOCAL)) {
  if (library_ == nullptr) throw std::runtime_error("no Vulkan loader");
  real_instance_proc =
      reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library_, "vkGetInstanceProcAddr"));
  current = this;
}

FaultTable::~FaultTable() {
  current = nullptr;
  dlclose(library_);
}

PFN_vkGetInstanceProcAddr FaultTable::get_instance_proc_addr() { return &hooked_instance_proc; }

void FaultTable::fail_at(int number, VkResult result) {
  until_failure_ = number;
  result_ = result;
  failed_call_.clear();
}

void FaultTable::fail_all(const std::string& name, VkResult result, int after) {
  always_[name] = {result,
                   after == 0 ? 0 : calls(name) + after + 1};  // 0: the current call as well
}

int FaultTable::calls(const std::string& name) const {
  const auto found = calls_.find(name);
  return found == calls_.end() ? 0 : found->second;
}

std::string FaultTable::leaks() const {
  std::string text;
  for (const auto& [kind, count] : alive_) {
    if (count != 0) text += kind + " " + std::to_string(count) + ", ";
  }
  return text;
}

int FaultTable::calls() const {
  int all = 0;
  for (const auto& [name, count] : calls_) all += count;
  return all;
}

VkResult FaultTable::fault_for(const std::string& name) {
  if (paused_) return VK_SUCCESS;
  if (const auto found = always_.find(name); found != always_.end()) {
    const Always& always = found->second;
    if (always.result != VK_SUCCESS && calls(name) >= always.first_call) return always.result;
  }
  if (until_failure_ == 0 || --until_failure_ > 0) return VK_SUCCESS;
  failed_call_ = name;
  return result_;
}

bool FaultTable::take_sets(VkDescriptorPool pool, std::uint32_t sets) {
  std::uint32_t& free = free_sets_[pool].now;
  if (sets > free) return false;
  free -= sets;
  return true;
}

void FaultTable::called(const std::string& name) { ++calls_[name]; }

void FaultTable::changed(const std::string& kind, int by) {
  // Each vkCreateComputePipelines is matched by one vkDestroyPipeline.
  alive_[kind == "ComputePipelines" ? "Pipeline" : kind] += by;
}

}  // namespace vkmoye::test
