// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/verify.hpp"

#include "gen/verify/kernel_of.hpp"
#include "support/expect.hpp"

namespace vkmoye::gen::verifying {
namespace {

TEST(Verify, RefusesToDivideByWhatMayBe0) {
  Kernel kernel = kernel_of({Let{"x", thread / variable("count")}});
  kernel.arguments.push_back("count");
  EXPECT_THAT(verify(kernel), ElementsAre(HasSubstr("'x' divides by a value that may be 0")));
  kernel.body = {Let{"y", thread % maximum(variable("count"), 1)}};
  EXPECT_THAT(verify(kernel), IsEmpty());
  // An array may be empty while the grid is not.
  kernel.body = {Let{"x", thread / n}};
  EXPECT_THAT(verify(kernel), ElementsAre(HasSubstr("'x' divides by a value that may be 0")));
  for (const Expr& asked : {less(thread, n), not_equal(n, 0)}) {
    kernel.body = {If{asked, {Let{"x", thread / n}}}};
    EXPECT_THAT(verify(kernel), IsEmpty());
  }
  // n * n may be 2^32, which wraps around to 0; a product that a launch checks may not.
  kernel.body = {Let{"x", thread / (n * n)}};
  EXPECT_THAT(verify(kernel), ElementsAre(HasSubstr("'x' divides by a value that may be 0")));
  kernel.grid[0] = {Extent("n", "n"), 8};
  EXPECT_THAT(verify(kernel), IsEmpty());
}

TEST(Verify, RefusesAStrideThatNoLaunchCanWorkOut) {
  const auto reasons = [](const Expr& row, const Expr& layer) {
    Kernel kernel = kernel_of({});
    kernel.arguments.push_back("step");
    kernel.arrays.push_back({"rows",
                             ScalarType::f32,
                             Array::Space::buffer,
                             Access::read,
                             {{"i", "n", 1}, {"j", 4, row}, {"k", 3, layer}},
                             ""});
    return verify(kernel);
  };
  const Expr step = variable("step");
  EXPECT_THAT(reasons(step, step * n), IsEmpty());
  EXPECT_THAT(reasons(n, n * 4), IsEmpty());  // compact
  EXPECT_THAT(
      reasons(step, step * 4),
      ElementsAre("the stride of rows along k, 4 * step, cannot be computed at a launch: it must "
                  "be a number, an argument or a product of two arguments, unless the array "
                  "is compact"));
  EXPECT_THAT(reasons(n + 1, step * n), ElementsAre(HasSubstr("the stride of rows along j")));
}

TEST(Verify, BelievesNoBoundOfABuiltin) {
  const auto reasons = [](const Expr& e) { return verify(kernel_of({Let{"x", e}})); };
  EXPECT_THAT(reasons(builtin(Builtin::group_x, 4)), ElementsAre(HasSubstr("is below 4")));
  EXPECT_THAT(reasons(builtin(Builtin::lane, 4)),
              ElementsAre(HasSubstr("that the lane is below 4")));
  EXPECT_THAT(reasons(builtin(Builtin::group_x)), IsEmpty());
}

TEST(Verify, RefusesNamesThatShadersUse) {
  for (const char* name : {"uint8_t", "f16vec4", "float16_t", "coopmat", "subgroupAdd", "demote",
                           "exp", "dmat3x2", "image2D", "atomicAdd"}) {
    EXPECT_THAT(verify(kernel_of({Let{name, 1}})), ElementsAre(HasSubstr("cannot be a name")))
        << name;
  }
  EXPECT_THAT(verify(kernel_of({Let{"image", 1}, Let{"floats", 2}})), IsEmpty());
  for (const char* name : {"src_x4", "v0", "value", "value12"}) {
    Kernel kernel = kernel_of({});
    kernel.arrays.push_back(
        {name, ScalarType::f32, Array::Space::shared, Access::read_write, {{"at", 8, 1}}, "8:1"});
    EXPECT_THAT(verify(kernel), ElementsAre(HasSubstr("copies use it"))) << name;
  }
}

TEST(Verify, SaysWhyANameCannotBe) {
  const auto reasons = [](const char* name) { return verify(kernel_of({Let{name, 1}})); };
  EXPECT_THAT(reasons("out"), ElementsAre("'out' cannot be a name: GLSL, or the shader around a "
                                          "kernel, uses that name"));
  EXPECT_THAT(
      reasons("subgroup_total"),
      ElementsAre("'subgroup_total' cannot be a name: names that begin with 'subgroup' and a "
                  "digit, a capital letter or '_' are reserved by GLSL"));
  EXPECT_THAT(reasons("mat3"), ElementsAre(HasSubstr("a type of that name")));
  EXPECT_THAT(reasons("gl_x"), ElementsAre(HasSubstr("'gl_' are reserved by GLSL")));
  EXPECT_THAT(reasons("row-sum"), ElementsAre(HasSubstr("letters, digits")));
  // Names that an author has not given himself.
  const auto twice = [](const char* name) {
    return verify(kernel_of({Let{name, 1}, Let{name, 2}}));
  };
  EXPECT_THAT(twice("lane"), ElementsAre("'lane' is defined twice: the Builder has defined it"));
  EXPECT_THAT(twice("value"), ElementsAre(HasSubstr("copies use it; their names are v0")));
  EXPECT_THAT(
      twice("dst_i"),
      ElementsAre(
          "'dst_i' is defined twice: copies use this name for the coordinate of dst along i"));
}

TEST(Verify, RefusesABufferAccessThatNothingKeepsInRange) {
  EXPECT_THAT(
      verify(kernel_of({Load{"x", {"src", {thread}, "whole"}}})),
      ElementsAre(
          "'whole' accesses src at a coordinate along i that is not proved to be below n; add a "
          "condition or a minimum"));
  // A guard on another coordinate proves nothing.
  EXPECT_THAT(verify(kernel_of({If{less(thread, n), {Load{"x", {"src", {thread + 1}, "next"}}}}})),
              ElementsAre(HasSubstr("'next'")));
}

TEST(Verify, RefusesABarrierThatSomeThreadsMiss) {
  EXPECT_THAT(verify(kernel_of({If{less(thread, 4), {Barrier{}}}})),
              ElementsAre(HasSubstr("some threads of the workgroup may not reach a barrier")));
  EXPECT_THAT(verify(kernel_of({If{less(0, n), {Barrier{}}}})), IsEmpty());
}

TEST(Verify, TrustsNoBoundThatTheDefinitionDoesNotGive) {
  const auto load_at = [](const Expr& index) { return Load{"x", {"four", {index}, "load"}}; };
  const auto reasons = [&](Body body) {
    Kernel kernel = kernel_of(std::move(body));
    kernel.arrays.push_back(
        {"four", ScalarType::f32, Array::Space::buffer, Access::read, {{"i", 4, 1}}, ""});
    return verify(kernel);
  };
  EXPECT_THAT(reasons({load_at(thread % 4)}), IsEmpty());
  EXPECT_THAT(reasons({For{"v", 4, {load_at(variable("v", kIndex, 4))}}}), IsEmpty());
  EXPECT_THAT(reasons({For{"v", 100, {load_at(variable("v", kIndex, 4))}}}), Not(IsEmpty()));
  EXPECT_THAT(reasons({load_at(builtin(Builtin::thread, 4))}), Not(IsEmpty()));
  EXPECT_THAT(reasons({Let{"g", builtin(Builtin::group_x)}, load_at(variable("g", kIndex, 4))}),
              Not(IsEmpty()));
  EXPECT_THAT(reasons({load_at(thread % 0)}), Not(IsEmpty()));
}

TEST(Verify, AcceptsAVectorOnlyWhereItCannotCrossAnEdge) {
  const Expr at = variable("at", kIndex, kUnbounded, 4);
  const auto load = [&](Expr condition, std::uint32_t width) {
    return verify(kernel_of(
        {Let{"at", 4 * thread}, If{condition, {Load{"x", {"src", {at}, "wide", width}}}}}));
  };
  const Expr multiple = equal(n % 4, 0);
  EXPECT_THAT(load(logical_and(multiple, less(at, n)), 4), IsEmpty());
  EXPECT_THAT(load(less(at, n), 4), ElementsAre(HasSubstr("nothing says that n is a multiple")));
  EXPECT_THAT(load(multiple, 4), ElementsAre(HasSubstr("not proved to be below n")));
  EXPECT_THAT(load(less(at, n), 3), Contains(HasSubstr("a power of two of elements")));
  // The same facts cover the elements after the first one by one.
  EXPECT_THAT(
      verify(kernel_of({Let{"at", 4 * thread}, If{logical_and(multiple, less(at, n)),
                                                  {Load{"x", {"src", {at + 3}, "last"}}}}})),
      IsEmpty());
  EXPECT_THAT(
      verify(kernel_of({Let{"at", 4 * thread}, If{logical_and(multiple, less(at, n)),
                                                  {Load{"x", {"src", {at + 4}, "next"}}}}})),
      ElementsAre(HasSubstr("'next'")));
}

TEST(Verify, AcceptsAVectorOnlyWhereTheStepsOfFurtherAxesAreMultiples) {
  const Expr at = 4 * thread, row = 0;
  const auto reasons = [&](const Expr& step, const Expr& condition) {
    Kernel kernel = kernel_of({If{condition, {Load{"x", {"rows", {at, row}, "wide", 4}}}}});
    kernel.arguments = {"n", "a", "b"};
    kernel.arrays.push_back({"rows",
                             ScalarType::f32,
                             Array::Space::buffer,
                             Access::read,
                             {{"i", 30, 1}, {"j", 8, step}},
                             ""});
    return verify(kernel);
  };
  const Expr inside = less(at + 3, 30), a = variable("a"), b = variable("b");
  // The vectors lie inside whole, though 30 is no multiple of 4.
  EXPECT_THAT(reasons(32, inside), IsEmpty());
  EXPECT_THAT(reasons(30, inside), ElementsAre(HasSubstr("step along j, 30, is a multiple of 4")));
  EXPECT_THAT(reasons(a * b, inside), ElementsAre(HasSubstr("a * b, is a multiple of 4")));
  EXPECT_THAT(reasons(a * b, logical_and(inside, equal(b % 4, 0))), IsEmpty());
  EXPECT_THAT(reasons(a * b, logical_and(inside, equal((a * b) % 4, 0))), IsEmpty());
  EXPECT_THAT(reasons(a * b, logical_and(inside, equal(a % 2, 0))), Not(IsEmpty()));
}

TEST(Verify, FollowsAWholeTileFromItsLastElement) {
  const Expr block = builtin(Builtin::group_x);
  const auto reasons = [&](const Expr& last, const Expr& at) {
    return verify(kernel_of(
        {Let{"origin", 32 * block}, If{less(last, n), {Load{"x", {"src", {at}, "tile"}}}}}));
  };
  const Expr origin = variable("origin", kIndex, kUnbounded, 32);
  EXPECT_THAT(reasons(32 * block + 31, 32 * block + thread), IsEmpty());
  EXPECT_THAT(reasons(origin + 31, 32 * block + thread + 24), IsEmpty());
  EXPECT_THAT(reasons(32 * block + 31, origin + 4 * thread + 3), IsEmpty());
  EXPECT_THAT(reasons(origin + 31, origin + 4 * thread + 4), ElementsAre(HasSubstr("'tile'")));
  EXPECT_THAT(reasons(origin + 31, block + thread), ElementsAre(HasSubstr("'tile'")));
  // 48 * block + 47 may wrap around 2^32 where 48 * block does not.
  EXPECT_THAT(reasons(48 * block + 47, 48 * block + thread), ElementsAre(HasSubstr("'tile'")));
}

TEST(Verify, KnowsThatAClampedCoordinateIsInside) {
  const auto reasons = [](const Expr& at) {
    Kernel kernel = kernel_of({Load{"x", {"src", {at}, "edge"}}});
    kernel.grid[0] = {"n", 8};
    return verify(kernel);
  };
  EXPECT_THAT(reasons(minimum(thread + 1000, n - 1)), IsEmpty());
  EXPECT_THAT(reasons(minimum(thread + 1000, n)), ElementsAre(HasSubstr("'edge'")));
}

// Of an empty array no element is inside, and the grid does not count along this one.
TEST(Verify, RefusesToClampToAnArrayThatMayBeEmpty) {
  const Stmt load = Load{"x", {"src", {minimum(thread, n - 1)}, "edge"}};
  EXPECT_THAT(verify(kernel_of({load})), ElementsAre(HasSubstr("'edge'")));
  EXPECT_THAT(verify(kernel_of({If{less(7, n), {load}}})), IsEmpty());
  EXPECT_THAT(verify(kernel_of({If{not_equal(n, 0), {load}}})), IsEmpty());
}

TEST(Verify, RefusesVectorsThatAnArrayDoesNotFallInto) {
  const auto reasons = [](Array::Space space, std::uint32_t vector) {
    Kernel kernel = kernel_of({});
    kernel.arrays.push_back(
        {"some", ScalarType::f32, space, Access::read_write, {{"at", 6, 1}}, "6:1"});
    kernel.arrays.back().vector = vector;
    return verify(kernel);
  };
  for (const std::uint32_t vector : {0u, 3u, 4u, 8u}) {
    EXPECT_THAT(reasons(Array::Space::registers, vector),
                Contains(HasSubstr("array some is declared with vectors")))
        << vector;
  }
  EXPECT_THAT(reasons(Array::Space::registers, 2), IsEmpty());
  EXPECT_THAT(reasons(Array::Space::shared, 2),
              Contains(HasSubstr("array some is declared with vectors of 2")));
}

// src (cols, rows) by places, and as words.
TEST(Verify, AcceptsPlacesAndWordsOfACompactArrayAlone) {
  const Expr cols = variable("cols"), rows = variable("rows");
  const auto kernel = [&](Element from, Extent stride) {
    Kernel out = kernel_of({});
    out.arguments = {"n", "cols", "rows"};
    out.arrays[1] = {"src",
                     ScalarType::f16,
                     Array::Space::buffer,
                     Access::read,
                     {{"col", "cols", 1}, {"row", "rows", expression(stride)}},
                     ""};
    out.body = {If{less(thread, cols * rows / 2), {Load{"x", std::move(from)}}}};
    return verify(out);
  };
  const Element words{"src", {2 * thread}, "words", 2, "", true};
  EXPECT_THAT(kernel(words, "cols"), IsEmpty());
  EXPECT_THAT(kernel(words, "n"),
              Contains(HasSubstr("a place of src: that takes a compact array")));
  Element one = words;
  one.width = 1;
  EXPECT_THAT(kernel(one, "cols"), Contains(HasSubstr("1 elements of src as words")));
  Element odd = words;
  odd.coordinates = {2 * thread + 1};
  EXPECT_THAT(kernel(odd, "cols"), Contains(HasSubstr("nothing says that its coordinate")));
  Element beyond = words;
  beyond.coordinates = {2 * (thread + 1)};
  EXPECT_THAT(kernel(beyond, "cols"), Contains(HasSubstr("not proved to be below cols*rows")));
}

TEST(Verify, ConvertsBf16FromAndToF16AndF32Alone) {
  EXPECT_THAT(verify(kernel_of(with_x({Let{"y", convert(value(), ScalarType::bf16)}}))), IsEmpty());
  const Expr one = number(ScalarType::bf16, 1);
  EXPECT_THAT(verify(kernel_of({Let{"y", convert(one, ScalarType::f32)}})), IsEmpty());
  EXPECT_THAT(
      verify(kernel_of({Let{"y", convert(one, ScalarType::i32)}})),
      ElementsAre(HasSubstr("convert of bf16 to i32: bf16, e4m3 and e5m2 can only be converted")));
}

TEST(Verify, RefusesGridsExtentsAndNamesThatCannotBe) {
  const auto reasons = [](auto change) {
    Kernel kernel = kernel_of({});
    change(kernel);
    return verify(kernel);
  };
  EXPECT_THAT(reasons([](Kernel& k) {
                k.grid[0] = {"n", 0};
              }),
              ElementsAre("the grid has tiles of 0"));
  EXPECT_THAT(reasons([](Kernel& k) { k.grid[1] = {"m", 8}; }), ElementsAre(HasSubstr("'m'")));
  EXPECT_THAT(reasons([](Kernel& k) { k.threads = 0; }), ElementsAre(HasSubstr("0 threads")));
  EXPECT_THAT(reasons([](Kernel& k) { k.arrays[2].axes[0].extent = -1; }),
              ElementsAre(HasSubstr("extent of -1")));
  EXPECT_THAT(reasons([](Kernel& k) { k.arrays[2].axes[0].stride = 2; }),
              ElementsAre(HasSubstr("stride 1")));
  EXPECT_THAT(reasons([](Kernel& k) { k.arrays[0].name = "Src"; }),
              ElementsAre(HasSubstr("have the same name")));
  EXPECT_THAT(reasons([](Kernel& k) { k.arrays[0].name = ""; }),
              ElementsAre("'' cannot be the name of an array: a name is letters, digits and single "
                          "underscores, and does not begin with a digit"));
  EXPECT_THAT(reasons([](Kernel& k) { k.arrays[0].axes = {}; }),
              ElementsAre("array dst has no axis"));
  EXPECT_THAT(reasons([](Kernel& k) { k.arrays[0].name = "float"; }),
              ElementsAre("'float' cannot be the name of an array: GLSL, or the shader around a "
                          "kernel, uses that name"));
  EXPECT_THAT(reasons([](Kernel& k) { k.why = "two\nlines"; }), ElementsAre(HasSubstr("one line")));
  EXPECT_THAT(reasons([](Kernel& k) {
                k.body = {Let{"a b", 1}};
              }),
              ElementsAre(HasSubstr("'a b'")));
  EXPECT_THAT(reasons([](Kernel& k) {
                k.body = {Let{"tile", 1}};
              }),
              ElementsAre("'tile' is the name of an array, and of a value"));
}

TEST(Verify, RefusesNamesThatAreUndefinedTwiceDefinedOrOfAnotherType) {
  EXPECT_THAT(verify(kernel_of({Let{"a", variable("b")}})),
              ElementsAre("'a' uses 'b', which is not defined there"));
  EXPECT_THAT(verify(kernel_of({Let{"a", 1}, Let{"a", 2}})), ElementsAre("'a' is defined twice"));
  EXPECT_THAT(verify(kernel_of({Titled{"", {Let{"a", 1}}}, Let{"b", variable("a")}})),
              ElementsAre("'b' uses 'a', which is not defined there"));
  EXPECT_THAT(verify(kernel_of({If{less(thread, n), {Store{{"dst", {thread}}, thread}}}})),
              ElementsAre("'dst' stores index into dst, which takes f32 there; convert an index "
                          "with ir::number or ir::convert"));
  Kernel written = kernel_of({If{less(thread, n), {Load{"x", {"dst", {thread}, "back"}}}}});
  written.arrays[0].access = Access::write;
  EXPECT_THAT(verify(written), ElementsAre("'back' reads dst, which is declared for write only"));
}

TEST(Verify, GivesAllReasonsAtOnce) {
  EXPECT_EQ(verify(kernel_of({Let{"a", variable("b")}, Let{"c", variable("d")}})).size(), 2u);
}

}  // namespace
}  // namespace vkmoye::gen::verifying
