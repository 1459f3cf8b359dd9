// SPDX-License-Identifier: MIT
#pragma once
// Compares SPIR-V with the interface that it came with: the entry point, the workgroup size, the bindings and whether
// they are written, the size of a binding's widest access, push constants (name, type, offset), specialisation
// constants (name, type, constant_id), bytes of shared memory, capabilities and matrix products. Extents, strides and
// the grid are not in SPIR-V: only the file's checksum protects them.

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/contract/kernel_interface.hpp"

namespace vkmoye {

/// Every difference between `spirv` and the interface. Empty: none was found.
std::vector<std::string> reasons_against_spirv(const KernelInterface& kernel,
                                               const std::vector<std::uint32_t>& spirv);

}  // namespace vkmoye
