// SPDX-License-Identifier: MIT
// An engine's Vulkan Memory Allocator, set otherwise than ours: it is given every function.
#include "allocator.hpp"

#define VMA_IMPLEMENTATION
#include <vk_mem_alloc.h>
