// SPDX-License-Identifier: MIT
// Sort of a row of up to 256 numbers: a bitonic network in shared memory, padded with infinity.

#include "model.hpp"

namespace models {
namespace {

constexpr std::uint32_t kMaxLength = 256;

ir::Kernel sort() {
  const ScalarType f32 = ScalarType::f32;
  Builder k("sort", kMaxLength / 2);
  const Tensor x = k.input("x", f32, {{"col", "cols"}, {"row", "rows"}});
  const Tensor y = k.output("y", f32, {{"col", kMaxLength}, {"row", "rows"}});
  const View row = k.shared("numbers", f32, make_layout({kMaxLength, 1}));
  const Layout threads = make_layout({kMaxLength / 2, 1});
  const auto mine = [&](const View& of) { return parallelize(of, threads, k.thread()); };
  k.assign(mine(row), std::numeric_limits<double>::infinity());
  k.copy(mine(tile(x, {kMaxLength, 1}, {0, k.block_x()})), mine(row));
  k.barrier();
  for (std::uint32_t run = 2; run <= kMaxLength; run *= 2) {
    for (std::uint32_t step = run / 2; step > 0; step /= 2) {
      k.with_title(
          "compare numbers " + std::to_string(step) + " apart, in runs of " +
              std::to_string(run),
          [&] {
            const Expr low = k.thread() / step * (2 * step) + k.thread() % step;
            const Expr a = k.load("a", {"numbers", {low}, "low"});
            const Expr b = k.load("b", {"numbers", {low + step}, "high"});
            const Expr rises = equal(low / run % 2, 0);
            k.store(select(rises, minimum(a, b), maximum(a, b)), {"numbers", {low}, "low"});
            k.store(select(rises, maximum(a, b), minimum(a, b)),
                    {"numbers", {low + step}, "high"});
          });
      k.barrier();
    }
  }
  k.copy(mine(row), mine(tile(y, {kMaxLength, 1}, {0, k.block_x()})));
  return k.finish();
}

// --- the problem ---

const Model kSort({
    .name = "models/sort",
    .summary = "rows of up to 256 numbers, each sorted by a workgroup",
    .size_form = "ROWSxCOLUMNS",
    .example = {64, 201},
    .problem =
        [](const Size& s) {
          if (s[1] > kMaxLength) throw ArgumentError("models/sort: takes up to 256 columns");
          return bench::Problem{
              {{"x", s}}, {"y", {s[0], kMaxLength}}, {{"cols", s[1]}, {"rows", s[0]}}};
        },
    .reference =
        [](const bench::Problem& problem, Inputs in, Result y) {
          const auto cols = std::size_t(problem.inputs[0].shape[1]);
          for (std::size_t first = 0; first < y.size(); first += kMaxLength) {
            const auto* row = in[0].data() + first / kMaxLength * cols;
            std::vector<double> sorted(row, row + cols);
            sorted.resize(kMaxLength, std::numeric_limits<double>::infinity());
            std::sort(sorted.begin(), sorted.end());
            for (std::size_t i = 0; i < kMaxLength; ++i) y[first + i].value = sorted[i];
          }
        },
    .kernel = [](const DeviceCaps&) { return sort(); },
});

}  // namespace
}  // namespace models
