// SPDX-License-Identifier: MIT
#include "runtime/shaders.hpp"

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
