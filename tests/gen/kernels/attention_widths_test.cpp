// SPDX-License-Identifier: MIT
// Heads of every width: each multiple of 8 up to 256 has a kernel on every device, and heads of 8 and 16 elements give
// what the same heads with zeros behind them give.

#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "support/expect.hpp"
#include "support/fake_devices.hpp"
#include "support/fragment_orders.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/kernels/attention/choice/choose.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"

namespace vkmoye::gen::attention_widths {
namespace {

AttentionCall call_of(std::int64_t width, std::int64_t value_width) {
  AttentionCall call;
  call.queries = 2;
  call.keys = 9;
  call.heads = 2;
  call.form.width = width;
  call.form.value_width = value_width;
  call.form.causal = true;
  call.scale = 0.3;
  return call;
}

TEST(AttentionWidths, EveryMultipleOfEightHasKernels) {
  for (const DeviceCaps& device : {test::h200_like(), test::rdna3_like(), common_device()}) {
    for (std::int64_t width = 8; width <= 256; width += 8) {
      for (const std::int64_t value_width : {width, std::int64_t{8}, std::int64_t{256}}) {
        const AttentionCall call = call_of(width, value_width);
        for (const ScalarType type : {ScalarType::f32, ScalarType::f16}) {
          const KernelRequest request = request_of(call, type, device);
          const auto reasons = [&](const char* kernel) {
            return find_kernel(kernel)->refuse(request);
          };
          SCOPED_TRACE(device.name + " " + form_text(call.form));
          EXPECT_THAT(reasons("attention/simt"), IsEmpty());
          EXPECT_THAT(reasons("attention/decode"), IsEmpty());
          if (type != ScalarType::f16 || device.matrix_shapes.empty()) continue;
          const bool is_whole = width % 16 == 0 && value_width % 16 == 0;
          EXPECT_EQ(reasons("attention/coopmat").empty(), is_whole);
        }
      }
    }
  }
}

// Rows of numbers below 1, of which those from `used` on are 0: some of `type`.
std::vector<std::byte> rows_of(ScalarType type, std::size_t rows, std::size_t width,
                               std::size_t used, std::size_t seed) {
  std::vector<std::byte> out;
  for (std::size_t i = 0; i < rows * width; ++i) {
    const std::size_t row = i / width, column = i % width;
    const double number = std::sin(static_cast<double>(seed + row * used + column));
    const std::uint64_t bits = bits_of(type, column < used ? number : 0);
    for (std::size_t byte = 0; byte < size_of(type); ++byte) {
      out.push_back(static_cast<std::byte>(bits >> (8 * byte)));
    }
  }
  return out;
}

// The result of `kernel` for heads of `used` elements, in heads of `width`.
std::vector<double> run(const std::string& kernel, ScalarType type, std::int64_t width,
                        std::int64_t used) {
  const AttentionCall call = call_of(width, width);
  const KernelEntry& entry = *find_kernel(kernel);
  KernelRequest request = request_of(call, type, test::h200_like());
  if (kernel == "attention/decode") request.options = {{"reads", "1"}};  // small tiles: the twin
  if (entry.probes) {
    for (const ProbedMatrix& matrix : entry.probes(request)) {
      request.device.fragment_orders.push_back(test::order_of_twin(matrix));
    }
  }
  const KernelPlan plan = attention_plan(entry, request);
  const auto rows = [&](std::int64_t count, std::size_t seed) {
    return rows_of(type, static_cast<std::size_t>(count), static_cast<std::size_t>(width),
                   static_cast<std::size_t>(used), seed);
  };
  const std::int64_t queries = call.heads * call.queries, keys = call.kv_heads * call.keys;
  std::vector<std::vector<std::byte>> arrays = {rows(queries, 1), rows(keys, 2), rows(keys, 3),
                                                rows(queries, 4)};
  for (const PlanArray& array : plan.scratch) arrays.emplace_back(array.bytes);
  for (const KernelStep& step : plan.steps) {
    std::vector<std::span<std::byte>> bound;
    for (const std::size_t array : step.arrays) bound.emplace_back(arrays[array]);
    EXPECT_THAT(run_on_host(step.kernel, bound, step.arguments).reasons, IsEmpty());
  }
  std::vector<double> out;
  for (std::int64_t i = 0; i < queries * width; ++i) {
    if (i % width >= used) continue;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &arrays[3][static_cast<std::size_t>(i) * size_of(type)], size_of(type));
    out.push_back(number_of(type, bits));
  }
  return out;
}

TEST(AttentionWidths, NarrowHeadsAreWideOnesWithoutTheirZeros) {
  const auto compare = [](const char* kernel, ScalarType type, std::int64_t width, double error) {
    const auto narrow = run(kernel, type, width, width), wide = run(kernel, type, 32, width);
    for (std::size_t i = 0; i < narrow.size(); ++i) {
      EXPECT_NEAR(narrow[i], wide[i], error) << kernel << ' ' << width << ' ' << i;
    }
  };
  for (const std::int64_t width : {8, 16, 24}) {
    compare("attention/simt", ScalarType::f32, width, 1e-6);
    compare("attention/decode", ScalarType::f32, width, 1e-6);
  }
  compare("attention/decode", ScalarType::f16, 8, 0x1p-11);   // half a unit of the result for each
  compare("attention/coopmat", ScalarType::f16, 16, 0x1p-9);  // weights are rounded, too
}

}  // namespace
}  // namespace vkmoye::gen::attention_widths
