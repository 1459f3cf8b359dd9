// SPDX-License-Identifier: MIT
#pragma once
// Kernel files: a CompiledKernel in one file. It is written by a program with the generator, and read by a program
// that has only the runtime.
//
//   write_kernel_file("gemm.json", gen::compile(kernel));         // build machine: vkmoye_gen
//   Pipeline gemm = device.load(read_kernel_file("gemm.json"));   // the game: vkmoye_runtime
//
//   {
//     "format": "vkmoye kernel",
//     "version": 2,
//     "checksum": "0123456789abcdef",     XXH64, seed 0, of "kernel" without spaces and line ends
//     "kernel": {
//       "interface": {..},                as `emit --interface` writes it
//       "glsl": "..",                     the text that was compiled; may be empty
//       "spirv": ".."                     little-endian words in base64 (RFC 4648)
//     }
//   }
//
// Version 2 has no workgroups that wait for each other, version 1 neither these nor specialisation constants. A kernel
// is written in the oldest version that can express it, so that earlier runtimes can read it.
//
// Equal kernels give equal bytes. Strings in files, such as the kernel's name, are UTF-8.

#include <filesystem>
#include <string>
#include <string_view>

#include "vkmoye/contract/compiled_kernel.hpp"

namespace vkmoye {

inline constexpr int kKernelFileVersion = 3;

/// How to call the kernel, as JSON: bindings, push constants, grid, the features it needs, and the rules by which
/// other runtimes interpret these.
std::string interface_text(const KernelInterface& kernel);

/// The text of the file.
std::string kernel_text(const CompiledKernel& kernel);

/// Throws ArgumentError with every reason: invalid JSON, another format or version, a wrong checksum, a missing or
/// invalid field, SPIR-V that does not match the interface. Whether the SPIR-V follows its own rules is checked
/// by gen::reasons_against_module. Only the checksum protects extents, strides and the grid.
CompiledKernel parse_kernel(std::string_view text);

/// Both throw ArgumentError naming the file, also if it cannot be opened, read or written. A file is written under
/// a temporary name and renamed once it is complete.
void write_kernel_file(const std::filesystem::path& file, const CompiledKernel& kernel);
CompiledKernel read_kernel_file(const std::filesystem::path& file);

}  // namespace vkmoye
