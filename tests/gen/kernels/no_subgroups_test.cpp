// SPDX-License-Identifier: MIT
// --subgroup-size 1: kernels without operations of subgroups, for devices whose subgroups have any size.

#include "support/expect.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::test {
namespace {

using namespace gen;

TEST(WithoutSubgroups, NothingIsAskedOfSubgroups) {
  for (const char* name : {"softmax/rows", "norm/rms", "norm/layer", "norm/residual", "reduce/sum",
                           "argmax/rows", "topk/rows", "gemm/thin"}) {
    SCOPED_TRACE(name);
    const KernelEntry& entry = *find_kernel(name);
    const auto described = [&](const char* lanes) {
      return entry.describe(request_of(ScalarType::f32, {{"subgroup-size", lanes}}));
    };
    const ir::Kernel kernel = described("1");
    const KernelInterface interface = ir::interface_of(kernel);
    EXPECT_EQ(interface.subgroup_size, 0u);
    for (const Feature feature : {Feature::subgroup_basic, Feature::subgroup_arithmetic,
                                  Feature::subgroup_shuffle, Feature::subgroup_ballot}) {
      EXPECT_FALSE(interface.features.has(feature));
    }
    EXPECT_THAT(compile(kernel).glsl, Not(HasSubstr("gl_Subgroup")));
    EXPECT_EQ(ir::interface_of(described("32")).subgroup_size, 32u);
  }
}

}  // namespace
}  // namespace vkmoye::test
