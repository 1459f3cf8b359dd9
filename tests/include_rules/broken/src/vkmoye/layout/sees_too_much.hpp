// SPDX-License-Identifier: MIT
#include <vulkan/vulkan.h>

#include "layout.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/tensor/partition.hpp"
#include "vkmoye/vkmoye.hpp"
