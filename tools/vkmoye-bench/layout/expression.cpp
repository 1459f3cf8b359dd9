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
    Value value = this->value();
    scan_.expect_end();
    return value;
  }

 private:
  // Runs `work`; what it refuses points at the column where its expression starts.
  template <class Work>
  decltype(auto) pointed(std::size_t start, Work work) {
    try {
      return work();
    } catch (const LayoutError& error) {
      raise_syntax(scan_.text(), start, error.what());
    }
  }

  // primary, or shape:stride.
  Value value() {
    if (++nesting_ > kMaxNesting) scan_.fail("this is nested more than 100 deep");
    const std::size_t start = at();
    Value left = primary();
    if (scan_.take(':')) {
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
    std::size_t end = start;
    while (is_name(after(end))) ++end;
    const std::string_view name = scan_.text().substr(start, end - start);
    const LayoutOperation& operation =
        pointed(start, [&]() -> const LayoutOperation& { return find_layout_operation(name); });
    scan_.move_to(end);
    if (!scan_.take('(')) scan_.fail("expected '('");
    const Values values = arguments(')');
    return pointed(start, [&] { return apply_operation(operation, values); });
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

Value evaluate_layout_expression(std::string_view text) { return Evaluator(text).run(); }

}  // namespace vkmoye::bench
