// SPDX-License-Identifier: MIT
#pragma once
// What the generator hands to a runtime. Plain data: print it, keep it, ship it without vkmoye.

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/contract/kernel_interface.hpp"

namespace vkmoye {

struct CompiledKernel {
  KernelInterface interface;
  std::string glsl;                  // the text that was compiled
  std::vector<std::uint32_t> spirv;  // SPIR-V 1.5, entry point "main"
};

}  // namespace vkmoye
