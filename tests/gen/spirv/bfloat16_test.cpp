// SPDX-License-Identifier: MIT
// The translation of float16_t to bfloat16 in SPIR-V.

#include "vkmoye/gen/spirv/bfloat16.hpp"

#include <algorithm>
#include <cstring>

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/matrix_units/probe.hpp"
#include "vkmoye/gen/kernels/products/coopmat.hpp"
#include "vkmoye/gen/kernels/products/packed.hpp"
#include "vkmoye/gen/spirv/assemble.hpp"
#include "vkmoye/gen/spirv/instructions.hpp"

namespace vkmoye::gen {
namespace {

using Words = std::vector<std::uint32_t>;

// The operands of each instruction with opcode `which`.
std::vector<Words> all(const Words& spirv, std::uint32_t which) {
  std::vector<Words> out;
  for (const auto one : spirv::instructions_of(spirv, which)) {
    out.emplace_back(one.begin() + 1, one.end());
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
  GemmCoopmatConfig config;
  config.tile_m = config.tile_n = 32;
  config.subgroups_m = config.subgroups_n = 1;
  return gemm_coopmat(config, form);
}

// All kernels with matrices of bfloat16: products with both ways of prefetching, with all options, and the probes of
// fragment orders.
std::vector<ir::Kernel> kernels() {
  std::vector<ir::Kernel> out = {product(ScalarType::bf16)};
  GemmForm form = gemm_form(ScalarType::bf16);
  const auto add = [&](GemmPackedConfig config) {
    config.part_m = config.part_n = 32;
    out.push_back(gemm_packed(config, form));
  };
  for (const bool words : {true, false}) {
    GemmPackedConfig config;
    config.prefetch_as = words ? PrefetchAs::words : PrefetchAs::matrices;
    form = gemm_form(ScalarType::bf16);
    form.beta = form.batched = !words;
    add(config);
    config.subgroups_k = 2;
    add(config);
    // As many lanes as elements: each lane moves one element.
    config.subgroups_m = config.subgroups_n = config.subgroups_k = 1;
    config.atom_m = config.atom_n = config.atom_k = 8;
    config.subgroup_size = 64;
    add(config);
    form.split_k = true;
    form.beta = form.batched = false;
    add(config);
  }
  for (const EpilogueOp& step : epilogue_ops()) {
    form = gemm_form(ScalarType::bf16);
    form.epilogue = {step};
    add({});
  }
  for (const auto& matrix : {ir::MatrixType{ir::MatrixType::Use::a, 16, 16},
                             ir::MatrixType{ir::MatrixType::Use::b, 16, 8}}) {
    for (const std::uint32_t lanes : {32u, 128u}) {
      out.push_back(fragment_probe({ScalarType::bf16, matrix, lanes}));
    }
  }
  return out;
}

TEST(Bfloat16, IsTheTypeOfTheMatrices) {
  for (const ir::Kernel& described : kernels()) {
    SCOPED_TRACE(glsl::print(described).substr(0, 300));
    const CompiledKernel kernel = compile(described);
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
}

// The rest is unchanged: one word more for the type, two for the capability, six for the extension.
TEST(Bfloat16, ChangesNothingElse) {
  const auto functions = [](const Words& spirv) {  // from the first OpFunction on
    const auto found = spirv::instructions_of(spirv, 54);
    return Words(spirv.begin() + (found.front().data() - spirv.data()), spirv.end());
  };
  for (const ir::Kernel& described : kernels()) {
    SCOPED_TRACE(glsl::print(described).substr(0, 300));
    const CompiledKernel kernel = compile(described);
    const Words before = spirv::assemble("before", kernel.glsl);
    EXPECT_EQ(kernel.spirv.size(), before.size() + 1 + 2 + 6);
    EXPECT_EQ(functions(kernel.spirv), functions(before));
  }
}

// Bits can be moved into and out of matrices, as any type.
TEST(Bfloat16, ElementsAreMovedAsBits) {
  const auto text_of = [](const ir::Kernel& kernel) { return compile(kernel).glsl; };
  const std::string words = text_of(gemm_packed({}, gemm_form(ScalarType::bf16)));
  EXPECT_THAT(words, HasSubstr("matrices_a0[v1][1] = unpackFloat2x16(next_a0[v1].x)[1];"));
  EXPECT_THAT(words, Not(HasSubstr("uint16_t")));
  const auto probe = [&](std::uint32_t lanes) {
    return text_of(fragment_probe({ScalarType::bf16, {ir::MatrixType::Use::a, 16, 16}, lanes}));
  };
  EXPECT_THAT(probe(32), HasSubstr("= halfBitsToUint16(matrix[0][v0]);"));
  EXPECT_THAT(probe(256), HasSubstr("= halfBitsToUint16(matrix[0][0]);"));
}

// A shader with the statement `line`, and a matrix of halves that it fills.
std::vector<std::uint32_t> shader(const std::string& line, const std::string& outside = "") {
  return spirv::assemble("test", R"(#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer W { uint w[]; };
layout(binding = 1) buffer F { float f[]; };
)" + outside + R"(
void main() {
  coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
  f16vec2 v = unpackFloat2x16(w[0]);
  float16_t x = v[1];
  )" + line + R"(
  a[0] = x;
  a[1] = v[0];
  w[2] = packFloat2x16(f16vec2(a[0], a[1]));
})");
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
              ThrowsMessage<CompileError>(HasSubstr("no matrices of that type")));
  EXPECT_THAT(retargeted(halves + "layout(binding = 0) buffer B { float16_t b[]; };\n"
                                  "void main() { b[0] = b[1] + b[2]; }\n"),
              ThrowsMessage<CompileError>(HasSubstr("contains the type")));
  // A function with a half as parameter: its type is declared before any value of it.
  const Words function = {0x07230203, 0x00010300,    0, 10, 0, 3u << 16 | 22, 1,
                          16,         3u << 16 | 33, 2, 1};
  EXPECT_REFUSED(spirv::with_bfloat16("test", function), CompileError,
                 "OpTypeFunction (operation 33) at word 8 contains the type");
  const CompiledKernel mixed = compile(product(ScalarType::f16));
  EXPECT_REFUSED(spirv::with_bfloat16("test", mixed.spirv), CompileError, "contains the type");
}

// Operations that move bits have the same meaning for both types.
TEST(Bfloat16, MayBeMoved) {
  for (const char* line : {
           "",
           "v = v.yx;",
           "v = f16vec2(x, v[0]);",
           "v[0] = x;",
           "a[2] = a[w[1]];",
           "x = uint16BitsToHalf(uint16_t(w[1]));",
           "w[1] = uint(halfBitsToUint16(x));",
           "x = w[1] > 5u ? x : v[0];",
           "if (w[1] > 5u) x = v[0];",
           "for (uint i = 0u; i < w[1]; ++i) { v = v.yx; x = v[0]; }",
           "switch (w[1]) { case 7u: x = v[0]; break; case 40u: x = v[1]; break; }",
       }) {
    SCOPED_TRACE(line);
    EXPECT_NO_THROW(spirv::with_bfloat16("test", shader(line)));
  }
  // What functions of a shader share is outside of them.
  const std::vector<std::uint32_t> shared_by_functions =
      shader("p = x; m[0] = p; x = m[1];",
             "float16_t p; coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> m;");
  EXPECT_NO_THROW(spirv::with_bfloat16("test", shared_by_functions));
}

// Operations that compute would give another number: no line of a kernel with bfloat16 may use f16.
TEST(Bfloat16, IsRefusedWhereSomethingComputes) {
  struct Case {
    const char *line, *operation, *outside = "";
  };
  const Case cases[] = {
      {"x = x + x;", "OpFAdd (operation 129)"},
      {"x = x * v[0];", "OpFMul"},
      {"v = v - v;", "OpFSub"},
      {"x = x / v[0];", "OpFDiv"},
      {"x = -x;", "OpFNegate"},
      {"v = v * x;", "OpVectorTimesScalar"},
      {"x = dot(v, v);", "OpDot"},
      {"f[0] = float(x);", "OpFConvert"},
      {"x = float16_t(f[0]);", "OpFConvert"},
      {"w[1] = uint(x);", "OpConvertFToU"},
      {"x = float16_t(w[1]);", "OpConvertUToF"},
      {"if (x < v[0]) w[1] = 1u;", "OpFOrdLessThan"},
      {"if (isnan(x)) w[1] = 1u;", "OpIsNan"},
      {"x = max(x, v[0]);", "OpExtInst"},
      {"x = sqrt(x);", "OpExtInst"},
      {"x = float16_t(1.5);", "OpConstant"},
      {"a = a + a;", "OpFAdd"},
      {"a = a * x;", "OpMatrixTimesScalar"},
      {"f[0] = float(a[3]);", "OpFConvert"},
      {"float16_t xs[2]; xs[w[1]] = x; x = xs[w[0]];", "OpTypeArray"},
      {"s[w[1]] = x;", "OpTypeArray", "shared float16_t s[8];"},
      {"s = x;", "OpTypePointer", "shared float16_t s;"},
      {"h[w[1]] = x;", "OpTypeRuntimeArray", "layout(binding = 2) buffer H { float16_t h[]; };"},
      {"h = x;", "OpTypeStruct", "layout(binding = 2) buffer H { float16_t h; };"},
  };
  for (const auto& [line, operation, outside] : cases) {
    SCOPED_TRACE(line);
    const std::vector<std::uint32_t> computing = shader(line, outside);
    EXPECT_REFUSED(spirv::with_bfloat16("test", computing), CompileError, operation);
  }
}

}  // namespace
}  // namespace vkmoye::gen
