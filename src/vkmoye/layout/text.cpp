// SPDX-License-Identifier: MIT
#include "vkmoye/layout/text.hpp"

#include <fmt/format.h>

#include <iterator>

#include "vkmoye/base/error.hpp"
#include "vkmoye/layout/raise.hpp"
#include "vkmoye/layout/scan_swizzle.hpp"
#include "vkmoye/layout/swizzle.hpp"

namespace vkmoye {
namespace {

template <class Leaf, class Print>
void print(const Tree<Leaf>& tree, Cursor& at, std::string& out, Print print_leaf) {
  if (tree.is_leaf(at)) {
    print_leaf(tree.leaf(at.leaf), out);
    at = tree.next(at);
    return;
  }
  const int modes = tree.rank(at);
  at = tree.first(at);
  out += '(';
  for (int i = 0; i < modes; ++i) {
    if (i > 0) out += ',';
    print(tree, at, out, print_leaf);
  }
  out += ')';
}

void print_tiler(const Tiler& tiler, std::string& out) {
  if (!tiler.is_list()) {
    if (tiler.is_null()) {
      out += '_';
    } else {
      const Layout layout = tiler.layout();  // n:1 is written n
      const bool is_run = layout.is_leaf() && layout.leaves().front().stride == 1;
      out += is_run ? std::to_string(layout.size()) : to_string(layout);
    }
    return;
  }
  out += '[';
  for (int i = 0; i < tiler.rank(); ++i) {
    if (i > 0) out += ", ";
    print_tiler(tiler.entry(i), out);
  }
  out += ']';
}

std::string to_text(const ErrorOperand& operand) {
  switch (operand.kind) {
    case ErrorOperand::Kind::kInteger:
      return operand.integer == _ ? "_" : std::to_string(operand.integer);
    case ErrorOperand::Kind::kTuple:
      return to_string(*static_cast<const IntTuple*>(operand.object));
    case ErrorOperand::Kind::kLayout: return to_string(*static_cast<const Layout*>(operand.object));
    case ErrorOperand::Kind::kTiler: return to_string(*static_cast<const Tiler*>(operand.object));
  }
  return {};
}

std::string subject(const char* operation, std::initializer_list<ErrorOperand> operands) {
  std::string text = operation;
  const char* separator = " of ";
  for (const ErrorOperand& operand : operands) {
    text += separator + to_text(operand);
    separator = " and ";
  }
  return text;
}

std::string fill(const char* rule, std::initializer_list<std::int64_t> numbers) {
  std::string text;
  auto next = numbers.begin();
  for (const char* c = rule; *c != '\0'; ++c) {
    if (c[0] == '{' && c[1] == '}' && next != numbers.end()) {
      text += std::to_string(*next++);
      ++c;
    } else {
      text += *c;
    }
  }
  return text;
}

}  // namespace

std::string to_string(const IntTuple& tuple) {
  std::string out;
  Cursor at;
  print(tuple, at, out, [](std::int64_t value, std::string& to) {
    if (value == _) {
      to += '_';
    } else {
      fmt::format_to(std::back_inserter(to), "{}", value);
    }
  });
  return out;
}

std::string to_string(const Layout& layout) {
  return to_string(layout.shape()) + ":" + to_string(layout.stride());
}

std::string to_string(const Tiler& tiler) {
  std::string out;
  print_tiler(tiler, out);
  return out;
}

std::string to_string(const Swizzle& swizzle) {
  return fmt::format("Swizzle<{},{},{}>", swizzle.bits(), swizzle.base(), swizzle.shift());
}

std::string to_string(const ComposedLayout& layout) {
  return fmt::format("{} o {} o {}", to_string(layout.swizzle), layout.offset,
                     to_string(layout.layout));
}

Swizzle scan_swizzle(Scanner& scan) {
  const std::size_t start = scan.at();
  std::int64_t numbers[3];
  for (std::size_t i = 0; i < 3; ++i) {
    if (!scan.take(i == 0 ? '<' : ',')) scan.fail("expected three numbers, as in Swizzle<2,0,3>");
    numbers[i] = scan.integer();
    if (numbers[i] < -64 || numbers[i] > 64) scan.fail("a swizzle has numbers up to 64");
  }
  if (!scan.take('>')) scan.fail("expected '>'");
  try {
    return Swizzle(static_cast<int>(numbers[0]), static_cast<int>(numbers[1]),
                   static_cast<int>(numbers[2]));
  } catch (const LayoutError& error) {
    raise_syntax(scan.text(), start, error.what());
  }
}

ComposedLayout parse_composed_layout(std::string_view text) {
  Scanner scan(text);
  const auto take_word = [&](std::string_view word) {
    scan.peek();
    if (scan.text().substr(scan.at(), word.size()) != word) return false;
    scan.move_to(scan.at() + word.size());
    return true;
  };
  ComposedLayout out;
  if (take_word("Swizzle")) {
    out.swizzle = scan_swizzle(scan);
    if (!scan.take('o')) scan.fail("expected 'o' and a layout");
    const std::size_t second = scan.at();
    const bool begins_with_number = scan.peek() >= '0' && scan.peek() <= '9';
    const std::int64_t offset = begins_with_number ? scan.integer() : 0;
    if (begins_with_number && scan.take('o')) {
      out.offset = offset;
    } else {
      scan.move_to(second);
    }
  }
  out.layout = scan.layout();
  scan.expect_end();
  return out;
}

std::string to_string(const OffsetLayout& layout) {
  return fmt::format("{} + {}", layout.offset, to_string(layout.layout));
}

void raise(const char* operation, std::initializer_list<ErrorOperand> operands, const char* rule,
           std::initializer_list<std::int64_t> numbers) {
  const std::string text = fill(rule, numbers);
  if (*operation == '\0') throw LayoutError(text);
  throw LayoutError(fmt::format("{}: {}", subject(operation, operands), text));
}

void raise_from(const char* operation, std::initializer_list<ErrorOperand> operands,
                const LayoutError& inner) {
  throw LayoutError(fmt::format("{}: {}", subject(operation, operands), inner.what()));
}

void raise_syntax(std::string_view text, std::size_t position, const char* expected) {
  std::string line(text);  // one line, so that the caret stands below its column
  for (char& c : line)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  throw LayoutError(fmt::format("column {}: {}\n  {}\n  {}^", position + 1, expected, line,
                                std::string(position, ' ')));
}

}  // namespace vkmoye
