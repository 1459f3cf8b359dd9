// SPDX-License-Identifier: MIT
#pragma once
// What SPIR-V says of itself, compared with the interface that it came with.

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/contract/kernel_interface.hpp"

namespace vkmoye {

/// Why `spirv` is no kernel of the interface: no SPIR-V, cut off, no compute shader "main", a workgroup
/// of another size, buffers that the interface does not bind. Empty: nothing is known against it.
std::vector<std::string> reasons_against_spirv(const KernelInterface& kernel,
                                               const std::vector<std::uint32_t>& spirv);

}  // namespace vkmoye
