#pragma once
// The Vulkan Memory Allocator, set to take every function from the tables that it is given.

#define VMA_STATIC_VULKAN_FUNCTIONS 0
#define VMA_DYNAMIC_VULKAN_FUNCTIONS 1
#define VMA_VULKAN_VERSION 1002000

#include <vk_mem_alloc.h>
