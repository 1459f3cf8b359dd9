// SPDX-License-Identifier: MIT
#pragma once
// GLSL text -> SPIR-V, with shaderc and SPIRV-Tools.

#include <cstdint>
#include <string>
#include <vector>

namespace vkmoye::gen::spirv {

/// SPIR-V 1.5 for Vulkan 1.2, entry point "main". Functions are inlined if all of them can be; else it is not
/// optimised, because drivers do that.
/// Throws CompileError with the compiler's log and the numbered text. `name` is for the message; throws ArgumentError
/// if it has several lines.
/// Throws std::bad_alloc if memory runs out; all later calls in this process then throw CompileError.
/// Thread-safe.
std::vector<std::uint32_t> assemble(const std::string& name, const std::string& glsl);

}  // namespace vkmoye::gen::spirv
