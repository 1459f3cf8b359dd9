#include "vkmoye/gen/spirv/assemble.hpp"

#include <shaderc/shaderc.hpp>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::gen::spirv {

std::vector<std::uint32_t> assemble(const std::string& name, const std::string& glsl) {
  shaderc::CompileOptions options;
  options.SetTargetEnvironment(shaderc_target_env_vulkan, shaderc_env_version_vulkan_1_2);
  options.SetTargetSpirv(shaderc_spirv_version_1_5);
  options.SetWarningsAsErrors();
  const auto result = shaderc::Compiler().CompileGlslToSpv(glsl, shaderc_glsl_compute_shader,
                                                           name.c_str(), options);
  if (result.GetCompilationStatus() != shaderc_compilation_status_success) {
    throw CompileError(name, result.GetErrorMessage(), number_lines(glsl));
  }
  return {result.cbegin(), result.cend()};
}

}  // namespace vkmoye::gen::spirv
