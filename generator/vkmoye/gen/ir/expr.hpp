// SPDX-License-Identifier: MIT
#pragma once
// Pure expressions of the kernel IR: immutable nodes of a DAG, without side effects and without an order.
//
//   Expr thread = builtin(Builtin::thread, 256);      // 0..255
//   Expr column = 32 * group + thread % 32;           // folds: 8 + 4 -> 12, x * 1 -> x
//
// An expression is an index (32-bit unsigned), a truth value, or an element: one that was read from memory, a number,
// or computed from elements. Index arithmetic is modulo 2^32, as in GLSL, and folding respects that. Operations on
// elements are never folded, because they round. evaluate.hpp defines what each operation computes, operation.hpp
// which types it takes.
//
// index_arithmetic.cpp defines the operators and functions that fold indices; expr.cpp the rest.

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye::gen::ir {

/// The type of an expression.
struct Type {
  /// A u32 for indices and sizes, a truth value, or an element of an array.
  enum class Kind : std::uint8_t { index, boolean, element };
  Kind kind = Kind::index;
  ScalarType element = ScalarType::u32;  // used only by Kind::element
  std::uint32_t width = 1;               // elements of a vector: a power of two, see is_width
  constexpr bool is_element() const { return kind == Kind::element; }
  friend bool operator==(const Type& a, const Type& b) {
    return a.kind == b.kind && a.width == b.width &&
           (a.kind != Kind::element || a.element == b.element);
  }
};
inline constexpr Type kIndex{Type::Kind::index};
inline constexpr Type kBoolean{Type::Kind::boolean};
/// The type of an element, or of a vector of `width` elements.
constexpr Type element(ScalarType type, std::uint32_t width = 1) {
  return {Type::Kind::element, type, width};
}

/// Whether `width` elements of `type` can be moved at once: a power of two, up to 16 bytes.
bool is_width(ScalarType type, std::uint32_t width);

/// Whether a vector of that type is declared as 32-bit words into which its elements are packed: shading languages
/// have no vectors of more than 4 elements, or of 64-bit integers and complex numbers.
bool is_packed(ScalarType type, std::uint32_t width);

/// The operation of a node.
enum class Op : std::uint8_t {
  // leaves
  constant,
  variable,
  builtin,
  // on two indices, or on two elements of one type
  add,
  subtract,
  multiply,
  divide,  // integers: rounds towards 0
  modulo,  // integers only
  minimum,
  maximum,
  bit_and,  // this and those up to the shifts: integers only
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  // on one element
  negate,
  absolute,
  bit_not,
  // with the errors that the Vulkan specification allows ("Precision and Operation of SPIR-V Instructions")
  exp,           // 3 + 2 |x| ulp
  exp2,          // 3 + 2 |x| ulp
  log,           // 3 ulp, or 2^-21 between 0.5 and 2
  log2,          // 3 ulp, or 2^-21 between 0.5 and 2
  sqrt,          // the error of 1 / rsqrt
  rsqrt,         // 1 / sqrt, 2 ulp
  tanh,          // the error of sinh / cosh
  sin,           // f32: 2^-11 absolute between -pi and pi, no bound elsewhere; f16: 2^-7
  cos,           // the same
  floor,         // exact; floor, ceil and round of NaN are NaN
  ceil,          // exact
  round,         // to the nearest integer, halves to the even one; exact
  multiply_add,  // on three elements: operand 0 * operand 1 + operand 2, fused for floating types
  // truth values
  less,
  equal,
  not_equal,  // this and the two before: on two indices or two elements
  logical_and,
  logical_or,
  logical_not,
  is_nan,  // on one floating element. x != x would not do: compilers may assume that x == x
  select,  // operand 1 if the truth value operand 0 holds, else operand 2, both of one type
  // between types
  component,  // element number `value` of the vector operand 0
  vector,     // made of the operands, in order
  convert,  // an element or an index to another type: to a floating one rounded to nearest even, to an
            // integer rounded towards 0
  bitcast,  // the bits of an element or a vector as those of another type, with as many bytes in total
  dot4,  // the sum of the products of the bytes of two u32; the bytes of operand i are signed if bit i of `value` is
         // set. An i32 if one of them is, else a u32; exact
  pack_f16,  // two f32 as f16 in one u32, the first in the low bits. A device may round to either neighbour
  unpack_f16,  // half number `value` of a u32, an f16, as f32: exact, but a device may take subnormal numbers as 0
  count  // the number of operations
};

/// What the launch provides to each invocation.
enum class Builtin : std::uint8_t {
  group_x,
  group_y,
  group_z,   // coordinates of the workgroup in the dispatch
  thread,    // 1-D index of the thread within its workgroup
  subgroup,  // number of the subgroup within its workgroup
  lane,      // number of the thread within its subgroup
};

struct Node;

/// A handle to an immutable node; cheap to copy.
class Expr {
 public:
  /// A constant index.
  Expr(std::uint32_t constant);  // NOLINT: implicit, so that `32 * group` reads well
  /// A fraction is not an index. As an element, write number(type, 0.5), or 0.5 as an operand next to an element.
  template <std::floating_point Fraction>
  Expr(Fraction) = delete;
  /// The expression of a node that exists.
  explicit Expr(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  const Node* operator->() const { return node_.get(); }
  const Node& operator*() const { return *node_; }

 private:
  std::shared_ptr<const Node> node_;
};

/// The maximum depth of an expression, see Node::depth. Functions on expressions are recursive, so a deeper one could
/// overflow the stack. Making it throws KernelError.
inline constexpr std::uint32_t kMaxDepth = 500;

/// The bound of an index about which nothing is known: one more than the largest value.
inline constexpr std::uint64_t kUnbounded = std::uint64_t{1} << 32;

/// An operation with its operands; an Expr points to one.
struct Node {
  Op op = Op::constant;
  Type type = kIndex;
  std::uint64_t bound = kUnbounded;  // an index is in 0..bound-1
  // A power of two that divides the index, even if it wrapped modulo 2^32.
  std::uint32_t alignment = 1;
  // The bits of a constant, the number of a component or a half, the signs of dot4.
  std::uint64_t value = 0;
  Builtin builtin = Builtin::thread;  // used by Op::builtin
  std::string name;                   // used by Op::variable
  std::vector<Expr> operands;         // used by operations, left to right
  std::uint32_t depth = 0;            // the number of nested operations: 0 for a leaf
};

/// A name that a statement or the interface defines. An index is below `bound` and a multiple of `alignment`, which
/// is a power of two.
Expr variable(std::string name, Type type = kIndex, std::uint64_t bound = kUnbounded,
              std::uint32_t alignment = 1);

/// `index` with a smaller bound. Precondition: its value is below `bound`; proofs rely on that.
Expr bounded(const Expr& index, std::uint64_t bound);

/// `bound`: the extent of the builtin, if it is known.
Expr builtin(Builtin which, std::uint64_t bound = kUnbounded);

/// Operations on two indices, or on two elements of one type. A number next to an element becomes an element of its
/// type, see operand_from.
Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);
/// `multiple` / `divisor`; terms of a sum are divided one by one. Precondition: `multiple` is the index of an access,
/// divisible by `divisor` and below 2^32; so is each of its terms, if none of them is a difference.
Expr divide_exactly(const Expr& multiple, std::uint32_t divisor);
Expr operator%(const Expr& a, const Expr& b);
Expr minimum(const Expr& a, const Expr& b);
Expr maximum(const Expr& a, const Expr& b);
Expr bit_and(const Expr& a, const Expr& b);
Expr bit_or(const Expr& a, const Expr& b);
Expr bit_xor(const Expr& a, const Expr& b);
Expr shift_left(const Expr& a, const Expr& by);
Expr shift_right(const Expr& a, const Expr& by);

/// Operations on one element: negate, absolute, bit_not, and exp to round. An element of a type without arithmetic in
/// shaders is converted for each operation, and the result is converted back: bf16, e4m3 and e5m2 to f32, i8 and i16 to
/// i32, u8 and u16 to u32. Sums of many elements are more accurate in registers of the wider type. Quotients,
/// remainders and shifts of short integers are refused.
Expr unary(Op op, const Expr& a);
inline Expr operator-(const Expr& a) { return unary(Op::negate, a); }
inline Expr absolute(const Expr& a) { return unary(Op::absolute, a); }
inline Expr bit_not(const Expr& a) { return unary(Op::bit_not, a); }
inline Expr exp(const Expr& a) { return unary(Op::exp, a); }
inline Expr exp2(const Expr& a) { return unary(Op::exp2, a); }
inline Expr log(const Expr& a) { return unary(Op::log, a); }
inline Expr log2(const Expr& a) { return unary(Op::log2, a); }
inline Expr sqrt(const Expr& a) { return unary(Op::sqrt, a); }
inline Expr rsqrt(const Expr& a) { return unary(Op::rsqrt, a); }
inline Expr tanh(const Expr& a) { return unary(Op::tanh, a); }
inline Expr sin(const Expr& a) { return unary(Op::sin, a); }
inline Expr cos(const Expr& a) { return unary(Op::cos, a); }
inline Expr floor(const Expr& a) { return unary(Op::floor, a); }
inline Expr ceil(const Expr& a) { return unary(Op::ceil, a); }
/// The nearest integer; of two equally near ones, the even one.
Expr round(const Expr& a);

/// Truth values. They are never folded, so that a guard stays where the author put it; a comparison of 8 * x with 0 is
/// one of x where the product cannot wrap.
Expr less(const Expr& a, const Expr& b);
Expr equal(const Expr& a, const Expr& b);
Expr not_equal(const Expr& a, const Expr& b);
/// a <= b, expressed as !(b < a) or, if one of them may be NaN, as a < b || a == b.
Expr less_equal(const Expr& a, const Expr& b);
inline Expr greater(const Expr& a, const Expr& b) { return less(b, a); }
inline Expr greater_equal(const Expr& a, const Expr& b) { return less_equal(b, a); }
Expr logical_and(const Expr& a, const Expr& b);
Expr logical_or(const Expr& a, const Expr& b);
Expr logical_not(const Expr& a);
Expr is_nan(const Expr& a);

/// `a` if `condition` holds, else `b`.
Expr select(const Expr& condition, const Expr& a, const Expr& b);

/// Element `number` of a vector. Precondition: it is less than the width.
Expr component(const Expr& vector, std::uint32_t number);
/// The vector of `elements`. Precondition: there is at least one, and all have one type.
Expr vector(const std::vector<Expr>& elements);

/// The number `value` as an element, rounded to nearest even. Precondition: an integer type can represent it.
Expr number(ScalarType type, double value);

/// The operand that `value` is in an operation with `other`: next to an element of a type in which shaders compute, a
/// number of that type, rounded to nearest even (0.25 * x, -4 * x); otherwise an index, modulo 2^32. Throws
/// KernelError if an integer or an index is needed and `value` is a fraction, or does not fit in 32 bits.
Expr operand_from(double value, const Expr& other);

// Operations with one operand that is a C++ number.
/// A number of C++, as an operand.
template <class T>
concept Number = std::is_arithmetic_v<T>;
/// One operand is a number, the other an expression.
template <class A, class B>
concept NumberAndExpr = (Number<A> && std::same_as<B, Expr>) ||
                        (std::same_as<A, Expr> && Number<B>);
/// The expression itself; the other overload makes one from a number, of the type of the other operand.
inline const Expr& operand_from(const Expr& operand, double) { return operand; }
/// The operation above with one operand that is a number, which takes the type of the other operand.
template <class A, class B>
requires NumberAndExpr<A, B> Expr operator+(const A& a, const B& b) {
  return operand_from(a, b) + operand_from(b, a);
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr operator-(const A& a, const B& b) {
  return operand_from(a, b) - operand_from(b, a);
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr operator*(const A& a, const B& b) {
  return operand_from(a, b) * operand_from(b, a);
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr operator/(const A& a, const B& b) {
  return operand_from(a, b) / operand_from(b, a);
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr operator%(const A& a, const B& b) {
  return operand_from(a, b) % operand_from(b, a);
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr minimum(const A& a, const B& b) {
  return minimum(operand_from(a, b), operand_from(b, a));
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr maximum(const A& a, const B& b) {
  return maximum(operand_from(a, b), operand_from(b, a));
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr less(const A& a, const B& b) {
  return less(operand_from(a, b), operand_from(b, a));
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr equal(const A& a, const B& b) {
  return equal(operand_from(a, b), operand_from(b, a));
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr not_equal(const A& a, const B& b) {
  return not_equal(operand_from(a, b), operand_from(b, a));
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr less_equal(const A& a, const B& b) {
  return less_equal(operand_from(a, b), operand_from(b, a));
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr greater(const A& a, const B& b) {
  return greater(operand_from(a, b), operand_from(b, a));
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr greater_equal(const A& a, const B& b) {
  return greater_equal(operand_from(a, b), operand_from(b, a));
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr select(const Expr& condition, const A& a, const B& b) {
  return select(condition, operand_from(a, b), operand_from(b, a));
}

/// An element or an index converted to an element of `type`; `from` itself if it has that type already.
Expr convert(const Expr& from, ScalarType type);
/// Whether `parts`, at least one, are all components of one vector, in order.
bool is_whole_vector(std::span<const Expr> parts);
/// The numbers, f32 x4, whose codes are the bytes of `word`, a u32, from the lowest one on. `codes`: e4m3 or e5m2.
Expr numbers_of_word(const Expr& word, ScalarType codes);
/// The bits of `from` as an element, or as a vector, of `type` with as many bytes: a u32 as f16 x2, u16 x8 as u32 x4.
/// The first element has the lowest bits. Elements have at most 4 bytes each. `from` itself if it has that type.
Expr bitcast(const Expr& from, ScalarType type);
/// Op::dot4 of two elements of u32, each with four bytes of i8 or u8, for devices with Feature::integer_dot; see
/// dsl/functions.hpp for all devices.
Expr packed_dot4(const Expr& a, ScalarType bytes_of_a, const Expr& b, ScalarType bytes_of_b);
/// A u32 with two elements of f32, rounded to f16, in its low and its high half, and back: half 0 or 1 as f32. Neither
/// needs a feature of the device. NaN: NaN, with other bits.
Expr pack_f16(const Expr& low, const Expr& high);
Expr unpack_f16(const Expr& word, std::uint32_t half);
/// An element of type u32 or i32 converted to an index without a bound.
Expr to_index(const Expr& element);

/// a * b + c, on elements of one type.
Expr multiply_add(const Expr& a, const Expr& b, const Expr& c);

/// The operation of `e` on other operands, folded as if it were made anew. Precondition: `operands` match those of `e`
/// in number and types.
Expr with_operands(const Expr& e, const std::vector<Expr>& operands);

/// The value of an index or a truth value (0 or 1), if constants alone determine it.
std::optional<std::uint32_t> constant_value(const Expr& e);

/// Whether `a` and `b` are structurally equal.
bool same(const Expr& a, const Expr& b);

/// Whether `e` is a constant, or the constant `value`.
inline bool is_constant(const Expr& e) { return e->op == Op::constant; }
inline bool is_constant(const Expr& e, std::uint32_t value) {
  return is_constant(e) && e->value == value;
}

/// The dimension of the grid whose coordinate `e` is: 0 for group_x; nullopt: it is not a coordinate of the workgroup.
std::optional<std::size_t> grid_dimension_of(const Expr& e);

}  // namespace vkmoye::gen::ir
