// SPDX-License-Identifier: MIT
#pragma once
// The engine's settings of the Vulkan Memory Allocator.

#define VMA_STATIC_VULKAN_FUNCTIONS 0
#define VMA_DYNAMIC_VULKAN_FUNCTIONS 0
#define VMA_VULKAN_VERSION 1000000

#include <vk_mem_alloc.h>
