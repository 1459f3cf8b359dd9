// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/tiled_array.hpp"

#include <utility>

#include "vkmoye/layout/algebra.hpp"

namespace vkmoye::gen {
namespace {

// Titles of branches.
constexpr const char* kWhole = "a whole tile, rows aligned";
constexpr const char* kNotWhole = "a tile at an edge, or rows that are not aligned";
constexpr const char* kAligned = "rows aligned: loads outside are moved inside, and not used";
constexpr const char* kNotAligned = "rows that are not aligned";
constexpr const char* kVector = "a whole vector";
constexpr const char* kPartOfVector = "one at an end of the row";

}  // namespace

TiledArray::TiledArray(Builder& k, const Tensor& tensor, const IntTuple& extents,
                       const TiledCopy& copy, std::optional<Expr> back)
    : builder_(k),
      tensor_(tensor),
      extents_(extents),
      copy_(copy),
      back_(std::move(back)),
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
  const View of_thread = partition(whole, copy_, builder_.thread());
  return back_ ? moved_back(of_thread, *back_) : of_thread;
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

// Vector by vector: all but the first and the last of a row are whole.
void TiledArray::move_vectors(const View& from, const View& to, const View& in_memory) {
  const auto move = [&](const Expr& turn) {
    const View source = select(from, 1, turn), target = select(to, 1, turn);
    const Expr beyond = vector_.count - 1, end = tensor_.extent(0);
    // A coordinate before the row wraps, and is not below the end.
    const Expr first = gen::origin(select(in_memory, 1, turn).axes[0]);
    builder_.branch(
        {less(first, maximum(end, beyond) - beyond)}, kVector,
        [&] { builder_.copy(source, target, at_once()); }, kPartOfVector,
        [&] { builder_.copy(source, target); });
  };
  builder_.branch({less(gen::origin(in_memory.axes[1]), tensor_.extent(1))},
                  [&] { builder_.unrolled_loop("turn", to_index(size(shape().mode(1))), move); });
}

void TiledArray::load(const std::vector<Expr>& coordinate, const View& to, const Expr& outside) {
  const View from = part(coordinate);
  if (back_) {
    builder_.assign(to, outside);
    // Vectors of what is broadcast to all rows are not aligned.
    const bool is_broadcast = tensor_.array.axes.size() == 1;
    is_broadcast ? builder_.copy(from, to) : move_vectors(from, to, from);
    return;
  }
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
  if (back_) return move_vectors(from, to, to);
  builder_.branch(
      whole(coordinate), kWhole, [&] { builder_.copy(from, to, at_once()); }, kNotWhole,
      [&] { builder_.copy(from, to, {.vector = vector_}); });
}

}  // namespace vkmoye::gen
