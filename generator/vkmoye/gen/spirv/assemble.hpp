// SPDX-License-Identifier: MIT
#pragma once
// GLSL text -> SPIR-V, by shaderc.

#include <cstdint>
#include <string>
#include <vector>

namespace vkmoye::gen::spirv {

/// SPIR-V 1.5 for Vulkan 1.2, entry point "main", not optimised: drivers do that.
/// Throws CompileError with the compiler's log and the numbered text. `name` is for the message.
/// Throws std::bad_alloc where memory does not suffice; then, in this process, CompileError for all
/// that follows. Thread-safe.
std::vector<std::uint32_t> assemble(const std::string& name, const std::string& glsl);

}  // namespace vkmoye::gen::spirv
