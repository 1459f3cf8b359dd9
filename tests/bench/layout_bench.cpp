// SPDX-License-Identifier: MIT
// Time per operation on layouts of depth 4 and 8 leaves; the aim is below 2 microseconds each.
#include <benchmark/benchmark.h>

#include "vkmoye/layout/access.hpp"
#include "vkmoye/layout/algebra.hpp"
#include "vkmoye/tensor/tiled_copy.hpp"

namespace vkmoye {
namespace {

// 5760 elements in four shapes of stride: compact, padded, permuted, and what those are composed
// with.
constexpr IntTuple kShape = {{{2, {4, 2}}, 3}, {{5, {2, 4}}, 3}};
constexpr Layout kCompact(kShape);
constexpr Layout kPadded(kShape, {{{1, {2, 8}}, 17}, {{51, {257, 514}}, 2057}});
constexpr Layout kPermuted(kShape, {{{720, {2, 1440}}, 240}, {{48, {8, 12}}, 80}});
constexpr Layout kInner = make_layout({{{2, {2, 2}}, 3}, {{5, {2, 2}}, 3}},
                                      {{{1, {2, 8}}, 16}, {{48, {240, 480}}, 1920}});
static_assert(depth(kCompact) == 4 && kCompact.leaves().size() == 8);
static_assert(depth(kInner) == 4 && kInner.leaves().size() == 8);

template <class F>
void run(benchmark::State& state, F f) {
  Layout a = kCompact, b = kInner, c = kPadded;
  for (auto _ : state) {
    benchmark::DoNotOptimize(a);
    benchmark::DoNotOptimize(b);
    benchmark::DoNotOptimize(c);
    benchmark::DoNotOptimize(f(a, b, c));
  }
}

using L = const Layout&;

#define OPERATION(name, ...)                                            \
  void name(benchmark::State& state) {                                  \
    run(state, [](L a, L b, L c) -> decltype(auto) {                    \
      static_cast<void>(a), static_cast<void>(b), static_cast<void>(c); \
      return __VA_ARGS__;                                               \
    });                                                                 \
  }                                                                     \
  BENCHMARK(name)

OPERATION(evaluate, c(777));
OPERATION(evaluate_by_mode, c(7, 77));
OPERATION(index_to_coordinate, idx2crd(777, a.shape()));
OPERATION(coalesce_, coalesce(c));
OPERATION(composition_compact, composition(a, b));
OPERATION(composition_padded, composition(c, Layout({2, 3}, {1, 16})));
OPERATION(composition_by_mode, composition(c, {8, 5}));
OPERATION(complement_, complement(c, 100000));
OPERATION(right_inverse_, right_inverse(a));
OPERATION(left_inverse_, left_inverse(a));
OPERATION(logical_divide_, logical_divide(c, {8, 5}));
OPERATION(zipped_divide_, zipped_divide(c, {8, 5}));
OPERATION(logical_product_, logical_product(c, Layout({2, 3}, {1, 2})));
OPERATION(raked_product_, raked_product(a, Layout({2, 3}, {1, 2})));
OPERATION(slice_, slice_and_offset({_, 3}, c));
OPERATION(upcast_, upcast(a, 2));
OPERATION(max_common_vector_, max_common_vector(c, a));
OPERATION(is_injective_, is_injective(c));
OPERATION(tiled_copy_, make_tiled_copy(Layout({32, 8}, {1, 32}), Layout({4, 1}, {1, 4})));
OPERATION(parse_,
          parse_layout("(((2,(4,2)),3),((5,(2,4)),3)):(((1,(2,8)),17),((51,(257,514)),2057))"));
OPERATION(print_, to_string(c));

void composition_permuted(benchmark::State& state) {
  Layout a = kPermuted, b = kInner;
  for (auto _ : state) {
    benchmark::DoNotOptimize(a);
    benchmark::DoNotOptimize(composition(a, b));
  }
}
BENCHMARK(composition_permuted);

}  // namespace
}  // namespace vkmoye

BENCHMARK_MAIN();
