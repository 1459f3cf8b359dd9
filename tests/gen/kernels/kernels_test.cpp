// SPDX-License-Identifier: MIT
// Typed configs give the kernels that the registry has by name.

#include "vkmoye/gen/kernels/kernels.hpp"

#include "support/expect.hpp"
#include "support/fake_devices.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {
namespace {

using enum ScalarType;

// The shader below its first lines, which name the config and the command.
std::string body_of(ir::Kernel kernel) {
  kernel.command.clear();
  return glsl::print(kernel);
}

std::string of_registry(const char* name, const KernelRequest& request) {
  return body_of(kernel_named(name).describe(request));
}

TEST(TypedKernels, AreThoseOfTheRegistry) {
  const auto of_type = [](const char* name, ScalarType type, const Options& options = {}) {
    return of_registry(name, request_of(type, options));
  };
  EXPECT_EQ(body_of(softmax({.type = f16})), of_type("softmax/rows", f16));
  EXPECT_EQ(body_of(argmax({.type = bf16})), of_type("argmax/rows", bf16));
  EXPECT_EQ(body_of(rms_norm({{.type = f16}, 1e-6})),
            of_type("norm/rms", f16, {{"epsilon", "1e-06"}}));
  EXPECT_EQ(body_of(residual_norm({})), of_type("norm/residual", f32));
  EXPECT_EQ(body_of(layer_norm({{.type = e4m3}})), of_type("norm/layer", e4m3));
  EXPECT_EQ(body_of(reduce({{.type = i8}, /*axis=*/0}, kSum, "reduce/sum")),
            of_type("reduce/sum", i8, {{"axis", "0"}}));
  EXPECT_EQ(body_of(rope({.type = f16, .pairs = RopePairs::halves})),
            of_type("rope/rows", f16, {{"pairs", "halves"}}));
  EXPECT_EQ(body_of(gate({.type = f16})), of_type("gate/rows", f16));
  EXPECT_EQ(body_of(copy_auto({.type = f32, .result = f16})),
            of_registry("copy/auto", {.form = ElementsForm(f32, {}, f16)}));
}

TEST(TypedKernels, OfAProductAndOfAttentionAreChosenForTheDevice) {
  const DeviceCaps device = test::h200_like();
  const GemmForm form = {.a_type = f16, .b_type = f16, .result = f16};
  EXPECT_THAT(gemm(form).name, StrEq("gemm/simt"));
  EXPECT_THAT(gemm(form, device).name, StrEq("gemm/coopmat"));
  EXPECT_THAT(gemm({form, {{1, 4096, 4096}}}, device).name, StrEq("gemm/thin"));
  const AttentionCall call = {.form = {.width = 128, .causal = true}, .queries = 512, .keys = 512};
  EXPECT_THAT(attention(call, f16).name, StrEq("attention/simt"));
  EXPECT_REFUSED(attention({.form = {.width = 12}}, f16), KernelError, "width");
}

}  // namespace
}  // namespace vkmoye::gen
