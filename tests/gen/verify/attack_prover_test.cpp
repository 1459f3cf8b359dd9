// SPDX-License-Identifier: MIT
// Wrong kernels that a prover accepts if it gives two values one name, takes what subgroups compute for constant, or
// tries launches of nothing.

#include "gen/verify/attacked.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen::attack {
namespace {

using SubgroupKind = Subgroup::Kind;

const Expr w = variable("w");

// w: the number of the round, by way of the lanes.
Subgroup round_by(SubgroupKind kind) {
  return {.name = "w", .kind = kind, .combine = Op::maximum, .value = r, .lane = 0};
}

// In round 50 all threads write one element; in round 640 indices leave the array.
TEST(AttackProver, SubgroupResultsDifferBetweenRounds) {
  const auto in_rounds = [](Body body) { return with_result({For{"r", p, std::move(body)}}); };
  for (const SubgroupKind kind : {SubgroupKind::broadcast, SubgroupKind::reduce}) {
    expect_refused(in_rounds({round_by(kind), If{less(w, 50),
                                                 {store(shared_at(thread, "own"))},
                                                 {store(shared_at(0, "all"))}}}),
                   sizes(130, 1, 100));
  }
  expect_refused(in_rounds({round_by(SubgroupKind::broadcast),
                            store(shared_at((thread + w / 40 * thread) % 64, "own"))}),
                 sizes(130, 1, 100));
  expect_refused(
      in_rounds({round_by(SubgroupKind::broadcast), store(shared_at(thread + w / 10, "late"))}),
      sizes(130, 1, 100));
  expect_refused(in_rounds({round_by(SubgroupKind::reduce),
                            For{"j", w / 20, {store(shared_at(j % 3, "inner"))}}}),
                 sizes(130, 1, 100));
}

// Conversions to two types, an argument called as a builtin was, and one called as data were.
TEST(AttackProver, ValuesOfDifferentMeaningAreNotOne) {
  const std::uint32_t bits = 0x49800000u;  // of 1048576.0f
  const Expr few = less(convert(n, ScalarType::f32), number(ScalarType::f32, 1048576.0));
  const Expr more = less(convert(n, ScalarType::i32), number(ScalarType::i32, bits));
  expect_refused(kernel_of({If{less(own, n),
                               {If{few, {store(dst_at(own, "a"))}},
                                If{logical_not(more), {store(dst_at(own, "b"))}}}}}),
                 sizes(1048576 + 5));
  const Expr b3 = variable("b3");
  Kernel named =
      kernel_of({If{less(own, n),
                    {If{less(n, 1048576),
                        {store(dst_at(own, "small"))},
                        {If{less(thread * m, 5), {store(dst_at(own, "a"))}},
                         If{logical_not(less(b3 * m, 5)), {store(dst_at(own, "b"))}}}}}}});
  named.arguments = {"n", "m", "b3"};
  expect_refused(named, {{"n", 1048576}, {"m", 1}, {"b3", 0}});
}

// The last subgroup has 16 lanes: its sum differs from that of the first.
TEST(AttackProver, SumsOfUnequalSubgroupsAreNotUniform) {
  const Expr flag = variable("flag", element(ScalarType::u32));
  const Expr own48 = 48 * group + thread;
  Kernel kernel = kernel_of(
      {If{less(0, n),
          {Load{"flag", src_at(0)},
           Subgroup{.name = "w", .kind = SubgroupKind::reduce, .value = to_index(flag), .lane = 0},
           If{less(w, 20), {Barrier{}}}}},
       If{less(own48, n), {store(dst_at(own48))}}});
  kernel.threads = 48;
  kernel.grid[0] = {"n", 48};
  expect_refused(kernel, sizes(130), 1);
}

TEST(AttackProver, ConstantExtentsDoNotCountParts) {
  Extent parts(64);
  parts.per = 4;
  Kernel kernel = with_result({Load{"y", src_at(thread)}});
  kernel.arrays[0].axes = {{"i", parts, 1}};
  EXPECT_FALSE(verify(kernel).empty());
}

// A register that is read where nothing was written, in a launch whose size the assumption makes large.
TEST(AttackProver, AssumptionsDoNotEmptyTheTrials) {
  for (const std::uint32_t multiple : {64u, 256u, 512u, 1024u, 4096u}) {
    Builder k("padded", 64);
    const Tensor src = k.input("src", ScalarType::f32, {{"i", "n"}});
    const Tensor dst = k.output("dst", ScalarType::f32, {{"i", "n"}});
    k.grid(0, "n", 64);
    k.assume(equal(src.extent(0) % multiple, 0), "rows are padded");
    const View held = k.registers("held", ScalarType::f32, make_layout({1}));
    const Expr at = 64 * k.block_x() + k.thread();
    k.branch({less(at, dst.extent(0))}, [&] {
      const Expr x = k.load("x", Element{"src", {at}});
      k.branch({less(x, number(ScalarType::f32, 0))}, [&] { k.assign(held, x); });
      k.store(k.load("y", held), Element{"dst", {at}});
    });
    EXPECT_THROW(k.finish(), KernelError) << multiple;
  }
}

}  // namespace
}  // namespace vkmoye::gen::attack
