// SPDX-License-Identifier: MIT
#pragma once
// Files of `vkmoye-bench emit --kernel`, of either kind: a kernel, whose sizes are arguments, or a plan for one size.
//
//   const CompiledFile file = read_compiled_file("product.json");
//   if (const auto* plan = std::get_if<CompiledPlan>(&file)) ..     else std::get<CompiledKernel>(file)

#include <filesystem>
#include <string_view>
#include <variant>

#include "vkmoye/contract/compiled_kernel.hpp"
#include "vkmoye/contract/compiled_plan.hpp"

namespace vkmoye {

using CompiledFile = std::variant<CompiledKernel, CompiledPlan>;

/// Throws ArgumentError as parse_kernel and parse_plan do, and if the text is neither.
CompiledFile parse_compiled(std::string_view text);

/// Reads a kernel or a plan. Throws as read_kernel_file.
CompiledFile read_compiled_file(const std::filesystem::path& file);

}  // namespace vkmoye
