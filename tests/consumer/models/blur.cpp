// SPDX-License-Identifier: MIT
// Gaussian blur of 5x5 elements (1 4 6 4 1 along both axes, divided by 256) whose edges are repeated. A workgroup loads
// its tile with a halo of two elements into shared memory, blurs along the rows there, then along the columns.
//
//   halo (36, 12)  --5 along a row-->  lines (32, 12)  --5 along a column-->  dst (32, 8)

#include "model.hpp"

namespace models {
namespace {

constexpr std::int64_t kTaps = 5, kReach = kTaps / 2;
constexpr double kWeights[kTaps] = {1 / 16., 4 / 16., 6 / 16., 4 / 16., 1 / 16.};

// The sum of `taps` with their weights.
Expr weighted(const std::vector<Expr>& taps) {
  Expr sum = kWeights[0] * taps[0];
  for (std::size_t i = 1; i < kTaps; ++i) {
    sum = multiply_add(number(ScalarType::f32, kWeights[i]), taps[i], sum);
  }
  return sum;
}

ir::Kernel blur() {
  const ScalarType f32 = ScalarType::f32;
  const std::int64_t width = 32, height = 8, pitch = width + 2 * kReach,
                     lines = height + 2 * kReach;
  Builder k("blur", width * height);
  k.header({{"taps", "5x5"}, {"tile", "32x8"}}, "an element is loaded 1.7 times, not 25 times");
  const Tensor src = k.input("src", f32, {{"col", "cols"}, {"row", "rows"}});
  const Tensor dst = k.output("dst", f32, {{"col", "cols"}, {"row", "rows"}});
  const View halo = k.shared("halo", f32, make_layout({pitch, lines}));        // (36, 12)
  const View blurred = k.shared("blurred", f32, make_layout({width, lines}));  // (32, 12)
  const Expr cols = src.extent(0), rows = src.extent(1);
  // Calls body(i) for each i below `count`; threads share them out.
  const auto each = [&](std::int64_t count, const std::function<void(const Expr&)>& body) {
    for (std::int64_t first = 0; first < count; first += width * height) {
      const Expr i = k.thread() + first;
      k.branch({less(i, count)}, [&] { body(i); });
    }
  };
  k.with_title("the tile with its halo; elements outside are those at the edge", [&] {
    each(pitch * lines, [&](const Expr& i) {
      // Indices are unsigned: below 2, the coordinate in src would be negative.
      const Expr col = maximum(width * k.block_x() + i % pitch, kReach) - kReach;
      const Expr row = maximum(height * k.block_y() + i / pitch, kReach) - kReach;
      const ir::Element from{"src", {minimum(col, cols - 1), minimum(row, rows - 1)}};
      k.store(k.load("found", from), {"halo", {i}, "element"});
    });
  });
  k.barrier();
  k.with_title("blurred along the rows", [&] {
    each(width * lines, [&](const Expr& i) {
      std::vector<Expr> taps;
      for (std::int64_t tap = 0; tap < kTaps; ++tap) {
        const Expr at = pitch * (i / width) + i % width + tap;
        taps.push_back(k.load("tap" + std::to_string(tap), {"halo", {at}, "tap"}));
      }
      k.store(weighted(taps), {"blurred", {i}, "element"});
    });
  });
  k.barrier();
  // Overlapping modes: value (col, row, j) is element (col, row + j) of `blurred`.
  const View windows =
      composition(blurred, make_layout({width, height, kTaps}, {1, width, width}));
  const auto mine = [&](const View& view) {
    return parallelize(view, make_layout({width, height}), k.thread());
  };
  std::vector<View> taps;
  for (std::int64_t j = 0; j < kTaps; ++j) taps.push_back(mine(slice(windows, {_, _, j})));
  k.apply(mine(tile(dst, {width, height}, {k.block_x(), k.block_y()})), weighted, taps);
  return k.finish();
}

// --- the problem ---

const Model kBlur({
    .name = "models/blur",
    .summary = "5x5 Gaussian blur of an image, whose tiles are loaded with their halo",
    .size_form = "HEIGHTxWIDTH",
    .example = {600, 800},
    .problem =
        [](const Size& s) {
          bench::Problem problem{{{"src", s}}, {"dst", s}, {{"rows", s[0]}, {"cols", s[1]}}};
          problem.flops = 20.0 * double(s[0] * s[1]);
          return problem;
        },
    .reference =
        [](const bench::Problem& problem, Inputs in, Result dst) {
          const auto rows = problem.output.shape[0], cols = problem.output.shape[1];
          for (std::int64_t at = 0; at < rows * cols; ++at) {
            Expected& to = dst[std::size_t(at)];
            for (std::int64_t tap = 0; tap < kTaps * kTaps; ++tap) {
              const auto i = tap / kTaps, j = tap % kTaps;
              const auto row = std::clamp<std::int64_t>(at / cols + i - kReach, 0, rows - 1);
              const auto col = std::clamp<std::int64_t>(at % cols + j - kReach, 0, cols - 1);
              const double part =
                  kWeights[i] * kWeights[j] * in[0][std::size_t(row * cols + col)];
              to.value += part;
              to.bound += std::fabs(part) * 0x1p-20;
            }
          }
        },
    .kernel = [](const DeviceCaps&) { return blur(); },
});

}  // namespace
}  // namespace models
