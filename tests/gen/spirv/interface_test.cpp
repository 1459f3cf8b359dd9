// SPDX-License-Identifier: MIT
// SPIR-V from the shader compiler with interfaces that do not match it: each difference is found.

#include <functional>

#include "support/expect.hpp"
#include "support/fake_devices.hpp"
#include "vkmoye/contract/kernel_file.hpp"
#include "vkmoye/contract/spirv.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {
namespace {

using Change = std::function<void(KernelInterface&)>;

CompiledKernel compiled(const char* name, ScalarType type, const Options& options = {}) {
  KernelRequest request;
  request.form = type;
  request.options = options;
  request.device = test::h200_like();
  return compile(find_kernel(name)->describe(request));
}

void expect_refused(const CompiledKernel& kernel, const Change& change, const std::string& why) {
  EXPECT_THAT(reasons_against_spirv(kernel.interface, kernel.spirv), IsEmpty());
  CompiledKernel lie = kernel;
  change(lie.interface);
  EXPECT_THAT(reasons_against_spirv(lie.interface, lie.spirv), Contains(HasSubstr(why)));
  EXPECT_ANY_THROW(parse_kernel(kernel_text(lie)));
}

TEST(InterfaceOfSpirv, EachFeatureOfTheInterfaceIsAsked) {
  const CompiledKernel kernels[] = {
      compiled("gemm/coopmat", ScalarType::f16), compiled("gemm/simt", ScalarType::f64),
      compiled("copy/simple", ScalarType::i8), compiled("copy/simple", ScalarType::f16),
      compiled("softmax/rows", ScalarType::f32)};
  FeatureSet found;
  for (const CompiledKernel& kernel : kernels) {
    for (const Feature feature : kernel.interface.features.list()) {
      KernelInterface lie = kernel.interface;
      lie.features = {};
      for (const Feature other : kernel.interface.features.list()) {
        if (other != feature) lie.features.add(other);
      }
      const auto reasons = reasons_against_spirv(lie, kernel.spirv);
      // Some features have no capability of their own: i8 only in buffers, the subgroup size.
      if (reasons.empty()) continue;
      EXPECT_THAT(reasons, Contains(HasSubstr("its interface lacks the feature " +
                                              std::string(to_string(feature)))));
      found.add(feature);
    }
  }
  for (const Feature feature :
       {Feature::f16, Feature::f64, Feature::i8, Feature::storage8, Feature::storage16,
        Feature::cooperative_matrix, Feature::subgroup_basic, Feature::subgroup_arithmetic}) {
    EXPECT_TRUE(found.has(feature)) << to_string(feature);
  }
}

TEST(InterfaceOfSpirv, PushConstantsHaveTheirNamesTypesAndPlaces) {
  const CompiledKernel kernel = compiled("gemm/simt", ScalarType::f32);
  const auto refused = [&](const Change& change) {
    expect_refused(kernel, change, "push constants are ");
  };
  refused([](KernelInterface& lie) { lie.push_constants.pop_back(); });
  refused([](KernelInterface& lie) { lie.push_constants.emplace_back("more"); });
  refused([](KernelInterface& lie) { lie.push_constants.clear(); });
  refused([](KernelInterface& lie) { lie.push_constants[0].name = "other"; });
  refused([](KernelInterface& lie) { lie.push_constants[0].type = ScalarType::f64; });
  refused([](KernelInterface& lie) { lie.push_constants[0].type = ScalarType::i32; });
  refused([](KernelInterface& lie) { std::swap(lie.push_constants[0], lie.push_constants[1]); });
}

TEST(InterfaceOfSpirv, BuffersAreWhereAndWhatTheyAre) {
  const CompiledKernel kernel = compiled("gemm/simt", ScalarType::f32);
  const auto refused = [&](const Change& change, const char* why) {
    expect_refused(kernel, change, why);
  };
  refused([](KernelInterface& lie) { lie.bindings.pop_back(); },
          "at binding 2, but its interface has none");
  refused([](KernelInterface& lie) { lie.bindings[0].addressing = Addressing::pointer; },
          "at binding 0, but its interface has none");
  refused([](KernelInterface& lie) { lie.bindings[2].access = Access::read; },
          "its interface only reads ");
  refused([](KernelInterface& lie) { lie.bindings[0].access = Access::write; },
          "its interface only writes ");
  refused([](KernelInterface& lie) { lie.bindings[0].alignment = 4; },
          "at multiples of 4 bytes, but its SPIR-V accesses 16 at once");
}

TEST(InterfaceOfSpirv, WorkgroupsSharedMemoryAndMatricesAreAsked) {
  const CompiledKernel kernel = compiled("gemm/coopmat", ScalarType::f16);
  expect_refused(
      kernel, [](KernelInterface& lie) { lie.shared_bytes /= 2; },
      "bytes of shared memory, but its interface has");
  expect_refused(
      kernel, [](KernelInterface& lie) { lie.workgroup_size[0] *= 2; }, "workgroups are ");
  expect_refused(
      kernel, [](KernelInterface& lie) { lie.matrices.clear(); },
      "its SPIR-V multiplies matrices 16x");
  expect_refused(
      kernel, [](KernelInterface& lie) { lie.matrices[0].k *= 2; },
      "which its interface does not have");
  expect_refused(
      kernel, [](KernelInterface& lie) { lie.matrices[0].c = "f64"; },
      "which its interface does not have");
  const CompiledKernel whole = compiled("gemm/coopmat", ScalarType::i8);
  expect_refused(
      whole, [](KernelInterface& lie) { lie.matrices[0].a = "u8"; },
      "which its interface does not have");
}

}  // namespace
}  // namespace vkmoye::gen
