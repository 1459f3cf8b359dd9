// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/copy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/accesses.hpp"
#include "vkmoye/gen/dsl/compute.hpp"
#include "vkmoye/gen/dsl/titles.hpp"
#include "vkmoye/gen/ir/guards.hpp"

namespace vkmoye::gen {
namespace {

using ir::Body;

Body guarded(const Conditions& conditions, Body body) {
  if (conditions.empty()) return body;
  return ir::statements(ir::If{conjunction(conditions), std::move(body)});
}

// --- common to all copies: loads, values that may be rearranged, stores ---

// The values of one iteration after `loads`, then `decoded`.
struct Loaded {
  Body loads;
  Body decoded;              // numbers of codes, four at a time
  std::vector<Expr> whole;   // one vector for each access
  std::vector<Expr> values;  // the single elements
};

// Adds the numbers of a vector of codes, whose elements have the places `values`.
void decode(const Expr& vector, const std::string& name, const std::vector<std::size_t>& values,
            Loaded& out) {
  const Expr words = ir::bitcast(vector, ScalarType::u32);
  for (std::uint32_t word = 0; word < values.size() / 4; ++word) {
    const Expr codes = values.size() == 4 ? words : ir::component(words, word);
    const std::string four = fmt::format("{}_{}", name, "xyzw"[word]);
    out.decoded.emplace_back(ir::Let{four, ir::numbers_of_word(codes, vector->type.element)});
    const Expr numbers = ir::variable(four, ir::element(ScalarType::f32, 4));
    for (std::uint32_t c = 0; c < 4; ++c)
      out.values[values[4 * word + c]] = ir::component(numbers, c);
  }
}

// `zero_outside`: a value outside is 0; its load must still be in range. `first`: the number of the
// first load, if the copy has loads other than those of `from`. `to`: the type that the values are converted to.
Loaded loaded(const ViewAccesses& from, ScalarType type, ScalarType to, bool zero_outside,
              std::optional<std::size_t> first = {}) {
  Loaded out;
  std::size_t count = 0;
  for (const ContiguousAccess& access : from.accesses) count += access.values.size();
  out.values.assign(count, Expr(0));
  for (std::size_t i = 0; i < from.accesses.size(); ++i) {
    const ContiguousAccess& access = from.accesses[i];
    const std::uint32_t width = access.element.width;
    const bool is_only = !first && from.accesses.size() == 1;
    const std::string name = is_only ? "value" : fmt::format("value{}", first.value_or(0) + i);
    out.loads.emplace_back(ir::Load{name, access.element});
    Expr value = ir::variable(name, ir::element(type, width));
    if (zero_outside && !access.inside.empty()) {
      Expr zero = ir::number(type, 0);
      if (width > 1) zero = ir::vector(std::vector<Expr>(width, zero));
      value = ir::select(conjunction(access.inside), value, zero);
    }
    out.whole.push_back(value);
    if (is_code(type) && size_of(type) == 1 && to != type && width >= 4) {
      ir::convert(ir::component(value, 0), to);  // refused as a single one is
      decode(value, name, access.values, out);
      continue;
    }
    for (std::uint32_t c = 0; c < width; ++c) {
      out.values[access.values[c]] = width == 1 ? value : ir::component(value, c);
    }
  }
  return out;
}

// The value to store to `access`: a loaded vector if one has exactly these elements, else a new one.
Expr value_for(const ContiguousAccess& access, const ViewAccesses& from, const Loaded& loaded,
               ScalarType type) {
  for (std::size_t i = 0; i < from.accesses.size() && loaded.decoded.empty(); ++i) {
    if (from.accesses[i].values == access.values) return ir::convert(loaded.whole[i], type);
  }
  std::vector<Expr> parts;
  // Converted one by one: the loaded type may have no vector of this many elements.
  for (const std::size_t value : access.values) {
    parts.push_back(ir::convert(loaded.values[value], type));
  }
  if (parts.size() == 1) return parts.front();
  // A vector that was decoded may have exactly these elements.
  if (ir::is_whole_vector(parts)) return parts.front()->operands[0];
  return ir::vector(parts);
}

// The stores of one iteration that set `to` to 0.
Body zeros(const ViewAccesses& to, ScalarType type) {
  Body body;
  for (const ContiguousAccess& access : to.accesses) {
    Expr number = ir::number(type, 0);
    if (access.element.width > 1)
      number = ir::vector(std::vector<Expr>(access.element.width, number));
    body.emplace_back(ir::Store{access.element, number});
  }
  return body;
}

enum class Side : std::uint8_t { load, load_one_by_one, store };

// --- in loops ---

ViewAccesses accesses_in_loops(const ArrayView& of, const Vector& vector, Edges edges, Side side,
                               const ViewAccesses& known = {}) {
  const bool is_elementwise = side == Side::load_one_by_one;
  const bool at_once = !is_elementwise && moves_whole(of, vector);
  const bool clamps =
      (edges == Edges::clamp && side != Side::store) || (edges == Edges::zero && is_elementwise);
  return accesses_of(of,
                     {.name = of.array->name,
                      .loops = loops_over(of.view.axes.front().values, vector),
                      .vector = vector,
                      .width = at_once ? vector.count : 1,
                      .outside = edges == Edges::inside ? Outside::never
                                 : clamps               ? Outside::clamped
                                                        : Outside::guarded},
                     known);
}

Body in_loops(const ArrayView& from, const ArrayView& to, const Vector& vector,
              const CopyOptions& options) {
  const Edges edges = options.edges;
  const bool elementwise = options.one_by_one;
  const ScalarType type = to.array->type;
  const ViewAccesses source =
      accesses_in_loops(from, vector, edges, elementwise ? Side::load_one_by_one : Side::load);
  const ViewAccesses target = accesses_in_loops(to, vector, edges, Side::store, source);
  const Loaded values = loaded(source, from.array->type, type, elementwise && edges == Edges::zero);
  Body move = values.loads;
  append(move, values.decoded);
  for (const ContiguousAccess& access : target.accesses) {
    move.emplace_back(ir::Store{access.element, value_for(access, source, values, type)});
  }
  Conditions before = source.inside_before, each_iteration = source.inside_each_iteration;
  if (edges == Edges::zero) {
    // The conditions of `from` choose between its value and 0; those of `to` guard the store.
    const Conditions all = all_of({before, each_iteration});
    if (!all.empty()) {
      move = ir::statements(ir::If{conjunction(all), std::move(move), zeros(target, type)});
    }
    before = each_iteration = {};
  }
  before = all_of({before, target.inside_before});
  each_iteration = all_of({each_iteration, target.inside_each_iteration});
  Body inside = source.names_inside;
  append(inside, target.names_inside);
  append(inside, guarded(each_iteration, std::move(move)));

  Body body = source.names_before;
  append(body, target.names_before);
  const bool has_registers = from.array->is_registers() || to.array->is_registers();
  const ir::Unroll unroll = has_registers ? ir::Unroll::always : ir::Unroll::free;
  append(body, guarded(before, nest(loops_over(from.view.axes.front().values, vector), unroll,
                                    std::move(inside))));
  return body;
}

// --- loads first ---

ViewAccesses accesses_at_once(const ArrayView& of, const std::string& number, std::uint32_t bytes,
                              const CopyOptions& how, Side side, const ViewAccesses& known = {}) {
  const ir::Array& array = *of.array;
  AccessOptions options = {.name = array.name + number};
  options.width = to_index(width_of(of, bytes).elements);
  if (!array.is_buffer() || how.edges == Edges::inside) return accesses_of(of, options, known);
  options.outside = side == Side::store ? Outside::guarded : Outside::clamped;
  if (!how.vectors_fit) {
    // If the vector width divides the extent and all strides, each vector is entirely inside or outside.
    const Expr extent = end_of(of, 0);
    options.width = ir::is_constant(extent) ? std::gcd(options.width, extent->value) : 1;
    for (const ir::Axis& axis : array.axes) {
      if (&axis == &array.axes[0]) continue;
      options.width =
          std::gcd(options.width, ir::is_constant(axis.stride) ? axis.stride->value : 1);
    }
  }
  return accesses_of(of, options, known);
}

// `stores`, each where the values that it stores are inside `from`, and inside `to`. Stores of the values of one load
// share its conditions.
Body where_inside(const ViewAccesses& from, const ViewAccesses& to, std::vector<ir::Store> stores,
                  Edges edges) {
  Body out;
  Conditions shared;
  Body of_shared;
  const auto end_shared = [&] { append(out, guarded(shared, std::exchange(of_shared, {}))); };
  for (std::size_t i = 0; i < stores.size(); ++i) {
    Conditions conditions = to.accesses[i].inside;
    if (edges == Edges::skip) {
      for (const ContiguousAccess& load : from.accesses) {
        const bool has_value =
            std::any_of(load.values.begin(), load.values.end(), [&](std::size_t value) {
              return std::find(to.accesses[i].values.begin(), to.accesses[i].values.end(), value) !=
                     to.accesses[i].values.end();
            });
        if (has_value) conditions = all_of({conditions, load.inside});
      }
    }
    const bool are_same =
        std::equal(conditions.begin(), conditions.end(), shared.begin(), shared.end(),
                   [](const Expr& one, const Expr& other) { return ir::same(one, other); });
    if (!are_same) end_shared();
    shared = std::move(conditions);
    of_shared.emplace_back(std::move(stores[i]));
  }
  end_shared();
  return out;
}

Body loads_first(const std::vector<std::pair<ArrayView, ArrayView>>& pairs,
                 const CopyOptions& options) {
  const bool is_only = pairs.size() == 1;
  std::size_t loads = 0;
  Body body, stores;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& [from, to] = pairs[i];
    const std::string number = is_only ? "" : std::to_string(i);
    const ViewAccesses source =
        accesses_at_once(from, number, options.from_bytes, options, Side::load);
    const ViewAccesses target =
        accesses_at_once(to, number, options.to_bytes, options, Side::store, source);
    const Loaded values =
        loaded(source, from.array->type, to.array->type, options.edges == Edges::zero,
               is_only ? std::nullopt : std::optional(loads));
    loads += source.accesses.size();
    append(body, source.names_before);
    append(body, values.loads);
    append(stores, values.decoded);
    append(stores, target.names_before);
    std::vector<ir::Store> of_pair;
    for (const ContiguousAccess& access : target.accesses) {
      of_pair.push_back({access.element, value_for(access, source, values, to.array->type)});
    }
    append(stores, where_inside(source, target, std::move(of_pair), options.edges));
  }
  append(body, stores);
  return body;
}

std::string copy_title(const View& from, const View& to) {
  return fmt::format("copy {}{}\n  to {}{}", from.name, place_text(from), to.name, place_text(to));
}

// --- checks ---

[[noreturn]] void refuse(const View& from, const View& to, const std::string& why) {
  throw LayoutError(fmt::format("copy of {} to {}: {}", from.name, to.name, why));
}

// Registers are accessed one by one, whatever the width on the other side.
void check_vector(const ArrayView& from, const ArrayView& to, const Vector& vector) {
  const auto leaves = from.view.axes.front().values.leaves();
  const std::int64_t extent = vector.leaf < leaves.size() ? leaves[vector.leaf].extent : 1;
  for (const ir::Array* array : {from.array, to.array}) {
    const bool is_width = array->is_registers() || ir::is_width(array->type, vector.count);
    if (is_width && extent % vector.count == 0) continue;
    refuse(from.view, to.view,
           fmt::format("vectors of {} {} along leaf {} of the values {}, of extent {}: a vector "
                       "has a power of two of elements, at most 16 bytes, and must divide the "
                       "extent",
                       vector.count, to_string(array->type), vector.leaf,
                       to_string(from.view.shape()), extent));
  }
}

// Compares the shapes mode by mode; a shape without modes, such as 8, counts as one mode.
void check_shapes(const View& from, const View& to) {
  const auto sizes = [](const IntTuple& shape) {
    return shape.is_leaf() ? IntTuple{shape.leaf(0)} : product_each(shape);
  };
  if (sizes(from.shape()) == sizes(to.shape())) return;
  refuse(
      from, to,
      fmt::format("the shapes {} and {} differ", to_string(from.shape()), to_string(to.shape())));
}

void check_loads_first(const View& from, const View& to, std::int64_t values) {
  if (values <= kMaxValuesAtOnce) return;
  refuse(from, to,
         fmt::format("{} values for each thread, but at most {} can be loaded first", values,
                     kMaxValuesAtOnce));
}

// Splits the leaves of both views, so that the same loops run over both.
void share_leaves(View& from, View& to) {
  const IntTuple from_shape = from.shape(), to_shape = to.shape();
  std::vector<Layout*> layouts;
  for (View* view : {&from, &to}) {
    for (View::Axis& axis : view->axes) layouts.push_back(&axis.values);
  }
  if (gen::share_leaves(layouts)) return;
  refuse(from, to,
         fmt::format("the shapes {} and {} have no common refinement", to_string(from_shape),
                     to_string(to_shape)));
}

}  // namespace

ir::Titled copy_statements(const std::vector<std::pair<ArrayView, ArrayView>>& pairs,
                           const CopyOptions& options) {
  std::int64_t values = 0;
  for (const auto& [from, to] : pairs) {
    check_shapes(from.view, to.view);
    values += size(from.view.shape());
  }
  const View &from = pairs.front().first.view, &to = pairs.front().second.view;
  check_loads_first(from, to, values);
  const std::string others =
      pairs.size() > 1 ? fmt::format("\n{} of them, all loads before the stores", pairs.size())
                       : "";
  return {copy_title(from, to) + others, loads_first(pairs, options)};
}

ir::Titled copy_statements(const ArrayView& source, const ArrayView& target,
                           const CopyOptions& options) {
  ArrayView from = source, to = target;
  const bool are_single = size(from.view.shape()) == 1 && size(to.view.shape()) == 1;
  if (are_single) to.view = broadcast(to.view, from.view.shape());
  if (options.loads_first) return copy_statements({{from, to}}, options);
  check_shapes(from.view, to.view);
  share_leaves(from.view, to.view);
  const Vector vector = options.vector;
  check_vector(from, to, vector);
  if (options.edges == Edges::clamp && vector.count > 1) {
    refuse(from.view, to.view, "vectors cannot be clamped: one may be partly inside");
  }
  Conditions conditions;
  if (!options.vectors_fit && !options.one_by_one) {
    conditions = all_of({fits(from, vector, options.edges), fits(to, vector, options.edges)});
  }
  const auto body = [&](const Vector& moved) { return in_loops(from, to, moved, options); };
  ir::Titled block{copy_title(from.view, to.view), {}};
  block.body =
      conditions.empty()
          ? body(vector)
          : ir::statements(ir::If{
                conjunction(conditions),
                under_title(fmt::format("{} elements at a time", vector.count), body(vector)),
                under_title("one element at a time", body({1, vector.leaf}))});
  return block;
}

}  // namespace vkmoye::gen
