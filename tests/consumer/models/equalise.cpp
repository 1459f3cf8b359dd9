// SPDX-License-Identifier: MIT
// Histogram equalisation of an image of 8 bits, in four steps: no counts, counts of the levels, a table of new levels,
// and the table applied. With `before(l)` the number of pixels of at most level l, and `first` that of the lowest
// level that occurs, the new level is
//
//   round(255 * (before(l) - first) / (pixels - first)), or l itself if all pixels have one level.

#include "model.hpp"

namespace models {
namespace {

constexpr std::int64_t kLevels = 256, kPixels = 4;  // of a thread
constexpr std::uint32_t kTooMany =
    1 << 24;  // pixels: fewer, so that 255.5 times their number fits in 32 bits
const Layout kThreads = make_layout({kLevels});

ir::Kernel clear() {
  Builder k("equalise_clear", kLevels);
  k.grid(0, 1, 1);
  const Tensor counts = k.output("counts", ScalarType::u32, {{"level", kLevels}});
  k.assign(parallelize(tile(counts, {kLevels}, {0}), kThreads, k.thread()), 0);
  return k.finish();
}

// counts += how often each level occurs in src; each workgroup counts in shared memory first.
ir::Kernel count() {
  const ScalarType u32 = ScalarType::u32;
  Builder k("equalise_count", kLevels);
  const Tensor src = k.input("src", ScalarType::u8, {{"i", "n"}});
  k.in_out("counts", u32, {{"level", kLevels}});
  const View bins = k.shared("bins", u32, kThreads);
  k.assign(parallelize(bins, kThreads, k.thread()), 0);
  k.barrier();
  k.grid(0, "n", kLevels * kPixels);
  for (std::int64_t pixel = 0; pixel < kPixels; ++pixel) {
    const Expr i = kLevels * kPixels * k.block_x() + kLevels * pixel + k.thread();
    k.branch({less(i, src.extent(0))}, [&] {
      const Expr level = to_index(convert(k.load("level", {"src", {i}}), u32));
      k.branch({less(level, kLevels)}, [&] {
        k.accumulate_atomically("before", {"bins", {level}}, kSum, number(u32, 1));
      });
    });
  }
  k.barrier();
  const Expr counted = k.load("counted", {"bins", {k.thread()}});
  k.accumulate_atomically("of_others", {"counts", {k.thread()}}, kSum, counted);
  return k.finish();
}

// One workgroup, with a level for each thread.
ir::Kernel levels(std::uint32_t lanes) {
  const ScalarType u32 = ScalarType::u32;
  Builder k("equalise_levels", kLevels, lanes);
  k.grid(0, 1, 1);
  const Tensor counts = k.input("counts", u32, {{"level", kLevels}});
  const Tensor to = k.output("to", u32, {{"level", kLevels}});
  const Expr pixels = k.argument("pixels", u32);
  k.assume(less(pixels, kTooMany), "255.5 times the number of pixels is below 2^32");
  const View totals = k.shared("totals", u32, make_layout({kLevels / lanes}));
  const auto mine = [&](const Tensor& of) {
    return parallelize(tile(of, {kLevels}, {0}), kThreads, k.thread());
  };
  const Expr own = k.load("own", mine(counts));
  const Expr lane_sum = k.subgroup_inclusive_scan("lane_sum", ir::Op::add, own);
  k.branch({equal(k.lane(), lanes - 1)}, [&] {
    k.store(lane_sum, {"totals", {k.subgroup()}});
  });
  k.barrier();
  const View sum = k.registers("sum", u32, Layout());
  k.assign(sum, lane_sum);
  k.loop("earlier", k.subgroup(), [&](const Expr& earlier) {
    const Expr total = k.load("total", {"totals", {earlier}});
    k.apply(
        sum, [&](Expr s) { return s + total; }, sum);
  });
  const Expr before = k.let("before", k.load("all_before", sum));
  const View first = k.registers("first", u32, Layout());
  k.assign(first, select(equal(own, 0), kMinimum.neutral(u32), before));
  k.reduce_across(first, kMinimum, kThreads, 0);
  const Expr low = k.load("low", first), all = convert(pixels, u32);
  const Expr scaled = 255 * (before - low) + (all - low) / 2;
  const Expr level = convert(k.thread(), u32);
  const Expr spread = scaled / maximum(all - low, 1);
  // Below the lowest level that occurs, before - low is negative, and no pixel needs the level.
  k.store(select(equal(all, low), level, minimum(spread, 255)), mine(to));
  return k.finish();
}

ir::Kernel map() {
  const ScalarType u8 = ScalarType::u8, u32 = ScalarType::u32;
  Builder k("equalise_map", kLevels);
  const Tensor src = k.input("src", u8, {{"i", "n"}});
  const Tensor to = k.input("to", u32, {{"level", kLevels}});
  const Tensor dst = k.output("dst", u8, {{"i", "n"}});
  const auto mine = [&](const Tensor& of) {
    return parallelize(tile(of, {kLevels * kPixels}, {k.block_x()}), kThreads, k.thread());
  };
  k.apply(
      mine(dst),
      [&](Expr pixel) {
        const Expr level = minimum(to_index(convert(pixel, u32)), kLevels - 1);
        return convert(k.load("new_level", {"to", {level}}), u8);
      },
      mine(src));
  return k.finish();
}

// --- the problem ---

const Model kEqualise({
    .name = "models/equalise",
    .summary = "histogram equalisation of an image of 8 bits",
    .size_form = "HEIGHTxWIDTH",
    .example = {600, 800},
    .type = ScalarType::u8,
    .problem =
        [](const Size& s) {
          const std::int64_t n = s[0] * s[1];
          if (n >= kTooMany)
            throw ArgumentError("models/equalise: takes fewer than 2^24 pixels");
          bench::Problem problem{{{"src", s}}, {"dst", s}, {{"n", n}, {"pixels", n}}};
          // A dark image, and some pixels of both extremes.
          problem.inputs[0].value = [](std::uint64_t i, std::uint64_t bits) {
            return i % 97 == 5 ? 255 : i % 89 == 7 ? 0 : 20 + whole(bits, 80);
          };
          return problem;
        },
    .reference =
        [](const bench::Problem&, Inputs in, Result dst) {
          std::vector<std::uint64_t> before(kLevels + 1);
          for (const double level : in[0]) ++before[std::size_t(level) + 1];
          for (std::size_t l = 0; l < kLevels; ++l) before[l + 1] += before[l];
          const auto lowest = *std::min_element(in[0].begin(), in[0].end());
          const std::uint64_t first = before[std::size_t(lowest) + 1], all = before[kLevels];
          for (std::size_t i = 0; i < dst.size(); ++i) {
            const auto level = std::size_t(in[0][i]);
            const std::uint64_t above = before[level + 1] - first, most = all - first;
            dst[i].value =
                most == 0 ? double(level) : double((510 * above + most) / (2 * most));
          }
        },
    .steps =
        [](const DeviceCaps& device, const Size&) {
          enum : std::size_t { src, dst, counts, to };
          return Steps{{{"counts", 4 * kLevels}, {"to", 4 * kLevels}},
                       {{clear(), {counts}},
                        {count(), {src, counts}},
                        {levels(device.subgroup_size), {counts, to}},
                        {map(), {src, to, dst}}}};
        },
});

}  // namespace
}  // namespace models
