// SPDX-License-Identifier: MIT
// The twin as second oracle for what the registry computes: products of random numbers within the
// bound of rounding, whole numbers exactly, permuted arrays byte by byte.

#include "vkmoye/gen/kernels/registry/registry.hpp"

#include <cmath>
#include <cstring>
#include <random>

#include "support/expect.hpp"
#include "support/fragment_orders.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/kernels/relayout_entries.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"

namespace vkmoye::gen {
namespace {

using Bytes = std::vector<std::byte>;

double number_at(const Bytes& bytes, ScalarType type, std::int64_t index) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &bytes[static_cast<std::size_t>(index) * size_of(type)], size_of(type));
  return number_of(type, bits);
}

// Numbers in -1..1, or whole ones in -9..9, without sign in 0..18.
Bytes random_numbers(ScalarType type, std::int64_t count, std::mt19937_64& random) {
  Bytes out(static_cast<std::size_t>(count) * size_of(type));
  for (std::size_t i = 0; i < out.size(); i += size_of(type)) {
    const double number = is_floating(type)
                              ? static_cast<double>(random() % 20001) / 10000 - 1
                              : static_cast<double>(random() % 19) - (is_unsigned(type) ? 0 : 9);
    const std::uint64_t bits = bits_of(type, number);
    std::memcpy(&out[i], &bits, size_of(type));
  }
  return out;
}

// The distance from 1 to the next number, and the smallest normal number.
double epsilon(ScalarType type) {
  switch (type) {
    case ScalarType::f16: return 0x1p-10;
    case ScalarType::f32: return 0x1p-23;
    case ScalarType::f64: return 0x1p-52;
    default: return 0;
  }
}
double tiny(ScalarType type) {
  switch (type) {
    case ScalarType::f16: return 0x1p-14;
    case ScalarType::f32: return 0x1p-126;
    default: return 0;
  }
}

// K products and sums round K times, alpha, beta and their sum three times more, the result once
// (Higham, Accuracy and Stability of Numerical Algorithms, 3.1); the reference in f64 as well.
TEST(Twin, MultipliesRandomNumbersWithinTheBoundOfRounding) {
  const std::int64_t m = 19, n = 35, k = 21;
  const double beta = 2;
  std::mt19937_64 random(5);
  for (const KernelEntry& entry : registry()) {
    if (entry.operation != "gemm" || entry.takes_packed || entry.weights != nullptr) continue;
    for (const ScalarType type : entry.types) {
      const double alpha = is_unsigned(type) ? 3 : -3;
      for (const bool k_contiguous : {true, false}) {
        KernelRequest request = request_of(type);
        request.product().beta = true;
        request.product().a_k_contiguous = request.product().b_k_contiguous = k_contiguous;
        const std::int64_t lda = (k_contiguous ? k : m) + 3, ldb = (k_contiguous ? k : n) + 1;
        const std::int64_t ldc = n + 2;
        const GemmForm& form = request.product();
        Bytes a =
            random_numbers(type, (k_contiguous ? (m - 1) * lda + k : (k - 1) * lda + m), random);
        Bytes b =
            random_numbers(type, (k_contiguous ? (n - 1) * ldb + k : (k - 1) * ldb + n), random);
        Bytes c = random_numbers(form.result, (m - 1) * ldc + n, random);
        const Bytes before = c;
        const TwinReport report = run_on_host(test::described(entry, request), {a, b, c},
                                              {{"m", m},
                                               {"n", n},
                                               {"k", k},
                                               {"lda", lda},
                                               {"ldb", ldb},
                                               {"ldc", ldc},
                                               {"alpha", alpha},
                                               {"beta", beta}});
        EXPECT_THAT(report.reasons, IsEmpty()) << entry.name;
        for (std::int64_t i = 0; i < m * n; ++i) {
          const std::int64_t row = i / n, col = i % n, at = row * ldc + col;
          double sum = 0, magnitude = 0;
          for (std::int64_t p = 0; p < k; ++p) {
            const double product =
                number_at(a, type, k_contiguous ? row * lda + p : p * lda + row) *
                number_at(b, type, k_contiguous ? col * ldb + p : p * ldb + col);
            sum += product;
            magnitude += std::fabs(product);
          }
          const double old = beta * number_at(before, form.result, at);
          const double expected = alpha * sum + old;
          const double all = std::fabs(alpha) * magnitude + std::fabs(old);
          const double twice = type == ScalarType::f64 ? 2 : 1;
          const double bound =
              twice * static_cast<double>(k + 3) * epsilon(form.accumulator) * all +
              epsilon(form.result) * std::fabs(expected) + tiny(form.result);
          ASSERT_NEAR(number_at(c, form.result, at), expected, bound)
              << entry.name << ' ' << to_string(type) << " C[" << row << ',' << col << ']';
        }
      }
    }
  }
}

// NumPy's b = a.transpose(axes), element by element.
TEST(Twin, PermutesArraysOfEveryType) {
  std::mt19937_64 random(7);
  const KernelEntry& entry = *find_kernel("relayout");
  const std::vector<std::pair<std::vector<std::int64_t>, const char*>> cases = {
      {{7, 34}, "1,0"},       {{5, 18, 33}, "2,1,0"},    {{5, 18, 33}, "0,2,1"},
      {{6, 10, 16}, "1,0,2"}, {{3, 5, 4, 9}, "0,3,1,2"}, {{2, 3, 1, 40}, "3,1,2,0"},
  };
  for (const auto& [shape, axes] : cases) {
    for (const ScalarType type : entry.types) {
      KernelRequest request = request_of(type, {{"permute", axes}});
      request.elements().shape = shape;
      const PermutedArray array = permuted_array(request.elements(), request.options);
      const auto count = static_cast<std::size_t>(array.layouts->src.size());
      const std::size_t width = size_of(type);
      Bytes a(count * width), b(count * width);
      for (std::byte& byte : a) byte = static_cast<std::byte>(random());
      const TwinReport report = run_on_host(test::described(entry, request), {a, b}, {});
      EXPECT_THAT(report.reasons, IsEmpty()) << axes << ' ' << to_string(type);
      bool right = true;
      for (std::int64_t i = 0; i < array.layouts->src.size(); ++i) {
        const auto from = static_cast<std::size_t>(array.layouts->src(i));
        const auto to = static_cast<std::size_t>(array.layouts->dst(i));
        right = right && std::memcmp(&b[to * width], &a[from * width], width) == 0;
      }
      EXPECT_TRUE(right) << axes << ' ' << to_string(type);
    }
  }
}

}  // namespace
}  // namespace vkmoye::gen
