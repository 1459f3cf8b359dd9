// SPDX-License-Identifier: MIT
#pragma once
// A compiled kernel as JSON, and back: what files of kernels and of plans hold.
//
//   {
//     "interface": {..},                as `emit --interface` writes it
//     "glsl": "..",                     the text that was compiled; may be empty
//     "spirv": ".."                     little-endian words in base64 (RFC 4648)
//   }

#include <string>
#include <vector>

#include "vkmoye/contract/compiled_kernel.hpp"
#include "vkmoye/contract/json.hpp"

namespace vkmoye {

Json kernel_to_json(const CompiledKernel& kernel);

/// Adds a reason for each field that is missing or invalid, and for SPIR-V that does not match the interface; the
/// returned kernel is then incomplete.
CompiledKernel kernel_of_json(const Json& json, std::vector<std::string>& reasons);

}  // namespace vkmoye
