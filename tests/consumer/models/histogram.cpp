// SPDX-License-Identifier: MIT
// Histogram: counts[b] += the number of values in bin b, by atomics in the buffer. Values beyond the last bin are not
// counted.

#include "model.hpp"

namespace models {
namespace {

ir::Kernel histogram() {
  const ScalarType u32 = ScalarType::u32;
  Builder k("histogram", 128);
  const Tensor values = k.input("values", u32, {{"i", "n"}});
  const Tensor counts = k.in_out("counts", u32, {{"bin", "bins"}});
  k.grid(0, "n", 128);
  const Expr i = 128 * k.block_x() + k.thread();
  k.branch({less(i, values.extent(0))}, [&] {
    const Expr bin = to_index(k.load("found", {"values", {i}}));
    k.branch({less(bin, counts.extent(0))}, [&] {
      k.accumulate_atomically("before", {"counts", {bin}}, kSum, number(u32, 1));
    });
  });
  return k.finish();
}

// --- the problem ---

constexpr std::int64_t kBins = 64;

const Model kHistogram({
    .name = "models/histogram",
    .summary = "how often each of 64 numbers occurs, added to earlier counts",
    .size_form = "COUNT",
    .example = {100000},
    .type = ScalarType::u32,
    .problem =
        [](const Size& s) {
          bench::Problem problem{
              {{"values", s}}, {"counts", {kBins}}, {{"n", s[0]}, {"bins", kBins}}};
          problem.inputs[0].value = [](std::uint64_t, std::uint64_t bits) {
            return whole(bits, kBins + 3);
          };
          problem.output.in_out = true;
          return problem;
        },
    .reference =
        [](const bench::Problem&, Inputs in, Result counts) {
          for (std::size_t bin = 0; bin < kBins; ++bin) counts[bin].value = in[1][bin];
          for (const double value : in[0]) {
            if (value < kBins) counts[std::size_t(value)].value += 1;
          }
        },
    .kernel = [](const DeviceCaps&) { return histogram(); },
});

}  // namespace
}  // namespace models
