// SPDX-License-Identifier: MIT
// GLSL to SPIR-V for the engine's own passes, on the build machine: assemble SHADER.comp OUT.spv.

#include <fstream>
#include <iterator>
#include <vkmoye/gen/spirv/assemble.hpp>

int main(int count, char** arguments) {
  if (count != 3) return 2;
  std::ifstream in(arguments[1]);
  const std::string glsl{std::istreambuf_iterator<char>(in), {}};
  const std::vector<std::uint32_t> words = vkmoye::gen::spirv::assemble(arguments[1], glsl);
  std::ofstream out(arguments[2], std::ios::binary);
  out.write(reinterpret_cast<const char*>(words.data()),
            static_cast<std::streamsize>(4 * words.size()));
  return out.flush() ? 0 : 1;
}
