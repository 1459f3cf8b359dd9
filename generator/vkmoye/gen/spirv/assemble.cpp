// SPDX-License-Identifier: MIT
#include "vkmoye/gen/spirv/assemble.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <shaderc/shaderc.hpp>
#include <spirv-tools/optimizer.hpp>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/spirv/instructions.hpp"

namespace vkmoye::gen::spirv {

namespace {

// If glslang runs out of memory while it holds its internal lock, the lock is never released, and the next
// thread that acquires it waits forever. Destroying the compiler acquires it, so the compiler is leaked then.
// shaderc catches exceptions of glslang and reports them as internal errors.
std::atomic<bool> unusable = false;

shaderc::SpvCompilationResult compile(const std::string& name, const std::string& glsl,
                                      const shaderc::CompileOptions& options) {
  if (unusable) {
    throw CompileError(name, "shaderc ran out of memory earlier and can no longer be used", "");
  }
  // When the last compiler is destroyed, glslang frees its tables of built-in functions. Building them takes
  // 30 times as long as assembling a kernel, so one compiler is never destroyed.
  static const std::atomic<const shaderc::Compiler*> keeps_tables = new shaderc::Compiler;
  if (keeps_tables.load() == nullptr) throw std::bad_alloc();  // reading it keeps it reachable
  auto compiler = std::make_unique<shaderc::Compiler>();
  auto result =
      compiler->CompileGlslToSpv(glsl, shaderc_glsl_compute_shader, name.c_str(), options);
  if (result.GetCompilationStatus() == shaderc_compilation_status_internal_error) {
    unusable = true;
    static_cast<void>(compiler.release());
    throw std::bad_alloc();
  }
  return result;
}

std::size_t functions_in(const std::vector<std::uint32_t>& spirv) {
  constexpr std::uint32_t kFunction = 54;  // OpFunction
  return instructions_of(spirv, kFunction).size();
}

// Functions of the text become part of main, and the registers that they share become variables of main. On an H200,
// causal attention over 4096 keys takes 605 us then, and 700 us with registers that are global variables.
// A function that returns within a loop is not inlined, and then nothing changes: a register that it alone uses would
// lose its value between two calls. Nor where SPIRV-Tools are older than shaderc and cannot read an instruction.
std::vector<std::uint32_t> without_functions(std::vector<std::uint32_t> spirv) {
  if (functions_in(spirv) == 1) return spirv;
  const auto optimised = [](const std::vector<std::uint32_t>& words, auto... passes) {
    spvtools::Optimizer optimizer(SPV_ENV_VULKAN_1_2);
    (optimizer.RegisterPass(std::move(passes)), ...);
    spvtools::OptimizerOptions options;
    options.set_run_validator(false);  // see validate.hpp
    std::vector<std::uint32_t> out;
    if (!optimizer.Run(words.data(), words.size(), &out, options)) out.clear();
    return out;
  };
  const auto inlined = optimised(spirv, spvtools::CreateInlineExhaustivePass(),
                                 spvtools::CreateEliminateDeadFunctionsPass());
  if (functions_in(inlined) != 1) return spirv;
  auto local = optimised(inlined, spvtools::CreatePrivateToLocalPass());
  return local.empty() ? spirv : local;
}

}  // namespace

std::vector<std::uint32_t> assemble(const std::string& name, const std::string& glsl) {
  if (name.find('\n') != std::string::npos) {
    throw ArgumentError(
        "assemble(name, glsl): the name has several lines; name and text may have been swapped");
  }
  // glslang would print its thousands of built-in functions.
  if (glsl.find("#version") == std::string::npos) {
    throw CompileError(name, "the text has no line '#version 460'", number_lines(glsl));
  }
  shaderc::CompileOptions options;
  options.SetTargetEnvironment(shaderc_target_env_vulkan, shaderc_env_version_vulkan_1_2);
  options.SetTargetSpirv(shaderc_spirv_version_1_5);
  options.SetWarningsAsErrors();
  const auto result = compile(name, glsl, options);
  if (result.GetCompilationStatus() != shaderc_compilation_status_success) {
    throw CompileError(name, result.GetErrorMessage(), number_lines(glsl));
  }
  return without_functions({result.cbegin(), result.cend()});
}

}  // namespace vkmoye::gen::spirv
