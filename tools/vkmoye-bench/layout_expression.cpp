#include "layout_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/layout/algebra.hpp"

namespace vkmoye::bench {
namespace {

using Values = std::vector<LayoutValue>;

// What an operation may ask of its arguments. A number or a tuple is a shape where a layout is
// wanted, and a list by mode where a tiler is.
Layout as_layout(const LayoutValue& value) {
  if (const auto* layout = std::get_if<Layout>(&value)) return *layout;
  if (const auto* shape = std::get_if<IntTuple>(&value)) return Layout(*shape);
  throw LayoutError(fmt::format("{} is a list, not a layout", to_string(std::get<Tiler>(value))));
}

Tiler as_tiler(const LayoutValue& value) {
  return std::visit([](const auto& v) { return Tiler(v); }, value);
}

IntTuple as_tuple(const LayoutValue& value) {
  if (const auto* tuple = std::get_if<IntTuple>(&value)) return *tuple;
  throw LayoutError("a number or a tuple of numbers is needed here, not a layout");
}

std::int64_t as_number(const LayoutValue& value) {
  const IntTuple tuple = as_tuple(value);
  if (!tuple.is_leaf()) throw LayoutError("a number is needed here, not " + to_string(tuple));
  return tuple.leaf(0);
}

LayoutValue number(std::int64_t value) { return IntTuple(value); }

struct Operation {
  std::size_t least, most;  // arguments
  std::function<LayoutValue(const Values&)> apply;
};

const std::map<std::string, Operation, std::less<>>& operations() {
  static const std::map<std::string, Operation, std::less<>> table = {
      {"layout", {1, 2, [](const Values& v) -> LayoutValue {
         return v.size() == 1 ? as_layout(v[0]) : Layout(as_tuple(v[0]), as_tuple(v[1]));
       }}},
      {"size", {1, 1, [](const Values& v) { return number(size(as_layout(v[0]))); }}},
      {"cosize", {1, 1, [](const Values& v) { return number(cosize(as_layout(v[0]))); }}},
      {"rank", {1, 1, [](const Values& v) { return number(rank(as_layout(v[0]))); }}},
      {"depth", {1, 1, [](const Values& v) { return number(depth(as_layout(v[0]))); }}},
      {"shape", {1, 1, [](const Values& v) { return as_layout(v[0]).shape(); }}},
      {"stride", {1, 1, [](const Values& v) { return as_layout(v[0]).stride(); }}},
      {"mode", {2, 2, [](const Values& v) {
         return as_layout(v[0]).mode(static_cast<int>(as_number(v[1])));
       }}},
      {"coalesce", {1, 1, [](const Values& v) { return coalesce(as_layout(v[0])); }}},
      {"composition", {2, 2, [](const Values& v) -> LayoutValue {
         if (const auto* b = std::get_if<Layout>(&v[1])) return composition(as_layout(v[0]), *b);
         return composition(as_layout(v[0]), as_tiler(v[1]));
       }}},
      {"complement", {1, 2, [](const Values& v) {
         const Layout layout = as_layout(v[0]);
         return complement(layout, v.size() == 2 ? as_number(v[1]) : cosize(layout));
       }}},
      {"logical_divide",
       {2, 2, [](const Values& v) { return logical_divide(as_layout(v[0]), as_tiler(v[1])); }}},
      {"zipped_divide",
       {2, 2, [](const Values& v) { return zipped_divide(as_layout(v[0]), as_tiler(v[1])); }}},
      {"tiled_divide",
       {2, 2, [](const Values& v) { return tiled_divide(as_layout(v[0]), as_tiler(v[1])); }}},
      {"flat_divide",
       {2, 2, [](const Values& v) { return flat_divide(as_layout(v[0]), as_tiler(v[1])); }}},
      {"transpose", {1, 1, [](const Values& v) { return transpose(as_layout(v[0])); }}},
      {"slice", {2, 2, [](const Values& v) { return slice(as_tuple(v[0]), as_layout(v[1])); }}},
      {"dice", {2, 2, [](const Values& v) { return dice(as_tuple(v[0]), as_layout(v[1])); }}},
      {"crd2idx",
       {2, 2, [](const Values& v) { return number(as_layout(v[1])(as_tuple(v[0]))); }}},
      {"idx2crd",
       {2, 2, [](const Values& v) { return idx2crd(as_tuple(v[0]), as_layout(v[1])); }}},
      {"ceil_div",
       {2, 2, [](const Values& v) { return ceil_div(as_tuple(v[0]), as_tuple(v[1])); }}},
  };
  return table;
}

constexpr int kMaxNesting = 100;

class Evaluator {
 public:
  explicit Evaluator(std::string_view text) : scan_(text) {}

  LayoutValue run() {
    LayoutValue value = this->value();
    scan_.expect_end();
    return value;
  }

 private:
  // primary, or shape:stride.
  LayoutValue value() {
    if (++nesting_ > kMaxNesting) scan_.fail("this is nested more than 100 deep");
    const std::size_t start = at();
    LayoutValue left = primary();
    if (scan_.take(':')) {
      const std::size_t stride_at = at();
      const LayoutValue right = primary();
      const auto* shape = std::get_if<IntTuple>(&left);
      const auto* stride = std::get_if<IntTuple>(&right);
      if (shape == nullptr) raise_syntax(scan_.text(), start, "a shape is a number or a tuple");
      if (stride == nullptr) raise_syntax(scan_.text(), stride_at, "a stride is a number or a tuple");
      left = pointed(start, [&] { return Layout(*shape, *stride); });
    }
    --nesting_;
    return left;
  }

  LayoutValue primary() {
    const std::size_t start = at();
    const char next = scan_.peek();
    if (scan_.take('(')) return list(start, ')');
    if (scan_.take('[')) return list(start, ']');
    if (next == '_' && !is_name(after(start + 1))) {
      scan_.take('_');
      return IntTuple(_);
    }
    if (is_name(next) && !(next >= '0' && next <= '9')) return call(start);
    return IntTuple(scan_.integer());
  }

  // Numbers and tuples alone make a tuple in round brackets; anything else is a list by mode.
  LayoutValue list(std::size_t start, char close) {
    const Values values = arguments(close);
    const bool is_tuple = close == ')' && std::all_of(values.begin(), values.end(), [](auto& v) {
      return std::holds_alternative<IntTuple>(v);
    });
    return pointed(start, [&]() -> LayoutValue {
      if (is_tuple) {
        TreeBuilder<std::int64_t> builder;
        builder.open(static_cast<int>(values.size()));
        for (const LayoutValue& value : values) builder.add(std::get<IntTuple>(value));
        return builder.tree();
      }
      std::vector<Tiler> entries;
      for (const LayoutValue& value : values) entries.push_back(as_tiler(value));
      return Tiler(std::span<const Tiler>(entries));
    });
  }

  Values arguments(char close) {
    Values values;
    if (scan_.take(close)) return values;
    do {
      values.push_back(value());
    } while (scan_.take(','));
    if (!scan_.take(close)) scan_.fail(close == ')' ? "expected ',' or ')'" : "expected ',' or ']'");
    return values;
  }

  LayoutValue call(std::size_t start) {
    std::size_t end = start;
    while (is_name(after(end))) ++end;
    const std::string_view name = scan_.text().substr(start, end - start);
    const auto found = operations().find(name);
    if (found == operations().end()) unknown(name, start);
    scan_.move_to(end);
    if (!scan_.take('(')) scan_.fail("expected '('");
    const Values values = arguments(')');
    const auto& [least, most, apply] = found->second;
    return pointed(start, [&] {
      if (values.size() < least || values.size() > most) {
        throw LayoutError(fmt::format(
            "{} takes {} argument{}, not {}", name,
            least == most ? std::to_string(least) : fmt::format("{} or {}", least, most),
            most == 1 ? "" : "s", values.size()));
      }
      return apply(values);
    });
  }

  [[noreturn]] void unknown(std::string_view name, std::size_t start) {
    std::vector<std::string> names;
    for (const auto& [known, operation] : operations()) names.push_back(known);
    const std::string near = did_you_mean(name, names);
    const std::string hint = near.empty() ? "there are " + join(names, " ")
                                          : "did you mean '" + near + "'?";
    raise_syntax(scan_.text(), start, fmt::format("no operation '{}'; {}", name, hint).c_str());
  }

  // Runs `work`; what it refuses points at the column where its expression starts.
  template <class Work>
  auto pointed(std::size_t start, Work work) -> decltype(work()) {
    try {
      return work();
    } catch (const LayoutError& error) {
      raise_syntax(scan_.text(), start, error.what());
    }
  }

  std::size_t at() {
    scan_.peek();
    return scan_.at();
  }
  char after(std::size_t place) const {
    return place < scan_.text().size() ? scan_.text()[place] : '\0';
  }
  static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  Scanner scan_;
  int nesting_ = 0;
};

}  // namespace

LayoutValue evaluate_layout_expression(std::string_view text) { return Evaluator(text).run(); }

}  // namespace vkmoye::bench
