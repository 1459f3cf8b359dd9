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

const Model kHistogram("histogram", [](const Machine& machine) {
  const std::size_t n = 1000, bins = 20;
  const Data values = random_data(ScalarType::u32, n, bins + 3),
             before = random_data(ScalarType::u32, bins, 100);
  std::vector<Expected> counts(bins);
  for (std::size_t bin = 0; bin < bins; ++bin) counts[bin].value = before[bin];
  for (const double value : values.values) {
    if (value < bins) counts[static_cast<std::size_t>(value)].value += 1;
  }
  machine.check(histogram(), {values, before}, {{"n", n}, {"bins", bins}}, counts);
});

}  // namespace
}  // namespace models
