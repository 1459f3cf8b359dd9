// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/staged_row.hpp"

#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/rows/slices.hpp"

namespace vkmoye::gen {

namespace {

// `config`, if nothing is against it.
const ThreadsConfig& accepted(const std::string& kernel, const ThreadsConfig& config) {
  throw_if_any(kernel, reasons_against_rows(config));
  return config;
}

}  // namespace

RowBuilder::RowBuilder(const std::string& name, const ThreadsConfig& config, std::string why)
    : Builder(name, accepted(name, config).threads, to_index(config.subgroup_size)) {
  describe(typed_items(threads_fields<ThreadsConfig>(), config), std::move(why));
}

Row::Row(Builder& k, const ThreadsConfig& config, const Tensor& src, const Expr& outside, Part part,
         const Expr& slices)
    : builder_(k),
      block_{config.columns * config.width() * config.rounds, config.threads / config.columns},
      blocks_(k, src, block_, config.tiled_copy()),
      outside_(outside),
      x_(blocks_.registers("x", outside->type.element)),
      part_(part),
      first_(0),
      count_(1) {
  if (part == Part::block) {
    first_ = k.block_x();
    return;
  }
  count_ = k.let("blocks", ceil_div(Builder::extent(src, 0), to_index(block_.leaf(0))));
  if (part == Part::whole) return;
  const SliceParts own = slice_blocks(k, count_, slices);
  first_ = own.first;
  count_ = own.count;
}

void Row::read(const Expr& block, const Body& redo) {
  blocks_.load({block, row_tile()}, x_, outside_);
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
  if (part_ == Part::block) {
    if (is_first) read(first_, redo);
    body(first_);
    return;
  }
  builder_.loop(
      "block", count_,
      [&](const Expr& i) {
        const Expr block = part_ == Part::whole ? i : first_ + i;
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

}  // namespace vkmoye::gen
