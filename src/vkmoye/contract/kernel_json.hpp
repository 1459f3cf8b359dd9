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

/// Adds to `reasons` each field that is missing or cannot be, and SPIR-V that is not that of the interface;
/// then what is returned is not whole.
CompiledKernel kernel_of_json(const Json& json, std::vector<std::string>& reasons);

/// The member `key` of `of`, a string; else a reason.
std::string string_member(const Json& of, const char* key, std::vector<std::string>& reasons);

}  // namespace vkmoye
