// SPDX-License-Identifier: MIT
// Parsing of epilogues, and the check of their results: right ones pass, wrong ones do not.

#include <cmath>
#include <limits>
#include <random>

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/problems/products/check.hpp"
#include "vkmoye/gen/problems/products/epilogue.hpp"

namespace vkmoye::bench {
namespace {

// --- parsing ---

TEST(GemmEpilogue, IsPrintedAsItIsRead) {
  for (const char* text : {"bias,relu", "scale:0.5,bias_m,residual", "gelu", "silu,scale:-2"}) {
    EXPECT_EQ(gen::epilogue_text(gen::parse_epilogue(text)), text);
  }
}

TEST(GemmEpilogue, EveryStepOfTheGeneratorHasAMeaning) {
  for (const gen::EpilogueOp& step : gen::epilogue_ops()) {
    bool exact = true;
    const gen::Expected v =
        gen::after({&step, 2}, {1.5, 0}, 3, gen::range_of(ScalarType::f32), exact);
    EXPECT_TRUE(v.value > 1.2 && v.value < 4.6) << step.name << ' ' << v.value;
    EXPECT_EQ(exact, step.types.empty() || gen::multiplies(step)) << step.name;
  }
}

// Sums whose terms are beyond the range have an infinite bound; then a step must not make it NaN.
TEST(GemmEpilogue, NoStepLosesABound) {
  for (const gen::EpilogueOp& step : gen::epilogue_ops()) {
    for (const double other : {0.0, 3.0}) {
      bool exact = false;
      const double bound = std::numeric_limits<double>::infinity();
      const gen::Expected v =
          gen::after({&step, other}, {1.5, bound}, other, gen::range_of(ScalarType::f64), exact);
      EXPECT_GE(v.bound, 0) << step.name << ' ' << other;
    }
  }
}

TEST(GemmEpilogue, WhatIsNoStepIsRefused) {
  const auto refused = [](const char* text, const auto& why) {
    EXPECT_REFUSED(gen::parse_epilogue(text), ArgumentError, why) << text;
  };
  refused("bais", AllOf(HasSubstr("did you mean 'bias'?"),
                        HasSubstr("known: bias bias_m relu gelu silu residual residual_c scale")));
  refused("", HasSubstr("unknown step ''"));
  refused("bias,,relu", HasSubstr("unknown step ''"));
  refused("bias:1", HasSubstr("'bias:1': bias takes no number"));
  refused("scale", HasSubstr("'scale': expected scale:NUMBER"));
  refused("scale:two", HasSubstr("scale 'two': expected a finite number"));
  refused("residual,relu,residual", HasSubstr("residual is given twice"));
}

TEST(GemmEpilogue, ABiasChangesItsModeWithTheOperands) {
  const auto names = [](bool exchanged) {
    return gen::epilogue_text(kernel_epilogue(gen::parse_epilogue("bias,bias_m,relu"), exchanged));
  };
  EXPECT_EQ(names(false), "bias,bias_m,relu");
  EXPECT_EQ(names(true), "bias_m,bias,relu");
}

TEST(GemmEpilogue, ANumberThatTheAccumulatorDoesNotHoldIsRefused) {
  gen::GemmOptions problem = gen::parse_gemm_type("i32");
  problem.epilogue = gen::parse_epilogue("scale:0.5");
  EXPECT_REFUSED(matrices_of(problem, {4, 5, 6}), ArgumentError,
                 "scale = 0.5 cannot be represented in the accumulator");
}

// --- the bound ---

// Each operation is truncated to 24 bits, which is worse than any rounding that Vulkan allows, except for exp and
// division.
double truncated(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::trunc(std::ldexp(fraction, 24)), exponent - 24);
}

double exp_as_bad_as_allowed(double x, double direction) {
  return std::exp(x) * (1 + direction * (3 + 2 * std::fabs(x)) * 0x1p-24);
}

double gated(double x, double t, double direction) {
  const double divisor = truncated(1 + truncated(exp_as_bad_as_allowed(-t, direction)));
  return truncated(x / divisor) * (1 - direction * 0x1p-23);
}

double as_a_kernel_does(const std::string& step, double x, double input, double direction) {
  const auto t = [](double v) { return truncated(v); };
  if (step == "relu") return x < 0 ? 0 : x;
  if (step.starts_with("scale")) return t(x * truncated(input));
  if (step == "silu") return gated(x, x, direction);
  if (step == "gelu") {
    const double c = t(1.5957691216057308), d = t(1.5957691216057308 * 0.044715);
    return gated(x, t(x * t(t(x * x) * d + c)), direction);
  }
  return t(x + input);
}

TEST(GemmEpilogue, WhatAKernelMayComputeLiesWithinTheBound) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-6, 6);
  double nearest = 0;  // to the bound
  for (const gen::EpilogueOp& step : gen::epilogue_ops()) {
    for (int i = 0; i < 20000; ++i) {
      const double value = uniform(random), input = truncated(uniform(random));
      const double bound = std::fabs(value) * (i % 2 == 0 ? 1e-5 : 0);
      const double direction = i % 4 < 2 ? 1 : -1;
      const double kernels = truncated(value) * 1 + (i % 3 == 0 ? bound : -bound) / 2;
      bool exact = false;
      const gen::Expected v =
          gen::after({&step, input}, {value, bound + std::fabs(value) * 0x1p-23}, input,
                     gen::range_of(ScalarType::f32), exact);
      const double error =
          std::fabs(as_a_kernel_does(step.name, kernels, input, direction) - v.value);
      ASSERT_LE(error, v.bound) << step.name << " of " << value << ", " << input;
      nearest = std::max(nearest, error / v.bound);
    }
  }
  EXPECT_GT(nearest, 0.3);
}

TEST(GemmEpilogue, WhatIsNotFiniteHasNoBound) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto v = [&](const char* text, double value, double input) {
    bool exact = false;
    const gen::AppliedEpilogueOp step = gen::parse_epilogue(text).front();
    return gen::after(step, {value, 0}, input, gen::range_of(ScalarType::f32), exact);
  };
  for (const char* step : {"relu", "gelu", "silu"}) {
    EXPECT_EQ(v(step, infinity, 0).value, infinity);
    EXPECT_EQ(v(step, -infinity, 0).value, 0);
    EXPECT_EQ(v(step, -infinity, 0).bound, 0);
    EXPECT_TRUE(std::isnan(v(step, NAN, 0).value));
  }
  EXPECT_TRUE(std::isnan(v("bias", infinity, -infinity).value));
  EXPECT_EQ(v("residual", 1, infinity).value, infinity);
  EXPECT_EQ(v("residual", 1, infinity).bound, 0);
}

// --- the check ---

// C of a product with k = 0: the epilogue applied to 0, rounded once; and the arrays that it reads.
struct JudgedEpilogue {
  explicit JudgedEpilogue(const std::string& epilogue, bool c_n_contiguous = true) {
    problem.epilogue = gen::parse_epilogue(epilogue);
    problem.c_n_contiguous = c_n_contiguous;
    problem.batch = 2;
    data.emplace(problem, size, 5);
    result = data->bytes(2);
    for (std::int64_t batch = 0; batch < 2; ++batch) {
      for (std::int64_t i = 0; i < size[0]; ++i) {
        for (std::int64_t j = 0; j < size[1]; ++j) set(batch, i, j, of(batch, i, j));
      }
    }
  }
  double input(std::size_t which, std::int64_t batch, std::int64_t i, std::int64_t j) const {
    const std::vector<std::byte> all = data->bytes(3 + static_cast<int>(which));
    return gen::load_number(ScalarType::f32, &all[data->inputs()[which].at(batch, i, j) * 4]);
  }
  double of(std::int64_t batch, std::int64_t i, std::int64_t j) const {
    double value = 0;
    std::size_t next = 0;
    for (const gen::AppliedEpilogueOp& named : problem.epilogue) {
      if (named.step->name == "relu") value = std::max(value, 0.0);
      if (!named.step->inputs.empty()) value += input(next++, batch, i, j);
    }
    return value;
  }
  void set(std::int64_t batch, std::int64_t i, std::int64_t j, double value) {
    gen::store_number(ScalarType::f32, value, &result[data->matrices()[2].at(batch, i, j) * 4]);
  }
  gen::CheckResult check() const {
    return gen::check_gemm(*data, problem, size, result, gen::Verify::full, 5);
  }

  gen::GemmOptions problem;
  Extents size = {4, 6, 0};
  std::optional<gen::GemmData> data;
  std::vector<std::byte> result;
};

TEST(GemmEpilogue, ABiasIsThatOfItsRowOrColumn) {
  for (const bool c_n_contiguous : {true, false}) {
    for (const char* epilogue : {"bias,relu", "bias_m,relu", "residual,bias,bias_m,relu"}) {
      JudgedEpilogue c(epilogue, c_n_contiguous);
      EXPECT_EQ(c.check().mismatches, 0u) << epilogue << c.check().first;
      c.set(1, 2, 3, c.of(1, 2, 3) + 1e-5);
      EXPECT_EQ(c.check().mismatches, 1u) << epilogue;
    }
    JudgedEpilogue c("bias", c_n_contiguous);
    EXPECT_NE(c.of(0, 1, 2), c.of(0, 1, 3));
    EXPECT_EQ(c.of(0, 1, 2), c.of(1, 3, 2));
  }
}

}  // namespace
}  // namespace vkmoye::bench
