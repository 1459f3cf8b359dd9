// SPDX-License-Identifier: MIT
#pragma once
// The results of SPIR-V operations on scalars, by the specification (3.52) and the extended instructions for GLSL.
//
//   compute(OpIAdd, 32 -> 32, 7, 0xffffffff)      6: modulo 2^32
//   compute(OpUDiv, 32 -> 32, 7, 0)               undefined
//   compute(OpFAdd, 16 -> 16, 0x3c00, 0x3c00)     0x4000: 1 + 1 = 2 in half precision
//
// An operation on an undefined value is undefined, with two exceptions: `false && x` is false, and `true || x` is true.

#include <spirv/unified1/GLSL.std.450.h>

#include <cstdint>

#include "judge/spirv/module.hpp"

namespace vkmoye::judge::spirv {

std::uint64_t masked(std::uint64_t bits, std::uint32_t width);
std::int64_t with_sign(std::uint64_t bits, std::uint32_t width);

/// A number of 16, 32 or 64 bits. Rounds to nearest, ties to even.
double number_of(std::uint64_t bits, std::uint32_t width);
std::uint64_t bits_of(double value, std::uint32_t width);

/// An operation of one or two scalars of `from` bits, whose result has `to` bits. Throws Unsupported for any other
/// opcode.
Scalar compute(spv::Op opcode, std::uint32_t from, std::uint32_t to, const Scalar& a,
               const Scalar& b);

/// An extended instruction of up to three scalars, all of `width` bits like its result.
Scalar compute(GLSLstd450 operation, std::uint32_t width, const Scalar& a, const Scalar& b,
               const Scalar& c);

}  // namespace vkmoye::judge::spirv
