// SPDX-License-Identifier: MIT
// Which shipped kernels rest on an assumption about what is written: those of the table in README.md, "What is
// verified".

#include <algorithm>
#include <set>
#include <string>

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/products/gemm_call.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {
namespace {

bool is_assumed(const ir::Kernel& kernel) {
  return std::any_of(
      kernel.assumptions.begin(), kernel.assumptions.end(),
      [](const ir::Assumption& one) { return one.kind == ir::Assumption::Kind::written; });
}

// Kernels that need a device's matrices or a shape are left out.
TEST(AssumedKernels, OfTheDefaultsAreThoseOfTheTable) {
  std::set<std::string> assumed;
  for (const KernelEntry& entry : registry()) {
    for (const ScalarType type : {entry.types.front()}) {
      try {
        if (is_assumed(entry.describe(request_of(type)))) assumed.insert(entry.name);
      } catch (const Error&) {  // a device or a shape is needed
      }
    }
  }
  EXPECT_THAT(assumed, ElementsAre("transpose/auto"));
}

TEST(AssumedKernels, ProductsWithExpertsRestOnTheirOffsets) {
  KernelRequest request = request_of(ScalarType::f32);
  GemmCall call;
  call.experts = 2;
  request.form = GemmProduct(call.form());
  EXPECT_TRUE(is_assumed(find_kernel("gemm/simt")->describe(request)));
  EXPECT_FALSE(is_assumed(find_kernel("gemm/simt")->describe(request_of(ScalarType::f32))));
}

}  // namespace
}  // namespace vkmoye::gen
