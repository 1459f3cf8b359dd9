// SPDX-License-Identifier: MIT
#include "vkmoye/layout/text.hpp"

#include <fmt/format.h>

#include <iterator>

#include "vkmoye/base/error.hpp"
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

void raise_syntax(std::string_view text, std::size_t position, const char* expected) {
  std::string line(text);  // one line, so that the caret stands below its column
  for (char& c : line)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  throw LayoutError(fmt::format("column {}: {}\n  {}\n  {}^", position + 1, expected, line,
                                std::string(position, ' ')));
}

}  // namespace vkmoye
