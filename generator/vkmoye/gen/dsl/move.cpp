#include "vkmoye/gen/dsl/move.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

namespace vkmoye::gen {
namespace {

using ir::Body;

// What is added to the origin of a view to come to one of its values, along each axis.
using Offsets = std::vector<std::uint32_t>;

// Neighbours along axis 0 that are touched at once.
struct Access {
  Offsets offsets;                  // of the first
  std::vector<std::size_t> values;  // numbers of the values, in the order in memory
};

std::vector<Offsets> offsets_of(const View& view) {
  std::vector<Offsets> out(static_cast<std::size_t>(size(view.shape())));
  for (std::size_t v = 0; v < out.size(); ++v) {
    for (const View::Axis& axis : view.axes) {
      out[v].push_back(static_cast<std::uint32_t>(axis.values(static_cast<std::int64_t>(v))));
    }
  }
  return out;
}

// Whether the values in memory order fall into vectors of `width`.
bool are_vectors(const std::vector<Offsets>& offsets, const std::vector<std::size_t>& order,
                 std::uint32_t width) {
  if (order.size() % width != 0) return false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    Offsets expected = offsets[order[i - i % width]];
    if (i % width == 0 && expected[0] % width != 0) return false;
    expected[0] += static_cast<std::uint32_t>(i % width);
    if (offsets[order[i]] != expected) return false;
  }
  return true;
}

// The widest accesses that take every value once.
std::vector<Access> accesses_of(const View& view, const ir::Array& array, std::uint32_t widest) {
  const std::vector<Offsets> offsets = offsets_of(view);
  std::vector<std::size_t> order(offsets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Along axis 0 first; a value that lies where another lies keeps its place behind it.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::lexicographical_compare(offsets[a].rbegin(), offsets[a].rend(), offsets[b].rbegin(),
                                        offsets[b].rend());
  });
  std::uint32_t width = std::bit_floor(std::max(1u, widest));
  const auto fits = [&] {
    if (!ir::is_width(array.type, width) || !ir::is_constant(array.axes[0].stride, 1)) return false;
    if (view.axes[0].origin->alignment % width != 0) return false;
    for (const ir::Axis& axis : array.axes) {
      const bool is_number = ir::is_constant(axis.stride);
      if (&axis != &array.axes[0] && is_number && axis.stride->value % width != 0) return false;
    }
    return are_vectors(offsets, order, width);
  };
  while (width > 1 && !fits()) width /= 2;

  std::vector<Access> out;
  for (std::size_t i = 0; i < order.size(); i += width) {
    out.push_back({offsets[order[i]],
                   {order.begin() + static_cast<std::ptrdiff_t>(i),
                    order.begin() + static_cast<std::ptrdiff_t>(i + width)}});
  }
  return out;
}

// One side: names for the origins, and each access as an element with its guard.
struct Side {
  Body names;
  std::vector<Access> accesses;
  std::vector<ir::Element> elements;
  std::vector<std::optional<Expr>> guards;
};

Expr named(Body& body, const std::string& name, const Expr& value) {
  if (value->op == ir::Op::constant || value->op == ir::Op::variable) return value;
  body.emplace_back(ir::Let{name, value});
  return ir::variable(name, ir::kIndex, value->bound, value->alignment);
}

Side side(const View& view, const ir::Array& array, std::uint32_t bytes, Edges edges, bool loads) {
  const bool is_buffer = array.space == ir::Array::Space::buffer;
  const bool checks = is_buffer && edges == Edges::clamped;
  Side out;
  out.accesses = accesses_of(view, array,
                             checks ? 1 : bytes / static_cast<std::uint32_t>(size_of(array.type)));
  std::vector<Expr> origins;
  for (std::size_t i = 0; i < view.axes.size(); ++i) {
    origins.push_back(
        named(out.names, array.name + "_" + array.axes[i].coordinate, view.axes[i].origin));
  }
  for (const Access& access : out.accesses) {
    ir::Element element{
        array.name, {}, view.name, static_cast<std::uint32_t>(access.values.size())};
    std::optional<Expr> guard;
    for (std::size_t i = 0; i < origins.size(); ++i) {
      const Expr coordinate = origins[i] + access.offsets[i];
      const Expr extent = ir::extent_of(array.axes[i]);
      const bool is_inside = ir::is_constant(extent) && coordinate->bound <= extent->value;
      if (!checks || is_inside) {
        element.coordinates.push_back(coordinate);
      } else if (loads) {
        element.coordinates.push_back(ir::minimum(coordinate, extent - 1));
      } else {
        const Expr inside = ir::less(coordinate, extent);
        guard = guard ? ir::logical_and(*guard, inside) : inside;
        element.coordinates.push_back(coordinate);
      }
    }
    out.elements.push_back(std::move(element));
    out.guards.push_back(std::move(guard));
  }
  return out;
}

}  // namespace

ir::Block move_statements(const View& from, const ir::Array& from_array, const View& to,
                          const ir::Array& to_array, const MoveOptions& options) {
  const Side source = side(from, from_array, options.from_bytes, options.edges, /*loads=*/true);
  const Side target = side(to, to_array, options.to_bytes, options.edges, /*loads=*/false);

  ir::Block block{fmt::format("{}\n-> {}", from.name, to.name), source.names};
  std::vector<Expr> values(static_cast<std::size_t>(size(from.shape())), Expr(0));
  std::vector<Expr> loaded;
  for (std::size_t i = 0; i < source.elements.size(); ++i) {
    const std::vector<std::size_t>& numbers = source.accesses[i].values;
    const std::string name = source.elements.size() == 1 ? "value" : fmt::format("value{}", i);
    block.body.emplace_back(ir::Load{name, source.elements[i]});
    const auto width = static_cast<std::uint32_t>(numbers.size());
    loaded.push_back(ir::variable(name, ir::element(from_array.type, width)));
    for (std::uint32_t c = 0; c < width; ++c) {
      values[numbers[c]] = width == 1 ? loaded.back() : ir::component(loaded.back(), c);
    }
  }

  block.body.insert(block.body.end(), target.names.begin(), target.names.end());
  for (std::size_t i = 0; i < target.elements.size(); ++i) {
    const std::vector<std::size_t>& numbers = target.accesses[i].values;
    const auto as_loaded =
        std::find_if(source.accesses.begin(), source.accesses.end(),
                     [&](const Access& access) { return access.values == numbers; });
    std::vector<Expr> parts;
    for (const std::size_t number : numbers) parts.push_back(values[number]);
    Expr value = parts.size() == 1 ? parts.front() : ir::vector(parts);
    if (as_loaded != source.accesses.end()) {
      value = loaded[static_cast<std::size_t>(as_loaded - source.accesses.begin())];
    }
    const ir::Store store{target.elements[i], value};
    if (target.guards[i]) {
      block.body.emplace_back(ir::If{*target.guards[i], ir::statements(store)});
    } else {
      block.body.emplace_back(store);
    }
  }
  return block;
}

}  // namespace vkmoye::gen
