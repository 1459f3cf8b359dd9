// SPDX-License-Identifier: MIT
#pragma once
// Plan files: a CompiledPlan in one file, like the kernel files of kernel_file.hpp.
//
//   write_plan_file("product.json", gen::compile(gen::gemm_plan(..), caps));      // build machine
//   PlanRecorder product(device, read_plan_file("product.json"));                 // the game
//
//   {
//     "format": "vkmoye plan",
//     "version": 3,
//     "checksum": "0123456789abcdef",     XXH64, seed 0, of "plan" without spaces and line ends
//     "plan": {
//       "name": "gemm/simt",
//       "arrays": [{"name": "A", "bytes": 1024}, ..],
//       "scratch": [{"name": "sums of slices", "bytes": 4096}],
//       "steps": [{"kernel": {..},                    as in a kernel file
//                  "arguments": {"m": 16, "alpha": "1.5"},    numbers that are not whole as strings
//                  "arrays": [0, 1, 3],
//                  "indirect": 4}, ..]          the array with the groups; only of an indirect step
//     }
//   }
//
// Version 3 has no workgroups that wait for each other, version 2 neither these nor specialisation constants, version 1
// also no indirect steps. A plan is written in the oldest version that can express it, so that earlier runtimes can
// read it. A specialisation constant takes the value of the argument of its step.
//
// Equal plans give equal bytes.

#include <filesystem>
#include <string>
#include <string_view>

#include "vkmoye/contract/compiled_plan.hpp"

namespace vkmoye {

inline constexpr int kPlanFileVersion = 4;

/// The text of the file.
std::string plan_text(const CompiledPlan& plan);

/// Throws ArgumentError with every reason: those of parse_kernel, and those why the plan is invalid
/// (reasons_against).
CompiledPlan parse_plan(std::string_view text);

/// Write and read a plan. Throw as write_kernel_file and read_kernel_file.
void write_plan_file(const std::filesystem::path& file, const CompiledPlan& plan);
CompiledPlan read_plan_file(const std::filesystem::path& file);

}  // namespace vkmoye
