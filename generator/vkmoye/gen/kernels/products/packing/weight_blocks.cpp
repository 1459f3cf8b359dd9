// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/packing/weight_blocks.hpp"

#include <algorithm>
#include <utility>

namespace vkmoye::gen {

WeightBlocks::WeightBlocks(Builder& builder, const WeightFormat& format, bool batched)
    : builder_(builder), format_(format) {
  std::vector<Builder::AxisSpec> axes = {{"word", "words"}, {"row", "rows", "leading"}};
  if (batched) {
    axes.push_back({"batch", "batch", "stride"});
    matrix_ = builder.block_z();
  }
  src_ = builder.input("src", ScalarType::u16, axes);
}

Conditions WeightBlocks::has_blocks() const {
  return {less(to_index(format_.bytes / 2 - 1), extent(0)), less(0, extent(1))};
}

std::vector<Expr> WeightBlocks::bits(const WeightNumber& number, const std::string& name,
                                     const Expr& k_of_row, const Expr& row,
                                     std::uint32_t count) const {
  return bits_in_block(builder_, format_, number, name, k_of_row % to_index(format_.elements),
                       count, words_of(k_of_row, row));
}

Expr WeightBlocks::weight(const std::string& suffix, const Expr& k_of_row, const Expr& row) const {
  return weight_in_block(builder_, format_, k_of_row % to_index(format_.elements), suffix,
                         words_of(k_of_row, row));
}

WordOfBlock WeightBlocks::words_of(const Expr& k_of_row, const Expr& row) const {
  return [this, k_of_row, row](const std::string& name, const Expr& at) {
    return word(name, k_of_row, row, at);
  };
}

Expr WeightBlocks::word(const std::string& name, const Expr& k_of_row, const Expr& row,
                        const Expr& at) const {
  const Expr of_block = to_index(format_.bytes / 2), words = extent(0);
  const Expr block = minimum(k_of_row / to_index(format_.elements), words / of_block - 1);
  // The word is below `words` as it is; the verifier does not see it through the division by the words of a block.
  ir::Element from{"src",
                   {minimum(block * of_block + at, words - 1), minimum(row, extent(1) - 1)},
                   "blocks of weights",
                   1};
  if (matrix_) from.coordinates.push_back(*matrix_);
  return convert(builder_.load(name, from), ScalarType::u32);
}

}  // namespace vkmoye::gen
