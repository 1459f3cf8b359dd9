// SPDX-License-Identifier: MIT
#pragma once
// How a layout operation refuses. The functions here are deliberately not constexpr: in a constant
// expression a refusal is a compile error that names the line, at run time it is a LayoutError like
//
//   composition of (6,2):(8,2) and 4:4: 4:4 has stride 4 in mode 0 of the left (coalesced): 4 ...
//
// The message is put together only when something failed, so the operations stay small.

#include <cstdint>
#include <initializer_list>

namespace vkmoye {

template <class Leaf>
class Tree;
/// A nested tuple of integers; see int_tuple.hpp.
using IntTuple = Tree<std::int64_t>;
class Layout;
class Tiler;
struct LayoutError;

/// A reference to anything an operation is applied to, printed in its text form.
class ErrorOperand {
 public:
  /// What the operand is.
  enum class Kind : std::uint8_t { integer, tuple, layout, tiler };
  /// An operand; tuples, layouts and tilers must outlive it.
  ErrorOperand(std::int64_t value) : kind(Kind::integer), integer(value) {}
  ErrorOperand(const IntTuple& value) : kind(Kind::tuple), object(&value) {}
  ErrorOperand(const Layout& value) : kind(Kind::layout), object(&value) {}
  ErrorOperand(const Tiler& value) : kind(Kind::tiler), object(&value) {}

  Kind kind;
  std::int64_t integer = 0;
  const void* object = nullptr;
};

/// Throws LayoutError: `operation of <operands>: rule`, where each `{}` of `rule` takes the next of
/// `numbers`. Without an operation, only the rule: a caller adds its operation by raise_from.
[[noreturn]] void raise(const char* operation, std::initializer_list<ErrorOperand> operands,
                        const char* rule, std::initializer_list<std::int64_t> numbers = {});

/// Throws LayoutError: `operation of <operands>: <the message of the inner operation>`.
[[noreturn]] void raise_from(const char* operation, std::initializer_list<ErrorOperand> operands,
                             const LayoutError& inner);

}  // namespace vkmoye
