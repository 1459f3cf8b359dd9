// SPDX-License-Identifier: MIT
#include "layout/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

template <class... F>
struct Overload : F... {
  using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;

Value to_value(std::int64_t integer) { return IntTuple(integer); }

/// The part `name`, which must exist.
const Value& part(const std::vector<Part>& parts, std::string_view name) {
  for (const Part& one : parts)
    if (one.first == name) return one.second;
  throw LayoutError(fmt::format("there is '{1}' but no '{0}'", name.substr(0, 40),
                                parts.front().first.substr(0, 40)));
}

void check_offset(std::int64_t offset, const Layout& layout) {
  if (offset < 0) raise("offset", {offset, layout}, "the offset is negative");
  static_cast<void>(checked_add(offset, layout.cosize()));
}

/// Whether `given` is equivalent to `right`: a shape stands for a layout, three numbers for a swizzle.
bool is_same(const Value& right, const Value& given) {
  if (const auto* layout = std::get_if<Layout>(&right)) return to_layout(given) == *layout;
  if (const auto* swizzle = std::get_if<Swizzle>(&right)) return to_swizzle(given) == *swizzle;
  return to_text(given) == to_text(right);
}

/// The kinds of values with parts, each identified by a part that no earlier kind has.
struct Kind {
  std::string_view told_by;
  Value (*make)(const std::vector<Part>&);
};

constexpr Kind kKinds[] = {
    {"shape",
     [](const std::vector<Part>& parts) -> Value {
       const IntTuple& shape = to_tuple(part(parts, "shape"));
       return parts.size() == 1 ? Layout(shape) : Layout(shape, to_tuple(part(parts, "stride")));
     }},
    {"swizzle",
     [](const std::vector<Part>& parts) -> Value {
       const std::int64_t offset = to_integer(part(parts, "offset"));
       const Layout layout = to_layout(part(parts, "layout"));
       check_offset(offset, layout);
       return ComposedLayout{to_swizzle(part(parts, "swizzle")), offset, layout};
     }},
    {"layout",
     [](const std::vector<Part>& parts) -> Value {
       const std::int64_t offset = to_integer(part(parts, "offset"));
       const Layout layout = to_layout(part(parts, "layout"));
       check_offset(offset, layout);
       return OffsetLayout{layout, offset};
     }},
    {"layout_tv",
     [](const std::vector<Part>& parts) -> Value {
       return TiledCopy{to_layout(part(parts, "layout_tv")), to_tuple(part(parts, "tiler"))};
     }},
    {"threads",
     [](const std::vector<Part>& parts) -> Value {
       const IntTuple& values = to_tuple(part(parts, "values"));
       if (values.leaf_count() != 2 || values.depth() != 1)
         refuse_kind(part(parts, "values"), "two numbers, rows and columns");
       return make_tiled_mma(to_layout(part(parts, "threads")), values.leaf(0), values.leaf(1));
     }},
    {"elements",
     [](const std::vector<Part>& parts) -> Value {
       return TileAccess{to_layout(part(parts, "elements")), to_integer(part(parts, "width"))};
     }},
    {"lanes",
     [](const std::vector<Part>& parts) -> Value {
       return BankModel{to_small(part(parts, "lanes")), to_small(part(parts, "banks")),
                        to_small(part(parts, "bank_bytes"))};
     }},
};

constexpr std::string_view kFindings[] = {"degree", "phases", "wavefronts", "first",
                                          "second", "offset", "most",       "ideal"};

std::string in_parts(const Value& value) {
  std::vector<std::string> texts;
  for (const auto& [name, what] : parts_of(value))
    texts.push_back(fmt::format("{} {}", name, to_text(what)));
  return join(texts, ", ");
}

}  // namespace

std::string_view kind_of(const Value& value) {
  constexpr std::string_view kNames[] = {
      "nothing",   "a truth value",     "a tuple",          "a layout",     "a tiler",
      "a swizzle", "a swizzled layout", "an offset layout", "a tiled copy", "a tiled multiply-add",
      "an access", "a bank model",      "findings",         "a picture"};
  static_assert(std::size(kNames) == std::variant_size_v<Value>);
  return kNames[value.index()];
}

std::string to_text(const Value& value) {
  return std::visit(Overload{[](std::monostate) -> std::string { return "none"; },
                             [](bool truth) -> std::string { return truth ? "true" : "false"; },
                             [](const TileAccess& access) {
                               return fmt::format("access({}, {})", to_string(access.elements),
                                                  access.width);
                             },
                             [](const BankModel& model) {
                               return fmt::format("bank_model({}, {}, {})", model.lanes,
                                                  model.banks, model.bank_bytes);
                             },
                             [&](const TiledCopy&) { return in_parts(value); },
                             [&](const TiledMma&) { return in_parts(value); },
                             [&](const Findings&) { return in_parts(value); },
                             [](const Table& table) { return draw_text(table); },
                             [](const auto& other) { return to_string(other); }},
                    value);
}

Table table_of(const Value& value) {
  return std::visit(
      Overload{[](const Layout& layout) { return offset_table(layout); },
               [](const OffsetLayout& layout) { return offset_table(layout); },
               [](const ComposedLayout& layout) { return offset_table(layout); },
               [](const TiledCopy& copy) { return thread_value_table(copy.layout_tv, copy.tiler); },
               [](const TiledMma& mma) { return thread_value_table(mma.c.layout_tv, mma.c.tiler); },
               [](const IntTuple& shape) { return offset_table(Layout(shape)); },
               [](const Table& table) { return table; },
               [&](const auto&) -> Table { refuse_kind(value, "a layout to draw"); }},
      value);
}

void refuse_kind(const Value& value, std::string_view wanted) {
  throw LayoutError(fmt::format("expected {}, got {}: {}", wanted, kind_of(value), to_text(value)));
}

Layout to_layout(const Value& value) {
  if (const auto* layout = std::get_if<Layout>(&value)) return *layout;
  if (const auto* shape = std::get_if<IntTuple>(&value)) return Layout(*shape);
  if (const auto* part = std::get_if<OffsetLayout>(&value); part && part->offset == 0)
    return part->layout;
  if (const auto* copy = std::get_if<TiledCopy>(&value)) return copy->layout_tv;
  if (const auto* mma = std::get_if<TiledMma>(&value)) return mma->c.layout_tv;
  refuse_kind(value, "a layout");
}

Tiler to_tiler(const Value& value) {
  if (const auto* tiler = std::get_if<Tiler>(&value)) return *tiler;
  if (const auto* layout = std::get_if<Layout>(&value)) return *layout;
  if (const auto* shape = std::get_if<IntTuple>(&value)) return *shape;
  refuse_kind(value, "a tiler");
}

const IntTuple& to_tuple(const Value& value) {
  if (const auto* tuple = std::get_if<IntTuple>(&value)) return *tuple;
  refuse_kind(value, "a tuple");
}

std::int64_t to_integer(const Value& value) {
  const auto* tuple = std::get_if<IntTuple>(&value);
  if (tuple == nullptr || !tuple->is_leaf() || tuple->leaf(0) == _) refuse_kind(value, "a number");
  return tuple->leaf(0);
}

int to_small(const Value& value) {
  const std::int64_t integer = to_integer(value);
  if (integer < -1000 || integer > 1000) refuse_kind(value, "a number from -1000 to 1000");
  return static_cast<int>(integer);
}

Swizzle to_swizzle(const Value& value) {
  if (const auto* swizzle = std::get_if<Swizzle>(&value)) return *swizzle;
  const auto* tuple = std::get_if<IntTuple>(&value);
  if (tuple == nullptr || tuple->leaf_count() != 3 || tuple->depth() != 1)
    refuse_kind(value, "a swizzle, such as Swizzle<2,0,3> or (2,0,3)");
  const auto part = [&](int i) { return to_small(IntTuple(tuple->leaf(i))); };
  return {part(0), part(1), part(2)};
}

ComposedLayout to_storage(const Value& value) {
  if (const auto* composed = std::get_if<ComposedLayout>(&value)) return *composed;
  return {{}, 0, to_layout(value)};
}

TileAccess to_access(const Value& value) {
  if (const auto* access = std::get_if<TileAccess>(&value)) return *access;
  return {to_layout(value)};
}

std::vector<Part> parts_of(const Value& value) {
  return std::visit(
      Overload{[](const Layout& a) -> std::vector<Part> {
                 return {{"shape", a.shape()}, {"stride", a.stride()}};
               },
               [](const ComposedLayout& a) -> std::vector<Part> {
                 return {{"swizzle", a.swizzle},
                         {"offset", to_value(a.offset)},
                         {"layout", a.layout},
                         {"size", to_value(a.size())}};
               },
               [](const OffsetLayout& a) -> std::vector<Part> {
                 return {{"layout", a.layout}, {"offset", to_value(a.offset)}};
               },
               [](const TiledCopy& copy) -> std::vector<Part> {
                 return {{"layout_tv", copy.layout_tv}, {"tiler", copy.tiler}};
               },
               [](const TiledMma& mma) -> std::vector<Part> {
                 return {{"threads", mma.threads},
                         {"values", IntTuple{mma.values[0], mma.values[1]}},
                         {"layout_c", mma.c.layout_tv},
                         {"tiler", mma.c.tiler},
                         {"layout_a", mma.operand(0).layout_tv},
                         {"layout_b", mma.operand(1).layout_tv}};
               },
               [](const TileAccess& access) -> std::vector<Part> {
                 return {{"elements", access.elements}, {"width", to_value(access.width)}};
               },
               [](const BankModel& model) -> std::vector<Part> {
                 return {{"lanes", to_value(model.lanes)},
                         {"banks", to_value(model.banks)},
                         {"bank_bytes", to_value(model.bank_bytes)}};
               },
               [](const Findings& findings) -> std::vector<Part> {
                 return {findings.begin(), findings.end()};
               },
               [](const auto&) -> std::vector<Part> { return {}; }},
      value);
}

bool begins_parts(std::string_view name) {
  const auto is_it = [&](const Kind& kind) { return kind.told_by == name; };
  return std::any_of(std::begin(kKinds), std::end(kKinds), is_it) ||
         std::find(std::begin(kFindings), std::end(kFindings), name) != std::end(kFindings);
}

Value from_parts(const std::vector<Part>& parts) {
  const auto has = [&](std::string_view name) {
    return std::any_of(parts.begin(), parts.end(), [&](const Part& p) { return p.first == name; });
  };
  if (parts.empty()) throw LayoutError("a value needs at least one part");
  for (const Kind& kind : kKinds) {
    if (!has(kind.told_by)) continue;
    const Value value = kind.make(parts);
    const std::vector<Part> right = parts_of(value);
    for (const auto& [name, given] : parts)
      if (!is_same(part(right, name), given))
        throw LayoutError(fmt::format("the other parts imply that {} is {}, not {}", name,
                                      to_text(part(right, name)), to_text(given)));
    return value;
  }
  Findings findings;
  for (const auto& [name, value] : parts) {
    const auto* known = std::find(std::begin(kFindings), std::end(kFindings), name);
    if (known == std::end(kFindings))
      throw LayoutError(fmt::format("no value has a part '{}'", name.substr(0, 40)));
    findings.emplace_back(*known, to_tuple(value));
  }
  return findings;
}

}  // namespace vkmoye::bench
