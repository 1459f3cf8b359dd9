// SPDX-License-Identifier: MIT
// Which values are written where they are used, and which keep a line of their own.

#include "support/expect.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/glsl/print.hpp"

namespace vkmoye::gen {
namespace {

const ScalarType kPlaceType = ScalarType::f32;

// Four elements of each of 32 threads.
struct FourEach {
  Builder k{"four", 32};
  Tensor src = k.input("src", kPlaceType, {{"i", 128}});
  Tensor dst = k.output("dst", kPlaceType, {{"i", 128}});
  View from = mine(src), to = mine(dst);
  View x = k.make_fragment_like("x", kPlaceType, from),
       y = k.make_fragment_like("y", kPlaceType, from);

  View mine(const Tensor& tensor) {
    return parallelize(tile(tensor, {128}, {0}), make_layout({32}), k.thread());
  }
  std::string text() { return glsl::print(k.finish()); }
};

TEST(InPlace, AMovedElementHasNoName) {
  FourEach s;
  s.k.copy(s.from, s.to);
  EXPECT_THAT(s.text(), HasSubstr("dst[src_i] = src[src_i];"));
}

TEST(InPlace, RegistersAreReadWhereTheyAreUsed) {
  FourEach s;
  s.k.copy(s.from, s.x);
  s.k.apply(
      s.y, [](const Expr& v) { return v * v; }, s.x);
  s.k.copy(s.y, s.to);
  EXPECT_THAT(s.text(), HasSubstr("y[v0] = x[v0] * x[v0];"));
}

// The second store would see what the first wrote.
TEST(InPlace, RegistersThatChangeBeforeTheUseKeepTheirName) {
  FourEach s;
  s.k.copy(s.from, s.x);
  ir::Titled swap{"", {}};
  const auto at = [](std::uint32_t i) { return ir::Element{"x", {Expr(i)}}; };
  const auto value = [](const char* name) { return ir::variable(name, ir::element(kPlaceType)); };
  swap.body.emplace_back(ir::Load{"value0", at(0)});
  swap.body.emplace_back(ir::Load{"value1", at(1)});
  swap.body.emplace_back(ir::Store{at(0), value("value1")});
  swap.body.emplace_back(ir::Store{at(1), value("value0")});
  s.k.add(std::move(swap));
  s.k.copy(s.x, s.to);
  EXPECT_THAT(s.text(), AllOf(HasSubstr("float value0 = x[0];"), HasSubstr("x[1] = value0;")));
}

// Loads come before stores, as the author asked.
TEST(InPlace, LoadsOfMemoryAreNotMovedOverAStore) {
  FourEach s;
  ir::Titled both{"", {}};
  const auto at = [](const char* array, std::uint32_t i) {
    return ir::Element{array, {Expr(i)}, array};
  };
  const auto value = [](const char* name) { return ir::variable(name, ir::element(kPlaceType)); };
  s.k.copy(s.from, s.to);
  s.k.shared("staged", kPlaceType, make_layout({2}));
  for (const char* name : {"value0", "value1"}) {
    both.body.emplace_back(ir::Load{name, at("src", name[5] == '1' ? 1 : 0)});
  }
  s.k.branch({less(s.k.thread(), 1)}, [&] {
    both.body.emplace_back(ir::Store{at("staged", 0), value("value0")});
    both.body.emplace_back(ir::Store{at("staged", 1), value("value1")});
    s.k.add(both);
  });
  EXPECT_THAT(s.text(), AllOf(HasSubstr("float value0 = src[0];"),
                              HasSubstr("float value1 = src[1];"), HasSubstr("= value0;")));
}

TEST(InPlace, NamesOfTheAuthorStay) {
  FourEach s;
  const Expr first = s.k.load("first", ir::Element{"src", {s.k.thread()}});
  s.k.assign(s.x, first + first);
  s.k.copy(s.x, s.to);
  EXPECT_THAT(s.text(), HasSubstr("float first = src[thread];"));
}

TEST(InPlace, OffsetsThatOnlyVectorsUseCountVectors) {
  Builder k("vectors", 32);
  Tensor src = k.input("src", kPlaceType, {{"i", 128}});
  Tensor dst = k.output("dst", kPlaceType, {{"i", 128}});
  View staged = k.shared("staged", kPlaceType, make_layout({128}));
  const auto four = [&](const View& view) {
    return parallelize(composition(view, make_layout({4, 32})), make_layout({1, 32}), k.thread());
  };
  k.copy(four(tile(src, {128}, {0})), four(staged), {.vector = {4}});
  k.barrier();
  k.copy(four(staged), four(tile(dst, {128}, {0})), {.vector = {4}});
  EXPECT_THAT(glsl::print(k.finish()),
              AllOf(HasSubstr("shared vec4 staged[32]"), Not(HasSubstr(">> 2u"))));
}

// The offset of the first array is used once, that of the second in a loop.
TEST(InPlace, AnOffsetThatIsUsedOnceHasNoName) {
  Builder k("offsets", 32);
  const auto staged = [&](const char* name, std::int64_t elements) {
    const View view = k.shared(name, kPlaceType, make_layout({elements}));
    const View own =
        k.registers(name + std::string("_own"), kPlaceType, make_layout({elements / 32}));
    k.assign(own, 1);
    k.copy(own, parallelize(view, make_layout({32}), (k.thread() + 1) % 32));
  };
  k.output("dst", kPlaceType, {{"i", 32}});
  staged("one", 32);
  staged("four", 128);
  k.store(ir::number(kPlaceType, 0), ir::Element{"dst", {k.thread()}});
  EXPECT_THAT(glsl::print(k.finish()),
              AllOf(HasSubstr("one[(thread + 1u) & 31u] = one_own"), Not(HasSubstr("one_at")),
                    HasSubstr("uint four_at = (thread + 1u) & 31u;")));
}

TEST(InPlace, AnOffsetThatIsAnotherNameHasNone) {
  Builder k("aliases", 32);
  k.output("dst", kPlaceType, {{"i", 32}});
  const View staged = k.shared("staged", kPlaceType, make_layout({256}));
  const View own = k.registers("own", kPlaceType, make_layout({4, 2}));
  k.assign(own, 1);
  const auto four = make_tiled_copy(make_layout({32}), make_layout({4}));
  k.copy(own, partition(staged, four, k.thread()), {.vector = {4}});
  k.store(ir::number(kPlaceType, 0), ir::Element{"dst", {k.thread()}});
  EXPECT_THAT(glsl::print(k.finish()),
              AllOf(HasSubstr("staged[thread + 32u * v1] = vec4("), Not(HasSubstr("staged_at"))));
}

TEST(InPlace, AConditionMakesARemainderUnnecessary) {
  Builder k("below", 64);
  k.input("src", kPlaceType, {{"i", 128}});
  k.output("dst", kPlaceType, {{"i", 8}});
  k.branch({equal(k.thread() / 8, 0)}, [&] {
    const Expr value = k.load("value", ir::Element{"src", {k.thread() % 8}});
    k.store(value, ir::Element{"dst", {k.thread() % 8}});
  });
  EXPECT_THAT(glsl::print(k.finish()),
              AllOf(HasSubstr("if (thread < 8u) {"), HasSubstr("dst[thread] = src[thread];")));
}

}  // namespace
}  // namespace vkmoye::gen
