// SPDX-License-Identifier: MIT
#pragma once
// A compiled kernel: the output of the generator and the input of a runtime. Plain data: it can be printed, stored,
// and used without vkmoye.

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
