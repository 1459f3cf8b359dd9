// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/compute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/dsl/titles.hpp"
#include "vkmoye/gen/dsl/value_loops.hpp"
#include "vkmoye/gen/ir/assumptions.hpp"
#include "vkmoye/gen/ir/with_values.hpp"
#include "vkmoye/layout/algebra.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

using ir::Body;

// --- views ---

template <class ChangeLayout>
View with_layouts(const View& view, ChangeLayout change) {
  View out = view;
  for (View::Axis& axis : out.axes) axis.values = change(axis.values);
  return out;
}

Layout with_stride_0(const IntTuple& shape) {
  return Layout(shape, shape.map<std::int64_t>([](std::int64_t) { return std::int64_t{0}; }));
}

std::vector<Layout> modes_of(const Layout& layout) {
  std::vector<Layout> modes;
  for (int i = 0; i < layout.rank(); ++i) modes.push_back(layout.mode(i));
  return modes;
}

// --- operands in the loops over the values ---

// Neighbouring leaves of the values are one loop if the elements of all operands continue, within one matrix: of
// (4,2):(1,4) and (4,2):(2,8) the 8 values.
void join_leaves(std::vector<ArrayView>& operands, std::vector<Layout>& others) {
  struct Joined {
    Layout* layout;
    std::int64_t most;  // extent * stride
    FlatModes modes = {};
  };
  std::vector<Joined> all;
  for (ArrayView& operand : operands) {
    if (operand.array->is_buffer()) return;  // along several axes
    const std::int64_t most =
        operand.array->matrix ? operand.of_matrix : std::numeric_limits<std::int64_t>::max();
    all.push_back({&operand.view.axes.front().values, most});
  }
  for (Layout& layout : others) all.push_back({&layout, std::numeric_limits<std::int64_t>::max()});
  const IntTuple shape = all.front().layout->shape();
  const auto fits = [&](const Joined& one) { return one.layout->shape() == shape; };
  if (!std::all_of(all.begin(), all.end(), fits)) return;
  for (int i = 0; i < shape.leaf_count(); ++i) {
    const auto leaf = [&](const Joined& one) {
      return one.layout->leaves()[static_cast<std::size_t>(i)];
    };
    const std::int64_t extent = shape.leaf(i);
    if (extent == 1) continue;
    const bool continues = std::all_of(all.begin(), all.end(), [&](const Joined& one) {
      if (one.modes.count == 0) return false;
      const Mode& last = one.modes.modes[one.modes.count - 1];
      return product_equals(last.extent, last.stride, leaf(one).stride) &&
             last.extent * last.stride * extent <= one.most;
    });
    for (Joined& one : all) {
      if (continues) {
        one.modes.modes[one.modes.count - 1].extent *= extent;
      } else {
        one.modes.push(leaf(one));
      }
    }
  }
  for (Joined& one : all) *one.layout = one.modes.layout();
}

std::string reduction_title(const View& to, Reduction reduction, const View& from) {
  const bool reduces = size(from.shape()) > size(to.shape());
  return reduction.title(to.name, (reduces ? "each of " : "") + from.name);
}

// What a title says of a computation of `values`, elements of the views `names`: "x - largest"; "f(x, largest)" if that
// is long, or needs statements.
std::string formula(const Computed& computed, ScalarType type, const std::vector<Expr>& values,
                    const std::vector<std::string>& names) {
  constexpr std::size_t kMaxColumns = 60;
  constexpr std::uint32_t kMaxDepth = 6;
  const std::string unknown = fmt::format("f({})", join(names, ", "));
  const Expr& value = computed.value;
  if (!computed.before.empty() || value->depth > kMaxDepth) return unknown;
  ir::Values views;
  for (std::size_t i = 0; i < values.size(); ++i) {
    views.emplace(values[i]->name, ir::variable(names[i], values[i]->type));
  }
  const bool is_element = value->type.is_element();
  const std::string text =
      ir::to_string(ir::with_values(is_element ? ir::convert(value, type) : value, views));
  return text.size() <= kMaxColumns ? text : unknown;
}

std::vector<ArrayView> broadcast_all(const std::vector<ArrayView>& from, const IntTuple& shape) {
  std::vector<ArrayView> out;
  for (const ArrayView& operand : from) {
    out.push_back({broadcast(operand.view, shape), operand.array, operand.of_matrix});
  }
  return out;
}

}  // namespace

View broadcast(const View& view, const IntTuple& shape) {
  const IntTuple mine = view.shape();
  if (mine == shape) return view;
  if (size(mine) == 1) {
    return with_layouts(view, [&](const Layout&) { return with_stride_0(shape); });
  }
  std::vector<std::string> wrong;
  for (int i = 0; i < std::min(mine.rank(), shape.rank()); ++i) {
    if (mine.mode(i) == shape.mode(i) || size(mine.mode(i)) == 1) continue;
    wrong.push_back(fmt::format("mode {}: {} is neither 1 nor {}", i, to_string(mine.mode(i)),
                                to_string(shape.mode(i))));
  }
  if (mine.rank() > shape.rank()) {
    wrong.push_back(fmt::format("rank {} is more than {}", mine.rank(), shape.rank()));
  }
  if (!wrong.empty()) {
    throw LayoutError(with_reasons(fmt::format("{}, shape {}, does not broadcast to {}", view.name,
                                               to_string(mine), to_string(shape)),
                                   wrong));
  }
  return with_layouts(view, [&](const Layout& values) {
    std::vector<Layout> modes = modes_of(values);
    for (int i = 0; i < shape.rank(); ++i) {
      if (i >= mine.rank()) {
        modes.push_back(with_stride_0(shape.mode(i)));
      } else if (mine.mode(i) != shape.mode(i)) {
        modes[static_cast<std::size_t>(i)] = with_stride_0(shape.mode(i));
      }
    }
    return make_layout(modes);
  });
}

View repeat(const View& view, int mode, const IntTuple& extent) {
  const int rank = view.axes.front().values.rank();
  if (mode < 0 || mode > rank) {
    throw LayoutError(fmt::format("repeat({}, {}, {}): the mode must be 0 to {}", view.name, mode,
                                  to_string(extent), rank));
  }
  return with_layouts(view, [&](const Layout& values) {
    std::vector<Layout> modes = modes_of(values);
    modes.insert(modes.begin() + mode, with_stride_0(extent));
    return make_layout(modes);
  });
}

View first_along(const View& view, const std::vector<int>& which) {
  const int rank = view.axes.front().values.rank();
  for (const int mode : which) {
    if (mode >= 0 && mode < rank) continue;
    throw LayoutError(
        fmt::format("first_along({}, {}): the view has modes 0 to {}", view.name, mode, rank - 1));
  }
  return with_layouts(view, [&](const Layout& values) {
    std::vector<Layout> modes = modes_of(values);
    for (const int mode : which) modes[static_cast<std::size_t>(mode)] = Layout();
    return make_layout(modes);
  });
}

std::string value_name(const Expr& value) {
  if (value->op == ir::Op::variable) return value->name;
  if (value->op != ir::Op::constant) return "one value";
  if (value->value == 0 || !value->type.is_element()) {
    return std::to_string(value->value);
  }
  const double number = number_of(value->type.element, value->value);
  if (std::isinf(number)) return number < 0 ? "-infinity" : "infinity";
  return value->type == ir::element(ScalarType::f32) ? fmt::format("{}", static_cast<float>(number))
                                                     : fmt::format("{}", number);
}

ir::Titled apply_statements(const ArrayView& to, const View& at, const Computation& compute,
                            const std::vector<ArrayView>& from) {
  std::vector<std::string> names;
  for (const ArrayView& operand : from) names.push_back(operand.view.name);
  std::vector<ArrayView> operands = broadcast_all(from, to.view.shape());
  operands.push_back(to);
  const View places = broadcast(at, to.view.shape());
  std::vector<Layout> of_places;
  for (const View::Axis& axis : places.axes) of_places.push_back(axis.values);
  join_leaves(operands, of_places);
  const ArrayView target = std::move(operands.back());
  operands.pop_back();
  const std::vector<ValueLoop> loops = loops_over(target.view.axes.front().values, {});
  std::vector<Expr> coordinates;
  for (std::size_t i = 0; i < places.axes.size(); ++i) {
    coordinates.push_back(origin(places.axes[i]) + loop_offset(of_places[i], loops));
  }
  std::string what;
  const auto iteration = [&](Body& body, const ir::Element& element,
                             const std::vector<Expr>& values) {
    const Computed computed = compute(values, coordinates);
    what = formula(computed, to.array->type, values, names);
    append(body, computed.before);
    const bool is_element = computed.value->type.is_element();
    body.emplace_back(ir::Store{
        element, is_element ? ir::convert(computed.value, to.array->type) : computed.value});
  };
  Body body = for_each_value(loops, target, operands, iteration);
  return {fmt::format("{}{} <- {}", to.view.name, place_text(to.view), what), std::move(body)};
}

ir::Titled accumulate_statements(const ArrayView& to, Reduction reduction, const ArrayView& from) {
  const ArrayView sum{broadcast(to.view, from.view.shape()), to.array, to.of_matrix};
  const auto iteration = [&](Body& body, const ir::Element& element,
                             const std::vector<Expr>& values) {
    const Expr next = ir::convert(values[1], to.array->type);
    body.emplace_back(ir::Store{element, reduction(values[0], next)});
  };
  std::vector<ArrayView> operands = {sum, from};
  std::vector<Layout> no_places;
  join_leaves(operands, no_places);
  return {reduction_title(to.view, reduction, from.view),
          for_each_value(loops_over(operands[0].view.axes.front().values, {}), operands[0],
                         operands, iteration)};
}

ir::Titled atomic_statements(const ArrayView& to, Reduction reduction, const ArrayView& from) {
  const auto iteration = [&](Body& body, const ir::Element& element,
                             const std::vector<Expr>& values) {
    const Expr next = ir::convert(values[0], to.array->type);
    body.emplace_back(ir::Atomic{element.array + "_before", reduction.op, element, next});
  };
  return {reduction_title(to.view, reduction, from.view) + ", atomically",
          for_each_value(loops_over(to.view.axes.front().values, {}), to,
                         broadcast_all({from}, to.view.shape()), iteration)};
}

// --- as members of the Builder ---

void Builder::apply(const View& to, const ElementFunction& function,
                    const std::vector<View>& from) {
  apply(
      to, to,
      [&](const std::vector<Expr>& values, const std::vector<Expr>&) { return function(values); },
      from);
}

void Builder::apply(const View& to, const View& at, const PlacedFunction& function,
                    const std::vector<View>& from) {
  take_grid_from(to);
  std::vector<ArrayView> operands;
  for (const View& view : from) {
    take_grid_from(view);
    operands.push_back(with_array(view));
  }
  // The statements that `function` records come after the loads and before the store.
  const auto compute = [&](const std::vector<Expr>& values, const std::vector<Expr>& coordinates) {
    Computed computed{{}, 0};
    computed.before = recorded([&] { computed.value = function(values, coordinates); });
    return computed;
  };
  ir::Titled block = apply_statements(with_array(to), at, compute, operands);
  const auto is_single = [this](const View& view) { return is_single_register(view); };
  if (is_single(to) && std::all_of(from.begin(), from.end(), is_single)) block.title.clear();
  add(std::move(block));
}

void Builder::assign(const View& to, const Expr& value) {
  with_title(is_single_register(to) ? "" : fmt::format("{} <- {}", to.name, value_name(value)),
             [&] { apply(to, [&](const std::vector<Expr>&) { return value; }, {}); });
}

void Builder::assign(const View& to, double value) { assign(to, ir::number(type_of(to), value)); }

void Builder::accumulate(const View& to, Reduction reduction, const View& from) {
  take_grid_from(to);
  take_grid_from(from);
  ir::Titled block = accumulate_statements(with_array(to), reduction, with_array(from));
  if (is_single_register(to) && is_single_register(from)) block.title.clear();
  add(std::move(block));
}

void Builder::accumulate_atomically(const View& to, Reduction reduction, const View& from) {
  take_grid_from(to);
  take_grid_from(from);
  add(atomic_statements(with_array(to), reduction, with_array(from)));
}

Expr Builder::accumulate_atomically(const std::string& name, const ir::Element& to,
                                    Reduction reduction, const Expr& value) {
  const ir::Array& target = array(to.array, to.source_text);
  kernel_.body.emplace_back(ir::Atomic{name, reduction.op, to, ir::convert(value, target.type)});
  return ir::variable(name, ir::element(target.type));
}

Expr Builder::let(const std::string& name, const Expr& value) {
  kernel_.body.emplace_back(ir::Let{name, value});
  return ir::variable(name, value->type, value->bound, value->alignment);
}

Expr Builder::let_exact(const std::string& name, const Expr& value) {
  kernel_.body.emplace_back(ir::Let{name, value, /*exact=*/true});
  return ir::variable(name, value->type);
}

ir::Element Builder::element_of(const View& view, const char* access) {
  const std::int64_t count = size(view.shape());
  const ir::Array& of = array(view);
  const bool is_vector = of.space != ir::Array::Space::buffer && view.swizzle.bits() == 0 &&
                         coalesce(view.axes.front().values) == Layout(count) &&
                         ir::is_width(of.type, to_index(count));
  if (count != 1 && !is_vector) {
    throw LayoutError(fmt::format(
        "{} of {}: the shape {} has {} values, not one, and they are no vector of consecutive ones",
        access, view.name, to_string(view.shape()), count));
  }
  take_grid_from(view);
  ir::Element element{view.array, {}, view.name, to_index(count)};
  for (const View::Axis& axis : view.axes) {
    element.coordinates.push_back(swizzled(view.swizzle, origin(axis)));
  }
  return element;
}

Expr Builder::load(const std::string& name, const View& view) {
  return load(name, element_of(view, "load"));
}

void Builder::store(const Expr& value, const View& view) {
  store(value, element_of(view, "store"));
}

Expr Builder::load(const std::string& name, const ir::Element& from) {
  const ir::Type type = ir::type_of(from, array(from.array, name));
  kernel_.body.emplace_back(ir::Load{name, from});
  return ir::variable(name, type);
}

void Builder::store(const Expr& value, const ir::Element& to) {
  kernel_.body.emplace_back(ir::Store{to, value});
}

}  // namespace vkmoye::gen
