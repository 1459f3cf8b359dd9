// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/tiles.hpp"

#include <algorithm>
#include <numeric>

#include "vkmoye/gen/ir/assumptions.hpp"
#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/guards.hpp"
#include "vkmoye/gen/verify/forward_workgroups.hpp"
#include "vkmoye/gen/verify/races.hpp"
#include "vkmoye/gen/verify/size_conditions.hpp"
#include "vkmoye/gen/verify/written_before_read.hpp"

namespace vkmoye::gen {
namespace {

using ir::Expr;
using ir::Op;

constexpr std::uint64_t kMaxTileElements = std::uint64_t{1}
                                           << 17;  // elements of a tile that is followed

// A coordinate: what the workgroup decides, and the rest.
struct Coordinate {
  Expr base = 0, rest = 0;
  std::uint32_t step = 0;  // a number that divides the base; 0: the base is 0
};

Coordinate coordinate_of(const Expr& e, const ir::Kernel& kernel) {
  std::vector<LinearTerm> terms;
  add_linear_terms(e, 1, terms);
  Coordinate out;
  std::uint32_t of_workgroup[3] = {}, of_first[3] = {};
  for (const LinearTerm& one : terms) {
    if (const auto dimension = dimension_of_workgroup(one.term)) {
      (one.term->op == Op::builtin ? of_workgroup : of_first)[*dimension] += one.factor;
    } else if (max_of_workgroup_part(one.term, kernel)) {
      out.base = out.base + ir::to_index(one.factor) * one.term;
      out.step = std::gcd(out.step, one.factor);
    } else {
      out.rest = out.rest + ir::to_index(one.factor) * one.term;
    }
  }
  constexpr ir::Builtin kGroups[] = {ir::Builtin::group_x, ir::Builtin::group_y,
                                     ir::Builtin::group_z};
  for (std::size_t i = 0; i < 3; ++i) {
    Expr workgroup = ir::builtin(kGroups[i]);
    if (of_first[i] != 0) workgroup = workgroup + ir::variable(kFirstGroup[i]);
    // Unequal factors: the base is then another one than that of the tile, which is found below.
    if (of_first[i] != 0 && of_first[i] != of_workgroup[i]) out.rest = ir::variable("?");
    out.base = out.base + ir::to_index(of_workgroup[i]) * workgroup;
    out.step = std::gcd(out.step, of_workgroup[i]);
  }
  return out;
}

class TileFinder {
 public:
  TileFinder(const ir::Kernel& kernel, const ir::Array& array) : kernel_(kernel) {
    tile_.array = &array;
    walk(kernel.body, {});
  }

  std::optional<Tile> take() && {
    if (!fits_ || tile_.places.empty()) return std::nullopt;
    return std::move(tile_);
  }

 private:
  void walk(const ir::Body& body, ir::Definitions definitions) {
    for (const ir::Stmt& statement : body) {
      const ir::Effects effects = effects_of(statement, kernel_);
      for (const ir::StatementAccess& access : effects.accesses) {
        if (fits_ && kernel_.find(access.element->array) == tile_.array) {
          take(*access.element, definitions);
        }
      }
      for (const ir::NestedBody& inner : effects.nested) walk(*inner.body, definitions);
      for (const ir::Definition& d : effects.defines) {
        if (!d.is_data) add_definition(definitions, d.name, d.value);
      }
    }
  }

  void take(const ir::Element& element, const ir::Definitions& definitions) {
    std::vector<Coordinate> coordinates;
    for (const Expr& e : element.coordinates) {
      coordinates.push_back(coordinate_of(expand(e, definitions), kernel_));
    }
    if (tile_.places.empty()) begin(coordinates, axes_of(element, *tile_.array));
    fits_ = fits_ && coordinates.size() == tile_.bases.size();
    Expr place = 0, inside = ir::less(0, 1);
    std::uint32_t stride = 1;
    bool is_inside = true;  // by the bounds
    for (std::size_t i = 0; fits_ && i < coordinates.size(); ++i) {
      const Coordinate& one = coordinates[i];
      const std::uint32_t width = i == 0 ? element.width : 1;
      fits_ = same(one.base, tile_.bases[i]) && width <= tile_.sizes[i];
      if (!fits_) return;
      place = place + ir::to_index(stride) * one.rest;
      stride *= tile_.sizes[i];
      if (one.rest->bound + width - 1 <= tile_.sizes[i]) continue;
      is_inside = false;
      inside = logical_and(inside, less(one.rest, tile_.sizes[i] - (width - 1)));
    }
    // What lies beyond the tile must not be taken for another element of it.
    if (!is_inside) place = select(inside, place, tile_.elements);
    if (fits_) tile_.places.emplace(&element, place);
  }

  void begin(const std::vector<Coordinate>& coordinates, std::vector<ir::Axis> axes) {
    std::uint64_t elements = 1;
    for (std::size_t i = 0; i < coordinates.size() && fits_; ++i) {
      const Extent& extent = axes[i].extent;
      fits_ = extent.is_symbol() || extent.value > 0;
      const std::uint64_t size = coordinates[i].step != 0 ? coordinates[i].step
                                 : extent.is_symbol()     ? kMaxTileElements + 1
                                                      : static_cast<std::uint64_t>(extent.value);
      fits_ = fits_ && size <= kMaxTileElements && (elements *= size) <= kMaxTileElements;
      tile_.bases.push_back(coordinates[i].base);
      tile_.sizes.push_back(static_cast<std::uint32_t>(size));
    }
    tile_.axes = std::move(axes);
    tile_.elements = static_cast<std::uint32_t>(elements);
  }

  const ir::Kernel& kernel_;
  Tile tile_;
  bool fits_ = true;
};

// A kernel with the grid of `kernel`, in which the only thread of a workgroup writes the elements of its tile.
ir::Kernel writing_tiles(const ir::Kernel& kernel, const Tile& tile) {
  ir::Kernel out;
  out.name = kernel.name;
  out.arguments = kernel.arguments;
  out.grid = kernel.grid;
  out.arrays = {*tile.array};
  out.arrays[0].access = vkmoye::Access::write;
  if (tile.axes.size() != tile.array->axes.size()) out.arrays[0].axes = tile.axes;
  ir::Element element{tile.array->name, {}, tile.array->name};
  Expr inside = ir::less(0, 1);
  for (std::size_t i = 0; i < tile.sizes.size(); ++i) {
    const Expr at = tile.bases[i] + (tile.sizes[i] == 1 ? Expr(0)
                                                        : ir::variable("at" + std::to_string(i),
                                                                       ir::kIndex, tile.sizes[i]));
    element.coordinates.push_back(at);
    inside = logical_and(inside, less(at, extent_of(tile.axes[i])));
  }
  ir::Body body = {ir::If{inside, {ir::Store{element, ir::number(tile.array->type, 0)}}}};
  for (std::size_t i = 0; i < tile.sizes.size(); ++i) {
    if (tile.sizes[i] != 1) body = {ir::For{"at" + std::to_string(i), tile.sizes[i], body}};
  }
  for (const ir::Assume& assume : assumptions_of_launch(kernel)) out.body.push_back(assume);
  append(out.body, body);
  return out;
}

}  // namespace

std::uint64_t Tile::coordinate(std::size_t axis, std::uint64_t place) const {
  for (std::size_t i = 0; i < axis; ++i) place /= sizes[i];
  return place % sizes[axis];
}

std::optional<Tile> tile_of(const ir::Kernel& kernel, const ir::Array& array) {
  return TileFinder(kernel, array).take();
}

proof::DecidedResults results_shown_by_tiles(const ir::Kernel& written) {
  const ir::Kernel kernel = with_forward_workgroups(written);
  proof::DecidedResults out;
  for (const ir::Array& array : kernel.arrays) {
    const bool is_assumed =
        std::any_of(kernel.assumptions.begin(), kernel.assumptions.end(),
                    [&](const ir::Assumption& one) { return one.array == array.name; });
    if (!array.is_buffer() || array.access == vkmoye::Access::read || is_assumed) continue;
    const auto tile = tile_of(kernel, array);
    if (!tile) continue;
    const auto between = proof::prove_results(writing_tiles(kernel, *tile));
    const auto is_proved = [&](std::size_t claim) {
      return between[claim].decision == proof::Decision::proved;
    };
    if (is_proved(0) && is_tile_free_of_races(kernel, *tile)) out.one_writer.insert(array.name);
    const bool is_result = array.access == vkmoye::Access::write;
    if (is_result && is_proved(1) && is_tile_written(kernel, *tile)) out.covered.insert(array.name);
  }
  return out;
}

}  // namespace vkmoye::gen
