#include "vkmoye/gen/dsl/copy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "vkmoye/gen/ir/guards.hpp"

namespace vkmoye::gen {
namespace {

using ir::Body;

// What is moved at once: `width` values along leaf `leaf` of the value shape.
struct Vector {
  std::uint32_t width;
  std::size_t leaf;
};

// One loop for each leaf of the value shape that has more than one value; over the vectors' leaf in
// steps of their width.
struct Loop {
  std::size_t leaf;
  std::string variable;
  std::uint32_t extent;  // rounds
  std::uint32_t step;    // values of the leaf in a round
};

std::vector<Loop> loops_over(const Layout& values, const Vector& vector) {
  std::vector<Loop> loops;
  const auto leaves = values.leaves();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const std::uint32_t step = i == vector.leaf ? vector.width : 1;
    const auto rounds = static_cast<std::uint32_t>(leaves[i].extent) / step;
    if (rounds > 1) loops.push_back({i, fmt::format("v{}", i), rounds, step});
  }
  return loops;
}

std::uint32_t stride_of(const Layout& values, std::size_t leaf) {
  return static_cast<std::uint32_t>(values.leaves()[leaf].stride);
}

// The part of an axis that changes with the loop variables.
Expr varying(const Layout& values, const std::vector<Loop>& loops) {
  Expr sum = 0;
  for (const Loop& loop : loops) {
    sum = sum + Expr(loop.step * stride_of(values, loop.leaf)) *
                    ir::variable(loop.variable, ir::kIndex, loop.extent);
  }
  return sum;
}

// Conditions that must all hold.
using Guards = std::vector<Expr>;

Expr all_of(const Guards& guards) {
  Expr all = guards.front();
  for (std::size_t i = 1; i < guards.size(); ++i) all = ir::logical_and(all, guards[i]);
  return all;
}

// Names `value` unless it is a name or a number already.
Expr named(Body& body, const std::string& name, const Expr& value) {
  if (value->op == ir::Op::constant || value->op == ir::Op::variable) return value;
  body.emplace_back(ir::Let{name, value});
  return ir::variable(name, ir::kIndex, value->bound, value->alignment);
}

// One side of the copy: the statements before and inside the loops, the guards of each, and the
// elements that one round touches: one vector, or each of `vector` elements by itself.
struct Side {
  Body before, inside;
  Guards guards_before, guards_inside;
  std::vector<ir::Element> elements;
};

// Whether the vectors of `view` are neighbours in memory, from multiples of their width on.
// Registers are touched one by one.
bool is_wide(const View& view, const ir::Array& array, const Vector& vector) {
  if (vector.width == 1 || array.space == ir::Array::Space::registers) return false;
  for (std::size_t i = 0; i < view.axes.size(); ++i) {
    const Layout& values = view.axes[i].values;
    if (stride_of(values, vector.leaf) != (i == 0 ? 1u : 0u)) return false;
  }
  const View::Axis& axis = view.axes.front();
  bool aligned = axis.origin->alignment % vector.width == 0;
  for (std::size_t leaf = 0; leaf < axis.values.leaves().size(); ++leaf) {
    const bool moves = leaf != vector.leaf && axis.values.leaves()[leaf].extent > 1;
    aligned = aligned && (!moves || stride_of(axis.values, leaf) % vector.width == 0);
  }
  return aligned;
}

Side side(const View& view, const ir::Array& array, const std::vector<Loop>& loops,
          const Vector& vector, bool inside) {
  const bool wide = is_wide(view, array, vector);
  const bool is_buffer = array.space == ir::Array::Space::buffer;
  Side out;
  out.elements.assign(wide ? 1 : vector.width,
                      {array.name, {}, view.name, wide ? vector.width : 1});
  for (std::size_t i = 0; i < view.axes.size(); ++i) {
    const ir::Axis& axis = array.axes[i];
    const Expr change = varying(view.axes[i].values, loops);
    const bool varies = !ir::is_constant(change, 0);
    const std::string name = array.name + "_" + axis.coordinate;

    Expr coordinate =
        named(out.before, varies && is_buffer ? name + "0" : name, view.axes[i].origin);
    if (varies) {
      coordinate = coordinate + change;
      if (is_buffer) coordinate = named(out.inside, name, coordinate);
    }
    if (is_buffer && !inside) {
      // For all elements of a round: the extent is a multiple of `vector` where that is above 1.
      (varies ? out.guards_inside : out.guards_before)
          .push_back(ir::less(coordinate, ir::extent_of(axis)));
    }
    const std::uint32_t step = vector.width == 1 ? 0 : stride_of(view.axes[i].values, vector.leaf);
    for (std::size_t element = 0; element < out.elements.size(); ++element) {
      out.elements[element].coordinates.push_back(coordinate +
                                                  Expr(static_cast<std::uint32_t>(element) * step));
    }
  }
  return out;
}

Body guarded(Guards first, const Guards& second, Body body) {
  first.insert(first.end(), second.begin(), second.end());
  if (first.empty()) return body;
  return ir::statements(ir::If{all_of(first), std::move(body)});
}

void append(Body& body, const Body& more) { body.insert(body.end(), more.begin(), more.end()); }

// The loads and stores of one round.
Body moves(const Side& from, ScalarType type, const Side& to, ScalarType to_type) {
  Body body;
  std::vector<Expr> values;  // one for each element that is moved
  for (std::size_t i = 0; i < from.elements.size(); ++i) {
    const ir::Element& element = from.elements[i];
    const std::string name = from.elements.size() == 1 ? "value" : fmt::format("value{}", i);
    body.emplace_back(ir::Load{name, element});
    const Expr value = ir::variable(name, ir::element(type, element.width));
    if (element.width == 1) {
      values.push_back(value);
    } else if (to.elements.size() == 1) {
      values = {value};  // as wide as it is stored
    } else {
      for (std::uint32_t c = 0; c < element.width; ++c) values.push_back(ir::component(value, c));
    }
  }
  if (to.elements.size() == 1 && values.size() > 1) values = {ir::vector(values)};
  for (std::size_t i = 0; i < to.elements.size(); ++i) {
    body.emplace_back(ir::Store{to.elements[i], ir::convert(values[i], to_type)});
  }
  return body;
}

// The stores of one round that make `to` a number.
Body fills(const Side& to, ScalarType type, std::uint32_t value) {
  Body body;
  for (const ir::Element& element : to.elements) {
    Expr number = ir::number(type, value);
    if (element.width > 1) number = ir::vector(std::vector<Expr>(element.width, number));
    body.emplace_back(ir::Store{element, number});
  }
  return body;
}

// `inside` for each round of `loops`; the first leaf varies fastest: its loop is the innermost.
Body nest(const std::vector<Loop>& loops, bool unroll, Body inside) {
  for (const Loop& loop : loops) {
    inside = ir::statements(ir::For{loop.variable, loop.extent, std::move(inside),
                                    unroll ? ir::Unroll::always : ir::Unroll::free});
  }
  return inside;
}

bool is_registers(const ir::Array& array) { return array.space == ir::Array::Space::registers; }

Body copy_body(const View& from, const ir::Array& from_array, const View& to,
               const ir::Array& to_array, const Vector& vector, const CopyRules& rules) {
  const std::vector<Loop> loops = loops_over(from.axes.front().values, vector);
  const bool unroll = is_registers(from_array) || is_registers(to_array);
  Side source = side(from, from_array, loops, vector, rules.inside);
  const Side destination = side(to, to_array, loops, vector, rules.inside);
  Body inside = source.inside;
  append(inside, destination.inside);
  Body move = moves(source, from_array.type, destination, to_array.type);
  if (rules.zero_outside) {
    // The guards of `from` choose between its value and 0; those of `to` say whether to store it.
    Guards guards = std::move(source.guards_before);
    guards.insert(guards.end(), source.guards_inside.begin(), source.guards_inside.end());
    if (!guards.empty()) {
      move = ir::statements(
          ir::If{all_of(guards), std::move(move), fills(destination, to_array.type, 0)});
    }
    source.guards_before.clear();
    source.guards_inside.clear();
  }
  append(inside, guarded(source.guards_inside, destination.guards_inside, std::move(move)));

  Body body = source.before;
  append(body, destination.before);
  append(body, guarded(source.guards_before, destination.guards_before,
                       nest(loops, unroll, std::move(inside))));
  return body;
}

}  // namespace

std::vector<Expr> fits_vectors(const View& view, const ir::Array& array, std::uint32_t width,
                               std::size_t leaf) {
  if (array.space != ir::Array::Space::buffer || width == 1) return {};
  std::vector<Expr> conditions;
  const auto require_multiple = [&](const Expr& number) {
    if (!ir::is_multiple(number, width, conditions)) {
      conditions.push_back(ir::equal(number % width, 0));
    }
  };
  const bool wide = is_wide(view, array, {width, leaf});
  for (std::size_t i = 0; i < view.axes.size(); ++i) {
    if (stride_of(view.axes[i].values, leaf) != 0) require_multiple(ir::extent_of(array.axes[i]));
    if (i > 0 && wide) require_multiple(array.axes[i].stride);
  }
  return conditions;
}

ir::Block copy_statements(const View& from, const ir::Array& from_array, const View& to,
                          const ir::Array& to_array, std::uint32_t vector, CopyRules rules) {
  const auto body = [&](std::uint32_t width) {
    return copy_body(from, from_array, to, to_array, {width, rules.leaf}, rules);
  };
  ir::Block block{fmt::format("{}\n-> {}", from.name, to.name), {}};
  Guards conditions;
  if (!rules.fits) {
    conditions = fits_vectors(from, from_array, vector, rules.leaf);
    for (const Expr& other : fits_vectors(to, to_array, vector, rules.leaf)) {
      const bool is_there =
          std::any_of(conditions.begin(), conditions.end(),
                      [&](const Expr& condition) { return ir::same(condition, other); });
      if (!is_there) conditions.push_back(other);
    }
  }
  block.body = conditions.empty()
                   ? body(vector)
                   : ir::statements(ir::If{all_of(conditions), body(vector), body(1)});
  return block;
}

ir::Block fill_statements(const View& to, const ir::Array& to_array, std::uint32_t value) {
  const Vector single{1, 0};
  const std::vector<Loop> loops = loops_over(to.axes.front().values, single);
  const Side destination = side(to, to_array, loops, single, false);
  Body inside = destination.inside;
  append(inside, guarded(destination.guards_inside, {}, fills(destination, to_array.type, value)));
  ir::Block block{fmt::format("{} <- {}", to.name, value), destination.before};
  append(block.body, guarded(destination.guards_before, {},
                             nest(loops, is_registers(to_array), std::move(inside))));
  return block;
}

}  // namespace vkmoye::gen
