// SPDX-License-Identifier: MIT
// 3x3 convolution with padding, NHWC: y(n, row, col, k) = sum over i, j, c of x(n, row+i-1, col+j-1, c) w(k, i, j, c).
// A thread computes a pixel of 4 output channels.

#include "model.hpp"

namespace models {
namespace {

ir::Kernel convolution() {
  const ScalarType f32 = ScalarType::f32;
  const std::int64_t channels = 4;
  Builder k("convolution", 64);
  const Tensor x = k.input("x", f32, {{"c", "C"}, {"col", "W"}, {"row", "H"}, {"image", "N"}});
  const Tensor w = k.input("weight", f32, {{"c", "C"}, {"j", 3}, {"i", 3}, {"to", "K"}});
  const Tensor y =
      k.output("y", f32, {{"to", "K"}, {"col", "W"}, {"pixel_row", Extent("H", "N")}});
  const Expr C = x.extent(0), W = x.extent(1), H = x.extent(2);
  const View mine =
      parallelize(tile(y, {channels, 64, 1}, {k.block_x(), k.block_y(), k.block_z()}),
                  make_layout({1, 64, 1}), k.thread());  // (4, 1, 1)
  const Expr col = k.let("col", 64 * k.block_y() + k.thread());
  const Expr row = k.let("row", k.block_z() % H), image = k.let("image", k.block_z() / H);
  const View sums = k.make_fragment_like("sums", f32, mine);
  k.assign(sums, 0);
  for (std::uint32_t i = 0; i < 3; ++i) {
    for (std::uint32_t j = 0; j < 3; ++j) {
      // Indices are unsigned: one less than 0 is not below an extent.
      const Expr at_row = maximum(row + i, 1) - 1, at_col = maximum(col + j, 1) - 1;
      const Conditions inside = {less(0, row + i), less(at_row, H), less(0, col + j),
                                 less(at_col, W), less(image, x.extent(3))};
      k.branch(inside, [&] {
        k.loop("c", C, [&](const Expr& c) {
          const Expr pixel = k.load("pixel", {"x", {c, at_col, at_row, image}, "x at a tap"});
          const View weights =
              slice(tile(w, {1, 1, 1, channels}, {c, j, i, k.block_x()}), {0, 0, 0, _});  // (4)
          k.apply(
              sums, [&](Expr sum, Expr weight) { return multiply_add(pixel, weight, sum); },
              sums, weights);
        });
      });
    }
  }
  k.copy(sums, mine);
  return k.finish();
}

// --- the problem ---

constexpr std::size_t kOut = 7;  // channels of the result

const Model kConvolution({
    .name = "models/convolution",
    .summary = "3x3 convolution of images, channels innermost, to 7 channels",
    .size_form = "IMAGESxHEIGHTxWIDTHxCHANNELS",
    .example = {1, 64, 96, 3},
    .problem =
        [](const Size& s) {
          const std::int64_t N = s[0], H = s[1], W = s[2], C = s[3], K = kOut;
          return bench::Problem{{{"x", {N, H, W, C}}, {"weight", {K, 3, 3, C}}},
                                {"y", {N, H, W, K}},
                                {{"C", C}, {"W", W}, {"H", H}, {"N", N}, {"K", K}},
                                18.0 * double(N * H * W * C * K)};
        },
    .reference =
        [](const bench::Problem& problem, Inputs in, Result y) {
          const auto& shape = problem.inputs[0].shape;
          const std::size_t H = shape[1], W = shape[2], C = shape[3];
          for (std::size_t at = 0; at < y.size(); ++at) {
            const std::size_t k = at % kOut, col = at / kOut % W, row = at / kOut / W % H,
                              n = at / kOut / W / H;
            for (std::size_t tap = 0; tap < 9; ++tap) {
              const std::size_t r = row + tap / 3, c = col + tap % 3;
              if (r < 1 || r > H || c < 1 || c > W) continue;
              for (std::size_t i = 0; i < C; ++i) {
                const double part =
                    in[0][((n * H + r - 1) * W + c - 1) * C + i] * in[1][(k * 9 + tap) * C + i];
                y[at].value += part;
                y[at].bound += std::fabs(part) * std::ldexp(9.0 * double(C), -24);
              }
            }
          }
        },
    .kernel = [](const DeviceCaps&) { return convolution(); },
});

}  // namespace
}  // namespace models
