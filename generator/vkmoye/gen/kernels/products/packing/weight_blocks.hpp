// SPDX-License-Identifier: MIT
#pragma once
// Reads single weights from blocks as a GGUF file stores them, for kernels that reorder weights once.
//
//   src  (word, row), 16-bit words of rows of blocks; arguments words and rows
//   q4_0, weight 50 of a row      block 1, element 18: the high bits of byte 2 of its codes, word 9 + 1 + 1
//
// Blocks past the end of a row, and rows past the last one, are the last.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/common/weight_in_block.hpp"

namespace vkmoye::gen {

class WeightBlocks {
 public:
  /// Declares src; with `batched`, block_z is the matrix of a batch. `builder` and `format` must outlive this object.
  /// Precondition of all members: src has rows, and a row has a block.
  WeightBlocks(Builder& builder, const WeightFormat& format, bool batched);

  /// The precondition as conditions of a branch.
  Conditions has_blocks() const;
  /// The bits of `number` of weight `k_of_row` of a row and the next ones as u32; a sign bit is inverted. Precondition:
  /// `count` is 1, or divides k_of_row, and is 4 or 8.
  std::vector<Expr> bits(const WeightNumber& number, const std::string& name, const Expr& k_of_row,
                         const Expr& row, std::uint32_t count) const;
  /// That weight in f32. `suffix`: the end of the names of what is loaded.
  Expr weight(const std::string& suffix, const Expr& k_of_row, const Expr& row) const;

 private:
  WordOfBlock words_of(const Expr& k_of_row, const Expr& row) const;
  // Word `at` of 16 bits of the block with that weight.
  Expr word(const std::string& name, const Expr& k_of_row, const Expr& row, const Expr& at) const;
  Expr extent(std::size_t axis) const { return ir::expression(src_.array.axes[axis].extent); }

  Builder& builder_;
  const WeightFormat& format_;
  Tensor src_;
  std::optional<Expr> matrix_;
};

}  // namespace vkmoye::gen
