// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/sources/lane_reads.hpp"

#include <utility>

namespace vkmoye::gen {

LaneReads::LaneReads(Builder& builder, GemmBuffers& buffers, Shape shape, TileOf tile_of,
                     const std::string& name, ScalarType type, Vector access, std::uint32_t held)
    : builder_(builder),
      buffers_(buffers),
      shape_(std::move(shape)),
      tile_of_(std::move(tile_of)),
      access_(access),
      values_(builder.make_fragment_like(name, type, of_lane(0), held)) {}

View LaneReads::of_lane(const Expr& k_tile) const {
  const View of_subgroup =
      tile(tile_of_(k_tile), {shape_.depth(), shape_.rows}, {builder_.subgroup(), 0});
  return partition(of_subgroup,
                   make_tiled_copy(shape_.lanes, make_layout({shape_.together, std::int64_t{1}})),
                   builder_.lane());
}

void LaneReads::read(const Expr& k_tile, Moved moved) const {
  buffers_.at_edges({tile_of_(k_tile)}, [&](Edges edges) {
    builder_.copy(of_lane(k_tile), values_,
                  {.edges = edges,
                   .vector = access_,
                   .vectors_fit = true,
                   .from_elementwise = moved == Moved::one_by_one});
  });
}

}  // namespace vkmoye::gen
