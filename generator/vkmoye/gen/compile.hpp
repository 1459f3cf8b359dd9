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
/// rejects the text. The SPIR-V of a kernel that was written by hand is compared with its declarations; the KernelError
/// lists every difference.
CompiledKernel compile(const ir::Kernel& kernel);

/// Compiles a kernel for one device: the KernelError also lists every reason why a device with `caps` cannot run it.
CompiledKernel compile(const ir::Kernel& kernel, const DeviceCaps& caps);

/// Compiles all kernels of a plan. Throws KernelError with the reasons of all of them.
CompiledPlan compile(const KernelPlan& plan, const DeviceCaps& caps);

}  // namespace vkmoye::gen
