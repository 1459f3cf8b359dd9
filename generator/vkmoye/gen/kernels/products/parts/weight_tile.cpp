// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/parts/weight_tile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/common/powers.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kMaxSideBySide = 32;

}  // namespace

FetchThreads fetch_threads(const WeightFormat& format, const WeightTileShape& shape) {
  const std::int64_t accesses = shape.blocks * format.bytes / 2 / access_words(format, shape.unit);
  const std::int64_t along = std::min(power_dividing(accesses, kMaxSideBySide), shape.threads);
  return {along, shape.threads / along};
}

std::int64_t shared_bytes(const WeightFormat& format, const WeightTileShape& shape) {
  return shape.rows * shape.blocks * format.bytes;
}

std::vector<std::string> reasons_against(const WeightFormat& format, const WeightTileShape& shape) {
  std::vector<std::string> reasons;
  require(shape.unit % blocks_of_pair(format) == 0,
          fmt::format("{} blocks of {} are not whole words of 4 bytes", shape.unit, format.name),
          reasons);
  if (!reasons.empty()) return reasons;
  require_divides("blocks of a thread", shape.unit, "the blocks of a row of the tile", shape.blocks,
                  reasons);
  const FetchThreads threads = fetch_threads(format, shape);
  require_divides("threads that fetch different rows of weights", threads.across,
                  "the rows of the tile", shape.rows, reasons);
  return reasons;
}

WeightTile::WeightTile(Builder& k, const WeightFormat& format, const WeightTileShape& shape)
    : builder_(k),
      format_(format),
      shape_(shape),
      vector_{to_index(access_words(format, shape.unit))} {
  const Layout layout = make_layout({words_of_row(), shape.rows}, {1, words_of_row()});
  shared_ = builder_.shared("shared_weights", ScalarType::u16, layout);
  const FetchThreads threads = fetch_threads(format, shape);
  const std::int64_t accesses = words_of_row() / vector_.count / threads.along;
  next_ = builder_.registers("next_weights", ScalarType::u16,
                             make_layout({static_cast<std::int64_t>(vector_.count), accesses,
                                          shape.rows / threads.across}),
                             vector_.count);
}

View WeightTile::part(const View& tile) const {
  const FetchThreads threads = fetch_threads(format_, shape_);
  return partition(tile,
                   make_tiled_copy(make_layout({threads.along, threads.across}),
                                   make_layout({static_cast<std::int64_t>(vector_.count), 1})),
                   builder_.thread());
}

Conditions WeightTile::fits(const View& tile) const {
  return builder_.fits(part(tile), vector_, Edges::zero);
}

void WeightTile::fetch(const View& tile, Edges edges, bool elementwise) {
  builder_.copy(
      part(tile), builder_.retile(next_, part(tile)),
      {.edges = edges, .vector = vector_, .vectors_fit = true, .from_elementwise = elementwise});
}

void WeightTile::store() {
  const View to = part(shared_);
  builder_.copy(builder_.retile(next_, to), to, {.vector = vector_});
}

Expr WeightTile::start(const Expr& row, const Expr& unit) const {
  return row * to_index(words_of_row()) + unit * to_index(shape_.unit * format_.bytes / 2);
}

}  // namespace vkmoye::gen
