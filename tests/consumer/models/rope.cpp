// SPDX-License-Identifier: MIT
// Rotary position embedding: pairs (i, i + 64) of a head of 128 elements are rotated by position * 10000^(-i / 64).

#include "model.hpp"

namespace models {
namespace {

ir::Kernel rope() {
  const ScalarType f16 = ScalarType::f16, f32 = ScalarType::f32;
  Builder k("rope", 64);
  const Tensor x = k.input("x", f16, {{"d", 128}, {"head", "heads"}, {"token", "tokens"}});
  const Tensor position = k.input("position", ScalarType::u32, {{"token", "tokens"}});
  const Tensor y = k.output("y", f16, {{"d", 128}, {"head", "heads"}, {"token", "tokens"}});
  const auto half = [&](const Tensor& of, std::uint32_t which) {  // one element of each thread
    return parallelize(tile(of, {64, 1, 1}, {which, k.block_x(), k.block_y()}),
                       make_layout({64, 1, 1}), k.thread());
  };
  const Expr at = k.load("at", tile(position, {1}, {k.block_y()}));
  const Expr pair = convert(k.thread(), f32);
  const Expr frequency = k.let("frequency", exp2(-std::log2(10000.0) / 64 * pair));
  // Devices bound the error of sin and cos between -pi and pi.
  const Expr angle = reduced_angle(k, convert(at, f32), frequency);
  const Expr c = k.let("c", cos(angle)), s = k.let("s", sin(angle));
  k.apply(
      half(y, 0), [&](Expr a, Expr b) { return convert(a, f32) * c - convert(b, f32) * s; },
      half(x, 0), half(x, 1));
  k.apply(
      half(y, 1), [&](Expr a, Expr b) { return convert(b, f32) * c + convert(a, f32) * s; },
      half(x, 0), half(x, 1));
  return k.finish();
}

const Model kRope("rope", [](const Machine& machine) {
  const std::size_t heads = 3, tokens = 5;
  const Data x = random_data(ScalarType::f16, 128 * heads * tokens);
  const Data position = random_data(ScalarType::u32, tokens, 2000);
  std::vector<Expected> y(x.values.size());
  for (std::size_t row = 0; row < heads * tokens; ++row) {
    for (std::size_t i = 0; i < 64; ++i) {
      const std::size_t at = 128 * row + i;
      const double angle = position[row / heads] * std::pow(10000.0, -double(i) / 64);
      const double a = x[at], b = x[at + 64], size = std::fabs(a) + std::fabs(b);
      // sin and cos, the frequency in f32, one rounding to f16
      const double tolerance = size * (0x1p-11 + std::ldexp(angle + 1, -19) + 0x1p-11);
      y[at] = {a * std::cos(angle) - b * std::sin(angle), tolerance};
      y[at + 64] = {b * std::cos(angle) + a * std::sin(angle), tolerance};
    }
  }
  machine.check(rope(), {x, position, unwritten(ScalarType::f16, x.values.size())},
                {{"heads", heads}, {"tokens", tokens}}, y);
});

}  // namespace
}  // namespace models
