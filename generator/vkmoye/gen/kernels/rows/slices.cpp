// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/rows/slices.hpp"

namespace vkmoye::gen {
namespace {

const std::vector<Builder::AxisSpec> kSlicesAndRows = {{"slice", "slices"}, {"row", "rows"}};

}  // namespace

SliceParts slice_blocks(Builder& k, const Expr& blocks, const Expr& slices) {
  return slice_parts(k, blocks, slices, k.block_y(),
                     {"blocks_of_slice", "first_block", "own_blocks"});
}

SliceResultsWriter::SliceResultsWriter(Builder& k, const std::string& name, ScalarType type,
                                       const ThreadsConfig& config)
    : builder_(k),
      tensor_(k.output(name, type, kSlicesAndRows)),
      columns_(config.columns),
      rows_(config.threads / config.columns) {}

void SliceResultsWriter::store(const View& value) {
  const Expr columns = to_index(columns_);
  const View of_slice = tile(tensor_, {1, rows_}, {builder_.block_y(), builder_.block_x()});
  const View to =
      parallelize(slice(of_slice, {0, _}), make_layout({rows_}), builder_.thread() / columns);
  builder_.branch({ir::equal(builder_.thread() % columns, 0)}, [&] { builder_.copy(value, to); });
}

SliceResultsReader::SliceResultsReader(Builder& k, const std::string& name,
                                       const ThreadsConfig& config, const Expr& row_tile,
                                       const Expr& outside)
    : builder_(k),
      tensor_(k.input(name, outside->type.element, kSlicesAndRows)),
      columns_(config.columns),
      row_tile_(row_tile),
      outside_(outside),
      blocks_(k, tensor_, {config.columns, config.threads / config.columns},
              make_tiled_copy(config.thread_layout(), make_layout({1, 1}))),
      values_(blocks_.registers(name + "_of_row", outside->type.element)) {}

void SliceResultsReader::each(const std::function<void(const Expr& block)>& body) {
  builder_.loop(
      "slice_block", ceil_div(Builder::extent(tensor_, 0), to_index(columns_)),
      [&](const Expr& block) {
        load(block);
        body(block);
      },
      ir::Unroll::never);
}

}  // namespace vkmoye::gen
