// SPDX-License-Identifier: MIT
#include "layout/eval.hpp"

#include <fmt/format.h>

#include <istream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "layout/layout_operations.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye::bench {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::int64_t kMaxValues = std::int64_t{1} << 20;

// The message of the parser without its error number.
std::string message_of(const json::exception& error) {
  const std::string what = error.what();
  return what.substr(what.find("] ") + 2);
}

[[noreturn]] void refuse(const char* message) { throw LayoutError(message); }

std::int64_t read_integer(const json& from) {
  if (!from.is_number_integer()) refuse("expected an integer");
  if (from.is_number_unsigned() &&
      from.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
    refuse("a number does not fit 64 bits");
  const auto value = from.get<std::int64_t>();
  if (value == _) refuse("a number does not fit 64 bits");
  return value;
}

void read_tuple(const json& from, TreeBuilder<std::int64_t>& out) {
  if (from.is_null()) return out.leaf(_);
  if (!from.is_array()) return out.leaf(read_integer(from));
  if (from.size() > kMaxLeaves) refuse("a tuple has too many modes");
  out.open(static_cast<int>(from.size()));
  for (const json& mode : from) read_tuple(mode, out);
}

IntTuple read_tuple(const json& from) {
  TreeBuilder<std::int64_t> builder;
  read_tuple(from, builder);
  return builder.tree();
}

Layout read_layout(const json& from) {
  const auto shape = from.find("shape");
  if (shape == from.end()) refuse("a layout needs a shape");
  const auto stride = from.find("stride");
  return stride == from.end() ? Layout(read_tuple(*shape))
                              : Layout(read_tuple(*shape), read_tuple(*stride));
}

/// Whether a list contains a layout at any depth: then it is a tiler, otherwise a tuple (which an operation that
/// expects a tiler converts).
bool holds_layout(const json& from, int depth = 0) {
  if (from.is_object()) return true;
  if (!from.is_array()) return false;
  if (depth > kMaxNodes) refuse("a list is nested too deep");
  for (const json& entry : from)
    if (holds_layout(entry, depth + 1)) return true;
  return false;
}

Tiler read_tiler(const json& from) {
  if (from.is_object()) return read_layout(from);
  if (!from.is_array()) return Tiler(read_tuple(from));
  if (from.size() > kMaxLeaves) refuse("a tiler has too many entries");
  std::vector<Tiler> entries;
  entries.reserve(from.size());
  for (const json& entry : from) entries.push_back(read_tiler(entry));
  return Tiler(std::span<const Tiler>(entries));
}

Value read_value(const json& from, int depth = 0);

/// A value from its named parts: objects other than layouts.
Value read_parts(const json& from, int depth) {
  if (depth > kMaxNodes) refuse("objects are nested too deep");
  std::vector<Part> parts;
  for (const auto& [name, part] : from.items())
    parts.emplace_back(name, read_value(part, depth + 1));
  return from_parts(parts);
}

Value read_value(const json& from, int depth) {
  if (from.is_boolean()) return from.get<bool>();
  if (from.is_object())
    return from.contains("shape") ? Value(read_layout(from)) : read_parts(from, depth);
  if (holds_layout(from)) return read_tiler(from);
  return read_tuple(from);
}

ordered_json json_of(const Value& value);

// Moves `at` behind the mode that it writes.
ordered_json json_of(const IntTuple& tuple, Cursor& at) {
  if (tuple.is_leaf(at)) {
    const std::int64_t leaf = tuple.leaf(at.leaf);
    at = tuple.next(at);
    return leaf == _ ? ordered_json() : ordered_json(leaf);
  }
  const int modes = tuple.rank(at);
  at = tuple.first(at);
  ordered_json out = ordered_json::array();
  for (int i = 0; i < modes; ++i) out.push_back(json_of(tuple, at));
  return out;
}

ordered_json json_of(const Tiler& tiler) {
  if (tiler.is_null()) return nullptr;
  if (!tiler.is_list()) return json_of(Value(tiler.layout()));
  ordered_json out = ordered_json::array();
  for (int i = 0; i < tiler.rank(); ++i) out.push_back(json_of(tiler.entry(i)));
  return out;
}

struct ToJson {
  ordered_json operator()(std::monostate) const { return nullptr; }
  ordered_json operator()(bool truth) const { return truth; }
  ordered_json operator()(const IntTuple& tuple) const {
    Cursor at;
    return json_of(tuple, at);
  }
  ordered_json operator()(const Tiler& tiler) const { return json_of(tiler); }
  ordered_json operator()(const Swizzle& swizzle) const {
    return {swizzle.bits(), swizzle.base(), swizzle.shift()};
  }
  ordered_json operator()(const Table& table) const { return draw_text(table); }
  template <class InParts>
  ordered_json operator()(const InParts& value) const {
    ordered_json out;
    for (const auto& [name, part] : parts_of(value)) out[std::string(name)] = json_of(part);
    return out;
  }
};

ordered_json json_of(const Value& value) { return std::visit(ToJson(), value); }

/// The text of "fn" for a value that is a function: its values at the 1-D indices, up to a million numbers. As JSON,
/// they would take four times as long.
struct ValuesOf {
  using Values = std::optional<std::string>;  // nullopt: it is no function

  Values operator()(const Layout& layout) const { return sums(0, layout); }
  Values operator()(const OffsetLayout& a) const { return sums(a.offset, a.layout); }
  Values operator()(const TiledCopy& copy) const { return sums(0, copy.layout_tv); }
  Values operator()(const TiledMma& mma) const { return sums(0, mma.c.layout_tv); }
  Values operator()(const ComposedLayout& a) const {
    // Throws unless the sums below fit.
    static_cast<void>(checked_add(a.offset, a.layout.cosize()));
    return values(a.layout, [&](std::int64_t offset) { return a.swizzle(a.offset + offset); });
  }
  template <class Other>
  Values operator()(const Other&) const {
    return std::nullopt;
  }

  static Values sums(std::int64_t start, const Layout& layout) {
    static_cast<void>(checked_add(start, layout.cosize()));
    return values(layout, [&](std::int64_t offset) { return start + offset; });
  }

  /// The offsets in order, by counting the coordinates instead of dividing each index; null: there are too many.
  template <class F>
  static std::string values(const Layout& layout, F value) {
    const std::int64_t size = layout.size();
    if (size > kMaxValues) return "null";
    const auto leaves = layout.leaves();
    std::int64_t digits[kMaxLeaves] = {};
    std::int64_t offset = 0;
    std::string out = "[";
    for (std::int64_t i = 0; i < size; ++i) {
      if (i > 0) out += ',';
      const fmt::format_int text(value(offset));
      out.append(text.data(), text.size());
      for (std::size_t k = 0; k < leaves.size(); ++k) {
        if (++digits[k] < leaves[k].extent) {
          offset += leaves[k].stride;
          break;
        }
        offset -= leaves[k].stride * (leaves[k].extent - 1);
        digits[k] = 0;
      }
    }
    return out + ']';
  }
};

std::string text_of(const ordered_json& answer) {
  return answer.dump(-1, ' ', false, json::error_handler_t::replace);
}

Value evaluate(const json& request) {
  if (!request.is_object()) refuse("a request is an object with \"op\" and \"args\"");
  const auto op = request.find("op");
  if (op == request.end() || !op->is_string()) refuse("a request needs a string \"op\"");
  const auto args = request.find("args");
  if (args == request.end() || !args->is_array()) refuse("a request needs a list \"args\"");
  const LayoutOperation& operation = find_layout_operation(op->get_ref<const std::string&>());
  if (args->size() > kMaxLeaves) refuse("too many arguments");
  std::vector<Value> arguments;
  arguments.reserve(args->size());
  for (const json& argument : *args) arguments.push_back(read_value(argument));
  return apply_operation(operation, arguments);
}

}  // namespace

std::string to_json(const Value& value) { return text_of(json_of(value)); }

std::string evaluate_json(std::string_view request) {
  try {
    const Value value = evaluate(json::parse(request.begin(), request.end()));
    std::string answer = "{\"result\":" + to_json(value);
    if (const auto values = std::visit(ValuesOf(), value)) answer += ",\"fn\":" + *values;
    return answer + '}';
  } catch (const LayoutError& error) {
    return text_of({{"error", error.what()}});
  } catch (const json::exception& error) {
    return text_of({{"error", message_of(error)}});
  }
}

Value from_json(std::string_view text) try {
  return read_value(json::parse(text.begin(), text.end()));
} catch (const json::exception& error) {
  throw LayoutError(message_of(error));
}

void evaluate_json_lines(std::istream& in, std::ostream& out) {
  std::string line(kLongestLine + 1, '\0');  // one more: getline ends it with a zero
  while (in.getline(line.data(), static_cast<std::streamsize>(line.size())) || in.gcount() > 0) {
    if (in.fail()) {
      in.clear();
      in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
      out << text_of({{"error", fmt::format("this line has more than {} bytes", kLongestLine)}});
    } else {
      const auto taken = static_cast<std::size_t>(in.gcount());
      try {
        out << evaluate_json({line.data(), in.eof() ? taken : taken - 1});
      } catch (
          const std::exception& error) {  // a bug here must not stop the answers to later lines
        out << text_of({{"error", error.what()}});
      }
    }
    out << '\n';
  }
}

}  // namespace vkmoye::bench
