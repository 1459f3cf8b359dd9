// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/copy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/compute.hpp"
#include "vkmoye/gen/dsl/copy_accesses.hpp"
#include "vkmoye/gen/dsl/titles.hpp"
#include "vkmoye/gen/ir/guards.hpp"
#include "vkmoye/layout/refine.hpp"

namespace vkmoye::gen {
namespace {

using ir::Body;

Body guarded(const Conditions& conditions, Body body) {
  if (conditions.empty()) return body;
  return ir::statements(ir::If{conjunction(conditions), std::move(body)});
}

// --- common to all copies: loads, values that may be rearranged, stores ---

// The values of one iteration after `loads`.
struct Loaded {
  Body loads;
  std::vector<Expr> whole;   // one vector for each access
  std::vector<Expr> values;  // the single elements
};

// `zero_outside`: a value outside is 0; its load must still be in range. `first`: the number of the
// first load, if the copy has loads other than those of `from`.
Loaded loaded(const ViewAccesses& from, ScalarType type, bool zero_outside,
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
    for (std::uint32_t c = 0; c < width; ++c) {
      out.values[access.values[c]] = width == 1 ? value : ir::component(value, c);
    }
  }
  return out;
}

// The value to store to `access`: a loaded vector if one has exactly these elements, else a new one.
Expr value_for(const ContiguousAccess& access, const ViewAccesses& from, const Loaded& loaded,
               ScalarType type) {
  for (std::size_t i = 0; i < from.accesses.size(); ++i) {
    if (from.accesses[i].values == access.values) return ir::convert(loaded.whole[i], type);
  }
  std::vector<Expr> parts;
  // Converted one by one: the loaded type may have no vector of this many elements.
  for (const std::size_t value : access.values) {
    parts.push_back(ir::convert(loaded.values[value], type));
  }
  return parts.size() == 1 ? parts.front() : ir::vector(parts);
}

// The stores of one iteration that set `to` to a number.
Body fills(const ViewAccesses& to, ScalarType type, std::uint32_t value) {
  Body body;
  for (const ContiguousAccess& access : to.accesses) {
    Expr number = ir::number(type, value);
    if (access.element.width > 1)
      number = ir::vector(std::vector<Expr>(access.element.width, number));
    body.emplace_back(ir::Store{access.element, number});
  }
  return body;
}

// Leaves out the names of `to` that stand for what a name of `from` stands for, and adds them to `names`.
void take_names(const Body& from, Body& to, ir::Definitions& names) {
  Body own;
  for (const ir::Stmt& statement : to) {
    auto let = std::get<ir::Let>(statement.value);
    let.value = ir::expand(let.value, names);
    const auto known = std::find_if(from.begin(), from.end(), [&](const ir::Stmt& other) {
      return ir::same(std::get<ir::Let>(other.value).value, let.value);
    });
    if (known == from.end()) {
      own.emplace_back(std::move(let));
      continue;
    }
    names.emplace(let.name, ir::variable(std::get<ir::Let>(known->value).name, ir::kIndex,
                                         let.value->bound, let.value->alignment));
  }
  to = std::move(own);
}

// A coordinate that both sides have is named once, and checked once: dst[src_row] = src[src_row].
void share_names(const ViewAccesses& from, ViewAccesses& to) {
  ir::Definitions names;
  take_names(from.names_before, to.names_before, names);
  take_names(from.names_inside, to.names_inside, names);
  if (names.empty()) return;
  const auto rename_compared = [&](Conditions& conditions) {
    for (Expr& condition : conditions) {
      std::vector<Expr> compared;
      for (const Expr& e : condition->operands) compared.push_back(ir::expand(e, names));
      condition = ir::with_operands(condition, compared);
    }
  };
  rename_compared(to.inside_before);
  rename_compared(to.inside_each_iteration);
  for (ContiguousAccess& access : to.accesses) {
    rename_compared(access.inside);
    for (Expr& at : access.element.coordinates) at = ir::expand(at, names);
  }
}

enum class Side : std::uint8_t { load, elementwise_load, store };

// --- in loops ---

ViewAccesses accesses_in_loops(const View& view, const ir::Array& array, const Vector& vector,
                               Edges edges, Side side) {
  const bool is_elementwise = side == Side::elementwise_load;
  const bool at_once = !is_elementwise && width_of(view, array, vector).elements == vector.count;
  const bool clamps =
      (edges == Edges::clamp && side != Side::store) || (edges == Edges::zero && is_elementwise);
  return accesses_of(view, array,
                     {.name = array.name,
                      .loops = loops_over(view.axes.front().values, vector),
                      .vector = vector,
                      .width = at_once ? vector.count : 1,
                      .outside = edges == Edges::inside ? Outside::never
                                 : clamps               ? Outside::clamped
                                                        : Outside::guarded});
}

Body in_loops(const View& from, const ir::Array& from_array, const View& to,
              const ir::Array& to_array, const Vector& vector, const CopyOptions& options) {
  const Edges edges = options.edges;
  const bool elementwise = options.from_elementwise;
  const ViewAccesses source = accesses_in_loops(from, from_array, vector, edges,
                                                elementwise ? Side::elementwise_load : Side::load);
  ViewAccesses target = accesses_in_loops(to, to_array, vector, edges, Side::store);
  share_names(source, target);
  const Loaded values = loaded(source, from_array.type, elementwise && edges == Edges::zero);
  Body move = values.loads;
  for (const ContiguousAccess& access : target.accesses) {
    move.emplace_back(ir::Store{access.element, value_for(access, source, values, to_array.type)});
  }
  Conditions before = source.inside_before, each_iteration = source.inside_each_iteration;
  if (edges == Edges::zero) {
    // The conditions of `from` choose between its value and 0; those of `to` guard the store.
    const Conditions all = all_of({before, each_iteration});
    if (!all.empty()) {
      move = ir::statements(
          ir::If{conjunction(all), std::move(move), fills(target, to_array.type, 0)});
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
  const bool has_registers = from_array.is_registers() || to_array.is_registers();
  const ir::Unroll unroll = has_registers ? ir::Unroll::always : ir::Unroll::free;
  append(body, guarded(before, nest(loops_over(from.axes.front().values, vector), unroll,
                                    std::move(inside))));
  return body;
}

// --- loads first ---

ViewAccesses accesses_at_once(const View& view, const ir::Array& array, const std::string& name,
                              std::uint32_t bytes, const CopyOptions& how, Side side) {
  AccessOptions options = {.name = name};
  options.width = to_index(width_of(view, array, bytes).elements);
  if (!array.is_buffer() || how.edges == Edges::inside) return accesses_of(view, array, options);
  options.outside = side == Side::store ? Outside::guarded : Outside::clamped;
  if (!how.vectors_fit) {
    // If the vector width divides the extent and all strides, each vector is entirely inside or outside.
    const Expr extent = end_of(view, array, 0);
    options.width = ir::is_constant(extent) ? std::gcd(options.width, extent->value) : 1;
    for (const ir::Axis& axis : array.axes) {
      if (&axis == &array.axes[0]) continue;
      options.width =
          std::gcd(options.width, ir::is_constant(axis.stride) ? axis.stride->value : 1);
    }
  }
  return accesses_of(view, array, options);
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

Body loads_first(const std::vector<std::pair<View, View>>& pairs, const ir::Array& from_array,
                 const ir::Array& to_array, const CopyOptions& options) {
  const bool is_only = pairs.size() == 1;
  std::size_t loads = 0;
  Body body, stores;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::string number = is_only ? "" : std::to_string(i);
    const ViewAccesses source =
        accesses_at_once(pairs[i].first, from_array, from_array.name + number, options.from_bytes,
                         options, Side::load);
    ViewAccesses target = accesses_at_once(pairs[i].second, to_array, to_array.name + number,
                                           options.to_bytes, options, Side::store);
    share_names(source, target);
    const Loaded values = loaded(source, from_array.type, options.edges == Edges::zero,
                                 is_only ? std::nullopt : std::optional(loads));
    loads += source.accesses.size();
    append(body, source.names_before);
    append(body, values.loads);
    append(stores, target.names_before);
    std::vector<ir::Store> of_pair;
    for (const ContiguousAccess& access : target.accesses) {
      of_pair.push_back({access.element, value_for(access, source, values, to_array.type)});
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
void check_vector(const View& from, const View& to, const ir::Array& array, const Vector& vector) {
  const auto leaves = from.axes.front().values.leaves();
  const std::int64_t extent = vector.leaf < leaves.size() ? leaves[vector.leaf].extent : 1;
  const bool is_width = array.is_registers() || ir::is_width(array.type, vector.count);
  if (is_width && extent % vector.count == 0) return;
  refuse(from, to,
         fmt::format(
             "vectors of {} {} along leaf {} of the values {}, of extent {}: a vector has a power "
             "of two of elements, at most 16 bytes, and must divide the extent",
             vector.count, to_string(array.type), vector.leaf, to_string(from.shape()), extent));
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

// Both views with a common refinement of their leaves, so that the same loops run over both.
std::pair<View, View> with_common_leaves(const View& from, const View& to) {
  std::vector<Layout> layouts;
  bool same_shape = true;
  for (const View* view : {&from, &to}) {
    for (const View::Axis& axis : view->axes) {
      layouts.push_back(axis.values);
      same_shape = same_shape && axis.values.shape() == from.shape();
    }
  }
  std::pair<View, View> out{from, to};
  if (same_shape) return out;
  const auto refined = common_refinement(layouts);
  if (!refined) {
    refuse(from, to,
           fmt::format("the shapes {} and {} have no common refinement", to_string(from.shape()),
                       to_string(to.shape())));
  }
  auto next = refined->begin();
  for (View* view : {&out.first, &out.second}) {
    for (View::Axis& axis : view->axes) axis.values = *next++;
  }
  return out;
}

}  // namespace

ir::Block copy_statements(const std::vector<std::pair<View, View>>& pairs,
                          const ir::Array& from_array, const ir::Array& to_array,
                          const CopyOptions& options) {
  std::int64_t values = 0;
  for (const auto& [from, to] : pairs) {
    check_shapes(from, to);
    values += size(from.shape());
  }
  const auto& [from, to] = pairs.front();
  check_loads_first(from, to, values);
  const std::string others =
      pairs.size() > 1 ? fmt::format("\n{} of them, all loads before the stores", pairs.size())
                       : "";
  return {copy_title(from, to) + others, loads_first(pairs, from_array, to_array, options)};
}

ir::Block copy_statements(const View& whole_from, const ir::Array& from_array, const View& target,
                          const ir::Array& to_array, const CopyOptions& options) {
  const bool are_single = size(whole_from.shape()) == 1 && size(target.shape()) == 1;
  const View whole_to = are_single ? broadcast(target, whole_from.shape()) : target;
  if (options.loads_first) {
    return copy_statements({{whole_from, whole_to}}, from_array, to_array, options);
  }
  check_shapes(whole_from, whole_to);
  const auto [from, to] = with_common_leaves(whole_from, whole_to);
  const Vector vector = options.vector;
  check_vector(from, to, from_array, vector);
  check_vector(from, to, to_array, vector);
  if (options.edges == Edges::clamp && vector.count > 1) {
    refuse(from, to, "vectors cannot be clamped: one may be partly inside");
  }
  Conditions conditions;
  if (!options.vectors_fit && !options.from_elementwise) {
    conditions = all_of(
        {fits(from, from_array, vector, options.edges), fits(to, to_array, vector, options.edges)});
  }
  const View &source = from, &aim = to;  // clang 14 does not capture a binding
  const auto body = [&](const Vector& moved) {
    return in_loops(source, from_array, aim, to_array, moved, options);
  };
  ir::Block block{copy_title(from, to), {}};
  block.body =
      conditions.empty()
          ? body(vector)
          : ir::statements(ir::If{
                conjunction(conditions),
                under_title(fmt::format("{} elements at a time", vector.count), body(vector)),
                under_title("one element at a time", body({1, vector.leaf}))});
  return block;
}

ir::Block fill_statements(const View& view, const ir::Array& to_array, std::uint32_t value) {
  View to = view;
  if (!to_array.is_buffer()) to.axes.front().values = coalesce(to.axes.front().values);
  const ViewAccesses target = accesses_in_loops(to, to_array, {}, Edges::skip, Side::store);
  Body inside = target.names_inside;
  append(inside, guarded(target.inside_each_iteration, fills(target, to_array.type, value)));
  ir::Block block{fmt::format("{} <- {}", to.name, value), target.names_before};
  const ir::Unroll unroll = to_array.is_registers() ? ir::Unroll::always : ir::Unroll::free;
  append(block.body, guarded(target.inside_before, nest(loops_over(to.axes.front().values, {}),
                                                        unroll, std::move(inside))));
  return block;
}

}  // namespace vkmoye::gen
