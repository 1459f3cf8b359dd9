// SPDX-License-Identifier: MIT
#pragma once
// Attention whose scores stay in matrices: softmax(Q K^T) V, for square matrices in any order of the lanes.

#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/dsl/matrix_values.hpp"

namespace vkmoye::test {

inline constexpr std::int64_t kQueries = 64, kKeys = 32, kWidth = 16;

/// The matrices of a device: size x size, and the orders (row, column) -> lane * elements of a lane + number.
struct OrdersOfMatrices {
  std::uint32_t size = 16, lanes = 32;
  Layout sums, a, b;  // f32 accumulators, f16 operands
};

struct AttentionArrays {
  gen::Tensor q, keys, v, o;
};

inline AttentionArrays declare_attention(gen::Builder& k, const OrdersOfMatrices& on) {
  using enum ScalarType;
  k.grid(0, kQueries, 2 * on.size);
  return {k.input("q", f16, {{"d", kWidth}, {"query", kQueries}}),
          k.input("keys", f16, {{"d", kWidth}, {"key", kKeys}}),
          k.input("v", f16, {{"d", kWidth}, {"key", kKeys}}),
          k.output("o", f32, {{"d", kWidth}, {"query", kQueries}})};
}

/// x <- softmax of x along mode `mode` of x.by_row.
inline void softmax_in_registers(gen::Builder& k, const gen::MatrixValues& x, int mode) {
  using gen::Expr;
  const auto f32 = ScalarType::f32;
  const gen::View row_max = k.make_fragment_like("row_max", f32, first_along(x.by_row, {mode}));
  const gen::View total = k.make_fragment_like("total", f32, first_along(x.by_row, {mode}));
  k.assign(row_max, gen::kMaximum.neutral(f32));
  k.accumulate(row_max, gen::kMaximum, x.by_row);
  k.reduce_across(row_max, gen::kMaximum, x.threads, mode);
  k.apply(
      x.by_row, [](Expr v, Expr m) { return exp(v - m); }, x.by_row, row_max);
  k.assign(total, gen::ir::number(f32, 0));
  k.accumulate(total, gen::kSum, x.by_row);
  k.reduce_across(total, gen::kSum, x.threads, mode);
  k.apply(
      x.by_row, [](Expr v, Expr t) { return v / t; }, x.by_row, total);
}

/// `size` queries in a subgroup. Precondition: accumulators and A have one order.
inline gen::ir::Kernel attention(const OrdersOfMatrices& on) {
  using enum ScalarType;
  using Use = gen::ir::MatrixType::Use;
  const std::int64_t size = on.size, along_keys = kKeys / size, along_d = kWidth / size;
  gen::Builder k("attention", 2 * on.lanes, on.lanes);
  const AttentionArrays of = declare_attention(k, on);
  const gen::Expr block = gen::Expr(2) * k.block_x() + k.subgroup();
  const auto rows = [&](const gen::Tensor& x) {
    return transpose(tile(x, {kWidth, size}, {0, block}));
  };
  const auto matrices = [&](const char* name, ScalarType type, Use use, std::int64_t m,
                            std::int64_t n) {
    return k.matrices(name, type, {use, on.size, on.size}, m, n);
  };
  const gen::Matrices query = matrices("query_a", f16, Use::a, 1, along_d);
  const gen::Matrices key = matrices("keys_b", f16, Use::b, along_d, along_keys);
  const gen::Matrices v = matrices("v_b", f16, Use::b, along_keys, along_d);
  const gen::Matrices scores = matrices("scores", f32, Use::accumulator, 1, along_keys);
  const gen::Matrices probabilities = matrices("probabilities", f16, Use::a, 1, along_keys);
  const gen::Matrices sums = matrices("sums", f32, Use::accumulator, 1, along_d);
  k.load(rows(of.q), query);
  k.load(tile(of.keys, {kWidth, kKeys}, {0, 0}), key);
  k.load(transpose(tile(of.v, {kWidth, kKeys}, {0, 0})), v);
  k.fill(scores, gen::ir::number(f32, 0));
  k.fill(sums, gen::ir::number(f32, 0));
  k.multiply(query, key, scores);
  const gen::MatrixValues s = matrix_values(k, scores, on.sums);
  softmax_in_registers(k, s, 0);
  convert_matrices(k, s, matrix_values(k, probabilities, on.a));
  k.multiply(probabilities, v, sums);
  const gen::MatrixValues out = matrix_values(k, sums, on.sums);
  k.copy(out.values, out.part(k, rows(of.o)));
  return k.finish();
}

/// The same, each matrix transposed: the scores become an operand B, which may have another order.
inline gen::ir::Kernel transposed_attention(const OrdersOfMatrices& on) {
  using enum ScalarType;
  using Use = gen::ir::MatrixType::Use;
  const std::int64_t size = on.size, along_keys = kKeys / size, along_d = kWidth / size;
  gen::Builder k("transposed_attention", 2 * on.lanes, on.lanes);
  const AttentionArrays of = declare_attention(k, on);
  const gen::Expr block = gen::Expr(2) * k.block_x() + k.subgroup();
  const auto matrices = [&](const char* name, ScalarType type, Use use, std::int64_t m,
                            std::int64_t n) {
    return k.matrices(name, type, {use, on.size, on.size}, m, n);
  };
  const gen::Matrices key = matrices("keys_a", f16, Use::a, along_keys, along_d);
  const gen::Matrices query = matrices("query_b", f16, Use::b, along_d, 1);
  const gen::Matrices v = matrices("v_a", f16, Use::a, along_d, along_keys);
  const gen::Matrices scores = matrices("scores", f32, Use::accumulator, along_keys, 1);
  const gen::Matrices probabilities = matrices("probabilities", f16, Use::b, along_keys, 1);
  const gen::Matrices sums = matrices("sums", f32, Use::accumulator, along_d, 1);
  const gen::View staging =
      k.shared("staging", f16, Layout({kKeys, size, 2}, {1, kKeys + 1, size * (kKeys + 1)}));
  k.load(tile(of.q, {kWidth, size}, {0, block}), query);
  k.load(transpose(tile(of.keys, {kWidth, kKeys}, {0, 0})), key);
  k.load(tile(of.v, {kWidth, kKeys}, {0, 0}), v);
  k.fill(scores, gen::ir::number(f32, 0));
  k.fill(sums, gen::ir::number(f32, 0));
  k.multiply(key, query, scores);
  const gen::MatrixValues s = matrix_values(k, scores, on.sums);
  softmax_in_registers(k, s, 1);
  convert_matrices(k, s, matrix_values(k, probabilities, on.b), select(staging, 2, k.subgroup()));
  k.multiply(v, probabilities, sums);
  const gen::MatrixValues out = matrix_values(k, sums, on.sums);
  k.copy(out.values, out.part(k, tile(of.o, {kWidth, size}, {0, block})));
  return k.finish();
}

/// Random inputs, and what they give.
struct AttentionProblem {
  std::vector<std::uint16_t> q, keys, v;
  std::vector<double> o;
  /// Chances below 1 are rounded to 11 bits and add up to 1; elements of V are below 1.
  static constexpr double kBound = 0x1p-11;

  explicit AttentionProblem(std::uint32_t seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const auto draw = [&](std::vector<std::uint16_t>& out, std::int64_t rows) {
      out.resize(static_cast<std::size_t>(rows * kWidth));
      for (auto& x : out) x = static_cast<std::uint16_t>(bits_of(ScalarType::f16, uniform(random)));
    };
    draw(q, kQueries), draw(keys, kKeys), draw(v, kKeys);
    const auto at = [](const auto& x, std::int64_t row, std::int64_t d) {
      return number_of(ScalarType::f16, x[static_cast<std::size_t>(row * kWidth + d)]);
    };
    for (std::int64_t i = 0; i < kQueries; ++i) {
      std::vector<double> sums(kWidth);
      double total = 0;
      for (std::int64_t j = 0; j < kKeys; ++j) {
        double score = 0;
        for (std::int64_t d = 0; d < kWidth; ++d) score += at(q, i, d) * at(keys, j, d);
        total += std::exp(score);
        for (std::int64_t d = 0; d < kWidth; ++d) {
          sums[static_cast<std::size_t>(d)] += std::exp(score) * at(v, j, d);
        }
      }
      for (const double sum : sums) o.push_back(sum / total);
    }
  }
};

}  // namespace vkmoye::test
