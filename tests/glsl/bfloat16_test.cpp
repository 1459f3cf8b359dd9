// SPDX-License-Identifier: MIT
// What becomes of float16_t where it stands for bfloat16.

#include "vkmoye/gen/spirv/bfloat16.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/kernels/gemm_matrix.hpp"
#include "vkmoye/gen/spirv/assemble.hpp"

namespace vkmoye::gen {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

// The instructions of operation `which`, their operands.
std::vector<Words> all(const Words& spirv, std::uint32_t which) {
  std::vector<Words> out;
  for (std::size_t at = 5; at < spirv.size(); at += spirv[at] >> 16) {
    if ((spirv[at] & 0xffff) != which) continue;
    out.emplace_back(&spirv[at] + 1, &spirv[at] + (spirv[at] >> 16));
  }
  return out;
}

bool has_capability(const Words& spirv, std::uint32_t which) {
  const auto found = all(spirv, 17);
  return std::find(found.begin(), found.end(), Words{which}) != found.end();
}

ir::Kernel product(ScalarType operand) {
  GemmForm form = gemm_form(operand);
  form.result = ScalarType::f32;
  GemmMatrixConfig config;
  config.tile_m = config.tile_n = 32;
  config.subgroups_m = config.subgroups_n = 1;
  return gemm_matrix(config, form);
}

TEST(Bfloat16, IsTheTypeOfTheMatrices) {
  const CompiledKernel kernel = compile(product(ScalarType::bf16));
  EXPECT_TRUE(kernel.interface.features.has(Feature::bf16_matrix));
  EXPECT_THAT(kernel.glsl, HasSubstr("float16_t stands for bfloat16"));
  EXPECT_FALSE(has_capability(kernel.spirv, 9));    // Float16
  EXPECT_TRUE(has_capability(kernel.spirv, 5116));  // BFloat16TypeKHR
  EXPECT_TRUE(has_capability(kernel.spirv, 5118));  // BFloat16CooperativeMatrixKHR
  int halves = 0;
  for (const Words& type : all(kernel.spirv, 22)) {  // OpTypeFloat id, width, encoding
    if (type[1] != 16) continue;
    ++halves;
    EXPECT_EQ(type, (Words{type[0], 16, 0}));
  }
  EXPECT_EQ(halves, 1);
  std::string extensions;
  for (const Words& name : all(kernel.spirv, 10)) {
    extensions += reinterpret_cast<const char*>(name.data());
    extensions += ' ';
  }
  EXPECT_THAT(extensions, HasSubstr("SPV_KHR_bfloat16 "));
}

// All else is as it was: one word more for the type, two for the capability, six for the extension.
TEST(Bfloat16, ChangesNothingElse) {
  const CompiledKernel kernel = compile(product(ScalarType::bf16));
  const Words before = spirv::assemble("before", kernel.glsl);
  EXPECT_EQ(kernel.spirv.size(), before.size() + 1 + 2 + 6);
  const auto functions = [](const Words& spirv) {  // from the first OpFunction on
    std::size_t at = 5;
    while (at < spirv.size() && (spirv[at] & 0xffff) != 54) at += spirv[at] >> 16;
    return Words(spirv.begin() + static_cast<std::ptrdiff_t>(at), spirv.end());
  };
  EXPECT_EQ(functions(kernel.spirv), functions(before));
}

TEST(Bfloat16, IsRefusedWhereHalvesAreMoreThanMatrices) {
  const auto retargeted = [](const std::string& text) {
    return
        [text] { spirv::with_bfloat16("test", spirv::assemble("test", "#version 460\n" + text)); };
  };
  const std::string halves =
      "#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require\n"
      "#extension GL_EXT_shader_16bit_storage : require\n";
  EXPECT_THAT(retargeted("void main() {}\n"),
              testing::ThrowsMessage<CompileError>(HasSubstr("no matrices of that type")));
  EXPECT_THAT(retargeted(halves + "layout(binding = 0) buffer B { float16_t b[]; };\n"
                                  "void main() { b[0] = b[1] + b[2]; }\n"),
              testing::ThrowsMessage<CompileError>(HasSubstr("has the type for itself")));
  // A function of a half, whose type is made before any value of it.
  const Words function = {0x07230203, 0x00010300,    0, 10, 0, 3u << 16 | 22, 1,
                          16,         3u << 16 | 33, 2, 1};
  EXPECT_THAT([&] { spirv::with_bfloat16("test", function); },
              testing::ThrowsMessage<CompileError>(
                  HasSubstr("operation 33 at word 8 has the type for itself")));
  const CompiledKernel mixed = compile(product(ScalarType::f16));
  EXPECT_THAT([&] { spirv::with_bfloat16("test", mixed.spirv); },
              testing::ThrowsMessage<CompileError>(HasSubstr("has the type for itself")));
}

}  // namespace
}  // namespace vkmoye::gen
