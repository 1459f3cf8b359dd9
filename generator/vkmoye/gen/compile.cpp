#include "vkmoye/gen/compile.hpp"

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/ir/verify.hpp"
#include "vkmoye/gen/spirv/assemble.hpp"

namespace vkmoye::gen {
namespace {

void require_none(const std::string& name, std::vector<std::string> reasons) {
  if (!reasons.empty()) throw KernelError(name, std::move(reasons));
}

}  // namespace

CompiledKernel compile(const ir::Kernel& kernel) {
  require_none(kernel.name, ir::verify(kernel));
  CompiledKernel out;
  out.interface = ir::interface_of(kernel);
  out.glsl = glsl::print(kernel);
  out.spirv = spirv::assemble(kernel.name, out.glsl);
  return out;
}

CompiledKernel compile(const ir::Kernel& kernel, const DeviceCaps& caps) {
  require_none(kernel.name, reasons_against(ir::interface_of(kernel), caps));
  return compile(kernel);
}

}  // namespace vkmoye::gen
