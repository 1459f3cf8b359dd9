// SPDX-License-Identifier: MIT
#include "vkmoye/gen/spirv/assemble.hpp"

#include <atomic>
#include <memory>
#include <new>
#include <shaderc/shaderc.hpp>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::gen::spirv {

namespace {

// glslang may run out of memory while it holds a lock of its own, which nobody gives back: whoever
// takes it next waits for ever. Its finalization takes it, so that compiler is not destroyed. shaderc
// catches what glslang throws and calls it an internal error.
std::atomic<bool> unusable = false;

shaderc::SpvCompilationResult compile(const std::string& name, const std::string& glsl,
                                      const shaderc::CompileOptions& options) {
  if (unusable) {
    throw CompileError(name, "shaderc ran out of memory before, it cannot be used any more", "");
  }
  // With the last compiler glslang drops its tables of built-in functions, which take it 30 times as
  // long to make as a kernel to assemble: one is never destroyed.
  static const std::atomic<const shaderc::Compiler*> keeps_tables = new shaderc::Compiler;
  if (keeps_tables.load() == nullptr) throw std::bad_alloc();  // read, so that it stays reachable
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

}  // namespace

std::vector<std::uint32_t> assemble(const std::string& name, const std::string& glsl) {
  shaderc::CompileOptions options;
  options.SetTargetEnvironment(shaderc_target_env_vulkan, shaderc_env_version_vulkan_1_2);
  options.SetTargetSpirv(shaderc_spirv_version_1_5);
  options.SetWarningsAsErrors();
  const auto result = compile(name, glsl, options);
  if (result.GetCompilationStatus() != shaderc_compilation_status_success) {
    throw CompileError(name, result.GetErrorMessage(), number_lines(glsl));
  }
  return {result.cbegin(), result.cend()};
}

}  // namespace vkmoye::gen::spirv
