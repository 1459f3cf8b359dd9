/* SPDX-License-Identifier: MIT */
/* An engine in C that records products into its own command buffer, on its own VkDevice and VkBuffer: engine GEMM.json
   PRODUCT.json (a plan for m = 33, n = 65, k = 17). Exit status 0: all three products are right. */
#include <stdio.h>
#include <string.h>
#include <vkmoye/vkmoye.h>
#include <vulkan/vulkan.h>

enum { kM = 33, kN = 65, kK = 17, kSlot = 16384 /* bytes of an array */, kSlots = 8 };

static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static uint32_t family;

static int create_instance(void) {
  const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                         .apiVersion = VK_API_VERSION_1_3};
  const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                     .pApplicationInfo = &application};
  uint32_t one = 1, families = 8;
  VkQueueFamilyProperties properties[8];
  if (vkCreateInstance(&info, NULL, &instance) != VK_SUCCESS) return 1;
  if (vkEnumeratePhysicalDevices(instance, &one, &physical) < 0 || one == 0) return 1;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &families, properties);
  while (family < families && !(properties[family].queueFlags & VK_QUEUE_COMPUTE_BIT)) ++family;
  return family == families;
}

static int create_device(const vkmoye_requirements* needs) {
  VkPhysicalDeviceVulkan13Features v13 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  VkPhysicalDeviceVulkan12Features v12 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &v13};
  VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                        .pNext = &v12};
  const float priority = 1;
  const VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                          .queueFamilyIndex = family,
                                          .queueCount = 1,
                                          .pQueuePriorities = &priority};
  VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                             .pNext = &features,
                             .queueCreateInfoCount = 1,
                             .pQueueCreateInfos = &queues};
  if (vkmoye_enable_features(needs, &features)) return 1;
  info.ppEnabledExtensionNames = vkmoye_required_extensions(needs, &info.enabledExtensionCount);
  if (vkCreateDevice(physical, &info, NULL, &device) != VK_SUCCESS) return 1;
  vkGetDeviceQueue(device, family, 0, &queue);
  return 0;
}

/* A buffer that the host sees. */
static int create_buffer(VkBuffer* buffer, VkDeviceMemory* memory, float** mapped) {
  const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                   .size = kSlots * kSlot,
                                   .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
  const VkMemoryPropertyFlags seen =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkMemoryRequirements requirements;
  VkPhysicalDeviceMemoryProperties types;
  VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  if (vkCreateBuffer(device, &info, NULL, buffer) != VK_SUCCESS) return 1;
  vkGetBufferMemoryRequirements(device, *buffer, &requirements);
  vkGetPhysicalDeviceMemoryProperties(physical, &types);
  while (!(requirements.memoryTypeBits >> allocation.memoryTypeIndex & 1) ||
         (types.memoryTypes[allocation.memoryTypeIndex].propertyFlags & seen) != seen) {
    if (++allocation.memoryTypeIndex == types.memoryTypeCount) return 1;
  }
  allocation.allocationSize = requirements.size;
  return vkAllocateMemory(device, &allocation, NULL, memory) != VK_SUCCESS ||
         vkBindBufferMemory(device, *buffer, *memory, 0) != VK_SUCCESS ||
         vkMapMemory(device, *memory, 0, VK_WHOLE_SIZE, 0, (void**)mapped) != VK_SUCCESS;
}

static int wrong_in(const float* a, const float* b, const float* c) {
  int wrong = 0;
  for (int m = 0; m < kM; ++m) {
    for (int n = 0; n < kN; ++n) {
      float sum = 0;
      for (int k = 0; k < kK; ++k) sum += a[m * kK + k] * b[n * kK + k];
      wrong += c[m * kN + n] != sum;
    }
  }
  return wrong;
}

/* The arrays of product number `number` in the buffer. */
static void arrays_of(VkBuffer buffer, int number, vkmoye_range ranges[3]) {
  const uint64_t slots[] = {0, 1, 2 + (uint64_t)number};
  const uint64_t bytes[] = {4 * kM * kK, 4 * kN * kK, 4 * kM * kN};
  for (int i = 0; i < 3; ++i) {
    ranges[i] = (vkmoye_range){NULL, (uint64_t)buffer, slots[i] * kSlot, bytes[i]};
  }
}

static vkmoye_value whole(int64_t value) { return (vkmoye_value){value, 0, 0, 0}; }

static int record(VkCommandBuffer commands, VkBuffer buffer, vkmoye_recorder* gemm,
                  const vkmoye_file* file, vkmoye_recorder* product) {
  const vkmoye_argument sizes[] = {
      {"k", whole(kK)}, {"m", whole(kM)}, {"n", whole(kN)}, {"alpha", {0, 1.0, 1, 0}}};
  const vkmoye_order host = {
      .runs_before = {VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT}};
  vkmoye_value values[16];
  vkmoye_range ranges[3];
  arrays_of(buffer, 0, ranges);
  if (vkmoye_record(gemm, commands, ranges, 3, sizes, 4, &host)) return 1;
  /* The same by index, with the strides: k for A and B, n for C. */
  for (uint32_t i = 0; i < vkmoye_argument_count(file); ++i) {
    const char* name = vkmoye_argument_name(file, i);
    values[i] = whole(!strcmp(name, "m")                           ? kM
                      : !strcmp(name, "n") || !strcmp(name, "ldc") ? kN
                                                                   : kK);
    if (!strcmp(name, "alpha")) values[i] = (vkmoye_value){0, 1.0, 1, 0};
  }
  arrays_of(buffer, 1, ranges);
  if (vkmoye_record_values(gemm, commands, ranges, 3, values, vkmoye_argument_count(file),
                           &host)) {
    return 1;
  }
  arrays_of(buffer, 2, ranges);
  return vkmoye_record(product, commands, ranges, 3, NULL, 0, &host);
}

/* Vulkan's functions, with one that counts pipelines, and notes the cache that they are created with. */
static VkPipelineCache used;
static int pipelines_created;
static VKAPI_ATTR VkResult VKAPI_CALL create_pipelines(VkDevice owner, VkPipelineCache cache,
                                                       uint32_t count,
                                                       const VkComputePipelineCreateInfo* infos,
                                                       const VkAllocationCallbacks* allocator,
                                                       VkPipeline* pipelines) {
  used = cache;
  ++pipelines_created;
  return vkCreateComputePipelines(owner, cache, count, infos, allocator, pipelines);
}
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice owner,
                                                                const char* name) {
  return strcmp(name, "vkCreateComputePipelines") == 0 ? (PFN_vkVoidFunction)create_pipelines
                                                       : vkGetDeviceProcAddr(owner, name);
}
static vkmoye_void_function VKMOYE_VULKAN_CALL function_of(VkInstance owner, const char* name) {
  return strcmp(name, "vkGetDeviceProcAddr") == 0 ? (vkmoye_void_function)device_function
                                                  : vkGetInstanceProcAddr(owner, name);
}

/* With the engine's own pipeline cache, which still answers afterwards, and is destroyed here. Neither a run nor another
   recorder creates pipelines. */
static int keep(vkmoye_adopted_device ours, const vkmoye_file* file, VkBuffer buffer) {
  const VkPipelineCacheCreateInfo info = {.sType =
                                              VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  vkmoye_device* adopted = NULL;
  vkmoye_recorder* product = NULL;
  vkmoye_range ranges[3];
  VkPipelineCache cache;
  size_t bytes = 0;
  vkmoye_recorder* other = NULL;
  int created, wrong = 0;
  arrays_of(buffer, 2, ranges);
  if (vkCreatePipelineCache(device, &info, NULL, &cache) != VK_SUCCESS) return 1;
  ours.get_instance_proc_addr = function_of;
  ours.pipeline_cache = (uint64_t)cache;
  if (vkmoye_adopt_device(&ours, NULL, &adopted) ||
      vkmoye_make_recorder(adopted, file, NULL, &product)) {
    return 1;
  }
  created = pipelines_created;
  if (vkmoye_run(product, ranges, 3, NULL, 0, NULL) ||
      vkmoye_share_recorder(product, NULL, &other)) {
    return 1;
  }
  vkmoye_free_recorder(product);
  if (vkmoye_run(other, ranges, 3, NULL, 0, NULL)) return 1;
  if (created < 2 || pipelines_created != created) {
    printf("%d pipelines are created for a recorder, %d with another and a run of each\n",
           created, pipelines_created);
    ++wrong;
  }
  vkmoye_free_recorder(other);
  vkmoye_free_device(adopted);
  if (vkGetPipelineCacheData(device, cache, &bytes, NULL) != VK_SUCCESS) return 1;
  vkDestroyPipelineCache(device, cache, NULL);
  if (used != cache) printf("pipelines are not created with the engine's cache\n");
  return wrong + (used != cache);
}

/* What is submitted to the queue after this waits for `blocked`, a new timeline semaphore, to have the value 1. */
static int block_queue(VkSemaphore* blocked) {
  const VkSemaphoreTypeCreateInfo timeline = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
  const VkSemaphoreCreateInfo made = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                      .pNext = &timeline};
  const uint64_t one = 1;
  const VkTimelineSemaphoreSubmitInfo value = {
      .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
      .waitSemaphoreValueCount = 1,
      .pWaitSemaphoreValues = &one};
  const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  if (vkCreateSemaphore(device, &made, NULL, blocked) != VK_SUCCESS) return 1;
  const VkSubmitInfo wait = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                             .pNext = &value,
                             .waitSemaphoreCount = 1,
                             .pWaitSemaphores = blocked,
                             .pWaitDstStageMask = &all};
  return vkQueueSubmit(queue, 1, &wait, VK_NULL_HANDLE) != VK_SUCCESS;
}

static void unblock_queue(VkSemaphore blocked) {
  const VkSemaphoreSignalInfo signal = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = blocked, .value = 1};
  vkSignalSemaphore(device, &signal);
  vkDeviceWaitIdle(device);
  vkDestroySemaphore(device, blocked, NULL);
}

/* On a device that does not wait. A second run after VKMOYE_LOST must not touch what the device still uses. */
static int lose(const vkmoye_adopted_device* ours, const vkmoye_file* file, VkBuffer buffer) {
  const vkmoye_open_options impatient = {.struct_size = sizeof impatient, .wait_seconds = 1e-9};
  vkmoye_device* adopted = NULL;
  vkmoye_recorder* product = NULL;
  vkmoye_range ranges[3];
  VkSemaphore blocked;
  int other = 0;
  arrays_of(buffer, 2, ranges);
  if (vkmoye_adopt_device(ours, &impatient, &adopted) ||
      vkmoye_make_recorder(adopted, file, NULL, &product) || block_queue(&blocked)) {
    return 1;
  }
  for (int i = 0; i < 2; ++i) {
    other += vkmoye_run(product, ranges, 3, NULL, 0, NULL) != VKMOYE_LOST;
  }
  unblock_queue(blocked);
  vkmoye_free_recorder(product);
  vkmoye_free_device(adopted);
  if (other > 0) printf("%d of 2 runs that were not waited for are not VKMOYE_LOST\n", other);
  return other;
}

static int run(vkmoye_file* gemm_file, vkmoye_file* product_file) {
  const vkmoye_file* files[] = {gemm_file, product_file};
  vkmoye_requirements* needs = NULL;
  vkmoye_device* adopted = NULL;
  vkmoye_recorder *gemm = NULL, *product = NULL;
  VkBuffer buffer;
  VkDeviceMemory memory;
  VkCommandPool pool;
  VkCommandBuffer commands;
  float* mapped;
  vkmoye_time times[4];
  uint32_t before = 99, known = 0, of_plan = 0, useful = 0;
  uint64_t scratch_bytes = 0;
  int wrong = 0;
  if (vkmoye_make_requirements(vkGetInstanceProcAddr, instance, physical, VK_API_VERSION_1_3,
                               files, 2, &needs) ||
      create_device(needs)) {
    return 1;
  }
  const vkmoye_adopted_device ours = {.struct_size = sizeof ours,
                                      .flags = VKMOYE_TIMELINE_SEMAPHORES,
                                      .get_instance_proc_addr = vkGetInstanceProcAddr,
                                      .instance = instance,
                                      .physical_device = physical,
                                      .device = device,
                                      .queue = queue,
                                      .queue_family = family,
                                      .api_version = VK_API_VERSION_1_3,
                                      .requirements = needs};
  const vkmoye_recorder_options options = {
      .struct_size = sizeof options, .recordings = 2, .timestamps = 2};
  vkmoye_recorder_options of_product = options;
  if (vkmoye_adopt_device(&ours, NULL, &adopted) || create_buffer(&buffer, &memory, &mapped) ||
      vkmoye_scratch_bytes(adopted, product_file, &scratch_bytes)) {
    return 1;
  }
  const vkmoye_range scratch = {NULL, (uint64_t)buffer, 5 * kSlot, scratch_bytes};
  of_product.scratch = &scratch;
  if (scratch_bytes > 3 * kSlot || vkmoye_make_recorder(adopted, gemm_file, &options, &gemm) ||
      vkmoye_make_recorder(adopted, product_file, &of_product, &product)) {
    return 1;
  }
  const size_t slot = kSlot / sizeof *mapped;
  memset(mapped, 0, kSlots * kSlot);
  for (int i = 0; i < kM * kK; ++i) mapped[i] = (float)(i % 5);
  for (int i = 0; i < kN * kK; ++i) mapped[slot + i] = (float)(i % 7);
  const VkCommandPoolCreateInfo pool_info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
  if (vkCreateCommandPool(device, &pool_info, NULL, &pool) != VK_SUCCESS) return 1;
  const VkCommandBufferAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
      .commandPool = pool,
      .commandBufferCount = 1};
  const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &commands};
  if (vkAllocateCommandBuffers(device, &allocate, &commands) != VK_SUCCESS ||
      vkBeginCommandBuffer(commands, &begin) != VK_SUCCESS ||
      record(commands, buffer, gemm, gemm_file, product) ||
      vkEndCommandBuffer(commands) != VK_SUCCESS ||
      vkmoye_times(gemm, times, 4, &before) || /* before it was submitted */
      vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE) != VK_SUCCESS ||
      vkQueueWaitIdle(queue) != VK_SUCCESS || vkmoye_times(product, NULL, 0, &of_plan) ||
      vkmoye_times(gemm, times, 4, &known)) {
    return 1;
  }
  for (int i = 0; i < 3; ++i) wrong += wrong_in(mapped, mapped + slot, mapped + (2 + i) * slot);
  const char* const* extensions = vkmoye_useful_extensions(needs, &useful);
  if (useful != 1 || strcmp(extensions[0], VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME) != 0) {
    printf("%u extensions are useful\n", useful);
    ++wrong;
  }
  /* The product's scratch is not memory of vkmoye: its sums are there. */
  float sum = 0;
  for (size_t i = 0; i < scratch_bytes / sizeof *mapped; ++i) sum += mapped[5 * slot + i];
  if (!(sum > 0)) {
    printf("the scratch of the engine is not used\n");
    ++wrong;
  }
  if (before != 0 || known != 2 || of_plan < 2 || times[1].recording != 1 ||
      !(times[1].microseconds > 0)) {
    printf("%u, %u and %u times are known, not 0, 2 and one for each step\n", before, known,
           of_plan);
    ++wrong;
  }
  printf("%s: %d of %d elements are wrong\n", vkmoye_device_name(adopted), wrong, 3 * kM * kN);
  vkmoye_free_recorder(gemm);
  vkmoye_free_recorder(product);
  vkmoye_free_device(adopted);
  wrong += keep(ours, product_file, buffer) + lose(&ours, product_file, buffer);
  vkmoye_free_requirements(needs);
  vkDestroyCommandPool(device, pool, NULL);
  vkDestroyBuffer(device, buffer, NULL);
  vkFreeMemory(device, memory, NULL);
  vkDestroyDevice(device, NULL);
  vkDestroyInstance(instance, NULL);
  return wrong != 0;
}

int main(int count, char** arguments) {
  vkmoye_file *gemm = NULL, *product = NULL;
  if (count != 3 || create_instance() || vkmoye_read_file(arguments[1], &gemm) ||
      vkmoye_read_file(arguments[2], &product) || run(gemm, product)) {
    fprintf(stderr, "engine: %s\n", vkmoye_last_error());
    return 1;
  }
  vkmoye_free_file(gemm);
  vkmoye_free_file(product);
  return 0;
}
