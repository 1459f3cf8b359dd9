// SPDX-License-Identifier: MIT
// Extents that are computed from arguments: arrays with an element for each part of another one.

#include <numeric>

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/interface_json.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/passes/fixed_sizes.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"
#include "vkmoye/gen/verify/claims.hpp"

namespace vkmoye::gen::computed_extents {
namespace {

constexpr ScalarType f32 = ScalarType::f32;

/// sums[g] = sum of src[64 g .. 64 g + 63], with `size` elements of src for each of sums.
ir::Kernel sums_of_parts(std::int64_t size, bool by_tile = false) {
  Builder k("sums_of_parts", 64, 32);
  const Tensor src = k.input("src", f32, {{"i", "n"}});
  const Tensor sums = k.output("sums", f32, {{"part", Extent::parts("n", size)}});
  const View own = k.registers("own", f32, make_layout({1}));
  k.copy(parallelize(tile(src, {64}, {k.block_x()}), make_layout({64}), k.thread()), own,
         {.edges = Edges::zero});
  const View sum = k.registers("sum", f32, Layout());
  k.assign(sum, k.load("x", own));
  k.reduce_across(sum, kSum, make_layout({64}), 0);
  k.branch({equal(k.thread(), 0)}, [&] {
    if (by_tile) return k.copy(sum, tile(sums, {1}, {k.block_x()}));
    k.store(k.load("total", sum), ir::Element{"sums", {k.block_x()}});
  });
  return k.finish();
}

TEST(ComputedExtents, AnElementForEachWorkgroup) {
  for (const bool by_tile : {false, true}) {
    const ir::Kernel kernel = sums_of_parts(64, by_tile);
    EXPECT_EQ(to_string(interface_of(kernel).bindings[1].extents[0]), "ceil(n/64)");
    for (const std::uint32_t n : {1u, 64u, 65u, 150u}) {
      std::vector<float> src(n, 1), sums((n + 63) / 64);
      EXPECT_THAT(run_on_host(kernel, {src, sums}, {{"n", n}}).reasons, IsEmpty());
      EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0.0f), static_cast<float>(n));
    }
    for (const Claim& claim : claims_of(kernel)) {
      if (claim.array != "sums") continue;
      EXPECT_EQ(claim.answer, Claim::Answer::proved) << claim.text << ": " << claim.why;
    }
  }
}

TEST(ComputedExtents, OfTooManyOrTooFewParts) {
  EXPECT_REFUSED(sums_of_parts(32), KernelError, "not proved to be below ceil(n/32)");
  EXPECT_REFUSED(sums_of_parts(128), KernelError, "not proved to be below ceil(n/128)");
  EXPECT_REFUSED(sums_of_parts(32, true), KernelError,
                 AllOf(HasSubstr("block_x counts tiles of 64 along n, but 'tile(sums, (1))' takes "
                                 "tiles of 1 along ceil(n/32)"),
                       HasSubstr("nothing writes sums[")));
}

TEST(ComputedExtents, OfRowsThatALoopReadsAndASecondKernelWrites) {
  // result[row] = sum over parts of sums(part, row), where parts = ceil(n / 64).
  Builder k("combine", 32);
  const Tensor sums = k.input("sums", f32, {{"part", Extent::parts("n", 64)}, {"row", "rows"}});
  const Tensor result = k.output("result", f32, {{"row", "rows"}});
  k.grid(0, "rows", 32);
  const Expr row = 32 * k.block_x() + k.thread();
  const View sum = k.registers("sum", f32, Layout());
  k.assign(sum, 0);
  k.branch({less(row, result.extent(0))}, [&] {
    k.loop("part", sums.extent(0), [&](const Expr& part) {
      const Expr x = k.load("x", ir::Element{"sums", {part, row}});
      k.assign(sum, k.load("so_far", sum) + x);
    });
    k.store(k.load("total", sum), ir::Element{"result", {row}});
  });
  const ir::Kernel kernel = k.finish();
  std::vector<float> partial(3 * 40, 2), out(40);
  const Arguments sizes = {{"n", 129}, {"rows", 40}};
  EXPECT_THAT(run_on_host(kernel, {partial, out}, sizes).reasons, IsEmpty());
  EXPECT_EQ(out, std::vector<float>(40, 6));
  EXPECT_EQ(bake(kernel, {{"n", 129}}).arrays[0].axes[0].extent, Extent(3));
}

TEST(ComputedExtents, InFilesAndLaunches) {
  EXPECT_EQ(Extent::parts("n", 1), Extent("n"));
  EXPECT_EQ(Extent::parts(1537, 1024), Extent(2));
  const KernelInterface interface = interface_of(sums_of_parts(64));
  EXPECT_EQ(element_count(interface.bindings[1], {{"n", 65}}), 2u);
  EXPECT_EQ(element_count(interface.bindings[1], {{"n", 0}}), 0u);
  EXPECT_REFUSED(element_count(interface.bindings[1], {}), ArgumentError,
                 "argument 'n' is missing");
  EXPECT_REFUSED(element_count(interface.bindings[1], {{"n", kMaxExtent + 1}}), ArgumentError,
                 "the largest extent");
  const Binding two{"b", f32, Access::read, {Extent::parts(Extent("n", "m"), 1024)}};
  EXPECT_EQ(element_count(two, {{"n", 100}, {"m", 100}}), 10u);
  EXPECT_EQ(to_string(two.extents[0]), "ceil(n*m/1024)");
  EXPECT_EQ(*ir::extent_from(ir::expression(two.extents[0])), two.extents[0]);
}

}  // namespace
}  // namespace vkmoye::gen::computed_extents
