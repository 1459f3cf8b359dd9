// SPDX-License-Identifier: MIT
#pragma once
// Kernels that travel: a CompiledKernel as one file, written where the generator is, read where only a
// runtime is.
//
//   write_kernel_file("gemm.json", gen::compile(kernel));         // build machine: vkmoye_gen
//   Pipeline gemm = device.load(read_kernel_file("gemm.json"));   // the game: vkmoye_runtime
//
//   {
//     "format": "vkmoye kernel",
//     "version": 1,
//     "checksum": "0123456789abcdef",     XXH64, seed 0, of "kernel" without spaces and line ends
//     "kernel": {
//       "interface": {..},                as `emit --interface` writes it
//       "glsl": "..",                     the text that was compiled; may be empty
//       "spirv": ".."                     little-endian words in base64 (RFC 4648)
//     }
//   }
//
// The same kernel gives the same bytes. Strings in files, such as the kernel's name, are UTF-8.

#include <filesystem>
#include <string>
#include <string_view>

#include "vkmoye/contract/compiled_kernel.hpp"

namespace vkmoye {

inline constexpr int kKernelFileVersion = 1;

/// How to call the kernel, as JSON: bindings, push constants, grid, what the device must have, and the
/// rules by which another runtime than ours reads them.
std::string interface_text(const KernelInterface& kernel);

/// The text of the file.
std::string kernel_text(const CompiledKernel& kernel);

/// Throws ArgumentError with every reason: no JSON, another format or version, a checksum that does not
/// match, a field that is missing or cannot be, SPIR-V that is not that of the interface.
CompiledKernel parse_kernel(std::string_view text);

/// Both name the file in their errors; ArgumentError, too, where it cannot be opened, read or written. The
/// file appears under its name once it is whole.
void write_kernel_file(const std::filesystem::path& file, const CompiledKernel& kernel);
CompiledKernel read_kernel_file(const std::filesystem::path& file);

}  // namespace vkmoye
