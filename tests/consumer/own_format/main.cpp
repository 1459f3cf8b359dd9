// SPDX-License-Identifier: MIT
// A weight format of a program's own: the fields of q4_K (products/weight-formats.md) under another name. A product
// must decode its blocks as a decoder does that is written from the definition, with indices of bytes and no layouts.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <span>
#include <vector>
#include <vkmoye/vkmoye.hpp>

using namespace vkmoye;
using namespace vkmoye::gen;

namespace {

// Eight numbers of 6 bits, each of 32 weights. Number j < 4 is in byte j, below its highest two bits; number j + 4 has
// its low 4 bits `step` bits behind the first of number j, and its high ones in these highest two bits.
WeightNumber six_bits(std::int64_t first, std::int64_t step) {
  return {{{.bits = 4, .first = first, .at = make_layout({32, 4, 2}, {0, 8, step})},
           {.bits = 2, .first = first + 4, .at = make_layout({32, 4, 2}, {0, 8, 2}), .to = 4}}};
}

const WeightFormat kOwn = {
    .name = "own",
    .elements = 256,
    .bytes = 144,
    .code = {{{.bits = 4, .first = 8 * 16, .at = make_layout({32, 2, 4}, {8, 4, 256})}}},
    .scale = number_at_byte(0),
    .sub_scale = six_bits(8 * 4, 8 * 8),
    .minimum = number_at_byte(2),
    .sub_minimum = six_bits(8 * 8, 36),
    .subtracts_minimum = true};

// A positive number of f16 that is not subnormal.
double half_at(const std::uint8_t* x) {
  const int bits = x[0] | x[1] << 8;
  return std::ldexp(1024 + (bits & 1023), (bits >> 10) - 25);
}

// Weight i of the block at x: d * scale(j) * code - dmin * minimum(j), j = i / 32.
double weight(const std::uint8_t* x, int i) {
  const int j = i / 32;
  const std::uint8_t* six = x + 4;
  const int scale = j < 4 ? six[j] & 63 : (six[j + 4] & 15) | (six[j - 4] >> 6) << 4;
  const int minimum = j < 4 ? six[j + 4] & 63 : six[j + 4] >> 4 | (six[j] >> 6) << 4;
  const int byte = x[16 + i / 64 * 32 + i % 32], code = i % 64 < 32 ? byte & 15 : byte >> 4;
  return half_at(x) * scale * code - half_at(x + 2) * minimum;
}

}  // namespace

int main() {
  KernelRequest request = request_of(ScalarType::f16);
  request.form = GemmProduct({ScalarType::f32, kWeightType});
  request.product().weights = &kOwn;

  constexpr std::uint32_t M = 2, N = 5, K = 512, row = K / 256 * 144;  // bytes of a row of B
  std::mt19937 random(1);
  std::vector<std::uint8_t> b(N * row);
  for (std::uint8_t& byte : b) byte = static_cast<std::uint8_t>(random());
  for (std::size_t at = 0; at < b.size(); at += 144) b[at + 1] = b[at + 3] = 0x2c;  // 1/16 to 1/8
  std::vector<float> a(M * K), c(M * N);
  for (float& number : a) number = static_cast<float>(random() % 17) - 8;

  const auto report = run_on_host(kernel_named("gemm/quantised").describe(request), {a, b, c},
                                  {{"m", M},
                                   {"n", N},
                                   {"k", K},
                                   {"words", row / 2},
                                   {"lda", K},
                                   {"ldb", row / 2},
                                   {"ldc", N},
                                   {"alpha", 1.0}});
  for (const auto& reason : report.reasons) std::printf("%s\n", reason.c_str());
  std::size_t wrong = report.reasons.size();
  for (std::uint32_t m = 0; m < M; ++m) {
    for (std::uint32_t n = 0; n < N; ++n) {
      double sum = 0, magnitude = 0;
      for (std::uint32_t k = 0; k < K; ++k) {
        const double product =
            a[m * K + k] * weight(&b[n * row + k / 256 * 144], static_cast<int>(k % 256));
        sum += product;
        magnitude += std::fabs(product);
      }
      if (std::fabs(c[m * N + n] - sum) <= 1e-5 * magnitude) continue;
      std::printf("c(%u, %u) is %g, not %g\n", m, n, static_cast<double>(c[m * N + n]), sum);
      ++wrong;
    }
  }
  return wrong == 0 ? 0 : 1;
}
