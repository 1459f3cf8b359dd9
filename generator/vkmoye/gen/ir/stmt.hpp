// SPDX-License-Identifier: MIT
#pragma once
// The statements of the kernel IR. Only statements are ordered; expressions are pure.
//
//   for (uint i = 0u; i < n; ++i) {          For{"i", n, {
//     float value = src[i];                    Load{"value", {"src", {i}, "src"}},
//     if (i < k) dst[i] = value;               If{less(i, k), {Store{{"dst", {i}, "dst"}, value}}}}}
//   }
//
// A load is a statement that gives its value a name, so that the generated text never depends on the
// order in which a C++ compiler evaluates call arguments. What a statement uses, reads and writes,
// and for whom, is said in effects.hpp, once for all who ask.

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::ir {

/// An element of an array, or a vector of neighbours along axis 0, and who touches it. Of an array of
/// several axes that is compact, one coordinate alone is a place: elements from the first one on,
/// wherever rows begin and end.
struct Element {
  std::string array;
  std::vector<Expr> coordinates;  // of the first element, one for each axis; or its place
  std::string partition;          // how the author came by it, for messages
  std::uint32_t width = 1;        // elements that are touched at once, as `is_width` allows
  std::string not_wider = {};     // why no more at once, where the layouts say so; for reports
  bool as_words = false;          // of a buffer: their bits as u32, 4 bytes each, in order
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
/// Whether the compiler may repeat the body of a loop instead: as it likes; it shall, so that indices
/// of registers become numbers; it must not, because that costs registers.
enum class Unroll : std::uint8_t { free, always, never };
/// `body` for variable = 0 .. end-1.
struct For {
  std::string variable;
  Expr end;
  Body body;
  Unroll unroll = Unroll::free;
};
/// All threads wait, and see what the others wrote to shared memory.
struct Barrier {};

/// A name for what the lanes of a subgroup find together. All of them reach it.
struct Subgroup {
  enum class Kind : std::uint8_t {
    reduce,          // of all lanes, to every lane
    inclusive_scan,  // of the lanes up to this one
    exclusive_scan,  // of the lanes before this one; in lane 0 the neutral element
    broadcast,       // the value of lane `lane`, the same for all
    shuffle,         // the value of lane `lane`, each lane its own
    shuffle_xor,     // the value of lane (this one ^ `lane`)
    ballot,          // of a truth value: u32 x4, bit l of the whole is that of lane l
    elect,           // a truth value: whether this is the first lane; `value` is not looked at
  };
  std::string name;
  Kind kind = Kind::reduce;
  Op combine = Op::add;  // add, minimum or maximum: of a reduction and of scans
  Expr value = 0;
  Expr lane = 0;
};
/// to = to `combine` value, without another invocation between; `name`: what was there before.
/// Several invocations may do so to one element.
struct Atomic {
  std::string name;
  Op combine = Op::add;  // add, minimum or maximum
  Element to;
  Expr value = 0;
};
/// One of the matrices of an array of them, see Array::matrix.
struct MatrixPart {
  std::string array;
  Expr number = 0;
  std::vector<Element> elements;  // registers of a lane, in order
};
/// A matrix in memory: its rows, or its columns, lie side by side, `stride` elements from one to the
/// next.
struct MatrixRegion {
  Element first;  // the vectors that are touched have its width
  Expr stride = 0;
  bool by_columns = false;
  std::uint32_t rows = 1, columns = 1;
  // Of lane l, below `lanes`: number l + lanes * i, along rows or columns first. A small matrix has
  // vectors for the first lanes only.
  std::uint32_t lanes = 0;
  std::vector<Element> vectors;
};
/// What the lanes of a subgroup do with matrices that they hold together. All of them reach it.
struct MatrixLoad {
  MatrixPart to;
  MatrixRegion from;
};
struct MatrixStore {
  MatrixRegion to;
  MatrixPart from;
};
/// Each element of `to` = value.
struct MatrixFill {
  MatrixPart to;
  Expr value = 0;
};
/// to = a * b + c.
struct MatrixMultiply {
  MatrixPart to, a, b, c;
};
/// A scope under a comment.
struct Block {
  std::string title;
  Body body;
};

struct Stmt {
  template <class S>
  Stmt(S statement) : value(std::move(statement)) {}  // NOLINT: implicit by intent
  std::variant<Let, Load, Store, If, For, Barrier, Block, Subgroup, Atomic, MatrixLoad, MatrixStore,
               MatrixFill, MatrixMultiply>
      value;
};

inline If::If(Expr c, Body b) : condition(std::move(c)), body(std::move(b)) {}
inline If::If(Expr c, Body b, Body o)
    : condition(std::move(c)), body(std::move(b)), otherwise(std::move(o)) {}

/// The type of what a subgroup operation finds.
Type type_of(const Subgroup& statement);

/// The body of these statements in order.
template <class... Statements>
Body statements(Statements&&... list) {
  Body body;
  body.reserve(sizeof...(list));
  (body.emplace_back(std::forward<Statements>(list)), ...);
  return body;
}

/// Adds the statements of `more` behind those of `body`.
inline void append(Body& body, const Body& more) {
  body.insert(body.end(), more.begin(), more.end());
}

}  // namespace vkmoye::gen::ir
