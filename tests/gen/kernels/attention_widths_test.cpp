// SPDX-License-Identifier: MIT
// Heads of every width: each multiple of 8 up to 256, and wider ones as models have them, have kernels on every device,
// and heads give what the same heads with zeros behind them give.

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

// The kernels that refuse `call`, each with its first reason.
std::vector<std::string> refusals(const AttentionCall& call, ScalarType type,
                                  const DeviceCaps& device) {
  std::vector<std::string> out;
  for (const char* kernel : {"attention/simt", "attention/decode", "attention/coopmat"}) {
    const bool has_matrices = std::string(kernel) == "attention/coopmat";
    if (has_matrices && (type != ScalarType::f16 || device.matrix_shapes.empty())) continue;
    const auto reasons = find_kernel(kernel)->refuse(request_of(call, type, device));
    if (!reasons.empty()) out.push_back(std::string(kernel) + ": " + reasons.front());
  }
  return out;
}

const std::vector<DeviceCaps>& devices() {
  static const std::vector<DeviceCaps> all = {test::h200_like(), test::rdna3_like(),
                                              common_device(), test::lavapipe_like()};
  return all;
}

TEST(AttentionWidths, EveryMultipleOfEightHasKernels) {
  for (const DeviceCaps& device : devices()) {
    const bool is_cpu = device.subgroup_size < 32;  // registers of few lanes hold no wide rows
    for (std::int64_t width = 8; width <= (is_cpu ? 160 : 256); width += 8) {
      for (const std::int64_t value_width : {width, std::int64_t{8}, std::int64_t{160}}) {
        for (const ScalarType type : {ScalarType::f32, ScalarType::f16}) {
          AttentionCall call = call_of(width, value_width);
          EXPECT_THAT(refusals(call, type, device), IsEmpty())
              << device.name << ' ' << form_text(call.form);
          if (width % 32 != 0 || value_width != width) continue;
          for (const char* format : {"q8_0", "q4_0"}) {
            call.form.key_format = call.form.value_format = find_weight_format(format);
            EXPECT_THAT(refusals(call, type, device), IsEmpty())
                << device.name << ' ' << format << ' ' << form_text(call.form);
          }
        }
      }
    }
  }
}

TEST(AttentionWidths, WideHeadsHaveKernels) {
  const auto refused_matrices = ElementsAre(HasSubstr(
      "attention/coopmat: q and sums take 400 registers of each of 32 lanes for 16 rows 576 and "
      "512 wide, but at most 256 are possible"));
  for (const DeviceCaps& device : devices()) {
    for (const auto& [width, value_width] :
         {std::pair{192, 128}, std::pair{320, 256}, std::pair{576, 512}}) {
      for (const std::int64_t page : {0, 16}) {
        AttentionCall call = call_of(width, value_width);
        call.form.page = page;
        call.stored_pages = page;
        SCOPED_TRACE(device.name + " " + form_text(call.form));
        EXPECT_THAT(refusals(call, ScalarType::f32, device), IsEmpty());
        const auto refused = refusals(call, ScalarType::f16, device);
        const bool is_gpu = device.subgroup_size >= 32 && !device.matrix_shapes.empty();
        if (is_gpu && width == 576) {
          EXPECT_THAT(refused, refused_matrices);
        }
        if (is_gpu && width < 576) {
          EXPECT_THAT(refused, IsEmpty());
        }
        EXPECT_LE(refused.size(), 1u);
      }
    }
  }
  // Two rows of q, and eight of k, are 1024 wide: 40 KiB.
  EXPECT_THAT(refusals(call_of(1024, 1024), ScalarType::f32, test::lavapipe_like()),
              ElementsAre(HasSubstr("bytes of shared memory are needed, but the limit is 32768")));
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
  const auto compare = [](const char* kernel, ScalarType type, std::int64_t width,
                          std::int64_t zeros_to, double error) {
    const auto narrow = run(kernel, type, width, width), wide = run(kernel, type, zeros_to, width);
    for (std::size_t i = 0; i < narrow.size(); ++i) {
      EXPECT_NEAR(narrow[i], wide[i], error) << kernel << ' ' << width << ' ' << i;
    }
  };
  compare("attention/simt", ScalarType::f32, 8, 32, 1e-6);
  for (const std::int64_t width : {8, 24}) {
    compare("attention/decode", ScalarType::f32, width, 32, 1e-6);
  }
  compare("attention/decode", ScalarType::f16, 72, 80, 0x1p-11);  // half a unit of the result each
  compare("attention/coopmat", ScalarType::f16, 16, 32, 0x1p-9);  // weights are rounded, too
  compare("attention/coopmat", ScalarType::f16, 40, 48, 0x1p-9);
  compare("attention/simt", ScalarType::f16, 512, 576, 0x1p-11);
}

}  // namespace
}  // namespace vkmoye::gen::attention_widths
