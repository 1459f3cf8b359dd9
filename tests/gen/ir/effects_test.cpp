// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/effects.hpp"

#include "support/expect.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::gen::ir {
namespace {

const Expr i = variable("i"), n = variable("n");

Kernel with_arrays() {
  Kernel kernel;
  kernel.arrays = {
      {"h", ScalarType::f16, Array::Space::buffer, Access::read_write, {{"i", "n", 1}}, ""},
      {"f", ScalarType::f32, Array::Space::shared, Access::read_write, {{"at", 8, 1}}, ""}};
  return kernel;
}
const Kernel kernel = with_arrays();

TEST(Effects, OfALoadAreItsIndexItsElementAndItsName) {
  const Stmt load = Load{"x", {"h", {i + 1}, "mine", 2}};
  const Effects effects = effects_of(load, kernel);
  ASSERT_EQ(effects.uses.size(), 1u);
  EXPECT_EQ(glsl::print(*effects.uses[0]), "i + 1u");
  ASSERT_EQ(effects.accesses.size(), 1u);
  EXPECT_TRUE(effects.accesses[0].reads && !effects.accesses[0].writes);
  ASSERT_EQ(effects.defines.size(), 1u);
  EXPECT_EQ(effects.defines[0].value->type, element(ScalarType::f16, 2));
  EXPECT_TRUE(effects.defines[0].is_data);
  EXPECT_EQ(effects.scope, ExecutionScope::invocation);
}

TEST(Effects, OfABarrierAreTheWorkgroups) {
  const Effects effects = effects_of(Barrier{}, kernel);
  EXPECT_EQ(effects.scope, ExecutionScope::workgroup);
  EXPECT_TRUE(effects.all_must_arrive && effects.orders_shared);
}

TEST(Effects, OfALoopAreItsEndItsBodyAndItsVariableInside) {
  const Stmt loop = For{"k", n, {Barrier{}}, Unroll::never};
  const Effects effects = effects_of(loop, kernel);
  ASSERT_EQ(effects.nested.size(), 1u);
  EXPECT_TRUE(effects.nested[0].repeats);
  EXPECT_EQ(effects.nested[0].defines[0].name, "k");
  EXPECT_TRUE(effects.unrolls);
  EXPECT_THAT(effects.defines, IsEmpty());
}

TEST(Effects, NameWhatDoesNotFit) {
  const auto reasons = [](Stmt s) { return effects_of(s, kernel).reasons; };
  EXPECT_THAT(reasons(Store{{"f", {0}, "tile"}, i}),
              ElementsAre("'tile' stores index into f, which takes f32 there; convert an index "
                          "with ir::number or ir::convert"));
  EXPECT_THAT(reasons(Subgroup{.name = "s", .value = variable("x", element(ScalarType::f16))}),
              ElementsAre(HasSubstr("it takes an index, f32, f64, i32 or u32; convert it first")));
  EXPECT_THAT(reasons(Atomic{"old", Op::minimum, {"f", {0}, "tile"}, number(ScalarType::f32, 1)}),
              ElementsAre(HasSubstr("minimum of f32")));
  EXPECT_THAT(reasons(If{i, {}}), ElementsAre(HasSubstr("is index, not a boolean")));
}

TEST(Effects, SayWhatTheDeviceNeeds) {
  const auto needs = [](Stmt s) { return effects_of(s, kernel).needs.list(); };
  EXPECT_THAT(needs(Subgroup{.name = "s", .value = i}), ElementsAre(Feature::subgroup_arithmetic));
  EXPECT_THAT(needs(Atomic{"old", Op::add, {"f", {0}, "tile"}, number(ScalarType::f32, 1)}),
              ElementsAre(Feature::shared_f32_atomic_add));
}

TEST(Effects, RewritingChangesEveryExpressionAndBody) {
  const Stmt before = If{less(i, n), {Store{{"h", {i}, "mine"}, number(ScalarType::f16, 1)}}};
  const Stmt after = rewritten(
      before, [](const Expr&) { return less(0, 1); }, [](const Body&) { return Body{}; });
  const Effects effects = effects_of(after, kernel);
  EXPECT_EQ(glsl::print(*effects.uses[0]), "0u < 1u");
  EXPECT_THAT(*effects.nested[0].body, IsEmpty());
}

}  // namespace
}  // namespace vkmoye::gen::ir
