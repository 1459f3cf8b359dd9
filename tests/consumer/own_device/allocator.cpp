// SPDX-License-Identifier: MIT
// The program's Vulkan Memory Allocator, which calls the linked loader.
#define VMA_IMPLEMENTATION
#include <vk_mem_alloc.h>
