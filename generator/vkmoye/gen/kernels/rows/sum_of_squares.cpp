// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/sum_of_squares.hpp"

#include <fmt/format.h>

#include <cmath>

namespace vkmoye::gen {
namespace {

using ir::number;

constexpr double kLeast = 0x1p-70;  // a smaller sum has lost bits
// Small numbers are multiplied by 2^84, large ones divided; of the inverse root, 2^32 or 2^-32 is multiplied first.
constexpr int kExponent = 84, kOfPower = 32;

}  // namespace

std::vector<SumOfSquares::Sum> SumOfSquares::sums_for(ScalarType type, double epsilon) {
  std::vector<Sum> sums = {{"sum", 0}};
  if (type != ScalarType::f32 && type != ScalarType::bf16) return sums;
  sums.push_back({"large_sum", -kExponent});
  if (epsilon < kLeast) sums.push_back({"small_sum", kExponent});
  return sums;
}

SumOfSquares::SumOfSquares(Builder& k, ScalarType type, double epsilon)
    : builder_(k), epsilon_(epsilon), sums_(sums_for(type, epsilon)) {}

RowState::Part SumOfSquares::part() const {
  return {sums_.size() == 1 ? "sum" : "sums", kSum, number(ScalarType::f32, 0), arrays()};
}

std::vector<std::string> SumOfSquares::arrays() const {
  std::vector<std::string> arrays;
  for (const Sum& sum : sums_) arrays.push_back(fmt::format("slice_{}s", sum.name));
  return arrays;
}

double SumOfSquares::scale(std::size_t number) const {
  return std::ldexp(1, sums_[number].exponent);
}

Expr SumOfSquares::plus_square(std::size_t number, const Expr& sum, const Expr& x,
                               const std::string& scaled) const {
  const bool is_scaled = sums_[number].exponent != 0;
  const Expr root = is_scaled ? builder_.let_exact(scaled, x * scale(number)) : x;
  return multiply_add(root, root, sum);
}

void SumOfSquares::add(const View& x, const RowState::Values& sums) const {
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const Sum& sum = sums_[i];
    const View to = broadcast(sums[i], x.shape());
    const std::string of = sum.exponent == 0 ? "x * x" : fmt::format("(x * 2^{})^2", sum.exponent);
    builder_.with_title(fmt::format("{} += {}, for each value of x", sum.name, of), [&] {
      builder_.apply(
          to, [&](const Expr& s, const Expr& v) { return plus_square(i, s, v); }, to, x);
    });
  }
}

InverseRoot SumOfSquares::inverse_root(const RowState::Values& sums, const Expr& count,
                                       const std::optional<Expr>& shift) const {
  const Expr squares = builder_.load("squares", sums[0]);
  const auto mean_of = [&](const Expr& sum, const std::optional<Expr>& offset) {
    return offset ? maximum(sum / count - *offset * *offset, number(ScalarType::f32, 0))
                  : sum / count;
  };
  if (sums_.size() == 1) {
    return {
        {},
        builder_.let("scale", rsqrt(mean_of(squares, shift) + number(ScalarType::f32, epsilon_)))};
  }
  const Expr large = builder_.load("large_squares", sums[1]);
  const Expr is_large = less(number(ScalarType::f32, kLeast), large),
             is_small = less(squares, kLeast);
  const bool has_small = sums_.size() == 3;
  const Expr small = has_small ? builder_.load("small_squares", sums[2]) : large;
  const auto one_of = [&](const Expr& of_large, const Expr& usual, const Expr& of_small) {
    return select(is_large, of_large, has_small ? select(is_small, of_small, usual) : usual);
  };
  // By 2^-exponent, not at all, or by 2^exponent.
  const auto scaled = [&](double value, int exponent) {
    return one_of(number(ScalarType::f32, std::ldexp(value, -exponent)),
                  number(ScalarType::f32, value),
                  number(ScalarType::f32, std::ldexp(value, exponent)));
  };
  std::optional<Expr> offset;
  if (shift) offset = builder_.let("scaled_shift", *shift * scaled(1, kExponent));
  const Expr mean = builder_.let("mean", mean_of(one_of(large, squares, small), offset));
  const Expr epsilon = builder_.let("epsilon", scaled(epsilon_, 2 * kExponent));
  return {builder_.let("power", scaled(1, kOfPower)),
          builder_.let("scale", rsqrt(mean + epsilon) * scaled(1, kExponent - kOfPower))};
}

}  // namespace vkmoye::gen
