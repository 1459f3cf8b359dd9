// SPDX-License-Identifier: MIT
#pragma once
// Matrices of bfloat16 without a GLSL that knows the type (GL_EXT_bfloat16 came with glslang 15.3).
//
// The text says float16_t where it means bfloat16. Where its values are only moved, between words of
// memory and matrices, and multiplied as matrices, it is enough to say what the type is:
//
//   OpCapability Float16          ->  OpCapability BFloat16TypeKHR
//                                     OpCapability BFloat16CooperativeMatrixKHR
//                                     OpExtension "SPV_KHR_bfloat16"
//   %half = OpTypeFloat 16        ->  %half = OpTypeFloat 16 BFloat16KHR
//
//   uvec4 of memory, OpBitcast to %v2half, OpCompositeExtract, OpStore to an element of a matrix:
//   bits go where they went. OpFConvert, OpFAdd and whatever else computes would mean another number.
//
// SPV_KHR_bfloat16, SPIR-V specification 2.3 (Physical Layout).

#include <cstdint>
#include <string>
#include <vector>

namespace vkmoye::gen::spirv {

/// `spirv` with bfloat16 in place of its 16-bit floating type. Throws CompileError, naming `name` and
/// the instruction, where that type is in memory, in an array or a constant, or computed with other
/// than in products of matrices; and where there are no matrices of it.
std::vector<std::uint32_t> with_bfloat16(const std::string& name,
                                         const std::vector<std::uint32_t>& spirv);

}  // namespace vkmoye::gen::spirv
