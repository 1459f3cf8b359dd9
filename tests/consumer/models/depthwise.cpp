// SPDX-License-Identifier: MIT
// Depthwise 3x3 convolution with padding, NHWC: y(row, col, c) = sum over i, j of x(row+i-1, col+j-1, c) w(i, j, c).

#include "model.hpp"

namespace models {
namespace {

ir::Kernel depthwise() {
  const ScalarType f16 = ScalarType::f16, f32 = ScalarType::f32;
  Builder k("depthwise", 64);
  const Tensor x = k.input("x", f16, {{"c", "C"}, {"col", "W"}, {"row", "H"}});
  const Tensor w = k.input("weight", f16, {{"c", "C"}, {"j", 3}, {"i", 3}});
  const Tensor y = k.output("y", f16, {{"c", "C"}, {"col", "W"}, {"row", "H"}});
  const Expr C = x.extent(0), W = x.extent(1), H = x.extent(2);
  const Expr c = k.let("c", 64 * k.block_x() + k.thread());
  const Expr col = k.block_y(), row = k.block_z();
  const View sum = k.registers("sum", f32, Layout());
  k.assign(sum, 0);
  for (std::uint32_t i = 0; i < 3; ++i) {
    for (std::uint32_t j = 0; j < 3; ++j) {
      const Expr at_col = maximum(col + j, 1) - 1, at_row = maximum(row + i, 1) - 1;
      const Conditions inside = {less(c, C), less(0, row + i), less(at_row, H),
                                 less(0, col + j), less(at_col, W)};
      k.branch(inside, [&] {
        const Expr pixel = k.load("pixel", {"x", {c, at_col, at_row}, "x at a tap"});
        const Expr weight = k.load("scale", {"weight", {c, j, i}, "weight of a tap"});
        k.apply(
            sum,
            [&](Expr s) { return multiply_add(convert(pixel, f32), convert(weight, f32), s); },
            sum);
      });
    }
  }
  const View mine = tile(y, {64, 1, 1}, {k.block_x(), col, row});
  k.copy(sum, parallelize(mine, make_layout({64, 1, 1}), k.thread()));
  return k.finish();
}

// --- the problem ---

const Model kDepthwise({
    .name = "models/depthwise",
    .summary = "3x3 convolution of each channel by itself, channels innermost",
    .size_form = "HEIGHTxWIDTHxCHANNELS",
    .example = {48, 48, 64},
    .type = ScalarType::f16,
    .problem =
        [](const Size& s) {
          const std::int64_t H = s[0], W = s[1], C = s[2];
          return bench::Problem{{{"x", s}, {"weight", {3, 3, C}}},
                                {"y", s},
                                {{"C", C}, {"W", W}, {"H", H}},
                                18.0 * double(H * W * C)};
        },
    .reference =
        [](const bench::Problem& problem, Inputs in, Result y) {
          const auto& shape = problem.output.shape;
          const std::size_t H = shape[0], W = shape[1], C = shape[2];
          for (std::size_t at = 0; at < y.size(); ++at) {
            const std::size_t c = at % C, col = at / C % W, row = at / C / W;
            for (std::size_t tap = 0; tap < 9; ++tap) {
              const std::size_t r = row + tap / 3, q = col + tap % 3;
              if (r < 1 || r > H || q < 1 || q > W) continue;
              const double part = in[0][((r - 1) * W + q - 1) * C + c] * in[1][tap * C + c];
              y[at].value += part;
              y[at].bound += std::fabs(part) * 0x1p-20;
            }
            // A rounding to f16, whose smallest numbers are 2^-24 apart.
            y[at].bound += std::max(std::fabs(y[at].value) * 0x1p-10, 0x1p-25);
          }
        },
    .kernel = [](const DeviceCaps&) { return depthwise(); },
});

}  // namespace
}  // namespace models
