// SPDX-License-Identifier: MIT
// Epilogues of products: the steps that there are, steps of one's own, what is refused.

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "support/expect.hpp"
#include "support/fragment_orders.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/products/choice/gemm_plan.hpp"
#include "vkmoye/gen/kernels/products/form/epilogue.hpp"
#include "vkmoye/gen/kernels/products/simt.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"

namespace vkmoye::gen {
namespace {

GemmEpilogue steps(const std::vector<std::string>& names) {
  GemmEpilogue out;
  for (const std::string& name : names) out.push_back(*find_epilogue_op(name));
  return out;
}

GemmSimtConfig small() {
  GemmSimtConfig config;
  config.tile_m = config.tile_n = 16;
  config.threads = Layout(IntTuple{8, 4});
  config.vector_bytes = 16;
  config.values_n = 2;
  return config;
}

// --- every kernel ---

// A product that takes a form and leaves its epilogue out would be wrong in silence.
TEST(GemmEpilogue, EveryProductReadsWhatItsStepsRead) {
  for (const KernelEntry& entry : registry()) {
    if (entry.operation != "gemm") continue;
    for (const bool all : {false, true}) {
      KernelRequest request = request_of(entry.types.front());
      request.product().accumulator = ScalarType::f32;
      request.product().epilogue = steps({"bias", "relu"});
      if (all) {
        request.product().beta = request.product().batched = true;
        request.product().epilogue = {epilogue_ops().begin(), epilogue_ops().end()};
      }
      const ir::Kernel kernel = test::described(entry, request);
      const KernelInterface interface = interface_of(kernel);
      std::vector<std::string> names;
      for (const Binding& binding : interface.bindings) names.push_back(binding.name);
      if (all) {
        EXPECT_THAT(names,
                    ElementsAre("a", "b", "bias", "bias_m", "residual", "scale_m", "scale_n", "c"))
            << entry.name;
        EXPECT_THAT(interface.push_constants, Contains(PushConstant("scale", ScalarType::f32)));
      } else {
        EXPECT_THAT(names, ElementsAre("a", "b", "bias", "c")) << entry.name;
      }
      const std::string text = glsl::print(kernel);
      EXPECT_THAT(text.substr(0, text.find("#version")),
                  HasSubstr(all ? " epilogue=bias,bias_m,relu," : " epilogue=bias,relu"));
      EXPECT_THAT(text, HasSubstr("after_relu"));
    }
  }
}

// A residual in place: C is read and written, and nothing else is bound.
TEST(GemmEpilogue, TheResidualMayBeC) {
  GemmForm form;
  form.epilogue = steps({"relu", "residual_c"});
  for (const bool beta : {false, true}) {
    form.beta = beta;
    const ir::Kernel kernel = gemm_simt(small(), form, "gemm");
    const KernelInterface interface = interface_of(kernel);
    ASSERT_EQ(interface.bindings.size(), 3u);
    EXPECT_EQ(interface.bindings[2].access, Access::read_write);
    std::vector<float> a = {2, -2}, b = {1}, c = {10, 20};  // 2 x 1 of k = 1
    Arguments arguments = {{"m", 2},   {"n", 1},   {"k", 1},      {"lda", 1},
                           {"ldb", 1}, {"ldc", 1}, {"alpha", 1.0}};
    if (beta) arguments["beta"] = 0.5;
    const TwinReport report = run_on_host(kernel, {a, b, c}, arguments);
    EXPECT_THAT(report.reasons, IsEmpty());
    // relu(2 + beta 10) + 10, relu(-2 + beta 20) + 20
    EXPECT_EQ(c, beta ? (std::vector<float>{17, 28}) : (std::vector<float>{12, 20}));
  }
}

TEST(GemmEpilogue, WhatIsReadHasTheExtentsOfC) {
  GemmForm form;
  form.result = ScalarType::f16;
  form.batched = true;
  form.epilogue = steps({"residual", "bias_m"});
  const KernelInterface interface = interface_of(gemm_simt(small(), form, "gemm"));
  EXPECT_EQ(interface.bindings[2].extents, (std::vector<Extent>{"n", "m", "batch"}));
  EXPECT_EQ(interface.bindings[2].strides, (std::vector<Extent>{1, "ldc", "stride_c"}));
  EXPECT_EQ(interface.bindings[3].extents, (std::vector<Extent>{"m"}));
  EXPECT_EQ(interface.bindings[3].type, ScalarType::f16);
}

// --- each step, on the host ---

// C of 1 x count after `epilogue`, of an A and a B without any k, and beta * C.
std::vector<float> finished(const GemmEpilogue& epilogue, std::vector<float> c,
                            std::vector<float> input = {}) {
  GemmForm form;
  form.beta = true;
  form.epilogue = epilogue;
  const auto count = static_cast<std::int64_t>(c.size());
  std::vector<float> none;
  std::vector<HostArray> buffers = {none, none};
  if (!input.empty()) buffers.push_back(input);
  buffers.push_back(c);
  const TwinReport report = run_on_host(gemm_simt(small(), form, "gemm"), buffers,
                                        {{"m", 1},
                                         {"n", count},
                                         {"k", 0},
                                         {"lda", 1},
                                         {"ldb", 1},
                                         {"ldc", count},
                                         {"alpha", 1.0},
                                         {"beta", 1.0},
                                         {"scale", 0.5}});
  EXPECT_THAT(report.reasons, IsEmpty());
  return c;
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

TEST(GemmEpilogue, NaNsAndInfinitiesComeThroughEachStep) {
  const std::vector<float> odd = {kNaN, kInfinity, -kInfinity, 3e38f, -3e38f, 0, -100, 100};
  const auto expect = [&](const char* step, const std::vector<float>& expected) {
    const std::vector<float> got = finished(
        steps({step}), odd,
        std::string(step) == "bias" ? std::vector<float>(odd.size(), 1) : std::vector<float>());
    for (std::size_t i = 0; i < odd.size(); ++i) {
      const bool alike = std::isnan(expected[i]) ? std::isnan(got[i]) : got[i] == expected[i];
      EXPECT_TRUE(alike) << step << " of " << odd[i] << " is " << got[i];
    }
  };
  expect("relu", {kNaN, kInfinity, 0, 3e38f, 0, 0, 0, 100});
  expect("gelu", {kNaN, kInfinity, 0, 3e38f, 0, 0, 0, 100});
  expect("silu", {kNaN, kInfinity, 0, 3e38f, 0, 0, 0, 100});
  expect("scale", {kNaN, kInfinity, -kInfinity, 1.5e38f, -1.5e38f, 0, -50, 50});
  expect("bias", {kNaN, kInfinity, -kInfinity, 3e38f, -3e38f, 1, -99, 101});
}

TEST(GemmEpilogue, GeluAndSiluAreTheirDefinitions) {
  std::vector<float> x;
  for (float v = -40; v <= 40; v += 0.37f) x.push_back(v);
  const std::vector<float> gelu = finished(steps({"gelu"}), x), silu = finished(steps({"silu"}), x);
  const double root = std::sqrt(2 / std::acos(-1.0));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double v = x[i], near = 6 * 0x1p-23 * std::fabs(v);
    EXPECT_NEAR(gelu[i], 0.5 * v * (1 + std::tanh(root * (v + 0.044715 * v * v * v))), near) << v;
    EXPECT_NEAR(silu[i], v / (1 + std::exp(-v)), near) << v;
  }
}

TEST(GemmEpilogue, StepsAreTakenInTheirOrder) {
  const std::vector<float> c = {-4, 1, 6}, bias = {2, -3, 1};
  EXPECT_THAT(finished(steps({"bias", "relu", "scale"}), c, bias), ElementsAre(0, 0, 3.5f));
  EXPECT_THAT(finished(steps({"relu", "scale", "bias"}), c, bias), ElementsAre(2, -2.5f, 4));
}

// --- steps of one's own ---

TEST(GemmEpilogue, AStepIsAFunctionOfElementCoordinatesAndWhatItReads) {
  GemmForm form;
  form.batched = true;
  form.epilogue = {{.name = "mix",
                    .inputs = {{"column", GemmInput::Along::n}, {"row", GemmInput::Along::m}},
                    .arguments = {"factor"},
                    .function = [](Builder&, const GemmElement& e) {
                      const auto f32 = [](const Expr& i) { return convert(i, ScalarType::f32); };
                      const Expr place = f32(e.m) * 100 + f32(e.n) * 10 + f32(e.batch);
                      return e.value * e.arguments[0] + e.inputs[0] * e.inputs[1] + place;
                    }}};
  const std::int64_t m = 19, n = 18, batch = 2;
  std::vector<float> a(m * batch), b(n * batch), column(n), row(m), c(m * n * batch);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5);
  for (std::size_t i = 0; i < column.size(); ++i) column[i] = static_cast<float>(i);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<float>(i % 3);
  const TwinReport report = run_on_host(gemm_simt(small(), form, "gemm"), {a, b, column, row, c},
                                        {{"m", m},
                                         {"n", n},
                                         {"k", 1},
                                         {"lda", 1},
                                         {"ldb", 1},
                                         {"ldc", n},
                                         {"alpha", 1.0},
                                         {"factor", 3.0},
                                         {"batch", batch},
                                         {"stride_a", m},
                                         {"stride_b", n},
                                         {"stride_c", m * n}});
  EXPECT_THAT(report.reasons, IsEmpty());
  for (std::int64_t z = 0; z < batch; ++z) {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        const auto at = [](auto& values, std::int64_t index) {
          return values[static_cast<std::size_t>(index)];
        };
        const float product = at(a, z * m + i) * at(b, z * n + j);
        const auto place = static_cast<float>(100 * i + 10 * j + z);
        ASSERT_EQ(at(c, (z * m + i) * n + j), product * 3 + at(column, j) * at(row, i) + place);
      }
    }
  }
}

// --- a further result ---

const EpilogueOp& weighted_copy() {
  static const EpilogueOp step = {
      .name = "weigh",
      .inputs = {{"weight", GemmInput::Along::n}},
      .function = [](Builder&, const GemmElement& e) { return e.value * e.inputs[0]; },
      .output = "weighted"};
  return step;
}

TEST(GemmEpilogue, EveryProductWritesTheOutputOfItsLastStep) {
  for (const KernelEntry& entry : registry()) {
    if (entry.operation != "gemm") continue;
    KernelRequest request = request_of(entry.types.front());
    request.product().accumulator = ScalarType::f32;
    request.product().beta = true;
    request.product().epilogue = {weighted_copy()};
    std::vector<std::string> names;
    for (const Binding& binding : interface_of(test::described(entry, request)).bindings)
      names.push_back(binding.name);
    EXPECT_THAT(names, ElementsAre("a", "b", "weight", "c", "weighted")) << entry.name;
  }
}

// An output may have another type than C, with narrower elements or wider ones.
TEST(GemmEpilogue, TheOutputMayHaveATypeOfItsOwn) {
  const std::vector<std::int64_t> size = {3, 8, 4};  // M, N, K
  EpilogueOp halves = weighted_copy(), floats = weighted_copy();
  halves.output_type = ScalarType::f16;
  floats.output_type = ScalarType::f32;
  const auto half = [](float x) { return static_cast<std::uint16_t>(bits_of(ScalarType::f16, x)); };
  // a and b are 1, so that C is 4 everywhere; weights are 0 to 7.
  std::vector<float> a(12, 1), b(32, 1), weight(8), c(24), wide(24, -7);
  std::vector<std::uint16_t> a16(12, half(1)), b16(32, half(1)), weight16(8), c16(24), narrow(24);
  for (std::size_t i = 0; i < 8; ++i) {
    weight[i] = static_cast<float>(i);
    weight16[i] = half(weight[i]);
  }
  const auto run = [&](const EpilogueOp& step, ScalarType type,
                       const std::vector<HostArray>& arrays) {
    GemmCall call;
    call.a_type = call.b_type = call.result = type;
    call.epilogue = {{&step}};
    const KernelPlan plan =
        gemm_plan(*find_kernel("gemm/simt"), request_of(call, size), call, size);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      EXPECT_EQ(plan.arrays[i].bytes, arrays[i].bytes.size()) << i;
    }
    const KernelStep& only = plan.steps.front();
    EXPECT_THAT(run_on_host(only.kernel, arrays, only.arguments).reasons, IsEmpty());
  };
  run(halves, ScalarType::f32, {a, b, weight, c, narrow});
  run(floats, ScalarType::f16, {a16, b16, weight16, c16, wide});
  for (std::size_t i = 0; i < 24; ++i) {
    const auto expected = static_cast<float>(4 * (i % 8));
    EXPECT_EQ(c[i], 4);
    EXPECT_EQ(narrow[i], half(expected));
    EXPECT_EQ(c16[i], half(4));
    EXPECT_EQ(wide[i], expected);
  }
}

// With beta, after another step, and when slices of k are combined.
TEST(GemmEpilogue, TheLastStepMayHaveAnOutputOfItsOwn) {
  const std::vector<std::int64_t> size = {5, 23, 40};  // M, N, K
  const auto m = static_cast<std::size_t>(size[0]), n = static_cast<std::size_t>(size[1]),
             k = static_cast<std::size_t>(size[2]);
  const EpilogueOp* relu = find_epilogue_op("relu");
  for (const std::int64_t slices : {1, 3}) {
    for (const bool has_relu : {false, true}) {
      GemmCall call;  // f32
      call.beta = 1;
      call.slices = slices;
      if (has_relu) call.epilogue.push_back({relu});
      call.epilogue.push_back({&weighted_copy()});
      const KernelPlan plan =
          gemm_plan(*find_kernel("gemm/simt"), request_of(call, size), call, size);
      ASSERT_EQ(plan.arrays.size(), 5u);
      EXPECT_EQ(plan.arrays[4].name, "weighted");
      EXPECT_EQ(plan.arrays[4].bytes, plan.arrays[3].bytes);
      std::vector<float> a(m * k), b(n * k), weight(n), c(m * n), weighted(m * n, -7);
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;
      for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2;
      for (std::size_t i = 0; i < n; ++i) weight[i] = static_cast<float>(i % 4);
      for (std::size_t i = 0; i < c.size(); ++i) c[i] = static_cast<float>(i % 9) - 4;
      const std::vector<float> before = c;
      std::vector<float> sums(plan.scratch.empty() ? 0 : plan.scratch[0].bytes / sizeof(float));
      const std::vector<HostArray> arrays = {a, b, weight, c, weighted, sums};
      for (const KernelStep& step : plan.steps) {
        std::vector<HostArray> buffers;
        for (const std::size_t array : step.arrays) buffers.push_back(arrays[array]);
        EXPECT_THAT(run_on_host(step.kernel, buffers, step.arguments).reasons, IsEmpty());
      }
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          float expected = before[i * n + j];
          for (std::size_t at = 0; at < k; ++at) expected += a[i * k + at] * b[j * k + at];
          if (has_relu) expected = std::max(expected, 0.0f);
          ASSERT_EQ(c[i * n + j], expected);
          ASSERT_EQ(weighted[i * n + j], expected * weight[j]);
        }
      }
    }
  }
}

// --- what is refused ---

TEST(GemmEpilogue, WhatCannotBeIsRefusedWithEveryReason) {
  const auto refused = [](ScalarType type, GemmEpilogue epilogue, const auto& text) {
    for (const char* name : {"gemm/simt", "gemm/moye_simple"}) {
      KernelRequest request = request_of(type);
      request.product().epilogue = epilogue;
      EXPECT_REFUSED(find_kernel(name)->describe(request), KernelError, text);
    }
  };
  refused(ScalarType::i32, steps({"bias", "gelu", "silu"}),
          AllOf(HasSubstr("gelu needs the type f32, but alpha * A * B^T has type i32"),
                HasSubstr("silu needs the type f32")));
  refused(ScalarType::f64, steps({"gelu"}), "alpha * A * B^T has type f64");
  refused(ScalarType::f32, steps({"bias", "relu", "bias"}), "bias occurs more than once");
  refused(ScalarType::f32, {{.name = "nothing"}}, "nothing has no function");
  EXPECT_EQ(find_epilogue_op("Bias"), nullptr);
  refused(ScalarType::f32, {weighted_copy(), *find_epilogue_op("relu")},
          "weigh has the output weighted, so it must be the last step");
  for (const char* name : {"weight", "c"}) {
    EpilogueOp taken = weighted_copy();
    taken.output = name;
    taken.reads_c = true;
    refused(ScalarType::f32, {taken},
            AllOf(HasSubstr("so it must not read C as it was before"),
                  HasSubstr("but another array of the product has that name")));
  }
}

// The scales are f32, C has vectors of 8 f16.
TEST(GemmEpilogue, AnInputMayHaveWiderElementsThanC) {
  KernelRequest request = request_of(ScalarType::f16);
  request.product().epilogue = {*find_epilogue_op("scale_n"), *find_epilogue_op("scale_m")};
  request.options = {{"along-k", "8"}, {"reads", "2x2"},  {"rows", "4"},
                     {"small", "m"},   {"threads", "32"}, {"vector", "16"}};
  EXPECT_NO_THROW(find_kernel("gemm/thin")->describe(request));
}

}  // namespace
}  // namespace vkmoye::gen
