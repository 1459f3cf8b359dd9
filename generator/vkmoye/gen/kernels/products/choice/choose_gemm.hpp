// SPDX-License-Identifier: MIT
#pragma once
// Chooses the kernel for a product on a device: gemm/auto.
//
//   GemmChoice choice = choose_gemm({form, {{512, 512, 16384}}}, device.caps());
//   choice.entry->name      gemm/coopmat
//   choice.config           {{"tile", "128x128x64"}, ..}
//   choice.slices           8: k is split, and a second kernel adds the slices
//   choice.passed           why the entries before it were not chosen
//
// The first suitable entry of a table is chosen, see gemm_table.hpp: of one that `tune` wrote, then of the shipped
// table; then the config with the shortest expected time, see expected_time.hpp; then an entry of the general table.
// What a kernel refuses, or cannot run on the device, is skipped. The last entry, gemm/simt, supports every product of
// types that shaders can add.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vkmoye/gen/kernels/products/choice/gemm_table.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {

/// The chosen kernel with its options, and why.
struct GemmChoice {
  const KernelEntry* entry = nullptr;
  Options config = {};
  std::int64_t slices = 1;  // slices of k
  std::string source = {};  // "the shipped table, row 12", or "expected times"
  std::string why = {};     // the reason given in the table, or the expected time
  /// Why each earlier entry for this device and these types was not chosen.
  std::vector<std::string> passed = {};

  /// Whether the product takes several kernels.
  bool is_plan() const { return slices > 1 || entry->takes_packed; }
  /// "gemm/coopmat --tile 128x128x64 --split-k 8".
  std::string text() const;
};

/// The kernel and config of a table entry. The k of a product with split_k is not split again. Throws KernelError if
/// the entry names no product kernel, or contains an unknown option or a number of slices that cannot be read.
GemmChoice choice_of(const GemmTableEntry& entry, const GemmForm& form);

/// The request for the entry of `choice`.
KernelRequest request_of(const GemmChoice& choice, const GemmProduct& product,
                         const DeviceCaps& device);

/// Every reason that is known without describing the kernel: limits of the kernel and of the device. A
/// fragment order that has not been probed is assumed to be a layout.
std::vector<std::string> reasons_against(const GemmChoice& choice, const GemmProduct& product,
                                         const DeviceCaps& device);

/// Why `entry` can never be used on `device`: a value of an option that cannot be read, or a config that its
/// kernel refuses for all types and orders of the entry. Empty if it may be used, as far as is known without
/// describing a kernel.
std::vector<std::string> reasons_against(const GemmTableEntry& entry, const DeviceCaps& device);

/// Returns further reasons why a choice cannot be used; empty if it can. It may throw KernelError instead.
using GemmRefusal = std::function<std::vector<std::string>(const GemmChoice& choice)>;

/// The first choice, in the order above, that neither the checks nor `refuse` reject. If all
/// are rejected, the first whose kernel can be described, so that running it reports what the device lacks.
/// Throws KernelError with every reason if there is none.
GemmChoice choose_gemm(const GemmProduct& product, const DeviceCaps& device,
                       const std::vector<GemmTable>& tables = {}, const GemmRefusal& refuse = {});

/// The error for options given to gemm/auto; it names the kernel that takes them.
std::string no_options_of_a_choice(const Options& options, const GemmProduct& product,
                                   const DeviceCaps& device,
                                   const std::vector<GemmTable>& tables = {});

/// The chosen kernel, among the entries that need only one, with the arguments of simt.hpp.
ir::Kernel gemm_auto(const GemmProduct& product, const DeviceCaps& device,
                     const std::vector<GemmTable>& tables = {});

}  // namespace vkmoye::gen
