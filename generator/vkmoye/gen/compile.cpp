// SPDX-License-Identifier: MIT
#include "vkmoye/gen/compile.hpp"

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/reasons.hpp"
#include "vkmoye/contract/spirv.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/spirv/assemble.hpp"
#include "vkmoye/gen/spirv/bfloat16.hpp"
#include "vkmoye/gen/verify/verify.hpp"

namespace vkmoye::gen {
namespace {

CompiledKernel compile_if_none(std::vector<std::string> reasons, const ir::Kernel& kernel) {
  throw_if_any(kernel.name, std::move(reasons));
  CompiledKernel out;
  out.interface = ir::interface_of(kernel);
  out.glsl = glsl::print(kernel);
  out.spirv = spirv::assemble(kernel.name, out.glsl);
  if (out.interface.features.has(Feature::bf16_matrix)) {
    out.spirv = spirv::with_bfloat16(kernel.name, out.spirv);
  }
  // The generator's own text agrees with the interface by construction.
  if (kernel.hand_written) {
    throw_if_any(kernel.name, reasons_against_spirv(out.interface, out.spirv));
  }
  return out;
}

}  // namespace

CompiledKernel compile(const ir::Kernel& kernel) { return compile_if_none(verify(kernel), kernel); }

CompiledKernel compile(const ir::Kernel& kernel, const DeviceCaps& caps) {
  std::vector<std::string> reasons = reasons_against(ir::interface_of(kernel), caps);
  add_all(reasons, verify(kernel));
  return compile_if_none(std::move(reasons), kernel);
}

CompiledPlan compile(const KernelPlan& plan, const DeviceCaps& caps) {
  CompiledPlan out;
  out.name = plan.steps.at(plan.main).kernel.name;
  out.arrays = plan.arrays;
  out.scratch = plan.scratch;
  std::vector<std::string> reasons;
  for (const KernelStep& step : plan.steps) {
    try {
      out.steps.push_back({compile(step.kernel, caps), step.arguments, step.arrays, step.indirect});
    } catch (const KernelError& error) {
      reasons.emplace_back(error.what());
    }
  }
  throw_if_any(out.name, std::move(reasons));
  return out;
}

}  // namespace vkmoye::gen
