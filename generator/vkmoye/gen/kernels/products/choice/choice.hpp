// SPDX-License-Identifier: MIT
#pragma once
// The kernel that suits a product on a device: gemm/auto.
//
//   GemmChoice choice = choose_gemm({form, {{512, 512, 16384}}}, device.caps());
//   choice.entry->name      gemm/coopmat
//   choice.config           {{"tile", "128x128x64"}, ..}
//   choice.slices           8: k is cut, a second kernel adds the slices up
//   choice.passed           why no row above was taken
//
// Rows are asked in order, see products/choice/table.hpp. Whatever a row says, a kernel that refuses the product, or
// that the device cannot run, is passed over; the last row, gemm/simt, takes every product of types that
// shaders add up.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vkmoye/gen/kernels/products/choice/table.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {

struct GemmChoice {
  const KernelEntry* entry = nullptr;
  Options config = {};
  std::int64_t slices = 1;  // of k
  std::string row;          // "shipped table, line 12"
  std::string why;          // what that row says
  std::vector<std::string> passed =
      {};  // rows for this device and these types, and why not: a line each

  /// Several kernels one after the other, else the kernel alone.
  bool is_plan() const { return slices > 1 || entry->takes_packed; }
  /// "gemm/coopmat --tile 128x128x64 --split-k 8".
  std::string text() const;
};

/// What `row` says; a product that is in slices already stays in those. Throws KernelError for a number of
/// slices that cannot be read.
GemmChoice choice_of(const GemmTable& table, const GemmRow& row, const GemmForm& form);

/// What is asked of the entry of `choice`.
KernelRequest request_of(const GemmChoice& choice, const GemmQuestion& question,
                         const DeviceCaps& device);

/// Every reason that is known before the kernel is described: what the kernel cannot do, what the device
/// lacks. An order of fragments that was not looked for is taken to be a layout.
std::vector<std::string> reasons_against(const GemmChoice& choice, const GemmQuestion& question,
                                         const DeviceCaps& device);

/// Why `row` multiplies nothing on `device`, whatever is asked: a value of an option that cannot be
/// read, a config that its kernel refuses for all of its types and orders. Empty: something, as far as
/// it is known before a kernel is described.
std::vector<std::string> reasons_against(const GemmRow& row, const DeviceCaps& device);

/// Every other reason why a choice cannot be used. Empty: it can. It may throw KernelError instead.
using GemmRefusal = std::function<std::vector<std::string>(const GemmChoice& choice)>;

/// The refusal that describes the kernel, which may take seconds, and asks whether the device has all that
/// it needs.
GemmRefusal refusal_on(GemmQuestion question, DeviceCaps device);

/// The first row of `tables`, then of the shipped one, that nothing is against, nor `refuse`. Where all
/// are refused, the first whose kernel exists, so that what the device lacks is said as for any kernel.
/// Throws KernelError with every reason where there is none.
GemmChoice choose_gemm(const GemmQuestion& question, const DeviceCaps& device,
                       const std::vector<GemmTable>& tables = {}, const GemmRefusal& refuse = {});

/// Why the choice takes no options, with the kernel to name instead.
std::string no_options_of_a_choice(const Options& options, const GemmQuestion& question,
                                   const DeviceCaps& device,
                                   const std::vector<GemmTable>& tables = {});

/// The kernel of the choice among those that are no plan of several, with the arguments of gemm.hpp.
ir::Kernel gemm_auto(const GemmQuestion& question, const DeviceCaps& device,
                     const std::vector<GemmTable>& tables = {});

}  // namespace vkmoye::gen
