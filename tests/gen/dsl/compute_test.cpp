// SPDX-License-Identifier: MIT
// Computing in the DSL: what broadcasts, what is derived, what is refused.

#include "vkmoye/gen/dsl/compute.hpp"

#include <span>

#include "support/expect.hpp"
#include "support/fake_devices.hpp"
#include "support/kernel_on_twin.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/dsl/across.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

// 64 threads, each with (2,4) values of src, in subgroups of 32.
struct EightEach {
  Builder k{"test", 64, 32};
  Tensor src = k.input("src", ScalarType::f32, {{"at", 64}});
  Tensor dst = k.output("dst", ScalarType::f32, {{"at", 64}});
  View x = k.registers("x", ScalarType::f32, make_layout({2, 4}));
  View whole = k.registers("whole", ScalarType::i32, make_layout({2, 4}));
  View out = parallelize(tile(dst, {64}, {0}), Layout(64), k.thread());

  // Everything has a value.
  EightEach() {
    k.assign(x, 1);
    k.assign(whole, 1);
  }
};

TEST(Broadcast, RepeatsModesOfOneValue) {
  EightEach s;
  const View row = s.k.registers("row", ScalarType::f32, make_layout({1, 4}));
  const View one = s.k.registers("one", ScalarType::f32, Layout());
  EXPECT_EQ(to_string(broadcast(row, {2, 4}).axes[0].values), "(2,4):(0,1)");
  EXPECT_EQ(to_string(broadcast(one, {2, {2, 3}}).axes[0].values), "(2,(2,3)):(0,(0,0))");
  EXPECT_EQ(to_string(broadcast(s.x, {2, 4}).axes[0].values), "(2,4):(1,2)");
  EXPECT_EQ(to_string(repeat(s.x, 1, 3).axes[0].values), "(2,3,4):(1,0,2)");
  EXPECT_EQ(to_string(first_along(s.x, {1}).axes[0].values), "(2,1):(1,0)");
  EXPECT_EQ(to_string(broadcast(s.x, {2, 4, 3}).axes[0].values), "(2,4,3):(1,2,0)");
}

// A composition cuts the layout of the first axis into two leaves, and leaves that of the second whole.
TEST(IdentityView, KeepsOneShapeForAllAxes) {
  Builder k("test", 2);
  const View order =
      composition(make_identity_view({8, 2}), Layout(IntTuple{{2, 4}, 2}, IntTuple{{4, 1}, 8}));
  const View mine =
      partition(order, make_tiled_copy(make_layout({1, 2}), make_layout({8, 1})), k.thread());
  for (const View& view : {order, mine}) {
    EXPECT_EQ(view.axes[0].values.shape(), view.axes[1].values.shape()) << view.name;
  }
  EXPECT_EQ(to_string(order.axes[0].values), "((2,4),2):((4,1),0)");
  EXPECT_EQ(to_string(order.axes[1].values), "((2,4),2):((0,0),1)");
}

// Each thread learns the coordinates of its values, whatever the layout of the array that holds them.
TEST(IdentityView, TellsWhereTheValuesOfAThreadAre) {
  Builder k("test", 8);
  const Tensor dst = k.output("dst", ScalarType::f32, {{"col", 16}, {"row", 4}});
  const Layout threads = make_layout({4, 2});
  k.apply(parallelize(tile(dst, {16, 4}, {0, 0}), threads, k.thread()),
          parallelize(make_identity_view({16, 4}), threads, k.thread()),
          [](const std::vector<Expr>&, const std::vector<Expr>& at) {
            return convert(100 * at[1] + at[0], ScalarType::f32);
          },
          {});
  std::vector<float> out(64);
  test::run_on_twin(k.finish(), {}, out);
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(out[i], static_cast<float>(100 * (i / 16) + i % 16));
  }
}

TEST(Broadcast, NamesTheModesThatDoNotFit) {
  EightEach s;
  EXPECT_REFUSED(broadcast(s.x, {3, 5}), LayoutError,
                 StrEq("x, shape (2,4), does not broadcast to (3,5):\n"
                       "  - mode 0: 2 is neither 1 nor 3\n"
                       "  - mode 1: 4 is neither 1 nor 5"));
  EXPECT_REFUSED(broadcast(s.x, 8), LayoutError, "rank 2 is more than 1");
  EXPECT_REFUSED(repeat(s.x, 3, 2), LayoutError, "must be 0 to 2");
  EXPECT_REFUSED(first_along(s.x, {2}), LayoutError, "modes 0 to 1");
  const View three = s.k.registers("three", ScalarType::f32, Layout(3));
  EXPECT_REFUSED(s.k.apply(
                     s.x, [](const Expr& value) { return value; }, three),
                 LayoutError, "three, shape 3, does not broadcast to (2,4)");
  EXPECT_REFUSED(s.k.load("value", s.x), LayoutError, "has 8 values, not one");
}

TEST(Compute, MovesConsecutiveValuesOfAViewAsOneVector) {
  Builder k("test", 1);
  const Tensor dst = k.output("dst", ScalarType::f32, {{"at", 4}});
  const View held = k.shared("held", ScalarType::f32, make_layout({4, 2}));
  std::vector<Expr> four;
  for (const double value : {3, 1, 4, 1}) four.push_back(ir::number(ScalarType::f32, value));
  k.store(ir::vector(four), slice(held, {_, 1}));
  const Expr vector = k.load("vector", slice(held, {_, 1}));
  for (std::uint32_t i = 0; i < 4; ++i) k.store(component(vector, i), tile(dst, {1}, {i}));
  EXPECT_REFUSED(k.load("value", slice(held, {0, _})), LayoutError,
                 "has 2 values, not one, and they are no vector of consecutive ones");
  EXPECT_REFUSED(k.load("value", tile(dst, {4}, {0})), LayoutError, "has 4 values, not one");
  std::vector<float> out(4);
  test::run_on_twin(k.finish(), {}, out);
  EXPECT_THAT(out, ElementsAre(3, 1, 4, 1));
}

TEST(Compute, RefusesElementsOfAnArrayThatIsNotDeclared) {
  EightEach s;
  EXPECT_REFUSED(s.k.apply(
                     s.x, [](const Expr& value) { return value; }, make_identity_view({2, 4})),
                 KernelError, "has coordinates and no elements (make_identity_view)");
  const ir::Element misspelt{"wholle", {Expr(0)}, "whole", 1};
  EXPECT_REFUSED(s.k.load("value", misspelt), KernelError,
                 "'value' uses the array wholle, which this kernel does not declare");
  s.k.store(ir::number(ScalarType::i32, 1), misspelt);
  EXPECT_REFUSED(s.k.finish(), KernelError, "the array wholle, which is not declared");
}

TEST(Compute, RefusesTypesWithOperationOperandAndWhatWouldFit) {
  EightEach s;
  s.k.apply(
      s.whole, [](const Expr& i) { return exp(i); }, s.whole);
  s.k.apply(
      s.x, [](const Expr& f, const Expr& i) { return f + i; }, s.x, s.whole);
  s.k.apply(
      s.x, [](const Expr& f) { return bit_and(f, 3); }, s.x);
  s.k.apply(
      s.x, [](const Expr& i) { return i; }, s.whole);
  try {
    s.k.finish();
    ADD_FAILURE() << "accepted";
  } catch (const KernelError& error) {
    const std::string text = error.what();
    EXPECT_THAT(text, HasSubstr("exp with an operand of type i32: it takes a single element of f16 "
                                "or f32"));
    EXPECT_THAT(text, HasSubstr("add of f32 and i32: its operands must have one type"));
    EXPECT_THAT(text, HasSubstr("bit_and with an operand of type f32: it takes indices, or single "
                                "elements of i32 or u32"));
    EXPECT_THAT(text, HasSubstr("i32"));
  }
}

TEST(Compute, RefusesSubgroupOperationsThatNotAllLanesReach) {
  EightEach s;
  s.k.branch({less(s.k.thread(), 40)},
             [&] { s.k.subgroup_reduce("sum", ir::Op::add, ir::number(ScalarType::f32, 1)); });
  EXPECT_REFUSED(s.k.finish(), KernelError, "'sum'");
}

TEST(Compute, RefusesSubgroupOperationsOfSmallTypesAndWithoutLanes) {
  EightEach s;
  s.k.subgroup_shuffle("other", ir::number(ScalarType::f16, 1), 3);
  EXPECT_REFUSED(s.k.finish(), KernelError,
                 "it takes an index, f32, f64, i32 or u32; "
                 "convert it first");
  Builder without("test", 64);
  EXPECT_REFUSED(without.subgroup_elect("first"), KernelError,
                 "the Builder must be constructed with a number of lanes");
  EXPECT_REFUSED(Builder("test", 48, 32), KernelError,
                 "48 threads cannot be split into subgroups of 32");
}

TEST(Compute, AsksTheDeviceForWhatItUses) {
  EightEach s;
  s.k.apply(
      s.x, [&](const Expr& f) { return s.k.subgroup_reduce("sum", ir::Op::add, f); }, s.x);
  s.k.assign(s.out, 0);
  const ir::Kernel kernel = s.k.finish();
  const KernelInterface interface = ir::interface_of(kernel);
  EXPECT_EQ(interface.subgroup_size, 32u);
  EXPECT_THAT(reasons_against(interface, test::h200_like()), IsEmpty());
  EXPECT_THAT(reasons_against(interface, test::rdna3_like()), IsEmpty());
  EXPECT_THAT(reasons_against(interface, test::lavapipe_like()),
              ElementsAre("needs subgroups of 32 lanes, the device has 8"));
  EXPECT_THAT(reasons_against(interface, test::poor()),
              Contains("needs the feature subgroup_arithmetic, the device lacks it"));
}

TEST(Compute, TheNumberOfAThreadIsMadeOfSubgroupAndLane) {
  EightEach s;
  s.k.assign(s.out, 0);
  EXPECT_THAT(glsl::print(s.k.finish()), HasSubstr("  uint subgroup = gl_SubgroupID;\n"
                                                   "  uint lane = gl_SubgroupInvocationID;\n"
                                                   "  uint thread = 32u * subgroup + lane;\n"));
}

TEST(Compute, ALoopSaysWhetherItMayBeRepeated) {
  for (const auto& [unroll, text] : {std::pair{ir::Unroll::free, "  for (uint i = 0u; i < 9u"},
                                     {ir::Unroll::always, "  [[unroll]] for (uint i = 0u; i < 9u"},
                                     {ir::Unroll::never, "  [[dont_unroll]] for (uint i"}}) {
    EightEach s;
    s.k.loop(
        "i", 9, [&](const Expr&) { s.k.accumulate(s.x, kSum, s.x); }, unroll);
    s.k.assign(s.out, 0);
    EXPECT_THAT(glsl::print(s.k.finish()), HasSubstr(text));
  }
}

TEST(Compute, OperandsKeepTheOrderThatTheyAreGivenIn) {
  EightEach s;
  s.k.apply(
      s.x, [](const Expr& f, const Expr& i) { return f - convert(i, ScalarType::f32); }, s.x,
      s.whole);
  s.k.assign(s.out, 0);
  EXPECT_THAT(glsl::print(s.k.finish()), HasSubstr(R"(  // x <- x - f32(whole)
  [[unroll]] for (uint v0 = 0u; v0 < 8u; ++v0) {
    x[v0] = x[v0] - float(whole[v0]);
  }
)"));
}

// The values (2,4):(1,2) are one loop over 8, unless an operand has them in another order, or adds those of a mode.
TEST(Compute, ValuesThatContinueInAllOperandsAreOneLoop) {
  EightEach s;
  const View other = s.k.registers("other", ScalarType::f32, make_layout({2, 4}, {4, 1}));
  const View sums = s.k.registers("sums", ScalarType::f32, make_layout({1, 4}));
  s.k.assign(other, 0);
  s.k.assign(sums, 0);
  s.k.apply(
      s.x, [](const Expr& x) { return x; }, other);
  s.k.accumulate(sums, kSum, s.x);
  s.k.assign(s.out, 0);
  const std::string text = glsl::print(s.k.finish());
  EXPECT_THAT(text, HasSubstr("x[v0 + 2u * v1] = other[4u * v0 + v1];"));
  EXPECT_THAT(text, HasSubstr("sums[v1] += x[v0 + 2u * v1];"));
}

// The function is given the coordinates of another view's values, which need not be inside.
TEST(Apply, GivesCoordinatesToTheFunction) {
  Builder k("triangle", 32);
  Tensor dst = k.output("dst", ScalarType::i32, {{"col", "cols"}, {"row", "rows"}});
  const View mine = parallelize(tile(dst, {8, 8}, {k.block_x(), k.block_y()}), make_layout({8, 4}),
                                k.thread());  // (1,2)
  const View y = k.make_fragment_like("y", ScalarType::i32, mine);
  const auto place = [](const std::vector<Expr>&, const std::vector<Expr>& at) {
    const Expr number = convert(at[1] * 100 + at[0], ScalarType::i32);
    return select(less(at[0], at[1]), -number, number);
  };
  k.apply(y, mine, place, {});
  k.copy(y, mine);
  std::vector<std::int32_t> out(11 * 10);
  test::run_on_twin(k.finish(), {{"cols", 10}, {"rows", 11}}, out);
  for (int row = 0; row < 11; ++row) {
    for (int col = 0; col < 10; ++col) {
      const int number = 100 * row + col;
      EXPECT_EQ(out[static_cast<std::size_t>(10 * row + col)], col < row ? -number : number);
    }
  }
}

// As deep as expressions may be, an element and an index: the verifier, the printer, the twin and the
// shader compiler all come to an end.
TEST(Apply, TheDeepestExpressionsArePrintedVerifiedAndRun) {
  const ScalarType i32 = ScalarType::i32;
  Builder k("deep", 32);
  Tensor dst = k.output("dst", i32, {{"at", "count"}});
  const View mine = parallelize(tile(dst, {32}, {k.block_x()}), Layout(32), k.thread());
  const View y = k.make_fragment_like("y", i32, mine);
  const auto deep = [&](const std::vector<Expr>&, const std::vector<Expr>& at) {
    Expr index = at[0], sum = convert(at[0], i32);
    while (index->depth < ir::kMaxDepth - 2) index = maximum(index + 1, 2);
    while (sum->depth < ir::kMaxDepth - 1) sum = sum + 1;
    return sum + convert(index, i32);
  };
  k.apply(y, mine, deep, {});
  k.copy(y, mine);
  const ir::Kernel kernel = k.finish();
  std::vector<std::int32_t> out(3);
  test::run_on_twin(kernel, {{"count", 3}}, out);
  EXPECT_EQ(out[1] - out[0], 1);  // of maximum(0 + 1, 2) and maximum(1 + 1, 2) nothing is left
  EXPECT_EQ(out[2] - out[1], 2);
  EXPECT_FALSE(compile(kernel).spirv.empty());
}

TEST(ThreadReduction, CombinesLanesFirstThenSubgroups) {
  // The example of the header.
  const ThreadReduction how = reduction_of(parse_layout("(8,32):(1,8)"), 1, 32);
  EXPECT_THAT(how.lane_steps, ElementsAre(8, 16));
  EXPECT_FALSE(how.all_lanes);
  EXPECT_EQ(how.slot_count, 64);
  EXPECT_EQ(size(how.members), 8);
  // Thread 8 r + c: slot c + 8 (r / 4), of its group slot c; lanes with r % 4 == 0 speak.
  for (std::int64_t t = 0; t < 256; ++t) {
    EXPECT_EQ(how.slots(t), t % 8 + t / 32 * 8);
    EXPECT_EQ(how.group(t), t % 8);
    EXPECT_EQ(how.combined_lanes(t) == 0, t / 8 % 4 == 0);
  }
  EXPECT_EQ(how.members(3), 24);
  EXPECT_TRUE(reduction_of(make_layout({256, 1}), 0, 32).all_lanes);
}

TEST(ThreadReduction, RefusesWhatSubgroupsDoNotFallInto) {
  EXPECT_REFUSED(reduction_of(parse_layout("(24,4):(1,24)"), 0, 32), LayoutError,
                 "straddles a subgroup boundary");
  EXPECT_REFUSED(reduction_of(parse_layout("(32,2):(1,1)"), 0, 32), LayoutError, "each once");
  EXPECT_REFUSED(reduction_of(make_layout({32, 2}), 2, 32), LayoutError, "has modes 0 to 1");
  EightEach s;
  EXPECT_REFUSED(s.k.reduce_across(s.x, kSum, make_layout({32, 4}), 0), LayoutError,
                 "the workgroup has 64");
}

}  // namespace
}  // namespace vkmoye::gen
