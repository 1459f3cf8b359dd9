// SPDX-License-Identifier: MIT
// Exact values: what the twin and the shader make of them, and what is refused.

#include "vkmoye/gen/verify/exact_values.hpp"

#include "support/arithmetics.hpp"
#include "support/expect.hpp"
#include "support/kernel_on_twin.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/passes/fixed_sizes.hpp"

namespace vkmoye::gen {
namespace {

using ir::Expr;

constexpr ScalarType kExactType = ScalarType::f32;

// dst(i) = a * b - p + a * c, for the four numbers of row i of src.
ir::Kernel rest(bool is_exact) {
  Builder k("rest", 32);
  const Tensor src = k.input("src", kExactType, {{"number", 4}, {"row", "rows"}});
  const Tensor dst = k.output("dst", kExactType, {{"row", "rows"}});
  k.grid(0, "rows", 32);
  const Expr row = 32 * k.block_x() + k.thread();
  k.branch({less(row, dst.extent(0))}, [&] {
    std::vector<Expr> x;
    for (const char* name : {"a", "b", "c", "p"}) {
      x.push_back(k.load(name, {"src", {to_index(std::int64_t(x.size())), row}}));
    }
    const Expr value = x[0] * x[1] - x[3] + x[0] * x[2];
    k.store(is_exact ? k.let_exact("left", value) : k.let("left", value), {"dst", {row}});
  });
  return k.finish();
}

// (1 + 2^-12) * (1 + 2^-11) - 1.00073.. of f32 + (1 + 2^-12) * 2^-22.
float left_of(const ir::Kernel& kernel, const ir::Arithmetic& arithmetic) {
  const float a = 1 + 0x1p-12f, b = 1 + 0x1p-11f, c = 0x1p-22f;
  test::Floats arrays = {{"src", {a, b, c, a * b}}};
  test::run_on_twin(kernel, {{"rows", 1}}, arrays, {.arithmetic = arithmetic});
  return arrays.at("dst")[0];
}

TEST(ExactValues, AreTheSameInEachArithmetic) {
  const float written = (1 + 0x1p-12f) * 0x1p-22f;
  bool differs = false;
  for (const auto& [name, arithmetic] : test::kArithmetics) {
    EXPECT_EQ(left_of(rest(true), arithmetic), written) << name;
    differs = differs || left_of(rest(false), arithmetic) != written;
  }
  EXPECT_TRUE(differs);
}

std::size_t uncontracted(const std::vector<std::uint32_t>& spirv) {
  constexpr std::uint32_t kDecorate = 71, kNoContraction = 42;
  std::size_t count = 0;
  for (std::size_t at = 5; at < spirv.size(); at += spirv[at] >> 16) {
    count += (spirv[at] & 0xffff) == kDecorate && spirv[at + 2] == kNoContraction;
  }
  return count;
}

TEST(ExactValues, ArePreciseInTheShader) {
  const CompiledKernel exact = compile(rest(true));
  EXPECT_THAT(exact.glsl, HasSubstr("precise float left = a * b - p + a * c;"));
  EXPECT_EQ(uncontracted(exact.spirv), 4u);  // two products, a difference and a sum
  EXPECT_THAT(compile(bake(rest(true), {{"rows", 5}})).glsl, HasSubstr("precise float left = "));
  EXPECT_THAT(compile(rest(false)).glsl, Not(HasSubstr("precise")));
}

TEST(ExactValues, HaveNoIndexAndNoMultiplyAdd) {
  const auto with = [](const std::function<void(Builder&, const Expr&)>& use) {
    return [use] {
      Builder k("test", 32);
      const Tensor src = k.input("src", kExactType, {{"i", 1}});
      const Tensor dst = k.output("dst", kExactType, {{"i", 1}});
      const Expr x = k.load("x", ir::Element{"src", {0}});
      use(k, x);
      k.branch({equal(k.thread(), 0)}, [&] { k.store(x, ir::Element{"dst", {0}}); });
      k.finish();
    };
  };
  EXPECT_THAT(with([](Builder& k, const Expr&) { k.let_exact("next", k.thread() + 1); }),
              ThrowsMessage<KernelError>(HasSubstr(
                  "'next' is an exact value of type index: only floating numbers are rounded")));
  EXPECT_THAT(
      with([](Builder& k, const Expr& x) { k.let_exact("y", 2 * multiply_add(x, x, x)); }),
      ThrowsMessage<KernelError>(HasSubstr("'y' is an exact value with a multiply_add, which "
                                           "devices fuse or not: write a product and a sum")));
  EXPECT_NO_THROW(with([](Builder& k, const Expr& x) {
    k.let_exact("y", k.let("fused", multiply_add(x, x, x)) - x);
  })());
}

}  // namespace
}  // namespace vkmoye::gen
