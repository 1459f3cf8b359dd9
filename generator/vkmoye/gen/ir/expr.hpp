// SPDX-License-Identifier: MIT
#pragma once
// Pure expressions of the kernel IR: immutable DAG nodes, free of side effects and of order.
//
//   Expr thread = builtin(Builtin::thread, 256);      // 0..255
//   Expr column = 32 * group + thread % 32;           // folds: 8 + 4 -> 12, x * 1 -> x
//
// An expression is an index (32-bit unsigned), a truth value, or an element: read from memory, a
// number, or computed from elements. Index arithmetic is modulo 2^32, as in GLSL; folding respects
// that. Elements are never folded: their arithmetic rounds. What each operation computes is said
// once, in meaning.hpp; which types it takes, in operation.hpp.

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye::gen::ir {

/// The type of an expression.
struct Type {
  enum class Kind : std::uint8_t { index, boolean, element };
  Kind kind = Kind::index;
  ScalarType element = ScalarType::u32;  // meaningful for Kind::element only
  std::uint32_t width = 1;               // elements of a vector: a power of two, see is_width
  friend bool operator==(const Type& a, const Type& b) {
    return a.kind == b.kind && a.width == b.width &&
           (a.kind != Kind::element || a.element == b.element);
  }
};
inline constexpr Type kIndex{Type::Kind::index};
inline constexpr Type kBoolean{Type::Kind::boolean};
constexpr Type element(ScalarType type, std::uint32_t width = 1) {
  return {Type::Kind::element, type, width};
}

/// Whether `width` elements of `type` can be moved at once: a power of two, up to 16 bytes.
bool is_width(ScalarType type, std::uint32_t width);

/// Whether a vector travels as 32-bit words, which its elements are packed into: no shading
/// language has vectors of more than 4 elements, or of elements that are words themselves.
bool is_packed(ScalarType type, std::uint32_t width);

enum class Op : std::uint8_t {
  // leaves
  constant,
  variable,
  builtin,
  // of two indices, or of two elements of one type
  add,
  subtract,
  multiply,
  divide,  // of integers: towards 0
  modulo,  // of integers
  minimum,
  maximum,
  bit_and,  // of integers, as all that follow up to the shifts
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  // of one element
  negate,
  absolute,
  bit_not,
  // with the errors that the Vulkan specification allows ("Precision and Operation of SPIR-V Instructions")
  exp,           // 3 + 2 |x| ulp
  exp2,          // 3 + 2 |x| ulp
  log,           // 3 ulp, or 2^-21 between 0.5 and 2
  log2,          // 3 ulp, or 2^-21 between 0.5 and 2
  sqrt,          // that of 1 / rsqrt
  rsqrt,         // 1 / sqrt, 2 ulp
  tanh,          // that of sinh / cosh
  floor,         // exact; floor and round of NaN are NaN
  round,         // to the nearest integer, halves to the even one; exact
  multiply_add,  // of three elements: operand 0 * operand 1 + operand 2, fused where the type is a
                 // floating one
  // truth values
  less,
  equal,
  not_equal,  // of two indices or two elements
  logical_and,
  logical_or,
  logical_not,
  is_nan,  // of one floating element; compilers may take it that x == x
  select,  // of a truth value and two of one type: operand 1 where it holds, else operand 2
  // between types
  component,  // of a vector of elements: operand 0, number `value`
  vector,     // of elements: the operands in order
  convert,    // an element or an index to another type; to a floating one rounded to nearest even,
              // to an integer towards 0
  count       // how many there are
};

/// What the launch provides to each invocation.
enum class Builtin : std::uint8_t {
  group_x,
  group_y,
  group_z,   // coordinate of the workgroup within the dispatch
  thread,    // 1-D index of the thread within its workgroup
  subgroup,  // number of the subgroup within its workgroup
  lane,      // of the thread within its subgroup
};

struct Node;

/// A handle on an immutable node; copying it is cheap.
class Expr {
 public:
  Expr(std::uint32_t constant);  // NOLINT: implicit by intent, so that `32 * group` reads well
  /// A fraction is no index: an element is number(type, 0.5), or beside an element 0.5.
  template <std::floating_point Fraction>
  Expr(Fraction) = delete;
  explicit Expr(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  const Node* operator->() const { return node_.get(); }
  const Node& operator*() const { return *node_; }

 private:
  std::shared_ptr<const Node> node_;
};

/// The most operations that an expression has one inside the other. What works on expressions calls itself
/// for their operands, so that a deeper one could overflow the stack: making it throws KernelError.
inline constexpr std::uint32_t kMostDepth = 500;

/// One past the largest value of an index about which nothing is known.
inline constexpr std::uint64_t kUnbounded = std::uint64_t{1} << 32;

struct Node {
  Op op = Op::constant;
  Type type = kIndex;
  std::uint64_t bound = kUnbounded;   // an index is in 0..bound-1
  std::uint32_t alignment = 1;        // a power of two that divides the index, also modulo 2^32
  std::uint64_t value = 0;            // of a constant: its bits; of a component: its number
  Builtin builtin = Builtin::thread;  // of a builtin
  std::string name;                   // of a variable
  std::vector<Expr> operands;         // of an operation: left, right
  std::uint32_t depth = 0;  // operations one inside the other: 0 for a leaf, see kMostDepth
};

/// A name that a statement or the interface defines; an index below `bound`, a multiple of
/// `alignment`, a power of two.
Expr variable(std::string name, Type type = kIndex, std::uint64_t bound = kUnbounded,
              std::uint32_t alignment = 1);

/// The same index, known to stay below `bound`. Precondition: it does; proofs rely on it.
Expr bounded(const Expr& index, std::uint64_t bound);

/// `bound`: the extent of the builtin, where it is known.
Expr builtin(Builtin which, std::uint64_t bound = kUnbounded);

/// Of two indices, or two elements of one type; a number beside an element is one of its type, see
/// beside.
Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);
/// `multiple` / `divisor`, of the index of an access: a multiple of `divisor` that stays below 2^32, as
/// do its terms if there is no difference among them. Multiples among them are divided apart.
Expr divide_exactly(const Expr& multiple, std::uint32_t divisor);
Expr operator%(const Expr& a, const Expr& b);
Expr minimum(const Expr& a, const Expr& b);
Expr maximum(const Expr& a, const Expr& b);
Expr bit_and(const Expr& a, const Expr& b);
Expr bit_or(const Expr& a, const Expr& b);
Expr bit_xor(const Expr& a, const Expr& b);
Expr shift_left(const Expr& a, const Expr& by);
Expr shift_right(const Expr& a, const Expr& by);

/// Of one element: negate, absolute, bit_not, exp to round.
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
inline Expr floor(const Expr& a) { return unary(Op::floor, a); }
inline Expr round(const Expr& a) { return unary(Op::round, a); }

/// Truth values: never folded, so that a guard stays where the author put it.
Expr less(const Expr& a, const Expr& b);
Expr equal(const Expr& a, const Expr& b);
Expr not_equal(const Expr& a, const Expr& b);
Expr logical_and(const Expr& a, const Expr& b);
Expr logical_or(const Expr& a, const Expr& b);
Expr logical_not(const Expr& a);
Expr is_nan(const Expr& a);

/// `a` where `condition` holds, else `b`.
Expr select(const Expr& condition, const Expr& a, const Expr& b);

/// Element `number` of a vector, below its width; and the vector of these elements, one at least, of one type.
Expr component(const Expr& vector, std::uint32_t number);
Expr vector(const std::vector<Expr>& elements);

/// The number `value` as an element, rounded to nearest even. Precondition: integer types hold it.
Expr number(ScalarType type, double value);

/// `value` as what can stand beside `other`: beside an element of a type in which shaders compute, the
/// number of that type, rounded to nearest even (0.25 * x, -4 * x); else an index, modulo 2^32.
/// Throws KernelError for a fraction, or a whole number that 32 bits do not hold, where an integer or
/// an index is needed.
Expr beside(double value, const Expr& other);

// The operations on two of which one is a C++ number.
template <class T>
concept Number = std::is_arithmetic_v<T>;
template <class A, class B>
concept NumberAndExpr = (Number<A> && std::same_as<B, Expr>) ||
                        (std::same_as<A, Expr> && Number<B>);
inline const Expr& beside(const Expr& operand, double) { return operand; }
template <class A, class B>
requires NumberAndExpr<A, B> Expr operator+(const A& a, const B& b) {
  return beside(a, b) + beside(b, a);
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr operator-(const A& a, const B& b) {
  return beside(a, b) - beside(b, a);
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr operator*(const A& a, const B& b) {
  return beside(a, b) * beside(b, a);
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr operator/(const A& a, const B& b) {
  return beside(a, b) / beside(b, a);
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr operator%(const A& a, const B& b) {
  return beside(a, b) % beside(b, a);
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr minimum(const A& a, const B& b) {
  return minimum(beside(a, b), beside(b, a));
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr maximum(const A& a, const B& b) {
  return maximum(beside(a, b), beside(b, a));
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr less(const A& a, const B& b) {
  return less(beside(a, b), beside(b, a));
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr equal(const A& a, const B& b) {
  return equal(beside(a, b), beside(b, a));
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr not_equal(const A& a, const B& b) {
  return not_equal(beside(a, b), beside(b, a));
}
template <class A, class B>
requires NumberAndExpr<A, B> Expr select(const Expr& condition, const A& a, const B& b) {
  return select(condition, beside(a, b), beside(b, a));
}

/// An element or an index as an element of another type; itself if it has that type already.
Expr convert(const Expr& from, ScalarType type);
/// An element of type u32 or i32 as an index, of which nothing is known.
Expr to_index(const Expr& element);

/// a * b and a * b + c of elements of one type.
Expr multiply(const Expr& a, const Expr& b);
Expr multiply_add(const Expr& a, const Expr& b, const Expr& c);

/// The operation of `e` on other operands, folded as if it were written anew. Precondition: as many
/// as it has, of the same types.
Expr with_operands(const Expr& e, const std::vector<Expr>& operands);

/// The value of `e` if only numbers decide it: of an index, of a truth value as 0 or 1.
std::optional<std::uint32_t> decided(const Expr& e);

/// Structural equality.
bool same(const Expr& a, const Expr& b);

inline bool is_constant(const Expr& e) { return e->op == Op::constant; }
inline bool is_constant(const Expr& e, std::uint32_t value) {
  return is_constant(e) && e->value == value;
}

}  // namespace vkmoye::gen::ir
