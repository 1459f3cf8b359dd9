// SPDX-License-Identifier: MIT
// Sizes as specialisation constants: the text, the interface, what is refused, and the twin. All on the host;
// kernels_device/specialised_sizes_test.cpp runs the same kernels on devices.

#include <numeric>

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/kernel_file.hpp"
#include "vkmoye/contract/kernel_interface.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/passes/fixed_sizes.hpp"
#include "vkmoye/gen/passes/sizes_from_buffer.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"
#include "vkmoye/gen/verify/verify.hpp"

namespace vkmoye::gen {
namespace {

ir::Kernel kernel_called(const char* name) {
  return find_kernel(name)->describe({ScalarType::f32});
}

TEST(SpecialisedSizes, AreConstantsInsteadOfPushConstants) {
  const ir::Kernel kernel = with_specialised_sizes(kernel_called("gemm/moye_simple"), {"n", "lda"});
  const std::string text = glsl::print(kernel);
  EXPECT_THAT(text, AllOf(HasSubstr("layout(constant_id = 0) const uint n = 1u;\n"),
                          HasSubstr("layout(constant_id = 1) const uint lda = 1u;\n"),
                          HasSubstr("uniform Arguments { uint m, k, ldb, ldc"),
                          HasSubstr("specialised=n,lda"), HasSubstr(" --specialise n,lda")));
  const KernelInterface before = ir::interface_of(kernel_called("gemm/moye_simple"));
  const KernelInterface after = ir::interface_of(kernel);
  EXPECT_EQ(after.push_constants.size() + 2, before.push_constants.size());
  ASSERT_EQ(after.specialised.size(), 2u);
  EXPECT_EQ(after.specialised[1].name, "lda");
  EXPECT_EQ(after.bindings[0].strides, before.bindings[0].strides);
  // The statements are the same, so the proof for all sizes holds.
  EXPECT_THAT(verify(kernel), IsEmpty());
  const CompiledKernel compiled = compile(kernel);
  EXPECT_EQ(kernel_text(parse_kernel(kernel_text(compiled))), kernel_text(compiled));
}

TEST(SpecialisedSizes, CanBeAllSizes) {
  const ir::Kernel kernel = kernel_called("copy/simple");
  EXPECT_THAT(fixable_sizes(kernel), ElementsAre("cols", "rows"));
  const CompiledKernel compiled = compile(with_specialised_sizes(kernel, fixable_sizes(kernel)));
  EXPECT_THAT(compiled.glsl, Not(HasSubstr("uint cols,")));
  for (const PushConstant& constant : compiled.interface.push_constants) {
    EXPECT_TRUE(is_first_group(constant.name)) << constant.name;
  }
}

TEST(SpecialisedSizes, AreRefusedWithEveryReason) {
  const ir::Kernel product = kernel_called("gemm/moye_simple");
  EXPECT_REFUSED(with_specialised_sizes(product, {"m", "rows", "alpha", "first_group_x", "m"}),
                 ArgumentError,
                 AllOf(HasSubstr("specialise gemm/moye_simple:"), HasSubstr("m is named twice"),
                       HasSubstr("'rows' is not a size of the kernel (m, n, k"),
                       HasSubstr("'alpha' is not"), HasSubstr("'first_group_x' is not")));
  EXPECT_REFUSED(with_specialised_sizes(product, {}), ArgumentError, "no size is named");
  const ir::Kernel once = with_specialised_sizes(product, {"m"});
  EXPECT_REFUSED(with_specialised_sizes(once, {"n"}), ArgumentError,
                 "already has specialisation constants");
  EXPECT_REFUSED(bake(once, {{"m", 5}}), ArgumentError, "m is a specialisation constant");
  const Arguments maxima = {{"m", 70}, {"n", 33}, {"k", 20}, {"alpha", 1.5}};
  EXPECT_REFUSED(with_sizes_from_buffer(once, {"k"}, maxima), ArgumentError,
                 "specialise the kernel of the plan instead");
  const ir::Kernel of_plan = with_sizes_from_buffer(product, {"k"}, maxima).steps[1].kernel;
  EXPECT_REFUSED(with_specialised_sizes(of_plan, {"k"}), ArgumentError, "k is read from a buffer");
  EXPECT_THAT(verify(with_specialised_sizes(of_plan, {"n"})), IsEmpty());
}

// What the pass refuses, the verifier refuses too.
TEST(SpecialisedSizes, AreVerified) {
  ir::Kernel kernel = kernel_called("copy/simple");
  kernel.specialised = {"cols", "cols", "first_group_x", "depth"};
  EXPECT_THAT(verify(kernel),
              AllOf(Contains(HasSubstr("cols is a specialisation constant twice")),
                    Contains(HasSubstr("constant 'first_group_x' is not an argument of type u32")),
                    Contains(HasSubstr("constant 'depth' is not an argument of type u32"))));
}

TEST(SpecialisedSizes, RunOnTheHostWithTheirValues) {
  const ir::Kernel kernel =
      with_specialised_sizes(kernel_called("transpose/padded"), {"cols", "rows"});
  for (const auto& [rows, cols] : {std::pair(33u, 65u), {1u, 7u}, {64u, 32u}}) {
    std::vector<float> src(rows * cols), dst(rows * cols);
    std::iota(src.begin(), src.end(), 0.0f);
    const TwinReport report = run_on_host(kernel, {src, dst}, {{"rows", rows}, {"cols", cols}});
    EXPECT_THAT(report.reasons, IsEmpty());
    for (std::uint32_t i = 0; i < rows * cols; ++i) {
      ASSERT_EQ(dst[i % cols * rows + i / cols], src[i]) << rows << "x" << cols;
    }
  }
  std::vector<float> none;
  EXPECT_REFUSED(run_on_host(kernel, {none, none}, {{"rows", 0}}), ArgumentError,
                 "argument 'cols' is missing");
}

}  // namespace
}  // namespace vkmoye::gen
