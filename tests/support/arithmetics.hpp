// SPDX-License-Identifier: MIT
#pragma once
// The arithmetics that Vulkan allows a device, and the twin models.

#include "vkmoye/gen/ir/arithmetic.hpp"

namespace vkmoye::test {

struct NamedArithmetic {
  const char* name;
  gen::ir::Arithmetic arithmetic;
};

inline constexpr NamedArithmetic kArithmetics[] = {
    {"fused", {gen::ir::MultiplyAdd::fused}},
    {"separate", {gen::ir::MultiplyAdd::separate}},
    {"fused, subnormal numbers flushed",
     {gen::ir::MultiplyAdd::fused, /*flushes_subnormals=*/true}},
    {"separate, subnormal numbers flushed",
     {gen::ir::MultiplyAdd::separate, /*flushes_subnormals=*/true}},
    {"contracted", {gen::ir::MultiplyAdd::contracted}},
    {"separate, sums rearranged",
     {gen::ir::MultiplyAdd::separate, /*flushes_subnormals=*/false, /*rearranges_sums=*/true}},
};

}  // namespace vkmoye::test
