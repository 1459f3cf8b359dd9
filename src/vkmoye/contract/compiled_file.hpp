// SPDX-License-Identifier: MIT
#pragma once
// Files of `vkmoye-bench emit --kernel`, of each kind: a kernel, whose sizes are arguments; a plan for one size; or
// variants of one of the two for different devices, of which a device takes the first that it can run.
//
//   const CompiledFile file = read_compiled_file("softmax.json", device.caps());
//   if (const auto* plan = std::get_if<CompiledPlan>(&file)) ..     else std::get<CompiledKernel>(file)
//
// A file of variants, written by `emit softmax/rows --subgroup-size 32,64,16,8,1 --kernel softmax.json`:
//
//   {
//     "format": "vkmoye variants",
//     "version": 1,
//     "checksum": "0123456789abcdef",     XXH64, seed 0, of "variants" without spaces and line ends
//     "variants": [{"format": "vkmoye kernel", ..}, ..]     each as a file of its own
//   }
//
// Variants are called in the same way: all are kernels, with the same arrays (names, types, access, extents, strides)
// and arguments; or all are plans, with the same arrays (names, types, bytes). How they compute may differ: sizes of
// subgroups, features, scratch.

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vkmoye/contract/compiled_kernel.hpp"
#include "vkmoye/contract/compiled_plan.hpp"
#include "vkmoye/contract/device_caps.hpp"

namespace vkmoye {

using CompiledFile = std::variant<CompiledKernel, CompiledPlan>;

/// The variants of a file in their order; of a kernel or a plan, itself. Throws ArgumentError with every reason: those
/// of parse_kernel and parse_plan; the text is none of the kinds; there are no variants; or they are not called in the
/// same way.
std::vector<CompiledFile> parse_variants(std::string_view text);

/// The text of a file of variants, or if there is only one, of its kernel or plan. Throws ArgumentError if
/// parse_variants would refuse it.
std::string variants_text(const std::vector<CompiledFile>& variants);

/// The index, from 0, of the first variant that a device with `caps` can run; 0 if there is only one, which need not
/// fit. Throws KernelError with the reasons of each if the device can run none of several, and ArgumentError if there
/// are no variants.
std::size_t fitting_variant(const std::vector<CompiledFile>& variants, const DeviceCaps& caps);

/// The variant of the file that a device with `caps` takes. Throws as parse_variants and fitting_variant.
CompiledFile parse_compiled(std::string_view text, const DeviceCaps& caps);

/// Reads a file of any kind. Both throw as read_kernel_file, the second one also as fitting_variant.
std::vector<CompiledFile> read_variants(const std::filesystem::path& file);
CompiledFile read_compiled_file(const std::filesystem::path& file, const DeviceCaps& caps);

/// The interfaces of the kernel, or of those of the plan.
std::vector<const KernelInterface*> kernels_of(const CompiledFile& file);

}  // namespace vkmoye
