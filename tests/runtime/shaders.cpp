// SPDX-License-Identifier: MIT
#include "runtime/shaders.hpp"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "vkmoye/gen/spirv/assemble.hpp"

namespace vkmoye::test {
namespace {

CompiledKernel compiled(KernelInterface interface, std::string glsl) {
  CompiledKernel kernel;
  kernel.spirv = gen::spirv::assemble(interface.name, glsl);
  kernel.interface = std::move(interface);
  kernel.glsl = std::move(glsl);
  return kernel;
}

}  // namespace

namespace {

// The GLSL declaration and element expression of the array `name` of `type`.
struct Reached {
  std::string declaration, element;  // of the element at `i`, an int
};

Reached reached(const std::string& name, ScalarType type, const char* glsl, int binding,
                Addressing addressing) {
  const std::string block = "Block_" + name;
  if (addressing == Addressing::descriptor) {
    return {fmt::format("layout(std430, binding = {}) buffer {} {{ {} {}[]; }};\n", binding, block,
                        glsl, name),
            name + "[i]"};
  }
  const std::size_t bytes = size_of(type);
  return {
      fmt::format("layout(buffer_reference, std430, buffer_reference_align = {}) buffer {} "
                  "{{ {} element; }};\n",
                  bytes, block, glsl),
      fmt::format("{}({} + uint64_t(int64_t(i) * {})).element", block, address_name(name), bytes)};
}

// A shader in which one thread runs `body` for each i from `first` to n - 1; `bindings` declare its arrays.
CompiledKernel over_elements(std::string name, std::vector<Binding> bindings,
                             const std::vector<Reached>& arrays,
                             const std::vector<PushConstant>& constants, const std::string& before,
                             const std::string& body, const std::string& after) {
  KernelInterface interface;
  interface.name = std::move(name);
  for (const Binding& binding : bindings) {
    if (binding.addressing == Addressing::pointer) {
      interface.features.add({Feature::buffer_address, Feature::i64});
    }
    if (binding.type == ScalarType::f64) interface.features.add(Feature::f64);
    if (size_of(binding.type) == 2) interface.features.add(Feature::storage16);
    if (size_of(binding.type) == 1) interface.features.add(Feature::storage8);
  }
  std::string glsl = R"(#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 1) in;
)";
  for (const Reached& array : arrays) glsl += array.declaration;
  glsl += "layout(push_constant) uniform Args {\n";
  for (const Binding& binding : bindings) {
    if (binding.addressing != Addressing::pointer) continue;
    interface.push_constants.push_back({address_name(binding.name), ScalarType::u64});
    glsl += "  uint64_t " + address_name(binding.name) + ";\n";
  }
  for (const PushConstant& constant : constants) {
    interface.push_constants.push_back(constant);
    glsl += (constant.type == ScalarType::i32 ? "  int " : "  uint ") + constant.name + ";\n";
  }
  glsl += "};\nvoid main() {\n  " + before + "  for (int i = first; i < int(n); ++i) {\n    " +
          body + "  }\n  " + after + "}\n";
  interface.bindings = std::move(bindings);
  return compiled(std::move(interface), std::move(glsl));
}

}  // namespace

CompiledKernel sum_kernel(ScalarType type, Addressing addressing) {
  const std::map<ScalarType, const char*> names = {{ScalarType::f16, "float16_t"},
                                                   {ScalarType::f32, "float"},
                                                   {ScalarType::f64, "double"},
                                                   {ScalarType::i8, "int8_t"},
                                                   {ScalarType::i32, "int"}};
  const ScalarType sum = is_floating(type) ? ScalarType::f32 : ScalarType::i32;
  const std::string number = is_floating(type) ? "float" : "int";
  const Reached a = reached("a", type, names.at(type), 0, addressing);
  const Reached out = reached("sum", sum, number.c_str(), 1, Addressing::descriptor);
  return over_elements(
      "sum",
      {{"a", type, Access::read, {"n"}, {}, 1, addressing}, {"sum", sum, Access::write, {1}}},
      {a, out}, {{"first", ScalarType::i32}, {"n"}}, number + " all = 0;\n",
      "all += " + number + "(" + a.element + ");\n", "sum[0] = all;\n");
}

CompiledKernel store_kernel(Addressing addressing) {
  const Reached dst = reached("dst", ScalarType::u32, "uint", 0, addressing);
  return over_elements("store", {{"dst", ScalarType::u32, Access::write, {"n"}, {}, 1, addressing}},
                       {dst}, {{"first", ScalarType::i32}, {"n"}, {"value"}}, "",
                       dst.element + " = value;\n", "");
}

CompiledKernel copy_kernel(Addressing addressing) {
  const Reached src = reached("src", ScalarType::u32, "uint", 0, addressing);
  const Reached dst = reached("dst", ScalarType::u32, "uint", 1, addressing);
  return over_elements("copy",
                       {{"src", ScalarType::u32, Access::read, {"n"}, {}, 1, addressing},
                        {"dst", ScalarType::u32, Access::write, {"n"}, {}, 1, addressing}},
                       {src, dst}, {{"first", ScalarType::i32}, {"n"}}, "",
                       dst.element + " = " + src.element + ";\n", "");
}

CompiledKernel affine_kernel(bool split) {
  KernelInterface interface;
  interface.name = "affine";
  interface.bindings = {{"a", ScalarType::u32, Access::read, {"n"}},
                        {"b", ScalarType::u32, Access::write, {"n"}}};
  interface.push_constants = {"n"};
  if (split) interface.push_constants.push_back(kFirstGroup[0]);
  interface.grid = {GridDimension{"n", 64}, GridDimension{1, 1}};
  interface.workgroup_size = {64, 1, 1};
  const std::string first = split ? "uint first_group_x;" : "";
  const std::string group = split ? "gl_WorkGroupID.x + first_group_x" : "gl_WorkGroupID.x";
  return compiled(std::move(interface), R"(#version 460
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) writeonly buffer B { uint b[]; };
layout(push_constant) uniform Args { uint n; )" +
                                            first + R"( };
void main() {
  uint i = ()" + group + R"() * 64u + gl_LocalInvocationIndex;
  if (i < n) b[i] = 2u * a[i] + 1u;
}
)");
}

CompiledKernel coordinate_kernel() {
  KernelInterface interface;
  interface.name = "coordinate";
  interface.bindings = {{"dst", ScalarType::u32, Access::write, {"cols", "rows"}}};
  interface.push_constants = {"cols", "rows", kFirstGroup[0], kFirstGroup[1]};
  interface.grid = {GridDimension{"cols", 1}, GridDimension{"rows", 1}};
  return compiled(std::move(interface), R"(#version 460
layout(local_size_x = 1) in;
layout(std430, binding = 0) writeonly buffer Dst { uint dst[]; };
layout(push_constant) uniform Args { uint cols; uint rows; uint first_group_x; uint first_group_y; };
void main() {
  uint x = gl_WorkGroupID.x + first_group_x;
  uint y = gl_WorkGroupID.y + first_group_y;
  if (x < cols && y < rows) dst[x + y * cols] = x + 1000u * y;
}
)");
}

CompiledKernel increment_kernel() {
  KernelInterface interface;
  interface.name = "increment";
  interface.bindings = {{"a", ScalarType::u32, Access::read_write, {"n"}}};
  interface.push_constants = {"n", kFirstGroup[0]};
  interface.grid = {GridDimension{"n", 64}, GridDimension{1, 1}};
  interface.workgroup_size = {64, 1, 1};
  return compiled(std::move(interface), R"(#version 460
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint a[]; };
layout(push_constant) uniform Args { uint n; uint first_group_x; };
void main() {
  uint i = (gl_WorkGroupID.x + first_group_x) * 64u + gl_LocalInvocationIndex;
  if (i < n) a[i] += 1u;
}
)");
}

CompiledKernel spin_kernel() {
  KernelInterface interface;
  interface.name = "spin";
  interface.bindings = {{"a", ScalarType::u32, Access::read_write, {2}}};
  interface.push_constants = {"rounds"};
  return compiled(std::move(interface), R"(#version 460
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer A { uint a[]; };
layout(push_constant) uniform Args { uint rounds; };
void main() {
  uint x = a[0];
  for (uint i = 0u; i < rounds; ++i) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
  }
  a[1] = x;
}
)");
}

CompiledKernel subgroup_kernel(std::uint32_t lanes) {
  KernelInterface interface;
  interface.name = "subgroup";
  interface.bindings = {{"dst", ScalarType::u32, Access::write, {2, 64}}};
  interface.workgroup_size = {64, 1, 1};
  interface.features = {Feature::subgroup_basic};
  interface.subgroup_size = lanes;
  return compiled(std::move(interface), R"(#version 460
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) writeonly buffer Dst { uvec2 dst[]; };
void main() {
  uint thread = gl_SubgroupSize * gl_SubgroupID + gl_SubgroupInvocationID;
  dst[thread] = uvec2(gl_SubgroupSize, thread);
}
)");
}

}  // namespace vkmoye::test
