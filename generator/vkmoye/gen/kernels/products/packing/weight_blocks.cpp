// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/packing/weight_blocks.hpp"

#include <algorithm>
#include <utility>

#include "vkmoye/gen/kernels/common/weight_numbers.hpp"

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
  return {ir::less(to_index(format_.bytes / 2 - 1), extent(0)), ir::less(0, extent(1))};
}

Expr WeightBlocks::half(const std::string& name, const Expr& k_of_row, const Expr& row,
                        std::int64_t at) const {
  return word(name, k_of_row, row, to_index(at / 2));
}

std::vector<Expr> WeightBlocks::codes(const std::string& name, const Expr& k_of_row,
                                      const Expr& row, std::uint32_t count) const {
  using namespace ir;
  const auto u32 = [](std::uint32_t value) { return number(ScalarType::u32, value); };
  const CodesInWords codes = format_.codes_in_words(16);
  const std::uint32_t together = to_index(codes.together), apart = to_index(codes.apart);
  const Expr element = k_of_row % to_index(format_.elements);
  const Expr at = to_index(format_.codes_at / 2) + evaluate(codes.word, element);
  const Expr first_bit = evaluate(codes.bit, element);
  std::vector<Expr> out;
  for (std::uint32_t first = 0; first < count; first += together) {
    const std::string numbered = count > together ? name + std::to_string(first) : name;
    const Expr loaded = word(numbered, k_of_row, row, at + first / together);
    const Expr from_first = builder_.let(numbered + "_from_bit",
                                         shift_right(loaded, convert(first_bit, ScalarType::u32)));
    for (std::uint32_t i = 0; i < std::min(together, count - first); ++i) {
      const Expr moved = i == 0 ? from_first : shift_right(from_first, u32(i * apart));
      const Expr code = bit_and(moved, u32((1u << format_.bits) - 1));
      out.push_back(format_.has_sign ? bit_xor(code, u32(1u << (format_.bits - 1))) : code);
    }
  }
  return out;
}

Expr WeightBlocks::weight(const std::string& suffix, const Expr& k_of_row, const Expr& row) const {
  const Expr code = codes("codes" + suffix, k_of_row, row, 1).front();
  WeightScale scale;
  for (const WeightNumber& number : format_.numbers()) {
    const std::string name = number.name + suffix;
    Expr bits = half(name, k_of_row, row, number.at);
    if (format_.scale_type == ScalarType::f32) {
      const Expr high = half(name + "_high", k_of_row, row, number.at + 2);
      bits = bit_or(bits, shift_left(high, ir::number(ScalarType::u32, 16)));
    }
    scale.push_back(number_in_word(bits, format_.scale_type, 0));
  }
  return scaled(number_of_code(format_, code), scale);
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
