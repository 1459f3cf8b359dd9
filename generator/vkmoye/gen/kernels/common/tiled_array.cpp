// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/tiled_array.hpp"

#include "vkmoye/layout/algebra.hpp"

namespace vkmoye::gen {
namespace {

// Titles of branches.
constexpr const char* kWhole = "a whole tile, rows aligned";
constexpr const char* kNotWhole = "a tile at an edge, or rows that are not aligned";
constexpr const char* kAligned = "rows aligned: loads outside are moved inside, and not used";
constexpr const char* kNotAligned = "rows that are not aligned";

}  // namespace

TiledArray::TiledArray(Builder& k, const Tensor& tensor, const IntTuple& extents,
                       const TiledCopy& copy)
    : builder_(k),
      tensor_(tensor),
      extents_(extents),
      copy_(copy),
      vector_{static_cast<std::uint32_t>(shape().leaf(0))} {}

View TiledArray::block(const std::vector<Expr>& coordinate) const {
  const auto rank = static_cast<int>(tensor_.array.axes.size());
  return tile(tensor_, take(Layout(extents_), 0, rank).shape(), coordinate);
}

View TiledArray::part(const std::vector<Expr>& coordinate) const {
  View whole = block(coordinate);
  for (int mode = whole.shape().rank(); mode < extents_.rank(); ++mode) {
    whole = repeat(whole, mode, extents_.mode(mode));
  }
  return partition(whole, copy_, builder_.thread());
}

View TiledArray::registers(const std::string& name, ScalarType type) const {
  return builder_.registers(name, type, Layout(shape()));
}

Conditions TiledArray::whole(const std::vector<Expr>& coordinate) const {
  const View all = block(coordinate);
  return all_of({builder_.inside(all), builder_.aligned(all, vector_.count)});
}

// No wider than the alignment that `whole` checks for rows.
CopyOptions TiledArray::at_once() const {
  const auto bytes = vector_.count * static_cast<std::uint32_t>(size_of(tensor_.array.type));
  return {.edges = Edges::inside, .loads_first = true, .from_bytes = bytes, .to_bytes = bytes};
}

void TiledArray::load(const std::vector<Expr>& coordinate, const View& to, const Expr& outside) {
  const View from = part(coordinate);
  builder_.branch(
      whole(coordinate), kWhole, [&] { builder_.copy(from, to, at_once()); }, kNotWhole,
      [&] {
        builder_.assign(to, outside);
        CopyOptions at_edge = at_once();
        at_edge.edges = Edges::skip;
        at_edge.vectors_fit = true;
        builder_.branch(
            builder_.fits(from, vector_), kAligned, [&] { builder_.copy(from, to, at_edge); },
            kNotAligned, [&] { builder_.copy(from, to); });
      });
}

void TiledArray::store(const std::vector<Expr>& coordinate, const View& from) {
  const View to = part(coordinate);
  builder_.branch(
      whole(coordinate), kWhole, [&] { builder_.copy(from, to, at_once()); }, kNotWhole,
      [&] { builder_.copy(from, to, {.vector = vector_}); });
}

}  // namespace vkmoye::gen
