// The body of the Vulkan Memory Allocator; compiled without our warnings.
#define VMA_IMPLEMENTATION
#include "vkmoye/runtime/vk/vma.hpp"
