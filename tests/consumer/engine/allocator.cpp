// SPDX-License-Identifier: MIT
// The engine's Vulkan Memory Allocator, with other settings than that of vkmoye: all functions are passed to it.
#include "allocator.hpp"

#define VMA_IMPLEMENTATION
#include <vk_mem_alloc.h>
