// SPDX-License-Identifier: MIT
#pragma once
// Matrices of bfloat16 without a GLSL that knows the type (GL_EXT_bfloat16 came with glslang 15.3).
//
// The text says float16_t where it means bfloat16. Where matrices alone are of that type, their
// elements are never looked at, so that it is enough to say what the type is:
//
//   OpCapability Float16          ->  OpCapability BFloat16TypeKHR
//                                     OpCapability BFloat16CooperativeMatrixKHR
//                                     OpExtension "SPV_KHR_bfloat16"
//   %half = OpTypeFloat 16        ->  %half = OpTypeFloat 16 BFloat16KHR
//
// SPV_KHR_bfloat16, SPIR-V specification 2.3 (Physical Layout).

#include <cstdint>
#include <string>
#include <vector>

namespace vkmoye::gen::spirv {

/// `spirv` with bfloat16 in place of its 16-bit floating type. Throws CompileError, naming `name`,
/// where that type is none of cooperative matrices alone: something computes with it, or has it in
/// memory.
std::vector<std::uint32_t> with_bfloat16(const std::string& name,
                                         const std::vector<std::uint32_t>& spirv);

}  // namespace vkmoye::gen::spirv
