// SPDX-License-Identifier: MIT
// Kernels whose shader was written by hand: what they declare, and that nothing claims more than is known.

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/kernel_file.hpp"
#include "vkmoye/gen/analysis/access_report.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/passes/fixed_sizes.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"
#include "vkmoye/gen/verify/claims.hpp"

namespace vkmoye::gen {
namespace {

const std::string kHead = R"(#version 460
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Src { uint src[]; };
layout(std430, binding = 1) writeonly buffer Dst { uint dst[]; };
layout(push_constant) uniform Arguments { uint count, first_group_x, first_group_y; };
)";
const std::string kReversed = kHead + R"(void main() {
  uint i = 64u * (gl_WorkGroupID.x + first_group_x) + gl_LocalInvocationIndex;
  if (i < count) dst[i] = src[count - 1u - i];
}
)";

Builder declared(std::int64_t threads = 64) {
  Builder k("mine/reversed", threads);
  k.input("src", ScalarType::u32, {{"i", "count"}});
  k.output("dst", ScalarType::u32, {{"i", "count"}});
  k.grid(0, "count", 64);
  return k;
}

TEST(HandWritten, TheTextIsCompiledUnchangedWithTheDeclaredInterface) {
  const ir::Kernel kernel = declared().finish_with_glsl({.glsl = kReversed});
  EXPECT_EQ(glsl::print(kernel), kReversed);
  const CompiledKernel code = compile(kernel);
  EXPECT_EQ(code.glsl, kReversed);
  EXPECT_EQ(code.interface.bindings.size(), 2);
  EXPECT_EQ(group_count(code.interface, {{"count", 65}})[0], 2);
  EXPECT_EQ(code.interface.push_constants,
            (std::vector<PushConstant>{"count", "first_group_x", "first_group_y"}));
}

TEST(HandWritten, EverythingThatReportsClaimsSaysThatNothingIsVerified) {
  const ir::Kernel kernel = declared().finish_with_glsl({.glsl = kReversed});
  const std::string wanted = "nothing in it is verified";
  EXPECT_THAT(ir::interface_of(kernel).assumptions, ElementsAre(HasSubstr(wanted)));
  const std::vector<Claim> claims = claims_of(kernel);
  ASSERT_EQ(claims.size(), 1);
  EXPECT_EQ(claims[0].answer, Claim::Answer::assumed);
  EXPECT_THAT(claims[0].why, HasSubstr(wanted));
  EXPECT_THAT(analyse(kernel).accesses, IsEmpty());
  EXPECT_THAT(parse_kernel(kernel_text(compile(kernel))).interface.assumptions,
              ElementsAre(HasSubstr(wanted)));
}

TEST(HandWritten, TheTwinAndBakingRefuseIt) {
  const ir::Kernel kernel = declared().finish_with_glsl({.glsl = kReversed});
  std::vector<std::uint32_t> a(4), b(4);
  EXPECT_REFUSED(run_on_host(kernel, {a, b}, {{"count", 4}}), ArgumentError,
                 "only devices run GLSL");
  EXPECT_REFUSED(bake(kernel, {{"count", 4}}), ArgumentError, "cannot become constants");
}

TEST(HandWritten, EveryDifferenceFromTheDeclarationsIsReported) {
  const std::string text = R"(#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Src { uvec4 src[]; };
layout(std430, binding = 2) writeonly buffer Dst { uint dst[]; };
layout(push_constant) uniform Arguments { uint rows, first_group_x, first_group_y; };
shared uint sums[8];
void main() {
  sums[0] = subgroupAdd(rows);
  src[0] = uvec4(sums[0] + first_group_x + first_group_y);
  dst[0] = 1u;
}
)";
  const ir::Kernel kernel = declared(32).finish_with_glsl({.glsl = text});
  EXPECT_REFUSED(
      compile(kernel), KernelError,
      AllOf(HasSubstr("workgroups are 64 x 1 x 1 in its SPIR-V, 32 x 1 x 1 in its interface"),
            HasSubstr("lacks the feature subgroup_arithmetic"),
            HasSubstr("its interface only reads src, but its SPIR-V may write it"),
            HasSubstr("binds src at multiples of 4 bytes, but its SPIR-V accesses 16 at once"),
            HasSubstr("a buffer at binding 2, but its interface has none"),
            HasSubstr("push constants are u32 rows at 0"),
            HasSubstr("uses 32 bytes of shared memory, but its interface has 0")));
}

TEST(HandWritten, FeaturesWideAccessesAndSharedMemoryAreDeclared) {
  Builder k("mine/sums", 64);
  k.input("src", ScalarType::u32, {{"i", 256}});
  k.output("dst", ScalarType::u32, {{"i", 1}});
  k.shared("sums", ScalarType::u32, make_layout({8}));
  const ir::Kernel kernel =
      k.finish_with_glsl({.glsl = R"(#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Src { uvec4 src[]; };
layout(std430, binding = 1) writeonly buffer Dst { uint dst[]; };
shared uint sums[8];
void main() {
  uvec4 x = src[gl_LocalInvocationIndex];
  sums[gl_SubgroupID] = subgroupAdd(x.x + x.y + x.z + x.w);
  barrier();
  if (gl_LocalInvocationIndex != 0u) return;
  uint sum = 0u;
  for (uint i = 0u; i < gl_NumSubgroups; ++i) sum += sums[i];
  dst[0] = sum;
}
)",
                          .features = {Feature::subgroup_basic, Feature::subgroup_arithmetic},
                          .widest = {{"src", 16}}});
  const CompiledKernel code = compile(kernel);
  EXPECT_EQ(code.interface.bindings[0].alignment, 16);
  EXPECT_EQ(code.interface.shared_bytes, 32);
  EXPECT_TRUE(code.interface.features.has(Feature::subgroup_arithmetic));
}

TEST(HandWritten, StatementsBesideTheTextAndWrongDeclarationsAreRefused) {
  EXPECT_THAT(
      [] {
        Builder k = declared();
        k.barrier();
        k.finish_with_glsl({.glsl = kReversed, .widest = {{"sources", 16}}});
      },
      ThrowsMessage<KernelError>(
          AllOf(HasSubstr("1 statements are recorded, but the shader is given as GLSL"),
                HasSubstr("no buffer 'sources' is declared"))));
  EXPECT_REFUSED(compile(declared().finish_with_glsl({.glsl = kHead + "void main() { x = 1; }"})),
                 CompileError, "'x' : undeclared identifier");
  for (const char* text : {"", "void main() {}"}) {
    EXPECT_REFUSED(compile(declared().finish_with_glsl({.glsl = text})), CompileError,
                   "the text has no line '#version 460'");
  }
}

}  // namespace
}  // namespace vkmoye::gen
