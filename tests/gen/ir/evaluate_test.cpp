// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/evaluate.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <vector>

#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/ir/contracted.hpp"
#include "vkmoye/gen/ir/operation.hpp"

namespace vkmoye::gen {
namespace {

using ir::Expr;
using ir::Op;

Expr named(const char* name, ScalarType type) { return ir::variable(name, ir::element(type)); }

double computed(const Expr& e, ScalarType type, const std::vector<double>& operands) {
  std::vector<ir::Bits> bits;
  for (const double value : operands) bits.push_back(bits_of(type, value));
  return number_of(type, *ir::evaluate(*e, bits));
}

TEST(Meaning, RoundsInTheTypeOfTheElements) {
  const Expr h = named("h", ScalarType::f16), f = named("f", ScalarType::f32);
  EXPECT_EQ(computed(h + h, ScalarType::f16, {2048, 1}), 2048);  // ties to even
  EXPECT_EQ(computed(h + h, ScalarType::f16, {2048, 3}), 2052);
  EXPECT_EQ(computed(h * h, ScalarType::f16, {256, 256}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(computed(f + f, ScalarType::f32, {16777216, 1}), 16777216);
  EXPECT_EQ(computed(ir::multiply_add(f, f, f), ScalarType::f32, {1 + 0x1p-12, 1 + 0x1p-12, -1}),
            0x1p-11 + 0x1p-24);  // one rounding, not two
}

// What Vulkan leaves to a device, see ir/arithmetic.hpp.
TEST(Meaning, OfAMultiplyAddAndOfSubnormalNumbersIsThatOfTheArithmetic) {
  const Expr f = named("f", ScalarType::f32), h = named("h", ScalarType::f16);
  const auto of = [](const Expr& e, const std::vector<double>& operands, ir::Arithmetic device) {
    const ScalarType type = e->operands[0]->type.element;
    std::vector<ir::Bits> bits;
    for (const double value : operands) bits.push_back(bits_of(type, value));
    return number_of(e->type == ir::kBoolean ? ScalarType::u8 : e->type.element,
                     *ir::evaluate(*e, bits, device));
  };
  const ir::Arithmetic separate = {.multiply_add = ir::MultiplyAdd::separate};
  const ir::Arithmetic flushing = {.flushes_subnormals = true};
  EXPECT_EQ(of(ir::multiply_add(f, f, f), {1 + 0x1p-12, 1 + 0x1p-12, -1}, separate), 0x1p-11);
  EXPECT_EQ(of(ir::multiply_add(f, f, f), {0x1p127, 4, -0x1p127}, separate),
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(of(f * f, {0x1p-130, 0x1p100}, {}), 0x1p-30);
  EXPECT_EQ(of(f * f, {0x1p-130, 0x1p100}, flushing), 0);
  EXPECT_EQ(of(f * f, {0x1p-100, 0x1p-30}, flushing), 0);
  EXPECT_EQ(of(ir::less(f, f), {0, 0x1p-130}, {}), 1);
  EXPECT_EQ(of(ir::less(f, f), {0, 0x1p-130}, flushing), 0);
  EXPECT_EQ(of(-f, {0x1p-130}, flushing), -0x1p-130);
  EXPECT_EQ(of(h * h, {0x1p-24, 1}, flushing), 0x1p-24);
  EXPECT_EQ(of(ir::convert(f, ScalarType::f64), {0x1p-130}, flushing), 0);
  const Expr difference = ir::contracted(f * f - f).value(), other = *ir::contracted(f - f * f);
  EXPECT_EQ(difference->op, Op::multiply_add);
  EXPECT_EQ(difference->operands[2]->op, Op::negate);
  EXPECT_EQ(other->op, Op::multiply_add);
  EXPECT_EQ(other->operands[0]->op, Op::negate);
  EXPECT_FALSE(ir::contracted(f + f));
}

// What compilers make of sums, see ir/contracted.hpp.
TEST(Meaning, OfARearrangedSumHasSharedFactorsAndNoTermsThatCancel) {
  const auto named = [](const char* name) {
    return ir::variable(name, ir::element(ScalarType::f32));
  };
  const Expr a = named("a"), b = named("b"), c = named("c"), p = named("p");
  const auto text = [](const Expr& e) {
    const auto found = ir::rearranged(e);
    return found ? glsl::print(*found) : "as written";
  };
  EXPECT_EQ(text(a * b + (a * c - p)), "a * (b + c) - p");
  EXPECT_EQ(text(a * b - c * a), "a * (b - c)");
  EXPECT_EQ(text(ir::multiply_add(a, b, -p) - a * b), "-p");
  EXPECT_EQ(text(ir::multiply_add(a, b, ir::multiply_add(c, b, -p))), "b * (a + c) - p");
  EXPECT_EQ(text(a + b - a), "b");
  EXPECT_EQ(text(p - (p - b)), "b");
  EXPECT_EQ(text(a * b - a * b), "0.0");
  EXPECT_EQ(text(a * b + c), "as written");
  EXPECT_EQ(text((a + b) * c), "as written");
  EXPECT_EQ(text(ir::variable("i") + ir::variable("j") - ir::variable("i")), "as written");
}

TEST(Meaning, WrapsIntegersAndKnowsWhatIsUndefined) {
  const Expr i = named("i", ScalarType::i32);
  const double max = 2147483647, min = -2147483648.0;
  EXPECT_EQ(computed(i + i, ScalarType::i32, {max, 1}), min);
  EXPECT_EQ(computed(ir::unary(Op::absolute, i), ScalarType::i32, {-5}), 5);
  EXPECT_EQ(computed(i / i, ScalarType::i32, {-7, 2}), -3);
  EXPECT_FALSE(ir::evaluate(*(i / i), std::vector<ir::Bits>{1, 0}));
  EXPECT_FALSE(ir::evaluate(*(i / i), std::vector<ir::Bits>{0x80000000u, 0xffffffffu}));
  EXPECT_FALSE(ir::evaluate(*(i % i), std::vector<ir::Bits>{bits_of(ScalarType::i32, -1), 2}));
}

TEST(Meaning, OfManyIndicesIsThatOfEach) {
  const std::vector<ir::Value> some = {0, 1, 7, std::nullopt, 31, 32, 0x80000000u, 0xffffffffu};
  for (int number = 0; number <= static_cast<int>(Op::convert); ++number) {
    const auto op = static_cast<Op>(number);
    for (const ir::Value& one : some) {
      std::vector<ir::Value> out(some.size(), 12345);
      ir::evaluate_indices(op, {some.data(), 1}, {&one, 0}, out);
      for (std::size_t i = 0; i < some.size(); ++i) {
        ir::Value expected;
        if (some[i] && one) {
          expected = ir::evaluate_index(op, static_cast<std::uint32_t>(*some[i]),
                                        static_cast<std::uint32_t>(*one));
        }
        EXPECT_EQ(out[i], expected) << "operation " << number << ", " << i;
      }
    }
  }
}

TEST(Meaning, ConvertsAsShadersDo) {
  const auto convert = [](ScalarType from, double value, ScalarType to) {
    const ir::Bits bits = ir::converted(ir::element(from), bits_of(from, value), ir::element(to));
    return number_of(to, bits);
  };
  EXPECT_EQ(convert(ScalarType::f32, -2.75, ScalarType::i32), -2);
  EXPECT_EQ(convert(ScalarType::f32, 65520, ScalarType::f16),
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(convert(ScalarType::i32, -1, ScalarType::u8), 255);
  EXPECT_EQ(convert(ScalarType::i8, -1, ScalarType::i32), -1);
  EXPECT_EQ(convert(ScalarType::f32, 1.00390625, ScalarType::bf16), 1);  // ties to even
}

TEST(Meaning, FoldsWhatOnlyNumbersDecide) {
  const Expr x = ir::variable("x");
  EXPECT_EQ(ir::constant_value(ir::logical_and(ir::less(x, 3), ir::less(4, 3))), 0u);
  EXPECT_EQ(ir::constant_value(ir::logical_or(ir::less(x, 3), ir::less(2, 3))), 1u);
  EXPECT_FALSE(ir::constant_value(ir::less(x, 3)));
  EXPECT_FALSE(ir::constant_value(Expr(1) / Expr(0)));
}

TEST(Operation, NamesOperandOperationAndWhatFits) {
  const Expr d = named("d", ScalarType::f64), b = named("b", ScalarType::i8);
  EXPECT_EQ(ir::type_error(*ir::unary(Op::exp, d)),
            "exp with an operand of type f64: it takes a single element of f16 or f32");
  EXPECT_EQ(
      ir::type_error(*(b / b)),
      "divide with an operand of type i8: it takes indices, or single elements of f16, f32, f64, "
      "i32 or u32; convert it first");
  const Expr halves = ir::bitcast(named("h", ScalarType::u32), ScalarType::f16);
  EXPECT_EQ(ir::type_error(*(halves - halves)), std::nullopt);
  EXPECT_EQ(ir::type_error(*(halves * halves)),
            "multiply with an operand of type f16 x2: it takes indices, or single elements of f16, "
            "f32, f64, i32 or u32");
  EXPECT_EQ(ir::type_error(*(d + ir::variable("x"))),
            "add of f64 and index: its operands must have one type");
  EXPECT_EQ(ir::type_error(*(d + 1)), std::nullopt);  // a number is one of the element's type
}

TEST(Print, GroupsElementsAsTheAuthorDid) {
  const Expr a = named("a", ScalarType::f32), b = named("b", ScalarType::f32);
  EXPECT_EQ(glsl::print(a * (a * b)), "a * (a * b)");
  EXPECT_EQ(glsl::print(a + (a + b)), "a + (a + b)");
  const Expr one = ir::number(ScalarType::f32, 1);
  EXPECT_EQ(glsl::print(ir::vector({a, b}) - ir::vector({one, one})), "vec2(a, b) - vec2(1.0)");
  EXPECT_EQ(glsl::print((a + b) + a), "a + b + a");
  EXPECT_EQ(glsl::print(-(a - b)), "-(a - b)");
  EXPECT_EQ(glsl::print(ir::select(ir::less(a, b), a, b)), "(a < b) ? a : b");
}

TEST(Print, SpellsEveryNumberExactly) {
  EXPECT_EQ(glsl::print(ir::number(ScalarType::f32, 0.1)), "0.1");
  EXPECT_EQ(glsl::print(ir::number(ScalarType::f64, 0.1)), "0.1lf");
  EXPECT_EQ(glsl::print(ir::number(ScalarType::f32, std::numeric_limits<double>::infinity())),
            "uintBitsToFloat(0x7f800000u /* infinity */)");
  EXPECT_EQ(glsl::print(ir::number(ScalarType::i32, -7)), "-7");
}

}  // namespace
}  // namespace vkmoye::gen
