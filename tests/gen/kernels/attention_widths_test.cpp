// SPDX-License-Identifier: MIT
// Heads of every width: each multiple of 8 up to 256 has a kernel on every device, and heads of 8 and 16 elements give
// what the same heads with zeros behind them give.

#include <cmath>
#include <string>
#include <vector>

#include "support/attention_on_twin.hpp"
#include "support/expect.hpp"

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

// Rows of numbers below 1, of which those from `used` on are 0.
test::Bytes rows_of(ScalarType type, std::int64_t rows, std::int64_t width, std::int64_t used,
                    double seed) {
  std::vector<float> out;
  for (std::int64_t i = 0; i < rows * width; ++i) {
    const std::int64_t column = i % width;
    const double number = std::sin(seed + static_cast<double>(i / width * used + column));
    out.push_back(column < used ? static_cast<float>(number) : 0);
  }
  return test::stored(type, out);
}

// The result of `kernel` for heads of `used` elements, in heads of `width`.
std::vector<float> run(const std::string& kernel, ScalarType type, std::int64_t width,
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
  const std::int64_t queries = call.heads * call.queries, keys = call.kv_heads * call.keys;
  const auto given = [&](std::int64_t rows, double seed) {
    return rows_of(type, rows, width, used, seed);
  };
  const auto o = test::run_attention(
      request, entry, {{"q", given(queries, 1)}, {"k", given(keys, 2)}, {"v", given(keys, 3)}});
  std::vector<float> out;
  for (std::size_t i = 0; i < o.at("o").size(); ++i) {
    if (static_cast<std::int64_t>(i) % width < used) out.push_back(o.at("o")[i]);
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
