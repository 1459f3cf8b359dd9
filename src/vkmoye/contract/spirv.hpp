// SPDX-License-Identifier: MIT
#pragma once
// What SPIR-V says of itself, compared with the interface that it came with.
//
// Compared are the entry point, the workgroup size, bindings and who writes them, the bytes that a binding's
// widest access moves, push constants (name, type, offset), bytes of shared memory, capabilities and products of
// matrices. Extents, strides and the grid are not in SPIR-V: nothing but the file's checksum protects them.

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/contract/kernel_interface.hpp"

namespace vkmoye {

/// Why `spirv` is no kernel of the interface. Empty: nothing is known against it.
std::vector<std::string> reasons_against_spirv(const KernelInterface& kernel,
                                               const std::vector<std::uint32_t>& spirv);

}  // namespace vkmoye
