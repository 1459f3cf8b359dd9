// SPDX-License-Identifier: MIT
#pragma once
// The one driver of the generator: verify -> print -> assemble. Each stage can be called alone.

#include "vkmoye/contract/compiled_kernel.hpp"
#include "vkmoye/contract/compiled_plan.hpp"
#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/registry/kernel_plan.hpp"

namespace vkmoye::gen {

/// Throws KernelError with the reasons of verify if the kernel is wrong; CompileError if the text is
/// refused.
CompiledKernel compile(const ir::Kernel& kernel);

/// The same for one device: throws KernelError also with every reason why `caps` cannot run it.
CompiledKernel compile(const ir::Kernel& kernel, const DeviceCaps& caps);

/// Several, one after the other. Throws KernelError with the reasons of every kernel.
CompiledPlan compile(const KernelPlan& plan, const DeviceCaps& caps);

}  // namespace vkmoye::gen
