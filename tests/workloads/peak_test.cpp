// SPDX-License-Identifier: MIT
// The kernels of the peak baseline compute the expected values, so that no compiler can leave out work.
#include "baselines/peak.hpp"

#include <span>
#include <vector>

#include "support/expect.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/numbers/number.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"

namespace vkmoye::bench {
namespace {

constexpr std::int64_t kGroups = 2, kSteps = 8;

// The result of the kernel for inputs that are all `value`.
std::vector<double> results_of(const PeakKernel& peak, std::int64_t rounds, double value,
                               ScalarType result) {
  std::vector<std::vector<std::byte>> arrays;
  for (const auto& [type, elements] : peak.inputs) {
    auto& array = arrays.emplace_back(elements * size_of(type));
    for (std::uint64_t i = 0; i < elements; ++i) {
      gen::store_number(type, value, &array[i * size_of(type)]);
    }
  }
  arrays.emplace_back(peak.output_bytes);
  const auto report =
      gen::run_on_host(peak.kernel, {arrays.begin(), arrays.end()}, {{"rounds", rounds}});
  EXPECT_THAT(report.reasons, IsEmpty());
  std::vector<double> out;
  for (std::size_t at = 0; at < arrays.back().size(); at += size_of(result)) {
    out.push_back(gen::load_number(result, &arrays.back()[at]));
  }
  return out;
}

TEST(Peak, OfNumbersIsAChainOfMultiplyAdds) {
  for (const ScalarType type : {ScalarType::f16, ScalarType::f32, ScalarType::f64}) {
    const auto found = results_of(peak_of_numbers(type, kGroups), 1, 4, type);
    EXPECT_THAT(found, Each(2 + 2.0 / (1 << kSteps)))  // 4, 3, 2.5, 2.25 ..
        << to_string(type);
    EXPECT_EQ(found.size(), kGroups * 4096u);
  }
  for (const ScalarType type : {ScalarType::i32, ScalarType::u32}) {
    EXPECT_THAT(results_of(peak_of_numbers(type, kGroups), 1, 4, type),
                Each(47616090));  // 4, 17, 290, 84101 .., modulo 2^32
  }
  EXPECT_THAT(gen::glsl::print(peak_of_numbers(ScalarType::f32, kGroups).kernel),
              HasSubstr("fma("));
}

// What the twin computes is what the definition says, for the inputs that a device gets.
void expect_defined(const PeakKernel& peak) {
  PeakInputs numbers;
  std::vector<std::vector<std::byte>> arrays;
  for (const auto& [type, elements] : peak.inputs) {
    std::vector<double>& input = numbers.emplace_back(elements);
    auto& array = arrays.emplace_back(elements * size_of(type));
    for (std::uint64_t i = 0; i < elements; ++i) {
      input[i] = static_cast<double>(peak.least + static_cast<std::int64_t>(i * 2654435761 >> 7) %
                                                      (peak.most - peak.least + 1));
      gen::store_number(type, input[i], &array[i * size_of(type)]);
    }
  }
  arrays.emplace_back(peak.output_bytes);
  const auto report = gen::run_on_host(peak.kernel, {arrays.begin(), arrays.end()},
                                       {{"rounds", peak.rounds_to_check}});
  EXPECT_THAT(report.reasons, IsEmpty());
  const std::vector<double> wanted = peak.definition(numbers);
  const std::size_t width = size_of(peak.result), count = arrays.back().size() / width;
  ASSERT_EQ(count, kGroups * wanted.size());
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(gen::load_number(peak.result, &arrays.back()[i * width]), wanted[i % wanted.size()])
        << i;
  }
}

TEST(Peak, KernelsComputeWhatTheyAreDefinedTo) {
  for (const ScalarType type :
       {ScalarType::f16, ScalarType::f32, ScalarType::f64, ScalarType::i32, ScalarType::u32}) {
    SCOPED_TRACE(to_string(type));
    expect_defined(peak_of_numbers(type, kGroups));
  }
  expect_defined(peak_of_shared(kGroups));
  expect_defined(peak_of_l2(kGroups));
}

TEST(Peak, ReadsAreAsWideAsPossible) {
  EXPECT_THAT(gen::glsl::print(peak_of_shared(kGroups).kernel), HasSubstr("shared uvec4 held"));
  EXPECT_EQ(peak_of_shared(kGroups).kernel.shared_bytes(), 16384u);
  EXPECT_EQ(peak_of_l2(kGroups).inputs.front().second * 4, 2u << 20);
  EXPECT_EQ(peak_of_l2(kGroups).work_of_a_round, 8.0 * 256 * 16 * kGroups);
}

DeviceCaps with_matrices() {
  DeviceCaps caps;
  caps.name = "a device";
  MatrixShape shape;
  shape.m = shape.n = shape.k = 16;
  shape.a = shape.b = "f16";
  shape.c = shape.result = "f32";
  shape.scope = "subgroup";
  caps.matrix_shapes = {shape};
  caps.subgroup_size = caps.min_subgroup_size = caps.max_subgroup_size = 32;
  return caps;
}

TEST(Peak, OfMatricesIsAChainOfProducts) {
  const gen::GemmForm form = {
      .a_type = ScalarType::f16, .b_type = ScalarType::f16, .accumulator = ScalarType::f32};
  const PeakKernel peak = peak_of_matrices(form, with_matrices(), kGroups);
  EXPECT_EQ(peak.work_of_a_round, kSteps * kGroups * 2.0 * 32 * 64 * 16);
  const auto found = results_of(peak, 3, 2, ScalarType::f32);
  EXPECT_THAT(found, Each(3 * kSteps * 16 * 4.0));
  EXPECT_EQ(found.size(), kGroups * 32u * 64u);
  expect_defined(peak);
}

TEST(Peak, OfMatricesThatTheDeviceDoesNotHaveIsNone) {
  const gen::GemmForm form = {
      .a_type = ScalarType::i8, .b_type = ScalarType::i8, .accumulator = ScalarType::i32};
  try {
    peak_of_matrices(form, with_matrices(), kGroups);
    FAIL();
  } catch (const Unavailable& why) {
    EXPECT_STREQ(why.what(), "a device has no matrix units for i8 accumulated in i32");
  }
}

}  // namespace
}  // namespace vkmoye::bench
