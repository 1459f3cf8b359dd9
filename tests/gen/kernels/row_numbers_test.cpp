// SPDX-License-Identifier: MIT
// Kernels of rows on the twin: numbers whose squares or exponentials leave the range of f32, and long positions.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/arithmetics.hpp"
#include "support/kernel_on_twin.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/kernels/rows/layer_norm.hpp"
#include "vkmoye/gen/kernels/rows/rms_norm.hpp"
#include "vkmoye/gen/kernels/rows/softmax.hpp"

namespace vkmoye::gen::row_numbers {
namespace {

using test::Floats;
using test::run_on_twin;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

RmsNormConfig norm_config(ScalarType type, double epsilon) {
  RmsNormConfig config;
  config.type = type;
  config.threads = 32;
  config.subgroup_size = 32;
  config.rounds = 1;  // so that rows have several blocks
  config.epsilon = epsilon;
  return config;
}

// x / sqrt(mean of the squares + epsilon) in f64.
std::vector<double> normed(const std::vector<float>& x, double epsilon) {
  double squares = 0;
  for (const double v : x) squares += v * v;
  std::vector<double> out;
  const double root = std::sqrt(squares / static_cast<double>(x.size()) + epsilon);
  for (const double v : x) out.push_back(v / root);
  return out;
}

void expect_near(const std::vector<float>& got, const std::vector<double>& wanted, double relative,
                 const std::string& what) {
  ASSERT_EQ(got.size(), wanted.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], wanted[i], relative * std::fabs(wanted[i])) << what << ", element " << i;
  }
}

// Two rows for each size: of equal numbers, and of some that differ by 2^20.
std::vector<float> rows_of_sizes(const std::vector<float>& sizes, std::size_t cols) {
  std::vector<float> rows;
  for (const float size : sizes) {
    rows.insert(rows.end(), cols, size);
    for (std::size_t i = 0; i < cols; ++i) {
      rows.push_back(size * (i % 3 == 0 ? -0.75f : 0x1p-20f * static_cast<float>(i + 1)));
    }
  }
  return rows;
}

TEST(RowNumbers, NormsOfEverySize) {
  constexpr std::int64_t kCols = 150;
  const std::vector<float> sizes = {2e18f,    1e20f,  3e38f,  1.0f,     0x1p49f,  0x1p33f,
                                    0x1p-35f, 1e-15f, 1e-20f, 0x1p-60f, 0x1p-100f};
  const std::vector<float> x = rows_of_sizes(sizes, kCols), ones(kCols, 1);
  const Arguments arguments = {{"rows", static_cast<std::int64_t>(2 * sizes.size())},
                               {"cols", kCols},
                               {"slices", std::int64_t{3}}};
  for (const ScalarType type : {ScalarType::f32, ScalarType::bf16}) {
    const double unit = type == ScalarType::f32 ? 0x1p-21 : 0x1p-7;
    const std::vector<float> exact = test::numbers_in(type, test::stored(type, x));
    for (const double epsilon : {0.0, 1e-30, 1e-5}) {
      if (type == ScalarType::bf16 && epsilon == 1e-30) continue;
      const RmsNormConfig config = norm_config(type, epsilon);
      std::vector<double> wanted;
      for (auto row = exact.begin(); row != exact.end(); row += kCols) {
        for (const double y : normed({row, row + kCols}, static_cast<float>(epsilon))) {
          wanted.push_back(y);
        }
      }
      const std::string what = fmt::format("{}, epsilon {}", to_string(type), epsilon);
      Floats arrays = {{"src", x}, {"weight", ones}};
      run_on_twin(rms_norm(config), arguments, arrays);
      expect_near(arrays.at("dst"), wanted, unit, what);
      arrays.erase("dst");
      run_on_twin(rms_norm(config, "norm/slices", RowPart::slices), arguments, arrays);
      run_on_twin(rms_norm(config, "norm/combine", RowPart::combine), arguments, arrays);
      expect_near(arrays.at("dst"), wanted, unit, what + ", in slices");
      arrays = {{"src", std::vector<float>(x.size(), 0)}, {"residual", x}, {"weight", ones}};
      run_on_twin(residual_norm(config), arguments, arrays);
      expect_near(arrays.at("dst"), wanted, unit, what + ", of a sum");
    }
  }
}

TEST(RowNumbers, NormsOfZerosInfinityAndNaN) {
  const ir::Kernel norm = rms_norm(norm_config(ScalarType::f32, 1e-5));
  const auto of = [&](float special) {
    Floats arrays = {{"src", {1, special, 1e30f, 0}}, {"weight", {1, 1, 1, 1}}};
    run_on_twin(norm, {{"rows", 1}, {"cols", 4}}, arrays);
    return arrays.at("dst");
  };
  using testing::ElementsAre;
  using testing::IsNan;
  EXPECT_THAT(of(kInfinity), ElementsAre(0, IsNan(), 0, 0));
  EXPECT_THAT(of(std::nanf("")), testing::Each(IsNan()));
  Floats zeros = {{"src", {0, 0, 0, 0}}, {"weight", {1, 1, 1, 1}}};
  run_on_twin(norm, {{"rows", 1}, {"cols", 4}}, zeros);
  EXPECT_THAT(zeros.at("dst"), ElementsAre(0, 0, 0, 0));
}

// (x - mean) / sqrt(variance + epsilon) * 3 + 0.5, in long double.
std::vector<double> layer_normed(const std::vector<float>& x, double epsilon) {
  long double sum = 0, squares = 0;
  for (const float v : x) sum += v;
  const long double count = x.size(), mean = sum / count;
  for (const float v : x) squares += (v - mean) * (v - mean);
  std::vector<double> out;
  for (const float v : x) {
    out.push_back(static_cast<double>((v - mean) / std::sqrt(squares / count + epsilon)) * 3 + 0.5);
  }
  return out;
}

// Rows that vary little around a large mean, with an element far from all others, of equal numbers, and whose sums,
// differences or squares leave the range of f32.
TEST(RowNumbers, LayerNormsOfEverySize) {
  constexpr std::size_t kCols = 150;
  struct Form {
    float mean, deviation;
  };
  std::vector<float> x;
  for (const Form& form : std::vector<Form>{{1e4f, 1},
                                            {1e4f, 1e-2f},
                                            {-1e6f, 0.25f},
                                            {1e30f, 1e24f},
                                            {0, 1e30f},
                                            {3e38f, 1e37f},
                                            {0, FLT_MAX},
                                            {0.1f, 0},
                                            {3e38f, 0},
                                            {0, 1e-18f},
                                            {1e-16f, 1e-18f}}) {
    for (std::size_t i = 0; i < kCols; ++i) {
      const float part = static_cast<float>(i * 37 % 101) / 50 - 1;
      x.push_back(form.mean +
                  form.deviation * (form.deviation == FLT_MAX ? (i % 3 ? 1 : -1) : part));
    }
  }
  x.insert(x.end(), kCols, 0.5f);  // but for its first element
  x[x.size() - kCols] = 1e6f;
  x.insert(x.end(), kCols, -0.5f);  // but for its last
  x.back() = 1e30f;
  const auto rows = static_cast<std::int64_t>(x.size() / kCols);
  const Arguments arguments = {{"rows", rows}, {"cols", kCols}, {"slices", std::int64_t{3}}};
  const std::vector<float> weight(kCols, 3), bias(kCols, 0.5f);
  const auto expect_right = [&](ScalarType type, double epsilon,
                                const test::NamedArithmetic& arithmetic) {
    std::vector<float> given = x;
    if (type == ScalarType::f16) {
      for (float& v : given) v = std::clamp(v, -6e4f, 6e4f);
    }
    const double unit = type == ScalarType::f32   ? 0x1p-20
                        : type == ScalarType::f16 ? 0x1p-9
                                                  : 0x1p-7;
    const std::vector<float> exact = test::numbers_in(type, test::stored(type, given));
    const RmsNormConfig config = norm_config(type, epsilon);
    const TwinOptions options = {.arithmetic = arithmetic.arithmetic};
    Floats whole = {{"src", exact}, {"weight", weight}, {"bias", bias}}, sliced = whole;
    run_on_twin(layer_norm(config), arguments, whole, options);
    run_on_twin(layer_norm(config, "norm/slices", RowPart::slices), arguments, sliced, options);
    run_on_twin(layer_norm(config, "norm/combine", RowPart::combine), arguments, sliced, options);
    for (std::size_t row = 0; row < exact.size(); row += kCols) {
      const std::vector<float> of_row(exact.begin() + static_cast<std::ptrdiff_t>(row),
                                      exact.begin() + static_cast<std::ptrdiff_t>(row + kCols));
      const std::vector<double> wanted = layer_normed(of_row, static_cast<float>(epsilon));
      for (std::size_t i = 0; i < kCols; ++i) {
        if (std::isnan(wanted[i])) continue;  // 0 / 0, equal numbers without epsilon
        for (const Floats* arrays : {&whole, &sliced}) {
          const double got = arrays->at("dst")[row + i];
          EXPECT_NEAR(got, wanted[i], unit * (3 + std::fabs(wanted[i])))
              << to_string(type) << ", epsilon " << epsilon << ", row " << row / kCols
              << ", column " << i << (arrays == &sliced ? ", in slices, " : ", ")
              << arithmetic.name;
        }
      }
    }
  };
  for (const std::size_t number : {3, 4, 5}) {  // flushed, contracted, rearranged
    expect_right(ScalarType::f32, 0, test::kArithmetics[number]);
  }
  expect_right(ScalarType::f32, 1e-5, test::kArithmetics[0]);
  expect_right(ScalarType::bf16, 0, test::kArithmetics[0]);
  expect_right(ScalarType::f16, 1e-5, test::kArithmetics[0]);
}

TEST(RowNumbers, LayerNormsOfInfinityAndNaN) {
  const ir::Kernel norm = layer_norm(norm_config(ScalarType::f32, 1e-5));
  const std::vector<float> ones(4, 1);
  for (const float special : {kInfinity, -kInfinity, std::nanf("")}) {
    for (const std::size_t place : {0, 2}) {
      Floats arrays = {{"src", {1, 5, 1e30f, 0}}, {"weight", ones}, {"bias", ones}};
      arrays["src"][place] = special;
      run_on_twin(norm, {{"rows", 1}, {"cols", 4}}, arrays);
      EXPECT_THAT(arrays.at("dst"), testing::Each(testing::IsNan())) << special << " at " << place;
    }
  }
}

TEST(RowNumbers, SoftmaxOfTheLargestNumbers) {
  ThreadsConfig config;
  config.threads = 64;
  config.subgroup_size = 32;
  const ir::Kernel whole = softmax(config),
                   of_slices = softmax(config, "softmax/slices", RowPart::slices),
                   combined = softmax(config, "softmax/combine", RowPart::combine);
  constexpr std::size_t kCols = 90;
  for (const float size : {FLT_MAX, -FLT_MAX, 1e9f, -1e9f}) {
    for (const std::size_t equal : {kCols, kCols / 2}) {  // the others are hidden, or far below
      std::vector<float> x(kCols, size > 0 ? -FLT_MAX : -kInfinity);
      for (std::size_t i = 0; i < equal; ++i) x[2 * i % kCols + 2 * i / kCols] = size;
      std::vector<double> wanted;
      for (const float v : x) wanted.push_back(v == size ? 1.0 / static_cast<double>(equal) : 0);
      Floats arrays = {{"src", x}};
      run_on_twin(whole, {{"rows", 1}, {"cols", kCols}}, arrays);
      expect_near(arrays.at("dst"), wanted, 1e-6, "softmax of " + std::to_string(size));
      arrays.erase("dst");
      for (const ir::Kernel* step : {&of_slices, &combined}) {
        run_on_twin(*step, {{"rows", 1}, {"cols", kCols}, {"slices", 3}}, arrays);
      }
      expect_near(arrays.at("dst"), wanted, 1e-6, "in slices, of " + std::to_string(size));
    }
  }
}

// Pairs (1, 0), which become (cos, sin) of position * frequency, an exact product, in each arithmetic of a device.
TEST(RowNumbers, RotationsAtLongPositions) {
  const ir::Kernel rope = find_kernel("rope/rows")->describe(request_of(ScalarType::f32));
  const std::vector<float> positions = {1, 16000, 131071, -131071, 1000003, 16777215, 16777216};
  std::vector<float> frequencies = {1, std::nextafter(1.0f, 0.0f), 0.1f, 0.0123f, 1e-4f, 0};
  for (int i = 1; i < 64; i += 9) {  // some of a head of 128
    frequencies.push_back(static_cast<float>(std::pow(10000.0, -2.0 * i / 128)));
  }
  Floats given = {{"positions", positions}, {"frequencies", frequencies}};
  for (std::size_t i = 0; i < positions.size() * frequencies.size(); ++i) {
    given["src"].push_back(1), given["src"].push_back(0);
  }
  for (const auto& [name, arithmetic] : test::kArithmetics) {
    SCOPED_TRACE(name);
    Floats arrays = given;
    run_on_twin(rope,
                {{"pairs", static_cast<std::int64_t>(frequencies.size())},
                 {"heads", 1},
                 {"tokens", static_cast<std::int64_t>(positions.size())}},
                arrays, {.arithmetic = arithmetic});
    const std::vector<float>& got = arrays.at("dst");
    std::size_t at = 0;
    for (const double position : positions) {
      for (const double frequency : frequencies) {
        const double angle = position * frequency;
        EXPECT_NEAR(got[at++], std::cos(angle), 2.5e-7) << position << " * " << frequency;
        EXPECT_NEAR(got[at++], std::sin(angle), 2.5e-7) << position << " * " << frequency;
      }
    }
  }
}

}  // namespace
}  // namespace vkmoye::gen::row_numbers
