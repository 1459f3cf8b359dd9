// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/sources/shared_tile.hpp"

#include <utility>

#include "vkmoye/gen/kernels/products/sources/weight_units.hpp"

namespace vkmoye::gen {

SharedTile::SharedTile(Builder& builder, const std::string& name, ScalarType type,
                       const Layout& layout, TileReads reads, bool k_first, TileParts stored)
    : next(std::move(reads)),
      builder_(builder),
      k_first_(k_first),
      stored_(std::move(stored)),
      shared_(builder.shared(name, type, layout)) {}

View SharedTile::at(const Expr& stage) const {
  return shared_.shape().rank() == 3 ? select(shared_, 2, stage) : shared_;
}

// The part of a thread, in the order of the array.
View SharedTile::part(const Expr& stage, Moved moved) const {
  const View tile = at(stage);
  return partition(k_first_ ? transpose(tile) : tile, stored_(moved).copy, builder_.thread());
}

void SharedTile::store(const Expr& stage, Moved moved) const {
  builder_.copy(next.values(moved), part(stage, moved), {.vector = stored_(moved).vector});
}

void SharedTile::copy(const Expr& k_tile, Moved moved, Edges edges) const {
  next.read(k_tile, moved, edges, part(0, moved));
}

void SharedTile::store_decoded(WeightUnits& units, std::int64_t together) const {
  const View to = part(0, Moved::in_vectors);  // (weights of some blocks, 1, rows)
  const ScalarType type = builder_.type_of(to);
  units.read(next.values().array);
  units.for_each_weight_group(
      together, [&](const std::vector<std::vector<Expr>>& weights, const Expr& first) {
        for (std::size_t row = 0; row < weights.size(); ++row) {
          std::vector<Expr> rounded;
          for (const Expr& weight : weights[row]) rounded.push_back(convert(weight, type));
          const View of_row = slice(to, {_, 0, static_cast<std::int64_t>(row)});
          builder_.store(ir::vector(rounded), take(of_row, first, together));
        }
      });
}

}  // namespace vkmoye::gen
