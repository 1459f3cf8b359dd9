// SPDX-License-Identifier: MIT
#pragma once
// Matrices of bfloat16 without GLSL support for the type (GL_EXT_bfloat16 came with glslang 15.3).
//
// The GLSL text uses float16_t in place of bfloat16. If values are only moved, between words of memory and
// matrices, and multiplied as matrices, it suffices to change the declaration of the type in the SPIR-V:
//
//   OpCapability Float16          ->  OpCapability BFloat16TypeKHR
//                                     OpCapability BFloat16CooperativeMatrixKHR
//                                     OpExtension "SPV_KHR_bfloat16"
//   %half = OpTypeFloat 16        ->  %half = OpTypeFloat 16 BFloat16KHR
//
//   uvec4 of memory, OpBitcast to %v2half, OpCompositeExtract, OpStore to an element of a matrix: these only
//   move bits. OpFConvert, OpFAdd and all other arithmetic would give different numbers.
//
// SPV_KHR_bfloat16, SPIR-V specification 2.3 (Physical Layout).

#include <cstdint>
#include <string>
#include <vector>

namespace vkmoye::gen::spirv {

/// `spirv` with bfloat16 in place of its 16-bit floating-point type. Throws CompileError, naming `name` and
/// the instruction, if that type is used in memory, in an array or a constant, or in arithmetic other than
/// matrix products; and if there are no matrices of it.
std::vector<std::uint32_t> with_bfloat16(const std::string& name,
                                         const std::vector<std::uint32_t>& spirv);

}  // namespace vkmoye::gen::spirv
