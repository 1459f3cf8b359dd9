// SPDX-License-Identifier: MIT
#pragma once
// The driver of the generator: verify -> print -> assemble. Each stage can also be called separately.

#include "vkmoye/contract/compiled_kernel.hpp"
#include "vkmoye/contract/compiled_plan.hpp"
#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/ir/kernel_plan.hpp"

namespace vkmoye::gen {

/// Throws KernelError with the reasons of verify if the kernel is invalid, CompileError if the GLSL compiler
/// rejects the text. Of a kernel that was written by hand, the SPIR-V is compared with its declarations, and the
/// KernelError has every difference.
CompiledKernel compile(const ir::Kernel& kernel);

/// The same for one device: the KernelError also has every reason why a device with `caps` cannot run the
/// kernel.
CompiledKernel compile(const ir::Kernel& kernel, const DeviceCaps& caps);

/// Compiles all kernels of a plan. Throws KernelError with the reasons of all of them.
CompiledPlan compile(const KernelPlan& plan, const DeviceCaps& caps);

}  // namespace vkmoye::gen
