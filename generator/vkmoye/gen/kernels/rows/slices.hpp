// SPDX-License-Identifier: MIT
#pragma once
// Rows that are cut into slices, for which each workgroup computes a result; another kernel combines the results.
//
//   2 rows in 3 slices     row 0  [ slice 0 | slice 1 | slice 2 ]    6 workgroups
//                          row 1  [ slice 0 | slice 1 | slice 2 ]
//   results (slice, row)   of f32, or places of u32

#include <functional>
#include <string>

#include "vkmoye/gen/kernels/common/blocks.hpp"
#include "vkmoye/gen/kernels/common/slice_parts.hpp"
#include "vkmoye/gen/kernels/common/threads_config.hpp"

namespace vkmoye::gen {

/// The blocks of slice block_y, if `blocks` are divided evenly among `slices` slices.
SliceParts slice_blocks(Builder& k, const Expr& blocks, const Expr& slices);

/// Results (slice, row) that a kernel writes: workgroup (x, y) those of slice y of its rows.
class SliceResultsWriter {
 public:
  /// `k` must outlive this object.
  SliceResultsWriter(Builder& k, const std::string& name, ScalarType type,
                     const ThreadsConfig& config);

  Expr slices() const { return Builder::extent(tensor_, 0); }
  /// Stores `value`, which must be equal in all threads of a row.
  void store(const View& value);

 private:
  Builder& builder_;
  Tensor tensor_;
  std::int64_t columns_, rows_;  // of threads
};

/// The same results as a kernel reads them that combines the slices of a row.
class SliceResultsReader {
 public:
  /// `row_tile`: that of the workgroup; a tile has `threads / columns` rows. `outside`: the value past
  /// the last slice. `k` must outlive this object.
  SliceResultsReader(Builder& k, const std::string& name, const ThreadsConfig& config,
                     const Expr& row_tile, const Expr& outside);

  /// Registers for one result of each thread.
  const View& values() const { return values_; }
  /// Loads the results of block `block` of the slices, one for each thread of a row.
  void load(const Expr& block) { blocks_.load({block, row_tile_}, values_, outside_); }
  /// Loads each block, followed by `body`.
  void each(const std::function<void(const Expr& block)>& body);

 private:
  Builder& builder_;
  Tensor tensor_;
  std::int64_t columns_;
  Expr row_tile_, outside_;
  Blocks blocks_;
  View values_;
};

}  // namespace vkmoye::gen
