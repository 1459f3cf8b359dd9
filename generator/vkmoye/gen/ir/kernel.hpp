#pragma once
// The kernel IR: arrays, run-time arguments, and ordered statements over pure expressions.
//
// Only statements are ordered. A load is a statement that gives its value a name, so that the
// generated text never depends on the order in which a C++ compiler evaluates call arguments.

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "vkmoye/contract/kernel_interface.hpp"
#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::ir {

/// One axis of an array: the element at coordinates c is at sum(c[i] * stride[i]).
struct Axis {
  std::string coordinate;  // what a coordinate along it is called in generated code: "col"
  Extent extent = 1;       // coordinates are 0..extent-1
  Expr stride = 1;         // elements
};

/// `extent` as an expression: a number or the name of an argument.
Expr expression(const Extent& extent);

/// The extent of `axis` as an expression.
inline Expr extent_of(const Axis& axis) { return expression(axis.extent); }

/// A storage buffer, an array that the threads of a workgroup share, or one that each thread has for
/// itself.
struct Array {
  enum class Space : std::uint8_t { buffer, shared, registers };
  std::string name;
  ScalarType type = ScalarType::f32;
  Space space = Space::buffer;
  Access access = Access::read_write;
  std::vector<Axis> axes;
  std::string layout;  // of an array that is no buffer, in text form: "(32,32):(1,33)"

  /// Elements of an array that is no buffer: its extents are numbers.
  std::int64_t size() const;
};

/// An element of an array, or a vector of neighbours along axis 0, and who touches it.
struct Element {
  std::string array;
  std::vector<Expr> coordinates;  // of the first element, one for each axis
  std::string partition;          // how the author came by it, for messages
  std::uint32_t width = 1;        // elements that are touched at once, as `is_width` allows
};

struct Stmt;
using Body = std::vector<Stmt>;

/// A name for a pure value.
struct Let {
  std::string name;
  Expr value;
};
/// A name for what an array holds now.
struct Load {
  std::string name;
  Element from;
};
struct Store {
  Element to;
  Expr value;
};
struct If {
  If(Expr condition, Body body);
  If(Expr condition, Body body, Body otherwise);
  Expr condition;
  Body body, otherwise;
};
/// `body` for variable = 0 .. end-1. `unroll`: the compiler shall repeat the body instead, so that
/// indices of registers become numbers.
struct For {
  std::string variable;
  Expr end;
  Body body;
  bool unroll = false;
};
/// All threads wait, and see what the others wrote to shared memory.
struct Barrier {};
/// A scope under a comment.
struct Block {
  std::string title;
  Body body;
};

struct Stmt {
  template <class S>
  Stmt(S statement) : value(std::move(statement)) {}  // NOLINT: implicit by intent
  std::variant<Let, Load, Store, If, For, Barrier, Block> value;
};

inline If::If(Expr c, Body b) : condition(std::move(c)), body(std::move(b)) {}
inline If::If(Expr c, Body b, Body o)
    : condition(std::move(c)), body(std::move(b)), otherwise(std::move(o)) {}

/// The bodies inside a statement, none for most.
std::vector<const Body*> bodies_of(const Stmt& statement);

/// The body of these statements in order.
template <class... Statements>
Body statements(Statements&&... list) {
  Body body;
  body.reserve(sizeof...(list));
  (body.emplace_back(std::forward<Statements>(list)), ...);
  return body;
}

struct Kernel {
  std::string name;                                         // "transpose/padded"
  std::vector<std::pair<std::string, std::string>> config;  // enough to make it again
  std::string why;                                          // one sentence for the reader
  std::vector<Array> arrays;                                // buffers in binding order
  std::vector<PushConstant> arguments;                      // run-time sizes (u32) and factors
  std::array<GridDimension, 3> grid;
  std::uint32_t threads = 1;  // of a workgroup
  Body body;

  /// The widths at which `array` is touched somewhere, ascending.
  std::vector<std::uint32_t> widths_of(const std::string& array) const;
  /// The array called `name`, or nullptr.
  const Array* find(const std::string& name) const;
  /// Bytes of all shared arrays together.
  std::uint64_t shared_bytes() const;
};

/// How to call the kernel. `features`: what its types ask of the device.
KernelInterface interface_of(const Kernel& kernel);

}  // namespace vkmoye::gen::ir
