// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/row_state.hpp"

#include <algorithm>
#include <utility>

namespace vkmoye::gen {

RowState::RowState(Builder& k, const ThreadsConfig& config, RowPart part,
                   const std::vector<Part>& parts, const Expr& row_tile)
    : builder_(k), config_(config), row_part_(part), row_tile_(row_tile) {
  const std::vector<Builder::AxisSpec> axes = {{"slice", "slices"}, {"row", "rows"}};
  const TiledCopy copy = make_tiled_copy(config.thread_layout(), make_layout({1, 1}));
  for (const Part& of : parts) {
    Stored& stored = parts_.emplace_back(Stored{of, registers(of.name, of)});
    if (part == RowPart::whole) continue;
    const ScalarType type = of.start->type.element;
    for (const std::string& name : of.arrays) {
      const bool is_read = part == RowPart::combine;
      const Tensor array = is_read ? k.input(name, type, axes) : k.output(name, type, axes);
      slices_ = array.extent(0);
      stored.tensors.push_back(array);
      if (!is_read) continue;
      stored.blocks.emplace_back(k, array, config.thread_layout().shape(), copy);
      stored.of_slice.push_back(stored.blocks.back().registers(name + "_of_row", type));
    }
  }
  if (has_followers()) before_ = registers("before", parts.front());
}

// Several values are one array, each a view of one element.
RowState::Registers RowState::registers(const std::string& name, const Part& of) {
  const ScalarType type = of.start->type.element;
  const auto count = static_cast<std::int64_t>(of.arrays.size());
  if (count <= 1) {
    const View one = builder_.registers(name, type, Layout());
    return {one, {one}};
  }
  Registers out = {builder_.registers(name, type, Layout(count, 1)), {}};
  for (std::int64_t i = 0; i < count; ++i) {
    out.values.push_back(tile(out.all, {1}, {to_index(i)}));
  }
  return out;
}

bool RowState::has_followers() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const Stored& of) { return static_cast<bool>(of.adjust); });
}

RowState::Adjust RowState::adjust_to(
    Builder& k, const std::string& how,
    const std::function<Expr(const Expr&, const Expr&, const Expr&)>& function) {
  return [=, &k](const Values& part, const Values& own, const Values& merged) {
    k.with_title(part[0].name + " <- " + how,
                 [&] { k.apply(part[0], function, part[0], own[0], merged[0]); });
  };
}

void RowState::start() {
  for (const Stored& of : parts_) builder_.assign(of.own.all, of.start);
}

void RowState::step(const std::function<void()>& lead, const std::function<void()>& follow) {
  const Values& leader = parts_.front().own.values;
  builder_.copy(parts_.front().own.all, before_.all);
  lead();
  for (const Stored& of : parts_) {
    if (of.adjust) of.adjust(of.own.values, before_.values, leader);
  }
  follow();
}

void RowState::reduce_across_threads(const Stored& of) {
  builder_.reduce_across(of.own.all, of.reduction, config_.thread_layout(), 0);
}

void RowState::merge_threads() {
  const auto reduce_leader = [&] { reduce_across_threads(parts_.front()); };
  if (!has_followers()) return reduce_leader();
  step(reduce_leader, [&] {
    for (std::size_t i = 1; i < parts_.size(); ++i) reduce_across_threads(parts_[i]);
  });
}

void RowState::load_slices(Stored& of, const Expr& block) {
  for (std::size_t i = 0; i < of.blocks.size(); ++i) {
    of.blocks[i].load({block, row_tile_}, of.of_slice[i], of.start);
  }
}

void RowState::merge_slices() {
  Stored& leader = parts_.front();
  for (Stored& of : parts_) {
    const auto take_slice = [&](const Expr& block) {
      load_slices(leader, block);
      if (of.adjust) {
        load_slices(of, block);
        of.adjust(of.of_slice, leader.of_slice, leader.own.values);
      }
      for (std::size_t i = 0; i < of.of_slice.size(); ++i) {
        builder_.accumulate(of.own.values[i], of.reduction, of.of_slice[i]);
      }
    };
    builder_.loop("slice_block", ceil_div(slices_, to_index(config_.columns)), take_slice,
                  ir::Unroll::never);
    reduce_across_threads(of);
  }
}

void RowState::store_slice() {
  builder_.branch(is_first_of_lines(builder_, config_), [&] {
    for (const Stored& of : parts_) {
      for (std::size_t i = 0; i < of.tensors.size(); ++i) {
        builder_.copy(of.own.values[i], line_values(builder_, config_, of.tensors[i],
                                                    {builder_.block_y(), row_tile_}));
      }
    }
  });
}

void RowState::compute(Row& row, const Row::Body& step) {
  start();
  if (row_part_ == RowPart::combine) return merge_slices();
  row.pass(step);
  merge_threads();
  if (row_part_ == RowPart::slices) store_slice();
}

}  // namespace vkmoye::gen
