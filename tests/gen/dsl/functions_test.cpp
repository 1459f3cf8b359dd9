// SPDX-License-Identifier: MIT
// What functions of elements compute, by the definitions of their operations, against the C++ library.
#include "vkmoye/gen/dsl/functions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/ir/evaluate.hpp"
#include "vkmoye/gen/ir/operation.hpp"

namespace vkmoye::gen {
namespace {

using ir::Expr;

const double kInfinite = std::numeric_limits<double>::infinity();

// The value of `e`, in which the names have these bits.
ir::Bits bits_in(const Expr& e, const std::map<std::string, ir::Bits>& names) {
  if (e->op == ir::Op::constant) return e->value;
  if (e->op == ir::Op::variable) return names.at(e->name);
  std::vector<ir::Bits> operands;
  for (const Expr& operand : e->operands) operands.push_back(bits_in(operand, names));
  return ir::evaluate(*e, operands).value();
}

// function(x) in f32.
template <class Function>
double of(double x, Function function) {
  using enum ScalarType;
  const Expr variable = ir::variable("x", ir::element(f32));
  return number_of(f32, bits_in(function(variable), {{"x", bits_of(f32, x)}}));
}

TEST(Functions, PowIsThatOfTheLibrary) {
  for (const double x : {0.01, 0.4, 0.9999, 1.0, 1.5, 2.0, 77.0}) {
    for (const double y : {-3.0, -0.5, 0.0, 0.5, 1.0, 2.5}) {
      const double expected = std::pow(static_cast<float>(x), y);
      const double error = 0x1p-23 * (3 + 5 * std::abs(y * std::log2(x))) + std::abs(y) * 0x1p-21;
      EXPECT_NEAR(of(x, [&](const Expr& e) { return pow(e, y); }), expected, error * expected)
          << x << "^" << y;
    }
  }
  EXPECT_EQ(of(0, [](const Expr& e) { return pow(e, 0.5); }), 0);
}

TEST(Functions, SignKeepsZeroAndNaN) {
  const auto sign_of = [](double x) { return of(x, [](const Expr& e) { return sign(e); }); };
  EXPECT_EQ(sign_of(3.5), 1);
  EXPECT_EQ(sign_of(-kInfinite), -1);
  EXPECT_EQ(sign_of(0), 0);
  EXPECT_TRUE(std::signbit(sign_of(-0.0)));
  EXPECT_TRUE(std::isnan(sign_of(std::nan(""))));
}

TEST(Functions, ClampStaysBetween) {
  const auto clamped = [](double x) {
    return of(x, [](const Expr& e) { return clamp(e, -1, 0.5); });
  };
  EXPECT_EQ(clamped(-7), -1);
  EXPECT_EQ(clamped(0.25), 0.25);
  EXPECT_EQ(clamped(kInfinite), 0.5);
}

TEST(Functions, ErfIsWithinItsError) {
  const auto erf_of = [](double x) { return of(x, [](const Expr& e) { return erf(e); }); };
  for (double x = -5; x <= 5; x += 0.03125)
    EXPECT_NEAR(erf_of(x), std::erf(x), 1.5e-7 + 4 * 0x1p-24) << x;
  EXPECT_EQ(erf_of(kInfinite), 1);
  EXPECT_EQ(erf_of(-kInfinite), -1);
  EXPECT_TRUE(std::isnan(erf_of(std::nan(""))));
}

TEST(Functions, BitFieldsAreThoseOfAWord) {
  using enum ScalarType;
  const Expr word = ir::variable("w", ir::element(u32));
  const auto field = [&](std::uint32_t first, std::uint32_t count) {
    return bits_in(bit_field(word, first, count), {{"w", 0x89abcdef}});
  };
  EXPECT_EQ(field(0, 4), 0xf);
  EXPECT_EQ(field(8, 8), 0xcd);
  EXPECT_EQ(field(28, 4), 0x8);
  EXPECT_EQ(field(0, 32), 0x89abcdef);
}

TEST(Functions, SignedBitFieldsHaveASign) {
  using enum ScalarType;
  const Expr word = ir::variable("w", ir::element(u32));
  const auto field = [&](std::uint32_t first, std::uint32_t count) {
    const Expr e = signed_bit_field(word, first, count);
    EXPECT_EQ(e->type, ir::element(i32));
    return number_of(i32, bits_in(e, {{"w", 0x89abcd7f}}));
  };
  EXPECT_EQ(field(0, 4), -1);
  EXPECT_EQ(field(0, 8), 0x7f);
  EXPECT_EQ(field(8, 8), 0xcd - 0x100);
  EXPECT_EQ(field(28, 4), -8);
  EXPECT_EQ(field(16, 16), 0x89ab - 0x10000);
  EXPECT_EQ(field(0, 32), 0x89abcd7f - 0x1p32);
}

TEST(Functions, BitsArePackedFromTheLowestOn) {
  using enum ScalarType;
  const Expr a = ir::variable("a", ir::element(u32)), b = ir::variable("b", ir::element(i32));
  const std::map<std::string, ir::Bits> names = {{"a", 0x12345678}, {"b", 0xfffffffe}};
  EXPECT_EQ(bits_in(pack_bits({a, b}), names), 0xfffe5678);
  EXPECT_EQ(bits_in(pack_bits({a, b, a, b}), names), 0xfe78fe78);
  EXPECT_EQ(bits_in(pack_bits(std::vector<Expr>(8, b)), names), 0xeeeeeeee);
  EXPECT_THROW(pack_bits({a}), KernelError);
  EXPECT_THROW(pack_bits({a, a, a}), KernelError);
}

TEST(Functions, DotProductsOfBytesAreSpeltOutForOldDevices) {
  using enum ScalarType;
  const Expr a = ir::variable("a", ir::element(u32)), b = ir::variable("b", ir::element(u32));
  DeviceCaps with;
  with.features.add(Feature::integer_dot);
  const auto dot = [&](const DeviceCaps& device, ScalarType of_a, ScalarType of_b) {
    const Expr sum = ir::number(of_a == u8 && of_b == u8 ? u32 : i32, 7);
    const Expr e = dot4(device, {a, b, of_a, of_b}, sum);
    EXPECT_EQ(ir::type_error(*e), std::nullopt);
    return bits_in(e, {{"a", 0xff020380}, {"b", 0xff010280}});
  };
  for (const DeviceCaps& device : {with, DeviceCaps()}) {
    EXPECT_EQ(dot(device, i8, i8), 7u + 1 + 2 + 6 + 128 * 128);
    EXPECT_EQ(dot(device, u8, u8), 7u + 255 * 255 + 2 + 6 + 128 * 128);
    EXPECT_EQ(dot(device, i8, u8), static_cast<std::uint32_t>(7 - 255 + 2 + 6 - 128 * 128));
    EXPECT_EQ(dot(device, u8, i8), static_cast<std::uint32_t>(7 - 255 + 2 + 6 - 128 * 128));
  }
  EXPECT_THROW(dot(with, i8, i16), KernelError);
  EXPECT_TRUE(ir::type_error(*ir::packed_dot4(a, i8, ir::variable("x", ir::element(i32)), i8)));
}

TEST(Functions, HalvesAreRoundedToNearestEvenOnTheHost) {
  using enum ScalarType;
  const Expr x = ir::variable("x", ir::element(f32)), w = ir::variable("w", ir::element(u32));
  const auto packed = [&](double low) {
    return bits_in(ir::pack_f16(x, ir::number(f32, -2)), {{"x", bits_of(f32, low)}});
  };
  EXPECT_EQ(packed(1), 0xc0003c00);
  EXPECT_EQ(packed(1 + 0x1p-11), 0xc0003c00);  // halfway: the even one
  EXPECT_EQ(packed(1 + 3 * 0x1p-11), 0xc0003c02);
  EXPECT_EQ(packed(65520), 0xc0007c00);  // infinity
  EXPECT_EQ(number_of(f32, bits_in(ir::unpack_f16(w, 1), {{"w", 0xc0003c00}})), -2);
  EXPECT_TRUE(
      std::isnan(number_of(f32, bits_in(ir::unpack_f16(w, 0), {{"w", packed(std::nan(""))}}))));
  EXPECT_TRUE(ir::type_error(*ir::unpack_f16(w, 2)));
  EXPECT_TRUE(ir::type_error(*ir::unpack_f16(x, 0)));
}

TEST(Functions, BitcastKeepsBits) {
  using enum ScalarType;
  const Expr x = ir::variable("x", ir::element(f32));
  EXPECT_EQ(bits_in(bitcast(x, u32), {{"x", 0x3f800000}}), 0x3f800000u);
  EXPECT_EQ(bitcast(x, f16)->type, ir::element(f16, 2));
  EXPECT_TRUE(ir::type_error(*bitcast(ir::variable("h", ir::element(f16)), u32)));
  EXPECT_TRUE(ir::type_error(*bitcast(ir::variable("b", ir::element(u8, 2)), u16)));
  EXPECT_FALSE(ir::type_error(*bitcast(ir::variable("v", ir::element(u16, 8)), u32)));
  EXPECT_TRUE(ir::type_error(*bitcast(ir::variable("y", ir::element(f64)), u64)));
  EXPECT_FALSE(ir::type_error(*bitcast(ir::variable("z", ir::element(bf16)), f16)));
}

// bf16 is rounded after each operation, as if it had arithmetic of its own.
TEST(NarrowTypes, AreComputedInTheWiderTypeAndRounded) {
  using enum ScalarType;
  const auto computed = [](ScalarType type, const Expr& e, double a, double b) {
    return number_of(type, bits_in(e, {{"a", bits_of(type, a)}, {"b", bits_of(type, b)}}));
  };
  const auto named = [](const char* name, ScalarType type) {
    return ir::variable(name, ir::element(type));
  };
  const Expr a = named("a", bf16), b = named("b", bf16);
  EXPECT_EQ((a + b)->type, ir::element(bf16));
  EXPECT_EQ(computed(bf16, a + b, 256, 1), 256);  // 257 is halfway to 258: the even one
  EXPECT_EQ(computed(bf16, a + b, 256, 3), 260);
  EXPECT_EQ(computed(bf16, a * 0.5, 3, 0), 1.5);
  EXPECT_EQ(computed(e4m3, named("a", e4m3) * named("b", e4m3), 15, 15), 224);
  EXPECT_EQ(computed(i8, named("a", i8) + named("b", i8), 127, 1), -128);
  EXPECT_EQ(computed(u8, named("a", u8) - 1, 0, 0), 255);
  EXPECT_TRUE(ir::type_error(*(named("a", i16) / named("b", i16))));
  EXPECT_EQ(bits_in(less(a, b), {{"a", bits_of(bf16, -1)}, {"b", bits_of(bf16, 1)}}), 1u);
  EXPECT_TRUE(ir::type_error(*(a + named("x", f32))));  // of two types
}

}  // namespace
}  // namespace vkmoye::gen
