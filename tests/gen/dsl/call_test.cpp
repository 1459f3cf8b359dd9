// SPDX-License-Identifier: MIT
// Functions: to everything but the printer, a call is its statements in place.

#include <cstddef>
#include <span>
#include <vector>

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/analysis/access_report.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/ir/fingerprint.hpp"
#include "vkmoye/gen/passes/fixed_sizes.hpp"
#include "vkmoye/gen/spirv/assemble.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"
#include "vkmoye/gen/verify/verify.hpp"

namespace vkmoye::gen {
namespace {

constexpr ScalarType kCallType = ScalarType::f32;

// dst(i) = src(i) + src(i + 32) + .. + src(i + 96), of 128 elements: `add` is called for part 0, and in a loop.
struct SumOfParts {
  Builder k{"sum_of_parts", 32};
  Tensor src = k.input("src", kCallType, {{"i", 128}});
  Tensor dst = k.output("dst", kCallType, {{"i", 32}});
  View sum = k.registers("sum", kCallType, make_layout({1}));

  View mine(const Tensor& array, const Expr& part) {
    return parallelize(tile(array, {32}, {part}), make_layout({32}), k.thread());
  }
  void add(const Expr& part, std::uint64_t end = 4) {
    k.call("add", {{"part", part, end}},
           [&](const Expr& of) { k.accumulate(sum, kSum, mine(src, of)); });
  }
  void record() {
    k.grid(0, 1, 1);
    k.assign(sum, 0);
    add(0);
    k.loop("later", 3, [&](const Expr& later) { add(later + 1); });
    k.copy(sum, mine(dst, 0));
  }
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(Call, IsPrintedAsAFunction) {
  SumOfParts s;
  s.record();
  const ir::Kernel kernel = s.k.finish();
  const std::string text = glsl::print(kernel);
  EXPECT_THAT(text, HasSubstr(R"(
float sum;

void add(uint part, uint thread) {
  // sum += parallelize(tile(src, (32)), (32):(1))
)"));
  EXPECT_THAT(text, HasSubstr(R"(
  add(0u, thread);

  for (uint later = 0u; later < 3u; ++later) {
    add(later + 1u, thread);
  }
)")) << text;
  EXPECT_EQ(count(text, "+= src["), 1u);
  EXPECT_NO_THROW(spirv::assemble("sum_of_parts", text));

  std::vector<float> src(128), dst(32);
  for (std::size_t i = 0; i < src.size(); ++i) src[i] = static_cast<float>(i);
  const auto report = run_on_host(kernel, {src, dst}, {});
  EXPECT_THAT(report.reasons, ElementsAre());
  EXPECT_EQ(dst[5], 5 + 37 + 69 + 101);
}

TEST(Call, MayCallOthersAndUseAnyValueAroundIt) {
  Builder k("nested", 32);
  const Tensor src = k.input("src", kCallType, {{"i", 32}});
  const Tensor dst = k.output("dst", kCallType, {{"i", 32}});
  const View value_here = k.registers("own", kCallType, make_layout({1}));
  k.grid(0, 1, 1);
  const auto mine = [&](const Tensor& array) {
    return parallelize(tile(array, {32}, {0}), make_layout({32}), k.thread());
  };
  const Expr factor = k.load("factor", ir::Element{"src", {0}, "src(0)"});
  k.call("scale", [&] {
    k.call("fetch", [&] { k.copy(mine(src), value_here); });
    k.apply(
        value_here, [&](const Expr& x) { return x * factor; }, value_here);
  });
  k.copy(value_here, mine(dst));
  const ir::Kernel kernel = k.finish();
  const std::string text = glsl::print(kernel);
  EXPECT_LT(text.find("void fetch(uint thread) {"),
            text.find("void scale(uint thread, float factor) {"));
  EXPECT_THAT(text, HasSubstr("  fetch(thread);\n"));
  EXPECT_THAT(text, HasSubstr("  scale(thread, factor);\n"));
  EXPECT_NO_THROW(spirv::assemble("nested", text)) << text;

  std::vector<float> a(32, 3), b(32);
  EXPECT_THAT(run_on_host(kernel, {a, b}, {}).reasons, ElementsAre());
  EXPECT_EQ(b[31], 9);
}

TEST(Call, IsOnePlaceOfTheReportOnAccesses) {
  SumOfParts s;
  s.record();
  int loads = 0;
  for (const AccessReport& access : analyse(s.k.finish()).accesses) loads += access.array == "src";
  EXPECT_EQ(loads, 1);
}

// A pass may change one of the calls; then there are two functions.
TEST(Call, WithOtherStatementsIsAnotherFunction) {
  SumOfParts s;
  s.record();
  ir::Kernel kernel = s.k.finish();
  for (ir::Stmt& statement : kernel.body) {
    auto* block = std::get_if<ir::Titled>(&statement.value);
    if (block != nullptr && block->function == "add") block->body.resize(1, ir::Titled{});
  }
  const std::string text = glsl::print(kernel);
  EXPECT_THAT(text, AllOf(HasSubstr("void add() {"), HasSubstr("void add2(uint part")));
  EXPECT_FALSE(ir::fingerprint(kernel) == ir::fingerprint(*kernel.verified));
}

TEST(Call, KeepsItsFunctionWhenSizesAreBaked) {
  Builder k("baked", 32);
  const Tensor src = k.input("src", kCallType, {{"i", "n"}});
  const Tensor dst = k.output("dst", kCallType, {{"i", "n"}});
  const auto part = [&](const Tensor& array, const Expr& number) {
    return parallelize(tile(array, {32}, {Expr(2) * k.block_x() + number}), make_layout({32}),
                       k.thread());
  };
  k.grid(0, Extent("n"), 64);
  for (const std::uint32_t i : {0, 1}) {
    k.call("move", {{"number", i, 2}},
           [&](const Expr& number) { k.copy(part(src, number), part(dst, number)); });
  }
  const ir::Kernel baked = bake(k.finish(), {{"n", 100}});
  const std::string text = glsl::print(baked);
  EXPECT_THAT(verify(baked), ElementsAre());
  EXPECT_EQ(count(text, "void move"), 1u) << text;
  EXPECT_THAT(text, AllOf(HasSubstr("move(1u, "), HasSubstr("< 100u"), Not(HasSubstr("uint n,"))));
}

TEST(Call, NamesTheFunctionInWhichAFaultIs) {
  SumOfParts s;
  s.record();
  s.k.call("read_past", [&] {
    s.k.load("past", ir::Element{"src", {s.k.thread() + 97}, "src(thread + 97)"});
  });
  EXPECT_REFUSED(s.k.finish(), KernelError,
                 "in the function read_past: 'src(thread + 97)' "
                 "accesses src at a coordinate along i");
}

TEST(Call, TakesArgumentsBelowTheEndOfAParameter) {
  SumOfParts s;
  s.record();
  s.add(4);
  EXPECT_REFUSED(
      s.k.finish(), KernelError,
      AllOf(HasSubstr("in the function add: "),
            HasSubstr("assumes that 'part' is a multiple of 1 below 4, but it is only known "
                      "to be a multiple of 4 below 5")));
}

TEST(Call, HasANameOfItsOwn) {
  const auto reason = [](const std::string& name, const char* expected) {
    SumOfParts s;
    s.record();
    s.k.call(name, [&] { s.k.let("step", s.k.thread() * 2); });
    EXPECT_REFUSED(s.k.finish(), KernelError, expected) << name;
  };
  reason("main", "'main' cannot be the name of a function: GLSL, or the shader around a kernel");
  reason("value2", "'value2' cannot be the name of a function: copies use it");
  reason("value_x", "'value_x' cannot be the name of a function: copies use it");
  reason("value2_w", "'value2_w' cannot be the name of a function: copies use it");
  reason("src", "'src' is the name of a function, and of the array src");
  reason("Src", "'Src' is the name of a function, and of the array src");
  reason("round", "'round' cannot be the name of a function");
  reason("step", "'step' is the name of a function, and of a value");
  reason("thread", "'thread' is the name of a function, and of a value");
}

TEST(Call, NamesItsParametersFirst) {
  SumOfParts s;
  s.record();
  s.k.add({"", {ir::Store{{"sum", {0}}, ir::number(kCallType, 0)}}, "clear", 1});
  EXPECT_REFUSED(s.k.finish(), KernelError,
                 "the function clear has 1 parameters, but statement 0 of its body names no index");
}

}  // namespace
}  // namespace vkmoye::gen
