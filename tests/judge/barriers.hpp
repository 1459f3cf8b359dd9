// SPDX-License-Identifier: MIT
#pragma once
// Kernels without one of their barriers: what an author forgets most easily, and what no compiler reports.
//
//   transpose/padded, 1 barrier      one mutant: threads read the tile while others still write it
//   gemm/simt, 4 barriers            four mutants, each of which keeps the other three

#include <string>
#include <vector>

#include "judge/mutate.hpp"
#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::judge {

/// One mutant for each barrier of `kernel`, in the order of the text.
std::vector<Mutant> without_each_barrier(const gen::ir::Kernel& kernel);

/// `caps` with an order for every matrix that a kernel of the registry asks for: those that `caps` has
/// already, and the twin's order for the others.
DeviceCaps with_all_orders(DeviceCaps caps);

/// A kernel that ships, and how it is called in messages.
struct ShippedKernel {
  std::string name;  // "gemm/simt f32 a=m b=n"
  gen::ir::Kernel kernel;
};

/// Those with a barrier of all kernels of the registry that the device of `caps` can run, in all their types and forms,
/// of the further steps of plans, and of the goldens. Of kernels whose texts differ in their title only, the first.
std::vector<ShippedKernel> kernels_with_barriers(const DeviceCaps& caps);

/// Those with a barrier of the kernels whose texts are committed in shaders/generated.
std::vector<ShippedKernel> goldens_with_barriers();

}  // namespace vkmoye::judge
