// SPDX-License-Identifier: MIT
// Products of groups of rows: each row is multiplied by the matrix of its expert. Runs on the host twin;
// gemm_device/experts_test.cpp runs them on devices.

#include <algorithm>
#include <random>

#include "support/effort.hpp"
#include "support/expect.hpp"
#include "support/fake_devices.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/products/choice/choose_gemm.hpp"
#include "vkmoye/gen/kernels/products/gemm_call.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"

namespace vkmoye::gen {
namespace {

GemmCall call_of(std::int64_t experts) {
  GemmCall call;
  call.experts = experts;
  return call;
}

ir::Kernel kernel_of(const std::string& tile, const GemmCall& call) {
  KernelRequest request = request_of(ScalarType::f32);
  request.form = GemmProduct(call.form());
  request.options = {{"tile", tile}, {"threads", "8x8"}, {"values", "1x1"}, {"vector", "4"}};
  return find_kernel("gemm/moye_simple")->describe(request);
}

// What a launch computes of whole numbers, and what the twin reports.
struct Launched {
  std::vector<float> a, b, c;
  std::vector<std::string> reasons;
};
Launched launch(const ir::Kernel& kernel, const GemmCall& call,
                const std::vector<std::int64_t>& size, std::vector<std::uint32_t> offsets) {
  Launched out;
  std::mt19937 random(7);
  const auto numbers = [&](std::int64_t count) {
    std::vector<float> all(static_cast<std::size_t>(count));
    for (float& x : all) x = static_cast<float>(random() % 7) - 3;
    return all;
  };
  out.a = numbers(size[0] * size[2]);
  out.b = numbers(call.experts * size[1] * size[2]);
  out.c.assign(static_cast<std::size_t>(size[0] * size[1]), -99);
  out.reasons =
      run_on_host(kernel, {out.a, out.b, offsets, out.c}, gemm_arguments(call, size)).reasons;
  return out;
}

TEST(Experts, MultiplyTheirRows) {
  std::mt19937 random(1);
  const auto below = [&](std::int64_t end) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
  };
  for (const char* tile : {"8x16x8", "16x8x8", "32x32x8"}) {
    GemmCall call = call_of(1);
    const ir::Kernel kernel = kernel_of(tile, call);
    for (int i = 0; i < test::often(20, 5); ++i) {
      const std::int64_t m = below(80), n = 1 + below(20), k = 1 + below(12);
      call.experts = i % 4 == 0 ? 65 + below(80) : 1 + below(8);  // also more than threads
      std::vector<std::uint32_t> offsets = {0, static_cast<std::uint32_t>(m)};
      for (std::int64_t e = 1; e < call.experts; ++e) {
        offsets.push_back(below(3) == 0 ? offsets.back()
                                        : static_cast<std::uint32_t>(below(m + 1)));
      }
      std::sort(offsets.begin(), offsets.end());
      const Launched got = launch(kernel, call, {m, n, k}, offsets);
      ASSERT_THAT(got.reasons, IsEmpty()) << tile << ", " << m << " rows";
      const auto at = [](std::int64_t index) { return static_cast<std::size_t>(index); };
      for (std::int64_t row = 0; row < m; ++row) {
        const auto next = std::upper_bound(offsets.begin(), offsets.end(), row);
        const std::int64_t expert = next - offsets.begin() - 1;
        for (std::int64_t j = 0; j < n; ++j) {
          float sum = 0;
          for (std::int64_t p = 0; p < k; ++p) {
            sum += got.a[at(row * k + p)] * got.b[at((expert * n + j) * k + p)];
          }
          ASSERT_EQ(got.c[at(row * n + j)], sum)
              << tile << ' ' << m << 'x' << n << 'x' << k << ", expert " << expert << " of "
              << call.experts << ", C[" << row << ',' << j << ']';
        }
      }
    }
  }
}

// No access is outside of an array: rows that are in no group are not written, and those in two are written twice.
TEST(Experts, OffsetsThatFallOrLieBeyondStayInside) {
  std::mt19937 random(2);
  const GemmCall call = call_of(5);
  const ir::Kernel kernel = kernel_of("8x16x8", call);
  std::size_t faults = 0;
  for (int i = 0; i < test::often(200, 40); ++i) {
    std::vector<std::uint32_t> offsets;
    for (int e = 0; e < 6; ++e) {
      const auto any = static_cast<std::uint32_t>(random());
      offsets.push_back(i % 3 == 0 ? any : i % 3 == 1 ? any % 60 : 0xffffffffu - any % 300);
    }
    const Launched got = launch(kernel, call, {37, 9, 5}, offsets);
    EXPECT_THAT(got.reasons,
                Each(AnyOf(StartsWith("nothing writes c["), StartsWith("race in buffer c: "))));
    faults += got.reasons.size();
  }
  EXPECT_GT(faults, 0u);
}

TEST(Experts, AreChosenWithAndWithoutMatrixUnits) {
  const auto chosen = [](ScalarType type, std::vector<std::int64_t> shape) {
    GemmProduct product(gemm_form(type), std::move(shape));
    product.has_experts = true;
    const DeviceCaps device = test::h200_like();
    const GemmChoice choice = choose_gemm(product, device);
    EXPECT_THAT(reasons_against(choice, product, device), IsEmpty());
    return choice.entry->name;
  };
  for (const std::int64_t m : {1, 64, 4096}) {
    EXPECT_EQ(chosen(ScalarType::f16, {m, 4096, 4096}), "gemm/coopmat") << m;
    EXPECT_EQ(chosen(ScalarType::bf16, {m, 4096, 4096}), "gemm/coopmat") << m;
    EXPECT_EQ(chosen(ScalarType::f32, {m, 4096, 4096}), "gemm/simt") << m;
  }
}

template <class Change>
void expect_no_experts(const char* kernel, const Change& change, const char* why) {
  KernelRequest request = request_of(ScalarType::f16);
  request.device = test::h200_like();
  request.product().has_experts = true;
  change(request);
  EXPECT_REFUSED(find_kernel(kernel)->describe(request), KernelError, why) << kernel;
}

TEST(Experts, AreRefused) {
  for (const char* kernel : {"gemm/thin", "gemm/thin_coopmat", "gemm/packed", "gemm/quantised",
                             "gemm/quantised_coopmat"}) {
    expect_no_experts(
        kernel, [](auto&) {}, "experts: this kernel has one B; gemm/simt and gemm/coopmat have");
  }
  for (const char* kernel : {"gemm/simt", "gemm/coopmat"}) {
    expect_no_experts(
        kernel, [](auto& r) { r.product().beta = true; },
        "experts: neither a batch, nor slices of k");
    expect_no_experts(
        kernel, [](auto& r) { r.product().batched = true; },
        "experts: neither a batch, nor slices");
    expect_no_experts(
        kernel, [](auto& r) { r.product().a_k_contiguous = false; },
        "begin anywhere, so a must be k");
    expect_no_experts(
        kernel, [](auto& r) { r.product().epilogue = {*find_epilogue_op("bias")}; },
        "experts: bias reads an array");
  }
  expect_no_experts(
      "gemm/coopmat", [](auto& r) { r.options["tile"] = "256x128x32"; }, "tile m of an expert");
  expect_no_experts(
      "gemm/moye_simple", [](auto& r) { r.options["tile"] = "256x128x8"; },
      "tile m of an expert = 256");
  GemmCall call = call_of(3);
  call.c_n_contiguous = false;
  call.batch = 2;
  EXPECT_REFUSED(matrices_of(call, {4, 5, 6}), ArgumentError,
                 AllOf(HasSubstr("experts: the n of C must be contiguous"),
                       HasSubstr("experts: there is no batch, but of 2")));
}

}  // namespace
}  // namespace vkmoye::gen
