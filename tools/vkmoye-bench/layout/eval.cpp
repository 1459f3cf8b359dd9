// SPDX-License-Identifier: MIT
#include "layout/eval.hpp"

#include <fmt/format.h>

#include <charconv>
#include <istream>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>

#include "layout/layout_operations.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye::bench {
namespace {

using nlohmann::json;

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

void write(std::int64_t value, std::string& out) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

void write(const IntTuple& tuple, Cursor& at, std::string& out) {
  if (tuple.is_leaf(at)) {
    if (tuple.leaf(at.leaf) == _) {
      out += "null";
    } else {
      write(tuple.leaf(at.leaf), out);
    }
    at = tuple.next(at);
    return;
  }
  const int modes = tuple.rank(at);
  at = tuple.first(at);
  out += '[';
  for (int i = 0; i < modes; ++i) {
    if (i > 0) out += ',';
    write(tuple, at, out);
  }
  out += ']';
}

void write(const IntTuple& tuple, std::string& out) {
  Cursor at;
  write(tuple, at, out);
}

void write(const Layout& layout, std::string& out) {
  out += "{\"shape\":";
  write(layout.shape(), out);
  out += ",\"stride\":";
  write(layout.stride(), out);
  out += '}';
}

void write(const Tiler& tiler, std::string& out) {
  if (tiler.is_null()) {
    out += "null";
  } else if (!tiler.is_list()) {
    write(tiler.layout(), out);
  } else {
    for (int i = 0; i < tiler.rank(); ++i) {
      out += i == 0 ? '[' : ',';
      write(tiler.entry(i), out);
    }
    out += tiler.rank() == 0 ? "[]" : "]";
  }
}

/// Writes the offsets in order, by counting the coordinates instead of dividing each index.
template <class F>
void write_values(const Layout& layout, F value, std::string& out) {
  out += ",\"fn\":";
  const std::int64_t size = layout.size();
  if (size > kMaxValues) {
    out += "null";
    return;
  }
  const auto leaves = layout.leaves();
  std::int64_t digits[kMaxLeaves] = {};
  std::int64_t offset = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    out += i == 0 ? '[' : ',';
    write(value(offset), out);
    for (std::size_t k = 0; k < leaves.size(); ++k) {
      if (++digits[k] < leaves[k].extent) {
        offset += leaves[k].stride;
        break;
      }
      offset -= leaves[k].stride * (leaves[k].extent - 1);
      digits[k] = 0;
    }
  }
  out += ']';
}

void write(const Value& value, std::string& out);

struct Writer {
  std::string& out;

  void operator()(std::monostate) const { out += "null"; }
  void operator()(bool truth) const { out += truth ? "true" : "false"; }
  void operator()(const IntTuple& tuple) const { write(tuple, out); }
  void operator()(const Layout& layout) const { write(layout, out); }
  void operator()(const Tiler& tiler) const { write(tiler, out); }
  void operator()(const Swizzle& swizzle) const {
    write(IntTuple{swizzle.bits(), swizzle.base(), swizzle.shift()}, out);
  }
  void operator()(const Table& table) const { out += json(draw_text(table)).dump(); }
  template <class InParts>
  void operator()(const InParts& value) const {
    char separator = '{';
    for (const auto& [name, part] : parts_of(value)) {
      out += separator;
      out += '"';
      out += name;
      out += "\":";
      write(part, out);
      separator = ',';
    }
    out += '}';
  }
};

void write(const Value& value, std::string& out) { std::visit(Writer{out}, value); }

/// Writes "fn" for values that are functions: the values at the 1-D indices.
struct FunctionWriter {
  std::string& out;

  void operator()(const Layout& layout) const { sum(0, layout); }
  void operator()(const OffsetLayout& a) const { sum(a.offset, a.layout); }
  void operator()(const TiledCopy& copy) const { sum(0, copy.layout_tv); }
  void operator()(const TiledMma& mma) const { sum(0, mma.c.layout_tv); }
  void operator()(const ComposedLayout& a) const {
    // Throws unless the sums below fit.
    static_cast<void>(checked_add(a.offset, a.layout.cosize()));
    write_values(
        a.layout, [&](std::int64_t offset) { return a.swizzle(a.offset + offset); }, out);
  }
  template <class Other>
  void operator()(const Other&) const {}

  void sum(std::int64_t start, const Layout& layout) const {
    static_cast<void>(checked_add(start, layout.cosize()));
    write_values(
        layout, [&](std::int64_t offset) { return start + offset; }, out);
  }
};

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

void evaluate_json(std::string_view request, std::string& answer) {
  const std::size_t start = answer.size();
  const auto refused = [&](const std::string& why) {
    answer.resize(start);
    answer += "{\"error\":";
    answer += json(why).dump(-1, ' ', false, json::error_handler_t::replace);
    answer += '}';
  };
  try {
    const Value value = evaluate(json::parse(request.begin(), request.end()));
    answer += "{\"result\":";
    write(value, answer);
    std::visit(FunctionWriter{answer}, value);
    answer += '}';
  } catch (const LayoutError& error) {
    refused(error.what());
  } catch (const json::exception& error) {
    refused(message_of(error));
  }
}

std::string to_json(const Value& value) {
  std::string out;
  write(value, out);
  return out;
}

Value from_json(std::string_view text) try {
  return read_value(json::parse(text.begin(), text.end()));
} catch (const json::exception& error) {
  throw LayoutError(message_of(error));
}

void evaluate_json_lines(std::istream& in, std::ostream& out) {
  std::string line(kLongestLine + 1, '\0'), answer;  // one more: getline ends it with a zero
  while (in.getline(line.data(), static_cast<std::streamsize>(line.size())) || in.gcount() > 0) {
    answer.clear();
    if (in.fail()) {
      in.clear();
      in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
      answer =
          json{{"error", fmt::format("this line has more than {} bytes", kLongestLine)}}.dump();
    } else {
      const auto taken = static_cast<std::size_t>(in.gcount());
      try {
        evaluate_json({line.data(), in.eof() ? taken : taken - 1}, answer);
      } catch (
          const std::exception& error) {  // a bug here must not stop the answers to later lines
        answer = json{{"error", error.what()}}.dump(-1, ' ', false, json::error_handler_t::replace);
      }
    }
    answer += '\n';
    out.write(answer.data(), static_cast<std::streamsize>(answer.size()));
  }
}

}  // namespace vkmoye::bench
