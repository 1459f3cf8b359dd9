#pragma once
// Pure expressions of the kernel IR: immutable DAG nodes, free of side effects and of order.
//
//   Expr thread = builtin(Builtin::thread, 256);      // 0..255
//   Expr column = 32 * group + thread % 32;           // folds: 8 + 4 -> 12, x * 1 -> x
//
// An expression is an index (32-bit unsigned), a truth value, or an element: read from memory, a
// number, or computed from elements. Index arithmetic is modulo 2^32, as in GLSL; folding respects
// that. Elements are never folded: their arithmetic rounds.

#include <cstdint>
#include <memory>
#include <string>
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
  constant,
  variable,
  builtin,  // leaves
  add,
  subtract,
  multiply,
  divide,
  modulo,
  minimum,
  less,
  equal,
  not_equal,  // of two indices or two elements
  logical_and,
  component,     // of a vector of elements: operand 0, number `value`
  vector,        // of elements: the operands in order
  convert,       // an element to another element type, rounded to nearest even
  multiply_add,  // of elements of one type: operand 0 * operand 1 + operand 2, fused where the
                 // type is a floating one
};

/// What the launch provides to each thread.
enum class Builtin : std::uint8_t {
  group_x,
  group_y,
  group_z,  // coordinate of the workgroup within the dispatch
  thread,   // 1-D index of the thread within its workgroup
};

struct Node;

/// A handle on an immutable node; copying it is cheap.
class Expr {
 public:
  Expr(std::uint32_t constant);  // NOLINT: implicit by intent, so that `32 * group` reads well
  explicit Expr(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  const Node* operator->() const { return node_.get(); }
  const Node& operator*() const { return *node_; }

 private:
  std::shared_ptr<const Node> node_;
};

/// One past the largest value of an index about which nothing is known.
inline constexpr std::uint64_t kUnbounded = std::uint64_t{1} << 32;

struct Node {
  Op op = Op::constant;
  Type type = kIndex;
  std::uint64_t bound = kUnbounded;   // an index is in 0..bound-1
  std::uint32_t alignment = 1;        // a power of two that divides the index, also modulo 2^32
  std::uint32_t value = 0;            // of a constant
  Builtin builtin = Builtin::thread;  // of a builtin
  std::string name;                   // of a variable
  std::vector<Expr> operands;         // of an operation: left, right
};

/// A name that a statement or the interface defines; an index below `bound`, a multiple of
/// `alignment`, a power of two.
Expr variable(std::string name, Type type = kIndex, std::uint64_t bound = kUnbounded,
              std::uint32_t alignment = 1);

/// `bound`: the extent of the builtin, where it is known.
Expr builtin(Builtin which, std::uint64_t bound = kUnbounded);

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);
Expr operator%(const Expr& a, const Expr& b);

Expr minimum(const Expr& a, const Expr& b);

/// Truth values: never folded, so that a guard stays where the author put it.
Expr less(const Expr& a, const Expr& b);
Expr equal(const Expr& a, const Expr& b);
Expr not_equal(const Expr& a, const Expr& b);
Expr logical_and(const Expr& a, const Expr& b);

/// Element `number` of a vector, and the vector of these elements.
Expr component(const Expr& vector, std::uint32_t number);
Expr vector(const std::vector<Expr>& elements);

/// The number `value` as an element.
Expr number(ScalarType type, std::uint32_t value);

/// An element as another type; itself if it has that type already.
Expr convert(const Expr& element, ScalarType type);

/// a * b and a * b + c of elements of one type.
Expr multiply(const Expr& a, const Expr& b);
Expr multiply_add(const Expr& a, const Expr& b, const Expr& c);

/// The operation of `e` on other operands, folded as if it were written anew. Precondition: as many
/// as it has, of the same types.
Expr with_operands(const Expr& e, const std::vector<Expr>& operands);

/// Structural equality.
bool same(const Expr& a, const Expr& b);

inline bool is_constant(const Expr& e) { return e->op == Op::constant; }
inline bool is_constant(const Expr& e, std::uint32_t value) {
  return is_constant(e) && e->value == value;
}

}  // namespace vkmoye::gen::ir
