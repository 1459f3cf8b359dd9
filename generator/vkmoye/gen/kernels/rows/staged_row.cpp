// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/staged_row.hpp"

#include <utility>

#include "vkmoye/gen/kernels/common/slice_parts.hpp"

namespace vkmoye::gen {
namespace {

IntTuple block_of(const ThreadsConfig& config, int along) {
  const std::int64_t cols = config.columns * config.width(), rows = config.threads / config.columns;
  return along == 0 ? IntTuple{cols * config.rounds, rows} : IntTuple{cols, rows * config.rounds};
}

}  // namespace

Row::Row(Builder& k, const ThreadsConfig& config, const Tensor& src, const Expr& outside,
         RowPart part, const Expr& slices, int along)
    : builder_(k),
      part_(part),
      along_(along),
      copy_(config.tiled_copy()),
      block_(block_of(config, along)),
      blocks_(blocks_of(src)),
      outside_(outside),
      x_(blocks_.registers("x", outside->type.element)) {
  if (part == RowPart::combine) {
    first_ = k.block_x();
    return;
  }
  const auto mode = static_cast<std::size_t>(along);
  count_ = k.let("blocks", ceil_div(src.extent(mode), to_index(block_.leaf(along))));
  if (part == RowPart::whole) return;
  const SliceParts own =
      slice_parts(k, count_, slices, k.block_y(), {"blocks_of_slice", "first_block", "own_blocks"});
  first_ = own.first;
  count_ = own.count;
}

std::vector<Expr> Row::at(const Expr& block) const {
  const Expr line = row_tile(builder_, part_);
  return along_ == 0 ? std::vector{block, line} : std::vector{line, block};
}

void Row::read(const Expr& block, const Body& redo) {
  builder_.call("read_block", {{"block_of_row", block}},
                [&](const Expr& number) { blocks_.load(at(number), x_, outside_); });
  redo(block);
}

void Row::read_one_block(const Body& redo) {
  is_read_ = true;
  builder_.branch(
      {less(0, count_), less(count_, 2)}, "a row of one block", [&] { read(first_, redo); }, "",
      [] {});
}

void Row::pass(const Body& body, const Body& redo) {
  const bool is_first = !std::exchange(is_read_, true);
  if (part_ == RowPart::combine) {
    if (is_first) read(first_, redo);
    body(first_);
    return;
  }
  builder_.loop(
      "block", count_,
      [&](const Expr& i) {
        const Expr block = part_ == RowPart::whole ? i : first_ + i;
        const auto read_block = [&] { read(block, redo); };
        if (is_first) {
          read_block();
        } else {
          builder_.branch({less(1, count_)}, "a row of several blocks: read again", read_block, "",
                          [] {});
        }
        body(block);
      },
      ir::Unroll::never);
}

View line_values(Builder& k, const ThreadsConfig& config, const Tensor& of,
                 const std::vector<Expr>& at, int along) {
  const TiledCopy copy = config.tiled_copy();
  const auto rank = static_cast<int>(at.size()), axis_of_lines = along == 0 ? rank - 1 : 0;
  TreeBuilder<std::int64_t> extents, lines;
  extents.open(rank), lines.open(rank);
  for (int i = 0; i < rank; ++i) {
    extents.leaf(i == axis_of_lines ? copy.tiler.leaf(1 - along) : 1);
    lines.leaf(i == axis_of_lines ? _ : 0);
  }
  View of_lines = tile(of, extents.tree(), at);
  if (rank > 1) of_lines = slice(of_lines, lines.tree());
  // Along the mode that is reduced, all elements of a thread have one value.
  const View of_elements = repeat(of_lines, along, copy.tiler.mode(along));
  return first_along(partition(of_elements, copy, k.thread()),
                     along == 0 ? std::vector{0, 1} : std::vector{2});
}

Conditions is_first_of_lines(Builder& k, const ThreadsConfig& config, int along) {
  const auto mode = static_cast<std::size_t>(along);
  return {equal(thread_coordinates(config.thread_layout(), k.thread())[mode], 0)};
}

}  // namespace vkmoye::gen
