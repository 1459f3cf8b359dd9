// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/sources/tile_reads.hpp"

namespace vkmoye::gen {

void TileReads::read(const Expr& k_tile, Moved moved, Edges edges, const View& to) const {
  const TilePart how = parts_(moved);
  builder_.copy(
      part(k_tile, moved), to,
      {.edges = edges, .vector = how.vector, .vectors_fit = true, .one_by_one = how.one_by_one});
}

View TileReads::values(Moved moved) const {
  if (const auto order = parts_(moved).registers) return builder_.retile(values_, *order);
  return builder_.retile(values_, part(0, moved));
}

void at_edges(Builder& builder, const std::vector<View>& tiles,
              const std::function<void(Edges)>& load) {
  Conditions all;
  for (const View& tile : tiles) all = all_of({all, builder.inside(tile)});
  const bool is_one = tiles.size() == 1;
  builder.branch(
      all, is_one ? "a whole tile" : "whole tiles", [&] { load(Edges::inside); },
      is_one ? "a tile at an edge, 0 outside" : "tiles at an edge, 0 outside",
      [&] { load(Edges::zero); });
}

void read_tiles(Builder& builder, const std::vector<const TileReads*>& all, const Expr& k_tile,
                Moved moved) {
  std::vector<View> tiles;
  for (const TileReads* x : all) tiles.push_back(x->tile(k_tile));
  at_edges(builder, tiles, [&](Edges edges) {
    for (const TileReads* x : all) x->read(k_tile, moved, edges);
  });
}

}  // namespace vkmoye::gen
