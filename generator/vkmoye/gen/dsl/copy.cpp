#include "vkmoye/gen/dsl/copy.hpp"

#include <fmt/format.h>

#include <optional>

namespace vkmoye::gen {
namespace {

using ir::Body;

// One loop for each leaf of the value shape that has more than one value.
struct Loop {
  std::size_t leaf;
  std::string variable;
  std::uint32_t extent;
};

std::vector<Loop> loops_over(const Layout& values) {
  std::vector<Loop> loops;
  const auto leaves = values.leaves();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].extent > 1) {
      loops.push_back({i, fmt::format("v{}", i), static_cast<std::uint32_t>(leaves[i].extent)});
    }
  }
  return loops;
}

// The part of an axis that changes with the loop variables.
Expr varying(const Layout& values, const std::vector<Loop>& loops) {
  Expr sum = 0;
  for (const Loop& loop : loops) {
    const auto stride = static_cast<std::uint32_t>(values.leaves()[loop.leaf].stride);
    sum = sum + Expr(stride) * ir::variable(loop.variable, ir::kIndex, loop.extent);
  }
  return sum;
}

// One side of the copy: the statements before and inside the loops, and the guards of each.
struct Side {
  Body before, inside;
  std::optional<Expr> guard_before, guard_inside;
  ir::Element element;
};

void add_guard(std::optional<Expr>& guard, const Expr& condition) {
  guard = guard ? ir::logical_and(*guard, condition) : condition;
}

// Names `value` unless it is a name or a number already.
Expr named(Body& body, const std::string& name, const Expr& value) {
  if (value->op == ir::Op::constant || value->op == ir::Op::variable) return value;
  body.push_back(ir::Let{name, value});
  return ir::variable(name, ir::kIndex, value->bound);
}

Side side(const View& view, const ir::Array& array, const std::vector<Loop>& loops) {
  Side out;
  out.element = {array.name, {}, view.name};
  for (std::size_t i = 0; i < view.axes.size(); ++i) {
    const ir::Axis& axis = array.axes[i];
    const Expr change = varying(view.axes[i].values, loops);
    const bool varies = !ir::is_constant(change, 0);
    const std::string name = array.name + "_" + axis.coordinate;
    const bool guarded = array.space == ir::Array::Space::buffer;

    Expr coordinate = named(out.before, varies && guarded ? name + "0" : name, view.axes[i].origin);
    if (varies) {
      coordinate = coordinate + change;
      if (guarded) coordinate = named(out.inside, name, coordinate);
    }
    if (guarded) {
      const Expr extent = axis.extent.is_symbol()
                              ? ir::variable(axis.extent.symbol)
                              : Expr(static_cast<std::uint32_t>(axis.extent.value));
      add_guard(varies ? out.guard_inside : out.guard_before, ir::less(coordinate, extent));
    }
    out.element.coordinates.push_back(coordinate);
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

}  // namespace

ir::Block copy_statements(const View& from, const ir::Array& from_array, const View& to,
                          const ir::Array& to_array) {
  const std::vector<Loop> loops = loops_over(from.axes.front().values);
  const Side source = side(from, from_array, loops);
  const Side destination = side(to, to_array, loops);

  Body inside = source.inside;
  append(inside, destination.inside);
  append(inside,
         guarded(source.guard_inside, destination.guard_inside,
                 ir::statements(ir::Load{"value", source.element},
                                ir::Store{destination.element,
                                          ir::variable("value", ir::element(from_array.type))})));
  for (const Loop& loop : loops) {  // the first leaf varies fastest: its loop is the innermost
    inside = ir::statements(ir::For{loop.variable, loop.extent, std::move(inside)});
  }

  Body body = source.before;
  append(body, destination.before);
  append(body, guarded(source.guard_before, destination.guard_before, std::move(inside)));
  return {fmt::format("{}\n-> {}", from.name, to.name), std::move(body)};
}

}  // namespace vkmoye::gen
