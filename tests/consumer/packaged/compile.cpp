// SPDX-License-Identifier: MIT
// Compiles a kernel: links what the generator needs, too.
#include <cstdio>
#include <vkmoye/vkmoye.hpp>

int main() {
  const vkmoye::CompiledKernel kernel = vkmoye::gen::compile(vkmoye::gen::transpose());
  std::printf("%zu words of SPIR-V\n", kernel.spirv.size());
  return kernel.spirv.empty();
}
