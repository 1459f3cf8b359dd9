// SPDX-License-Identifier: MIT
// A kernel written by hand beside a generated one, on every device.

#include <numeric>

#include "kernels_device/compute_fixture.hpp"

namespace vkmoye::test {
namespace {

TEST_F(ComputeTest, AHandWrittenShaderRunsWithTheArgumentsAndTheGridThatItsBuilderDeclares) {
  Builder k("mine/reversed", 64);
  k.input("src", ScalarType::u32, {{"i", "count"}});
  k.output("dst", ScalarType::u32, {{"i", "count"}});
  k.grid(0, "count", 64);
  const gen::ir::Kernel kernel = k.finish_with_glsl({.glsl = R"(#version 460
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Src { uint src[]; };
layout(std430, binding = 1) writeonly buffer Dst { uint dst[]; };
layout(push_constant) uniform Arguments { uint count, first_group_x, first_group_y; };
void main() {
  uint i = 64u * (gl_WorkGroupID.x + first_group_x) + gl_LocalInvocationIndex;
  if (i < count) dst[i] = src[count - 1u - i];
}
)"});
  for_each_device([&](Device& device) {
    for (const std::size_t count : {1u, 63u, 64u, 65u, 10007u}) {
      std::vector<Bits> src(count);
      std::iota(src.begin(), src.end(), Bits{7});
      const auto found = run(device, kernel, {bytes_of(ScalarType::u32, src)}, ScalarType::u32,
                             count, {{"count", count}});
      EXPECT_EQ(found, std::vector<Bits>(src.rbegin(), src.rend())) << count << " elements";
    }
  });
}

}  // namespace
}  // namespace vkmoye::test
