// SPDX-License-Identifier: MIT
#pragma once
// Compiles kernels that the verifier rejects.

#include "vkmoye/contract/compiled_kernel.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/spirv/assemble.hpp"
#include "vkmoye/gen/spirv/bfloat16.hpp"

namespace vkmoye::judge {

/// Like gen::compile, without verification. Throws CompileError if the shader compiler rejects the text.
inline CompiledKernel compile_unverified(const gen::ir::Kernel& kernel) {
  CompiledKernel out;
  out.interface = gen::ir::interface_of(kernel);
  out.glsl = gen::glsl::print(kernel);
  out.spirv = gen::spirv::assemble(kernel.name, out.glsl);
  if (out.interface.features.has(Feature::bf16_matrix)) {
    out.spirv = gen::spirv::with_bfloat16(kernel.name, out.spirv);
  }
  return out;
}

}  // namespace vkmoye::judge
