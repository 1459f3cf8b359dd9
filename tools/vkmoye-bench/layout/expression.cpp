// SPDX-License-Identifier: MIT
#include "layout/expression.hpp"

#include <algorithm>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::bench {
namespace {

using Values = std::vector<Value>;

constexpr int kMaxNesting = 100;

class Evaluator {
 public:
  explicit Evaluator(std::string_view text) : scan_(text) {}

  Value run() {
    Value value = at_parts() ? parts() : this->value();
    scan_.expect_end();
    return value;
  }

 private:
  // Runs `work`; adds the column where its expression starts to its errors.
  template <class Work>
  decltype(auto) pointed(std::size_t start, Work work) {
    try {
      return work();
    } catch (const LayoutError& error) {
      raise_syntax(scan_.text(), start, error.what());
    }
  }

  // name value, name value, ..: the form in which values with parts are printed.
  bool at_parts() {
    const std::string_view name = word_at(at());
    return begins_parts(name) && !is_operation(name);
  }
  Value parts() {
    const std::size_t start = at();
    std::vector<Part> parts;
    do {
      const std::string_view name = word_at(at());
      if (name.empty()) scan_.fail("expected the name of a part");
      scan_.move_to(at() + name.size());
      parts.emplace_back(name, value());
    } while (scan_.take(','));
    return pointed(start, [&] { return from_parts(parts); });
  }

  // primary, shape:stride, Swizzle o layout, Swizzle o offset o layout, or offset + layout.
  Value value() {
    if (++nesting_ > kMaxNesting) scan_.fail("this is nested more than 100 deep");
    const std::size_t start = at();
    Value left = primary();
    if (std::holds_alternative<Swizzle>(left) && take_word("o")) {
      Value offset = IntTuple(0), layout = value();
      if (take_word("o")) offset = std::exchange(layout, value());
      left = pointed(start, [&] {
        return from_parts({{"swizzle", left}, {"offset", offset}, {"layout", layout}});
      });
    } else if (scan_.take('+')) {
      const Value layout = value();
      left = pointed(start, [&] { return from_parts({{"layout", layout}, {"offset", left}}); });
    } else if (scan_.take(':')) {
      const std::size_t stride_at = at();
      const Value right = primary();
      const auto* shape = std::get_if<IntTuple>(&left);
      const auto* stride = std::get_if<IntTuple>(&right);
      if (shape == nullptr) raise_syntax(scan_.text(), start, "a shape is a number or a tuple");
      if (stride == nullptr)
        raise_syntax(scan_.text(), stride_at, "a stride is a number or a tuple");
      left = pointed(start, [&] { return Layout(*shape, *stride); });
    }
    --nesting_;
    return left;
  }

  Value primary() {
    const std::size_t start = at();
    if (scan_.take('(')) return list(start, ')');
    if (scan_.take('[')) return list(start, ']');
    if (take_word("_")) return IntTuple(_);
    if (word_at(start).empty()) return IntTuple(scan_.integer());
    if (take_word("none")) return std::monostate();
    if (take_word("true")) return true;
    if (take_word("false")) return false;
    if (take_word("Swizzle")) return scan_swizzle(scan_);
    return call(start);
  }

  // Round brackets with only numbers and tuples are a tuple; everything else is a list with one entry per mode.
  Value list(std::size_t start, char close) {
    const Values values = arguments(close);
    const bool is_tuple = close == ')' && std::all_of(values.begin(), values.end(), [](auto& v) {
                            return std::holds_alternative<IntTuple>(v);
                          });
    return pointed(start, [&]() -> Value {
      if (is_tuple) {
        TreeBuilder<std::int64_t> builder;
        builder.open(static_cast<int>(values.size()));
        for (const Value& value : values) builder.add(std::get<IntTuple>(value));
        return builder.tree();
      }
      std::vector<Tiler> entries;
      for (const Value& value : values) entries.push_back(tiler_of(value));
      return Tiler(std::span<const Tiler>(entries));
    });
  }

  static Tiler tiler_of(const Value& value) {
    if (const auto* tuple = std::get_if<IntTuple>(&value)) return *tuple;
    if (const auto* layout = std::get_if<Layout>(&value)) return *layout;
    if (const auto* tiler = std::get_if<Tiler>(&value)) return *tiler;
    throw LayoutError("a list holds numbers, tuples, layouts and lists, not " +
                      std::string(kind_of(value)));
  }

  Values arguments(char close) {
    Values values;
    if (scan_.take(close)) return values;
    do {
      values.push_back(value());
    } while (scan_.take(','));
    if (!scan_.take(close))
      scan_.fail(close == ')' ? "expected ',' or ')'" : "expected ',' or ']'");
    return values;
  }

  Value call(std::size_t start) {
    const std::string_view name = word_at(start);
    const LayoutOperation& operation =
        pointed(start, [&]() -> const LayoutOperation& { return find_layout_operation(name); });
    scan_.move_to(start + name.size());
    if (!scan_.take('(')) scan_.fail("expected '('");
    const Values values = arguments(')');
    return pointed(start, [&] { return apply_operation(operation, values); });
  }

  std::size_t at() {
    scan_.peek();
    return scan_.at();
  }
  // The name that starts at the current position; "" if there is none.
  std::string_view word_at(std::size_t start) const {
    const std::string_view text = scan_.text();
    std::size_t end = start;
    while (end < text.size() && is_name(text[end])) ++end;
    if (end == start || (text[start] >= '0' && text[start] <= '9')) return {};
    return text.substr(start, end - start);
  }
  bool take_word(std::string_view word) {
    if (word_at(at()) != word) return false;
    scan_.move_to(at() + word.size());
    return true;
  }
  static bool is_operation(std::string_view name) {
    const auto operations = layout_operations();
    return std::any_of(operations.begin(), operations.end(),
                       [&](const LayoutOperation& row) { return row.name == name; });
  }
  static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  Scanner scan_;
  int nesting_ = 0;
};

}  // namespace

Value evaluate_layout_expression(std::string_view text) { return Evaluator(text).run(); }

}  // namespace vkmoye::bench
