// SPDX-License-Identifier: MIT
#include "judge/spirv/operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace vkmoye::judge::spirv {
namespace {

template <class To, class From>
To same_bits(From from) {
  To to;
  static_assert(sizeof to == sizeof from);
  std::memcpy(&to, &from, sizeof to);
  return to;
}

double number_of_half(std::uint64_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const int exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  if (exponent < 31) return sign * std::ldexp(1024 + fraction, exponent - 25);
  return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                       : std::numeric_limits<double>::quiet_NaN();
}

std::uint64_t bits_of_half(double value) {
  const std::uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | 0x7e00;
  const double size = std::fabs(value);
  if (size >= 65520) return sign | 0x7c00;
  if (size < std::ldexp(1, -14)) {
    return sign | static_cast<std::uint64_t>(std::nearbyint(std::ldexp(size, 24)));
  }
  int exponent = 0;
  const double fraction = std::frexp(size, &exponent);  // 0.5 to 1
  const auto units = static_cast<std::uint64_t>(std::nearbyint(std::ldexp(fraction, 11)));
  return sign | ((static_cast<std::uint64_t>(exponent + 14) << 10) + units - 1024);
}

Scalar of(std::uint64_t bits) { return {bits, true}; }
constexpr Scalar kUndefined{};

// A floating-point operation in the type itself. Half precision is computed in double, whose precision is more than
// twice that of half, so that the result is rounded correctly.
template <class F>
Scalar in_type(std::uint32_t width, std::uint64_t a, std::uint64_t b, F f) {
  if (width != 32) return of(bits_of(f(number_of(a, width), number_of(b, width)), width));
  return of(same_bits<std::uint32_t>(
      static_cast<float>(f(same_bits<float>(static_cast<std::uint32_t>(a)),
                           same_bits<float>(static_cast<std::uint32_t>(b))))));
}

// Converted to an integer, rounding towards 0; undefined if the type cannot represent it.
Scalar to_integer(double value, std::uint32_t width, bool is_signed) {
  const double whole = std::trunc(value);
  const int digits = static_cast<int>(width) - (is_signed ? 1 : 0);
  const double min = is_signed ? -std::ldexp(1, digits) : 0;
  if (!(whole >= min && whole < std::ldexp(1, digits))) return kUndefined;
  return of(masked(is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(whole))
                             : static_cast<std::uint64_t>(whole),
                   width));
}

template <class Integer>
Scalar to_floating(Integer value, std::uint32_t width) {
  if (width == 32) return of(same_bits<std::uint32_t>(static_cast<float>(value)));
  return of(bits_of(static_cast<double>(value), width));
}

Scalar divided(std::int64_t a, std::int64_t b, std::uint32_t width, spv::Op opcode) {
  const bool overflows = b == -1 && a == with_sign(std::uint64_t{1} << (width - 1), width);
  if (b == 0 || overflows) return kUndefined;
  std::int64_t result = opcode == spv::OpSDiv ? a / b : a % b;
  if (opcode == spv::OpSMod && result != 0 && (result < 0) != (b < 0)) result += b;
  return of(masked(static_cast<std::uint64_t>(result), width));
}

Scalar of_floats(spv::Op opcode, std::uint32_t width, std::uint64_t a, std::uint64_t b) {
  const double x = number_of(a, width), y = number_of(b, width);
  const bool unordered = std::isnan(x) || std::isnan(y);
  switch (opcode) {
    case spv::OpFOrdEqual: return of(x == y);
    case spv::OpFUnordEqual: return of(unordered || x == y);
    case spv::OpFOrdNotEqual: return of(!unordered && x != y);
    case spv::OpFUnordNotEqual: return of(x != y);
    case spv::OpFOrdLessThan: return of(x < y);
    case spv::OpFUnordLessThan: return of(unordered || x < y);
    case spv::OpFOrdGreaterThan: return of(x > y);
    case spv::OpFUnordGreaterThan: return of(unordered || x > y);
    case spv::OpFOrdLessThanEqual: return of(x <= y);
    case spv::OpFUnordLessThanEqual: return of(unordered || x <= y);
    case spv::OpFOrdGreaterThanEqual: return of(x >= y);
    case spv::OpFUnordGreaterThanEqual: return of(unordered || x >= y);
    case spv::OpIsNan: return of(std::isnan(x));
    case spv::OpIsInf: return of(std::isinf(x));
    default: throw Unsupported(name_of(opcode));
  }
}

}  // namespace

std::uint64_t masked(std::uint64_t bits, std::uint32_t width) {
  return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

std::int64_t with_sign(std::uint64_t bits, std::uint32_t width) {
  return static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width);
}

double number_of(std::uint64_t bits, std::uint32_t width) {
  if (width == 16) return number_of_half(bits);
  if (width == 32) return same_bits<float>(static_cast<std::uint32_t>(bits));
  return same_bits<double>(bits);
}

std::uint64_t bits_of(double value, std::uint32_t width) {
  if (width == 16) return bits_of_half(value);
  if (width == 32) return same_bits<std::uint32_t>(static_cast<float>(value));
  return same_bits<std::uint64_t>(value);
}

Scalar compute(spv::Op opcode, std::uint32_t from, std::uint32_t to, const Scalar& left,
               const Scalar& right) {
  const std::uint64_t a = left.bits, b = right.bits;
  if (opcode == spv::OpLogicalAnd || opcode == spv::OpLogicalOr) {
    const std::uint64_t decides = opcode == spv::OpLogicalOr ? 1 : 0;
    if ((left.defined && a == decides) || (right.defined && b == decides)) return of(decides);
  }
  if (!left.defined || !right.defined) return kUndefined;
  switch (opcode) {
    case spv::OpIAdd: return of(masked(a + b, from));
    case spv::OpISub: return of(masked(a - b, from));
    case spv::OpIMul: return of(masked(a * b, from));
    case spv::OpUDiv: return b == 0 ? kUndefined : of(a / b);
    case spv::OpUMod: return b == 0 ? kUndefined : of(a % b);
    case spv::OpSDiv:
    case spv::OpSRem:
    case spv::OpSMod: return divided(with_sign(a, from), with_sign(b, from), from, opcode);
    case spv::OpSNegate: return of(masked(0 - a, from));
    case spv::OpNot: return of(masked(~a, from));
    case spv::OpBitwiseAnd: return of(a & b);
    case spv::OpBitwiseOr: return of(a | b);
    case spv::OpBitwiseXor: return of(a ^ b);
    case spv::OpShiftLeftLogical: return b >= from ? kUndefined : of(masked(a << b, from));
    case spv::OpShiftRightLogical: return b >= from ? kUndefined : of(a >> b);
    case spv::OpShiftRightArithmetic:
      return b >= from ? kUndefined
                       : of(masked(static_cast<std::uint64_t>(with_sign(a, from) >> b), from));
    case spv::OpIEqual:
    case spv::OpLogicalEqual: return of(a == b);
    case spv::OpINotEqual:
    case spv::OpLogicalNotEqual: return of(a != b);
    case spv::OpULessThan: return of(a < b);
    case spv::OpULessThanEqual: return of(a <= b);
    case spv::OpUGreaterThan: return of(a > b);
    case spv::OpUGreaterThanEqual: return of(a >= b);
    case spv::OpSLessThan: return of(with_sign(a, from) < with_sign(b, from));
    case spv::OpSLessThanEqual: return of(with_sign(a, from) <= with_sign(b, from));
    case spv::OpSGreaterThan: return of(with_sign(a, from) > with_sign(b, from));
    case spv::OpSGreaterThanEqual: return of(with_sign(a, from) >= with_sign(b, from));
    case spv::OpLogicalAnd: return of(a & b);
    case spv::OpLogicalOr: return of(a | b);
    case spv::OpLogicalNot: return of(1 - a);
    case spv::OpUConvert: return of(masked(a, to));
    case spv::OpSConvert: return of(masked(static_cast<std::uint64_t>(with_sign(a, from)), to));
    case spv::OpConvertUToF: return to_floating(a, to);
    case spv::OpConvertSToF: return to_floating(with_sign(a, from), to);
    case spv::OpConvertFToU: return to_integer(number_of(a, from), to, false);
    case spv::OpConvertFToS: return to_integer(number_of(a, from), to, true);
    case spv::OpFConvert: return of(bits_of(number_of(a, from), to));
    case spv::OpFNegate: return of(a ^ std::uint64_t{1} << (from - 1));
    case spv::OpFAdd: return in_type(from, a, b, [](auto x, auto y) { return x + y; });
    case spv::OpFSub: return in_type(from, a, b, [](auto x, auto y) { return x - y; });
    case spv::OpFMul: return in_type(from, a, b, [](auto x, auto y) { return x * y; });
    case spv::OpFDiv: return in_type(from, a, b, [](auto x, auto y) { return x / y; });
    default: return of_floats(opcode, from, a, b);
  }
}

Scalar compute(GLSLstd450 operation, std::uint32_t width, const Scalar& left, const Scalar& right,
               const Scalar& third) {
  if (!left.defined || !right.defined || !third.defined) return kUndefined;
  const std::uint64_t a = left.bits, b = right.bits;
  const auto rounded = [&](double value) { return of(bits_of(value, width)); };
  const auto x = [&] { return number_of(a, width); };
  const auto y = [&] { return number_of(b, width); };
  switch (operation) {
    case GLSLstd450UMin: return of(std::min(a, b));
    case GLSLstd450UMax: return of(std::max(a, b));
    case GLSLstd450SMin: return with_sign(a, width) < with_sign(b, width) ? of(a) : of(b);
    case GLSLstd450SMax: return with_sign(a, width) > with_sign(b, width) ? of(a) : of(b);
    case GLSLstd450SAbs: return with_sign(a, width) < 0 ? of(masked(0 - a, width)) : of(a);
    case GLSLstd450FMin: return y() < x() || std::isnan(x()) ? of(b) : of(a);
    case GLSLstd450FMax: return y() > x() || std::isnan(x()) ? of(b) : of(a);
    case GLSLstd450FAbs: return of(masked(a, width - 1));
    case GLSLstd450Floor: return rounded(std::floor(x()));
    case GLSLstd450Ceil: return rounded(std::ceil(x()));
    case GLSLstd450Trunc: return rounded(std::trunc(x()));
    case GLSLstd450RoundEven: return rounded(std::nearbyint(x()));
    case GLSLstd450Exp: return rounded(std::exp(x()));
    case GLSLstd450Exp2: return rounded(std::exp2(x()));
    case GLSLstd450Log: return x() < 0 ? kUndefined : rounded(std::log(x()));
    case GLSLstd450Log2: return x() < 0 ? kUndefined : rounded(std::log2(x()));
    case GLSLstd450Sqrt: return x() < 0 ? kUndefined : rounded(std::sqrt(x()));
    case GLSLstd450InverseSqrt: return x() < 0 ? kUndefined : rounded(1 / std::sqrt(x()));
    case GLSLstd450Tanh: return rounded(std::tanh(x()));
    case GLSLstd450Sin: return rounded(std::sin(x()));
    case GLSLstd450Cos: return rounded(std::cos(x()));
    case GLSLstd450Fma: {
      const double z = number_of(third.bits, width);
      if (width != 32) return rounded(std::fma(x(), y(), z));
      return rounded(
          std::fma(static_cast<float>(x()), static_cast<float>(y()), static_cast<float>(z)));
    }
    default: throw Unsupported(fmt::format("GLSL.std.450 number {}", static_cast<int>(operation)));
  }
}

}  // namespace vkmoye::judge::spirv
