// SPDX-License-Identifier: MIT
#pragma once
// The text form of tuples and layouts:
//
//   (32,8):(1,32)        ((2,4),8):((1,16),2)        4:2        (4):(1)        (_,3)
//
// A layout without a stride is compact and column-major: (4,8) is (4,8):(1,4). What to_string
// writes, parse_layout reads back. Spaces and line breaks are ignored. The parser is constexpr, so
// a test or a table may write layouts as they are read: "(4,8):(8,1)"_layout.

#include <cstdint>
#include <string>
#include <string_view>

#include "vkmoye/base/overflow.hpp"
#include "vkmoye/layout/layout.hpp"
#include "vkmoye/layout/swizzle.hpp"

namespace vkmoye {

std::string to_string(const IntTuple& tuple);
std::string to_string(const Layout& layout);

/// Throws LayoutError: the text, a caret under the column (from 1) and what was expected there.
[[noreturn]] void raise_syntax(std::string_view text, std::size_t position, const char* expected);

/// Reads text from left to right; `at` is the place that an error points at.
class Scanner {
 public:
  /// Reads `text` from position `at` on. The text must outlive the scanner.
  constexpr explicit Scanner(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

  constexpr std::size_t at() const { return at_; }
  /// Continues at position `at`.
  constexpr void move_to(std::size_t at) { at_ = at; }
  constexpr std::string_view text() const { return text_; }

  /// The next character that is not a space, '\0' at the end.
  constexpr char peek() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  constexpr bool at_end() { return peek() == '\0' && at_ >= text_.size(); }

  /// Whether the next character is `wanted`, which is then read.
  constexpr bool take(char wanted) {
    if (peek() != wanted || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }

  /// Throws LayoutError: at this position, `expected` was expected.
  [[noreturn]] void fail(const char* expected) const { raise_syntax(text_, at_, expected); }

  /// A decimal integer, perhaps with a minus sign (which no layout accepts, with a better message).
  constexpr std::int64_t integer() {
    const bool negative = take('-');
    if (!is_digit(peek())) fail("expected a number");
    std::int64_t value = 0;
    const std::size_t start = at_;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
      if (mul_overflows(value, 10, value) || add_overflows(value, text_[at_] - '0', value)) {
        at_ = start;
        fail("this number does not fit 64 bits");
      }
    }
    return negative ? -value : value;
  }

  /// A number, `_`, or a parenthesised list of these.
  constexpr IntTuple tuple() {
    TreeBuilder<std::int64_t> builder;
    tuple(builder);
    return builder.tree();
  }

  /// shape or shape:stride.
  constexpr Layout layout() {
    const std::size_t start = at_;
    const IntTuple shape = tuple();
    for (std::int64_t extent : shape.leaves())
      if (extent < 1) raise_syntax(text_, start, "this shape has an extent below 1");
    if (!take(':')) return Layout(shape);
    const std::size_t stride_start = at_;
    const IntTuple stride = tuple();
    if (!shape.congruent_to(stride))
      raise_syntax(text_, stride_start, "this stride is not nested like its shape");
    return Layout(shape, stride);
  }

  /// Throws LayoutError unless only spaces are left.
  constexpr void expect_end() {
    if (!at_end()) fail("expected the end");
  }

 private:
  static constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

  constexpr void tuple(TreeBuilder<std::int64_t>& builder) {
    if (take('_')) return builder.leaf(_);
    if (!take('(')) return builder.leaf(integer());
    const int place = builder.open(0);
    if (take(')')) return;
    int modes = 0;
    do {
      tuple(builder);
      ++modes;
    } while (take(','));
    if (!take(')')) fail("expected ',' or ')'");
    builder.set_rank(place, modes);
  }

  std::string_view text_;
  std::size_t at_;
};

/// Parses the parameters after the word Swizzle, such as <5,0,5>, as parse_composed_layout and the layout tool do.
/// Throws LayoutError, with the column, if they are not well formed, or if there is no such swizzle.
Swizzle scan_swizzle(Scanner& scan);

/// The layout that `text` writes. LayoutError with the column otherwise.
constexpr Layout parse_layout(std::string_view text) {
  Scanner scanner(text);
  const Layout layout = scanner.layout();
  scanner.expect_end();
  return layout;
}

/// The layout that `text` writes, swizzled or not: Swizzle<5,0,5> o (32,32):(1,32), with an offset
/// Swizzle<5,0,5> o 24 o (32,32):(1,32). Throws LayoutError with the column otherwise.
ComposedLayout parse_composed_layout(std::string_view text);

/// The tuple that `text` writes, such as (1,(_,2)). Throws LayoutError with the column otherwise.
constexpr IntTuple parse_tuple(std::string_view text) {
  Scanner scanner(text);
  const IntTuple tuple = scanner.tuple();
  scanner.expect_end();
  return tuple;
}

inline namespace literals {
/// "(4,8):(8,1)"_layout
constexpr Layout operator""_layout(const char* text, std::size_t length) {
  return parse_layout({text, length});
}
/// "(4,(_,8))"_tuple
constexpr IntTuple operator""_tuple(const char* text, std::size_t length) {
  return parse_tuple({text, length});
}
}  // namespace literals

}  // namespace vkmoye
