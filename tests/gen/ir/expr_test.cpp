// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/expr.hpp"

#include <functional>
#include <type_traits>
#include <utility>

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/glsl/in_place.hpp"
#include "vkmoye/gen/glsl/print.hpp"

namespace vkmoye::gen {
namespace {

using ir::Expr;

const Expr x = ir::variable("x");
const Expr y = ir::variable("y");
const Expr thread256 = ir::variable("thread", ir::kIndex, 256);

std::string text(const Expr& e) { return glsl::print(e); }

TEST(Expr, FoldsConstantsAndNeutralElements) {
  EXPECT_EQ(text(Expr(3) * 4 + 5), "17u");
  EXPECT_EQ(text(x + 0), "x");
  EXPECT_EQ(text(1 * x), "x");
  EXPECT_EQ(text(0 * x), "0u");
  EXPECT_EQ(text(x / 1), "x");
  EXPECT_EQ(text(x % 1), "0u");
}

TEST(Expr, FoldsModulo2To32AsGlslDoes) {
  EXPECT_EQ(text(Expr(0xffffffffu) + 2), "1u");
  EXPECT_EQ(text(Expr(0x80000000u) * 2), "0u");
}

TEST(Expr, UsesBoundsToDropDivisionsAndRemainders) {
  EXPECT_EQ(text(thread256 % 256), "thread");
  EXPECT_EQ(text(thread256 / 256), "0u");
  EXPECT_EQ(text(thread256 / 32 % 8), "thread >> 5u");
  EXPECT_EQ(text(thread256 / 32 % 4), "(thread >> 5u) & 3u");
}

TEST(Expr, DividesASumWhoseTermsAreInAnyOrder) {
  const Expr v0 = ir::variable("v0", ir::kIndex, 2), v1 = ir::variable("v1", ir::kIndex, 2),
             v2 = ir::variable("v2", ir::kIndex, 4);
  const Expr sum = v0 + 2 * v1 + 8 * v2 + 4 * v1;
  EXPECT_EQ(text(sum / 8), "v2");
  EXPECT_EQ(text(sum % 8), "v0 + 2u * v1 + 4u * v1");
  // The rest may reach the divisor.
  const Expr large = v0 + 4 * v2 + 16 * v1 + 2 * v2;
  EXPECT_EQ(text(large / 16), "(v0 + 4u * v2 + 16u * v1 + 2u * v2) >> 4u");
  EXPECT_EQ(text(large % 16), "(v0 + 4u * v2 + 16u * v1 + 2u * v2) & 15u");
}

// (4 t ^ ((4 t & mask) >> 5)) / 4 = t ^ ((t & mask / 4) >> 5) for every t.
TEST(Expr, DividesASwizzledMultipleBeforeItIsSwizzled) {
  const auto swizzled = [](const Expr& e, std::uint32_t mask) {
    return ir::bit_xor(e, ir::shift_right(ir::bit_and(e, mask), 5));
  };
  EXPECT_EQ(text(swizzled(4 * thread256, 0x380) / 4), "thread ^ ((thread & 0xe0u) >> 5u)");
  EXPECT_EQ(text(swizzled(4 * thread256, 0x7ff) / 4), "thread ^ ((thread & 511u) >> 5u)");
  EXPECT_EQ(text(swizzled(thread256, 0x380) / 4), "(thread ^ ((thread & 0x380u) >> 5u)) >> 2u");
  for (const std::uint32_t mask : {0x380u, 0x7ffu, 0x3u, 0x2e5u}) {
    const Expr quotient = swizzled(4 * thread256, mask) / 4;
    for (std::uint32_t t = 0; t < 256; ++t) {
      const auto value = ir::constant_value(glsl::with_values(quotient, {{"thread", Expr(t)}}));
      EXPECT_EQ(*value, ((4 * t) ^ ((4 * t & mask) >> 5)) / 4) << text(quotient) << ", " << t;
    }
  }
}

TEST(Expr, KeepsTheSmallerOfTwoRemainders) {
  EXPECT_EQ(text(x % 64 % 32), "x & 31u");
  EXPECT_EQ(text(x % 12 % 6), "x % 6u");
  EXPECT_EQ(text(x % 12 % 5), "x % 12u % 5u");
  EXPECT_EQ(text(ir::bit_and(x % 64, 31)), "x & 31u");
  EXPECT_EQ(text(ir::bit_and(x % 64, 24)), "x & 0x18u");
  EXPECT_EQ(text(ir::bit_and(x % 32, 63)), "(x & 31u) & 63u");
}

TEST(Expr, BitsBesideAWholeNumberSayWhichItIs) {
  const Expr code = ir::variable("code", ir::element(ScalarType::u32));
  const auto beside = [&](std::uint32_t bits) {
    return text(ir::bitcast(ir::bit_or(code, ir::number(ScalarType::u32, bits)), ScalarType::f32));
  };
  EXPECT_EQ(beside(0x45000000), "uintBitsToFloat(code | 0x45000000u /* 2048.0 */)");
  EXPECT_EQ(beside(0x80000000), "uintBitsToFloat(code | 0x80000000u)");
  EXPECT_EQ(beside(0x7f800000), "uintBitsToFloat(code | 0x7f800000u)");
}

TEST(Expr, ANegationOfANegationIsTheCondition) {
  EXPECT_EQ(text(ir::logical_not(ir::less(x, y + 1))), "y + 1u <= x");
  const Expr f = ir::variable("f", ir::element(ScalarType::f32));
  EXPECT_EQ(text(ir::logical_not(ir::less(f, f))), "!(f < f)");
  EXPECT_EQ(text(ir::logical_not(ir::logical_not(ir::less(x, y)))), "x < y");
}

// 64 x is 0 for x = 2^26, too.
TEST(Expr, ComparesInAllDirections) {
  using namespace ir;
  const Expr a = variable("a"), b = variable("b");
  EXPECT_TRUE(same(less_equal(a, b), logical_not(less(b, a))));
  EXPECT_TRUE(same(greater(a, b), less(b, a)));
  EXPECT_TRUE(same(greater_equal(a, b), less_equal(b, a)));
  EXPECT_TRUE(same(greater(a, 3), less(3, a)));
  EXPECT_TRUE(same(less_equal(a, 3), logical_not(less(3, a))));
  EXPECT_TRUE(same(greater_equal(3, a), less_equal(a, 3)));
  // Neither is a NaN less than a number, nor the other way round.
  const Expr x = variable("x", element(ScalarType::f32)),
             y = variable("y", element(ScalarType::f32));
  EXPECT_TRUE(same(less_equal(x, y), logical_or(less(x, y), equal(x, y))));
  const Expr i = variable("i", element(ScalarType::i32));
  EXPECT_TRUE(same(less_equal(i, 2), logical_not(less(number(ScalarType::i32, 2), i))));
}

TEST(Expr, DropsAFactorBesideZeroOnlyWhereTheProductCannotWrap) {
  EXPECT_EQ(text(ir::equal(8 * thread256, 0)), "thread == 0u");
  EXPECT_EQ(text(ir::not_equal(8 * (x / 8 % 4), 0)), "((x >> 3u) & 3u) != 0u");
  EXPECT_EQ(text(ir::equal(8 * thread256, 8)), "8u * thread == 8u");
  EXPECT_EQ(text(ir::equal(64 * x, 0)), "64u * x == 0u");
  const Expr limit = ir::variable("limit", ir::kIndex, 1u << 26);
  EXPECT_EQ(text(ir::equal(64 * limit, 0)), "limit == 0u");
  EXPECT_EQ(text(ir::equal(128 * limit, 0)), "128u * limit == 0u");
}

TEST(Expr, PrintsMasksOfElementsByTheirBits) {
  const Expr word = ir::variable("word", ir::element(ScalarType::u32));
  EXPECT_EQ(text(bit_or(bit_and(word, 0xffff), shift_left(word, 16))),
            "(word & 0xffffu) | (word << 16u)");
  EXPECT_EQ(text(shift_right(word, ir::convert(16 * (x % 2), ScalarType::u32))),
            "word >> (16u * (x & 1u))");
}

TEST(Expr, PrintsPowersOfTwoAsShiftAndMask) {
  EXPECT_EQ(text(x / 8), "x >> 3u");
  EXPECT_EQ(text(x % 8), "x & 7u");
  EXPECT_EQ(text(x / 6), "x / 6u");
  EXPECT_EQ(text(x % 6), "x % 6u");
}

TEST(Expr, PutsParenthesesWherePrecedenceNeedsThem) {
  EXPECT_EQ(text((x + y) * 3), "3u * (x + y)");
  EXPECT_EQ(text(x + y * 3), "x + 3u * y");
  EXPECT_EQ(text(x % 8 + y), "(x & 7u) + y");
  EXPECT_EQ(text((x / 8) * 33), "33u * (x >> 3u)");
  EXPECT_EQ(text(x - (y - 1)), "x - (y - 1u)");
  EXPECT_EQ(text(x / (y / 3)), "x / (y / 3u)");
  EXPECT_EQ(text(40 * (x % 12)), "40u * (x % 12u)");
  EXPECT_EQ(text(x * (y / 12)), "x * (y / 12u)");
  EXPECT_EQ(text(x + (y + 1)), "x + y + 1u");
  EXPECT_EQ(text(ir::logical_and(ir::less(x + 1, y), ir::less(y, x))), "x + 1u < y && y < x");
}

TEST(Expr, PutsMasksAndShiftsInsideComparisonsRight) {
  EXPECT_EQ(text(ir::less(x % 8, y)), "(x & 7u) < y");
  EXPECT_EQ(text(ir::less(y, x % 8)), "y < (x & 7u)");
  EXPECT_EQ(text(ir::less(x / 8, y)), "(x >> 3u) < y");
  EXPECT_EQ(text(ir::equal(x % 8, 0)), "(x & 7u) == 0u");
  EXPECT_EQ(text(ir::logical_and(ir::equal(x % 8, 0), ir::less(x, y))), "(x & 7u) == 0u && x < y");
}

TEST(Expr, KnowsPowersOfTwoThatDivideIt) {
  EXPECT_EQ((128 * x + 4 * y)->alignment, 4u);
  EXPECT_EQ((6 * x)->alignment, 2u);
  EXPECT_EQ((x + 4)->alignment, 1u);
  EXPECT_EQ((16 * x / 4)->alignment, 4u);
  EXPECT_EQ((16 * x / 3)->alignment, 1u);
  EXPECT_EQ((16 * x % 24)->alignment, 8u);
  EXPECT_EQ((Expr(12) - 8 * x)->alignment, 4u);
}

// The index of a vector: x and y may be large, so that their sum could not be divided apart otherwise.
TEST(Expr, DividesWhatIsAMultipleTermByTerm) {
  EXPECT_EQ(text((8 * thread256 + 256 * x + x * y) / 8), "(8u * thread + 256u * x + x * y) >> 3u");
  const auto divided = [](const Expr& e) { return text(ir::divide_exactly(e, 8)); };
  EXPECT_EQ(divided(8 * thread256 + 256 * x + x * y), "thread + 32u * x + ((x * y) >> 3u)");
  EXPECT_EQ(divided(8 * thread256 + 16 * x * y), "thread + 2u * x * y");
  EXPECT_EQ(divided(Expr(64)), "8u");
  EXPECT_EQ(divided(4 * x + 4 * y), "(4u * x + 4u * y) >> 3u");
  // A difference may wrap where the sum does not.
  EXPECT_EQ(divided((x - 8) + 8 * y), "(x - 8u + 8u * y) >> 3u");
  EXPECT_EQ(divided(2 * (x - y) + 8 * y), "(2u * (x - y) + 8u * y) >> 3u");
}

// Not 0 and 4294967292, which they are as indices.
TEST(Expr, TakesANumberBesideAnElementAsOneOfItsType) {
  const Expr f = ir::variable("f", ir::element(ScalarType::f32));
  const Expr i = ir::variable("i", ir::element(ScalarType::i32));
  EXPECT_EQ(text(0.25 * f), "0.25 * f");
  EXPECT_EQ(text(f / 0.5f), "f / 0.5");
  EXPECT_EQ(text(-4 * f), "-4.0 * f");
  EXPECT_EQ(text(minimum(-4, i)), "min(-4, i)");
  EXPECT_EQ(text(ir::select(ir::less(f, -0.5), f, 0.5)), "(f < -0.5) ? f : 0.5");
  EXPECT_EQ(text(-(0 * f - ir::number(ScalarType::f32, -1.5))), "-(0.0 * f - -1.5)");
  EXPECT_EQ(text(-ir::number(ScalarType::f32, -1.5)), "-(-1.5)");
  EXPECT_TRUE(ir::same(f + 2, f + ir::number(ScalarType::f32, 2)));
  // Beside an index it is one.
  EXPECT_TRUE(ir::same(x + -1, x + 0xffffffffu));
  EXPECT_TRUE(ir::same(4.0 * x, 4 * x));
}

TEST(Expr, RefusesANumberThatCannotStandBesideTheOther) {
  const auto said = [](const auto& operation) -> std::string {
    try {
      operation();
    } catch (const KernelError& error) {
      return error.what();
    }
    return "";
  };
  const Expr i = ir::variable("i", ir::element(ScalarType::i32));
  const Expr u = ir::variable("u", ir::element(ScalarType::u32));
  EXPECT_EQ(said([&] { return 0.25 * x; }),
            "0.25 next to an operand of type index: only whole numbers from -2147483648 to "
            "4294967295 are allowed there");
  EXPECT_NE(said([&] { return x + (std::int64_t{1} << 32); }), "");
  EXPECT_NE(said([&] { return i * 0.5; }), "");
  EXPECT_NE(said([&] { return i + 2147483648.0; }), "");
  EXPECT_NE(said([&] { return u + -1; }), "");
  EXPECT_EQ(said([&] { return u + 4294967295.0; }), "");
  static_assert(!std::is_convertible_v<double, Expr>);
  static_assert(std::is_convertible_v<int, Expr>);
}

TEST(Expr, IsTheSameWhenStructureIsTheSame) {
  EXPECT_TRUE(ir::same(32 * x + y, 32 * ir::variable("x") + y));
  EXPECT_FALSE(ir::same(32 * x + y, 32 * x + x));
  EXPECT_FALSE(ir::same(x, ir::variable("x", ir::kBoolean)));
}

// Recursion over a deeper one could overflow the stack, its destruction included.
TEST(Expr, AreRefusedBeforeTheyAreTooDeep) {
  const Expr one = ir::number(ScalarType::f32, 1);
  const Expr truth = ir::less(x, y);
  const std::pair<Expr, std::function<Expr(const Expr&)>> chains[] = {
      {x, [](const Expr& e) { return e + y; }},
      {x, [](const Expr& e) { return ir::select(ir::less(e, y), e, y); }},
      {one, [](const Expr& e) { return ir::exp(e); }},
      {one, [&](const Expr& e) { return ir::multiply_add(one, one, e); }},
      {one,
       [](const Expr& e) {
         return ir::component(ir::vector({e, e}), 1);
       }},
      {truth, [&](const Expr& e) { return ir::logical_not(ir::logical_and(truth, e)); }}};
  for (const auto& [start, grow] : chains) {
    Expr deepest = start;
    const auto grow_for_ever = [&, &grow = grow] {
      for (int i = 0; i < 20000; ++i) deepest = grow(deepest);
    };
    EXPECT_THAT(grow_for_ever,
                ThrowsMessage<KernelError>(
                    AllOf(HasSubstr("more than 500 operations deep"), HasSubstr("Builder::let"))));
    EXPECT_GE(deepest->depth, ir::kMaxDepth - 1);
    EXPECT_LE(deepest->depth, ir::kMaxDepth);
    EXPECT_EQ(ir::with_operands(deepest, deepest->operands)->depth, deepest->depth);
  }
}

}  // namespace
}  // namespace vkmoye::gen
