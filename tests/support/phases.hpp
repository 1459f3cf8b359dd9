// SPDX-License-Identifier: MIT
#pragma once
// A kernel whose second phase reads what other workgroups wrote in the first one.

#include <cstdint>
#include <functional>

#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::test {

/// middle = 2 * src, a grid barrier, dst(i) = middle(n - 1 - i), by `groups` workgroups of 64 threads. `between`:
/// records what stands between the two phases.
inline gen::ir::Kernel doubled_and_reversed(
    std::int64_t groups,
    const std::function<void(gen::Builder&)>& between = [](gen::Builder& k) { k.grid_barrier(); }) {
  constexpr std::int64_t kThreads = 64;
  constexpr ScalarType f32 = ScalarType::f32;
  gen::Builder k("doubled_and_reversed", kThreads);
  k.resident(groups);
  const gen::Tensor src = k.input("src", f32, {{"i", "n"}});
  const gen::Tensor middle = k.scratch("middle", f32, {{"i", "n"}});
  const gen::Tensor dst = k.output("dst", f32, {{"i", "n"}});
  const auto own = [&](const gen::Tensor& tensor) {
    return parallelize(tile(tensor, {kThreads}, {k.block_x()}), Layout(kThreads), k.thread());
  };
  k.grid_loop("middle = 2 * src", [&] {
    k.apply(
        own(middle), [](const gen::Expr& x) { return x + x; }, own(src));
  });
  between(k);
  k.grid_loop("dst = middle, backwards", [&] {
    const gen::Expr n = src.extent(0);
    const gen::Expr i = k.let("i", gen::Expr(64) * k.block_x() + k.thread());
    k.grid(0, "n", kThreads);
    k.branch({less(i, n)}, [&] {
      k.store(k.load("x", gen::ir::Element{"middle", {n - 1 - i}, "middle, backwards"}),
              gen::ir::Element{"dst", {i}});
    });
  });
  return k.finish();
}

}  // namespace vkmoye::test
