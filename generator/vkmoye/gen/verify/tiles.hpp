// SPDX-License-Identifier: MIT
#pragma once
// Results that workgroups write tile by tile, decided without isl's search: dst[128 block_x + k][32 block_y + l] with k
// and l that belong to the thread.
//
//   within a tile      one workgroup is followed, with the tile in place of the array (races, written_before_read)
//   between tiles      isl decides for a kernel in which a single thread writes the whole tile
//
// The element (64 block_x + 5) of a tile counts as written if a statement writes it wherever 64 block_x + 5 < n.

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/proof/results.hpp"

namespace vkmoye::gen {

/// The tile of an array that a workgroup accesses.
struct Tile {
  const ir::Array* array = nullptr;
  /// For each coordinate of an access: where the tile begins, how many elements it has, and the axis.
  std::vector<ir::Expr> bases;
  std::vector<std::uint32_t> sizes;
  std::vector<ir::Axis> axes;
  std::uint32_t elements = 1;
  /// For each access, as its statement has it: the place of its first element in the tile.
  std::unordered_map<const ir::Element*, ir::Expr> places;

  /// The coordinate along an axis of the element at `place`.
  std::uint64_t coordinate(std::size_t axis, std::uint64_t place) const;
};

/// The tile of `array`, a buffer; nullopt if the accesses are of another form.
std::optional<Tile> tile_of(const ir::Kernel& kernel, const ir::Array& array);

/// The results whose claims hold in every launch. For others this is not known. Precondition: names, types and
/// bounds are right.
proof::DecidedResults results_shown_by_tiles(const ir::Kernel& kernel);

}  // namespace vkmoye::gen
