// SPDX-License-Identifier: MIT
#pragma once
// Mutants of kernels without one of their barriers: the statement that is most easily forgotten and that no compiler
// reports.
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

/// `caps` with an order for every matrix that a kernel of the registry needs: its own orders, and that of the twin
/// for the others.
DeviceCaps with_all_orders(DeviceCaps caps);

/// A shipped kernel and its name in messages.
struct ShippedKernel {
  std::string name;  // "gemm/simt f32 a=m b=n"
  gen::ir::Kernel kernel;
};

/// All kernels with a barrier among: the kernels of the registry that the device of `caps` can run, in all types and
/// forms; the other steps of plans; the goldens. Of kernels whose texts differ only in the title, the first.
std::vector<ShippedKernel> kernels_with_barriers(const DeviceCaps& caps);

/// The kernels with a barrier among those whose texts are committed in shaders/generated.
std::vector<ShippedKernel> goldens_with_barriers();

}  // namespace vkmoye::judge
