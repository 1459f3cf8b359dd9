#include "vkmoye/gen/dsl/copy.hpp"

#include <fmt/format.h>

#include <optional>

namespace vkmoye::gen {
namespace {

using ir::Body;

// One loop for each leaf of the value shape that has more than one value; over the first leaf in
// steps of `vector`.
struct Loop {
  std::size_t leaf;
  std::string variable;
  std::uint32_t extent;  // rounds
  std::uint32_t step;    // values of the leaf in a round
};

std::vector<Loop> loops_over(const Layout& values, std::uint32_t vector) {
  std::vector<Loop> loops;
  const auto leaves = values.leaves();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const std::uint32_t step = i == 0 ? vector : 1;
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

void add_guard(std::optional<Expr>& guard, const Expr& condition) {
  guard = guard ? ir::logical_and(*guard, condition) : condition;
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
  std::optional<Expr> guard_before, guard_inside;
  std::vector<ir::Element> elements;
};

// Whether leaf 0 of `view` runs along neighbours in memory, from multiples of `vector` on.
bool is_wide(const View& view, std::uint32_t vector) {
  if (vector == 1) return false;
  for (std::size_t i = 0; i < view.axes.size(); ++i) {
    const Layout& values = view.axes[i].values;
    if (stride_of(values, 0) != (i == 0 ? 1u : 0u)) return false;
  }
  const View::Axis& axis = view.axes.front();
  bool aligned = axis.origin->alignment % vector == 0;
  for (std::size_t leaf = 1; leaf < axis.values.leaves().size(); ++leaf) {
    const bool moves = axis.values.leaves()[leaf].extent > 1;
    aligned = aligned && (!moves || stride_of(axis.values, leaf) % vector == 0);
  }
  return aligned;
}

Side side(const View& view, const ir::Array& array, const std::vector<Loop>& loops,
          std::uint32_t vector) {
  const bool wide = is_wide(view, vector);
  const bool is_buffer = array.space == ir::Array::Space::buffer;
  Side out;
  out.elements.assign(wide ? 1 : vector, {array.name, {}, view.name, wide ? vector : 1});
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
    if (is_buffer) {
      // For all elements of a round: the extent is a multiple of `vector` where that is above 1.
      add_guard(varies ? out.guard_inside : out.guard_before,
                ir::less(coordinate, ir::extent_of(axis)));
    }
    const std::uint32_t step = vector == 1 ? 0 : stride_of(view.axes[i].values, 0);
    for (std::size_t element = 0; element < out.elements.size(); ++element) {
      out.elements[element].coordinates.push_back(coordinate +
                                                  Expr(static_cast<std::uint32_t>(element) * step));
    }
  }
  return out;
}

Body guarded(const std::optional<Expr>& first, const std::optional<Expr>& second, Body body) {
  if (!first && !second) return body;
  const Expr condition =
      first && second ? ir::logical_and(*first, *second) : (first ? *first : *second);
  return ir::statements(ir::If{condition, std::move(body)});
}

void append(Body& body, const Body& more) { body.insert(body.end(), more.begin(), more.end()); }

// The loads and stores of one round.
Body moves(const Side& from, const Side& to, ScalarType type) {
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
    body.emplace_back(ir::Store{to.elements[i], values[i]});
  }
  return body;
}

Body copy_body(const View& from, const ir::Array& from_array, const View& to,
               const ir::Array& to_array, std::uint32_t vector) {
  const std::vector<Loop> loops = loops_over(from.axes.front().values, vector);
  const Side source = side(from, from_array, loops, vector);
  const Side destination = side(to, to_array, loops, vector);

  Body inside = source.inside;
  append(inside, destination.inside);
  append(inside, guarded(source.guard_inside, destination.guard_inside,
                         moves(source, destination, from_array.type)));
  for (const Loop& loop : loops) {  // the first leaf varies fastest: its loop is the innermost
    inside = ir::statements(ir::For{loop.variable, loop.extent, std::move(inside)});
  }

  Body body = source.before;
  append(body, destination.before);
  append(body, guarded(source.guard_before, destination.guard_before, std::move(inside)));
  return body;
}

// What must hold of the run-time sizes for vectors on this side: every extent that leaf 0 runs
// along is a multiple of `vector`, so that no vector crosses the edge and each row begins at a
// multiple.
void add_conditions(std::optional<Expr>& condition, const View& view, const ir::Array& array,
                    std::uint32_t vector) {
  if (array.space != ir::Array::Space::buffer) return;
  for (std::size_t i = 0; i < view.axes.size(); ++i) {
    if (stride_of(view.axes[i].values, 0) == 0) continue;
    const Expr extent = ir::extent_of(array.axes[i]);
    const Expr is_multiple = ir::equal(extent % vector, 0);
    if (extent->alignment % vector == 0 || (condition && ir::same(*condition, is_multiple)))
      continue;
    add_guard(condition, is_multiple);
  }
}

}  // namespace

ir::Block copy_statements(const View& from, const ir::Array& from_array, const View& to,
                          const ir::Array& to_array, std::uint32_t vector) {
  const auto body = [&](std::uint32_t width) {
    return copy_body(from, from_array, to, to_array, width);
  };
  ir::Block block{fmt::format("{}\n-> {}", from.name, to.name), {}};
  if (vector == 1) {
    block.body = body(1);
    return block;
  }
  std::optional<Expr> condition;
  add_conditions(condition, from, from_array, vector);
  add_conditions(condition, to, to_array, vector);
  block.body = condition ? ir::statements(ir::If{*condition, body(vector), body(1)}) : body(vector);
  return block;
}

}  // namespace vkmoye::gen
