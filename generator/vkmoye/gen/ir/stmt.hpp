// SPDX-License-Identifier: MIT
#pragma once
// The statements of the kernel IR. Only statements are ordered; expressions are pure.
//
//   for (uint i = 0u; i < n; ++i) {          For{"i", n, {
//     float value = src[i];                    Load{"value", {"src", {i}, "src"}},
//     if (i < k) dst[i] = value;               If{less(i, k), {Store{{"dst", {i}, "dst"}, value}}}}}
//   }
//
// A load is a statement that gives its value a name, so that the generated text does not depend on the order in which
// a C++ compiler evaluates call arguments. effects.hpp describes what each statement uses, reads and writes.

#include <array>
#include <cstddef>
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
  std::string coordinate;  // the name of a coordinate along it in generated code: "col"
  Extent extent = 1;       // coordinates are 0..extent-1
  Expr stride = 1;         // elements
};

/// An element of an array, or a vector of neighbours along axis 0. A single coordinate for an array of several axes is
/// its place: the index among all elements of the array, which must be compact. A vector there may continue in the next
/// row. `axes`: others than those of the array, which must be compact and have as many elements.
struct Element {
  Element() = default;
  /// Without `text`, the name of the array is the source text.
  Element(std::string of, std::vector<Expr> at, const std::string& text = "",
          std::uint32_t elements = 1, std::string why_not_wider = "", bool of_words = false)
      : array(std::move(of)),
        coordinates(std::move(at)),
        source_text(text.empty() ? array : text),
        width(elements),
        not_wider(std::move(why_not_wider)),
        as_words(of_words) {}

  std::string array;
  std::vector<Expr> coordinates;  // where the first element is: one for each axis, or its place
  std::string source_text;        // how the author wrote it, for messages: "tile(src, (32,32))"
  std::uint32_t width = 1;        // elements of one access, see is_width
  std::string not_wider = {};     // for reports: why it is not wider, if the layouts tell
  bool as_words = false;          // buffers only: accesses the bytes of the elements as u32
  std::vector<Axis> axes = {};    // empty: those of the array
};

struct Stmt;
/// Statements in the order in which they run.
using Body = std::vector<Stmt>;

/// Names a pure value. `exact`: each operation on floating numbers in `value` rounds once, in the order written, on all
/// devices. Others may contract and rearrange them, see arithmetic.hpp.
struct Let {
  std::string name;
  Expr value;
  bool exact = false;
};
/// Names the value that an array holds now.
struct Load {
  std::string name;
  Element from;
};
/// Stores a value in an element of an array.
struct Store {
  Element to;
  Expr value;
};
/// Runs `body` if the condition holds, else `otherwise`.
struct If {
  /// An if, without or with statements for the other case.
  If(Expr condition, Body body);
  If(Expr condition, Body body, Body otherwise);
  Expr condition;
  Body body, otherwise;
};
/// Whether the compiler unrolls a loop: free to choose; always, so that indices of registers become constants; or
/// never, because unrolling takes more registers.
enum class Unroll : std::uint8_t { free, always, never };
/// Runs `body` for variable = 0 .. end-1.
struct For {
  std::string variable;
  Expr end;
  Body body;
  Unroll unroll = Unroll::free;
};
/// All threads of the workgroup wait for each other, and then see what the others wrote to shared memory.
struct Barrier {};
/// All workgroups of the launch wait for each other, and then see what the others wrote to buffers. Only a statement of
/// the body of the kernel: it divides the kernel into phases, see grid_barrier.hpp.
struct GridBarrier {};
/// Runs `body` once for each block of a grid, each in one workgroup, which may run several. `variables` are the
/// coordinates of the block. Between two blocks, the threads of a workgroup wait for each other.
struct GridLoop {
  std::string title;
  std::array<std::string, 3> variables;
  std::array<GridDimension, 3> grid;
  Body body;
};

/// Names the result of an operation that the lanes of a subgroup perform together. All of them must reach it.
struct Subgroup {
  /// The operation.
  enum class Kind : std::uint8_t {
    reduce,          // combines the values of all lanes; every lane gets the result
    inclusive_scan,  // combines the values of the lanes up to this one
    exclusive_scan,  // combines those of the lanes before this one; lane 0 gets the neutral element
    broadcast,       // the value of lane `lane`, which is the same in all lanes
    shuffle,         // the value of lane `lane`, which may differ between lanes
    shuffle_xor,     // the value of lane (this one ^ `lane`)
    ballot,          // u32 x4, in which bit l is the truth value of lane l
    elect,           // whether this is the first lane; `value` is not used
  };
  std::string name;
  Kind kind = Kind::reduce;
  Op combine = Op::add;  // for reductions and scans: add, minimum or maximum
  Expr value = 0;
  Expr lane = 0;
};
/// Atomically sets `to` to the reduction of `to` and `value`, and names its previous value. Several invocations may do
/// so with one element.
struct Atomic {
  std::string name;
  Op combine = Op::add;  // add, minimum or maximum
  Element to;
  Expr value = 0;
};
/// One matrix of an array of matrices, see Array::matrix.
struct MatrixPart {
  std::string array;
  Expr number = 0;
  std::vector<Element> elements;  // the registers of it that each lane holds, in order
};
/// A matrix in memory. The elements of a row (or of a column, if `by_columns`) are adjacent; the next row or column
/// begins `stride` elements later.
struct MatrixRegion {
  Element first;  // its width is that of the vectors
  Expr stride = 0;
  bool by_columns = false;
  std::uint32_t rows = 1, columns = 1;
  // vectors[i] of lane l is vector number l + lanes * i of the matrix, counted along rows, or columns. For a small
  // matrix, only the first `lanes` lanes of the subgroup hold vectors.
  std::uint32_t lanes = 0;
  std::vector<Element> vectors;
};
/// Operations on matrices that the lanes of a subgroup hold together. All of the lanes must reach them.
struct MatrixLoad {
  MatrixPart to;
  MatrixRegion from;
};
/// Stores a matrix of the subgroup, or a part of it, in memory.
struct MatrixStore {
  MatrixRegion to;
  MatrixPart from;
};
/// Sets each element of `to` to `value`.
struct MatrixFill {
  MatrixPart to;
  Expr value = 0;
};
/// Sets `to` to a * b + c.
struct MatrixMultiply {
  MatrixPart to, a, b, c;
};
/// Asserts that `condition` holds in every invocation that reaches this statement, up to the end of the enclosing body.
/// `why` is the author's reason. It is not proved, but proofs rely on it, and the host twin checks it.
struct Assume {
  Expr condition;
  std::string why;
};
/// A scope under a comment, unless `title` is empty. With a `function`, the shader calls a function of that name, whose
/// body is `body`: the first `parameters` statements are Lets, which give the parameters their values. Only the printer
/// treats it as a call; for all others it is its statements in place. So it cannot call itself.
///
///   Titled{"", {Let{"step", kk + 1}, Load{..}, ..}, "fetch", 1}          void fetch(uint step) { .. }
///                                                                       fetch(kk + 1u);
struct Titled {
  std::string title;
  Body body;
  std::string function = {};
  std::size_t parameters = 0;

  /// The Lets of the parameters, and the statements after them.
  Body arguments() const;
  Body inside() const;
};

struct Stmt {
  /// The statement `statement`, one of the types below.
  template <class S>
  Stmt(S statement) : value(std::move(statement)) {}  // NOLINT: implicit in lists of statements
  std::variant<Let, Load, Store, If, For, Barrier, GridBarrier, GridLoop, Titled, Subgroup, Atomic,
               MatrixLoad, MatrixStore, MatrixFill, MatrixMultiply, Assume>
      value;
};

inline If::If(Expr c, Body b) : condition(std::move(c)), body(std::move(b)) {}
inline If::If(Expr c, Body b, Body o)
    : condition(std::move(c)), body(std::move(b)), otherwise(std::move(o)) {}

inline Body Titled::arguments() const {
  Body out = body;
  out.resize(parameters, Stmt(Titled{}));
  return out;
}
inline Body Titled::inside() const {
  Body out = body;
  out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(parameters));
  return out;
}

/// The type of the result of a subgroup operation.
Type type_of(const Subgroup& statement);

/// The body of these statements in order.
template <class... Statements>
Body statements(Statements&&... list) {
  Body body;
  body.reserve(sizeof...(list));
  (body.emplace_back(std::forward<Statements>(list)), ...);
  return body;
}

/// Appends the statements of `more` to `body`.
inline void append(Body& body, const Body& more) {
  body.insert(body.end(), more.begin(), more.end());
}

}  // namespace vkmoye::gen::ir
