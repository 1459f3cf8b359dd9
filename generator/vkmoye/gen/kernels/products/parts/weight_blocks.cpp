// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/parts/weight_blocks.hpp"

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
  builder.input("src", ScalarType::u16, axes);
}

Conditions WeightBlocks::has_blocks() const {
  return {ir::less(to_index(format_.bytes / 2 - 1), ir::variable("words")),
          ir::less(0, ir::variable("rows"))};
}

Expr WeightBlocks::half(const std::string& name, const Expr& k_of_row, const Expr& row,
                        std::int64_t at) const {
  return word(name, first_word(k_of_row) + to_index(at / 2), row);
}

std::vector<Expr> WeightBlocks::codes(const std::string& name, const Expr& k_of_row,
                                      const Expr& row, std::uint32_t count) const {
  using namespace ir;
  const auto u32 = [](std::uint32_t value) { return number(ScalarType::u32, value); };
  const Expr element = k_of_row % to_index(format_.elements);
  const std::int64_t in_half = format_.elements / 2;
  const bool in_halves = format_.bits == 4 && format_.order == WeightFormat::Order::halves;
  // Codes of neighbours in one word of 16 bits, as far apart in bits.
  const std::uint32_t apart = in_halves ? 8 : format_.bits, of_word = 16 / apart;
  const Expr byte = to_index(format_.codes_at) + (format_.bits == 8 ? element
                                                  : in_halves       ? element % to_index(in_half)
                                                                    : element / 2);
  Expr first_bit = 8 * (byte % 2);
  if (format_.bits == 4) {
    first_bit = first_bit + 4 * (in_halves ? element / to_index(in_half) : element % 2);
  }
  std::vector<Expr> out;
  for (std::uint32_t first = 0; first < count; first += of_word) {
    const std::string numbered = count > of_word ? name + std::to_string(first) : name;
    const Expr loaded = word(numbered, first_word(k_of_row) + byte / 2 + first / of_word, row);
    const Expr from_first = builder_.let(numbered + "_from_bit",
                                         shift_right(loaded, convert(first_bit, ScalarType::u32)));
    for (std::uint32_t i = 0; i < std::min(of_word, count - first); ++i) {
      const Expr moved = i == 0 ? from_first : shift_right(from_first, u32(i * apart));
      const Expr code = bit_and(moved, u32((1u << format_.bits) - 1));
      out.push_back(format_.has_sign ? bit_xor(code, u32(1u << (format_.bits - 1))) : code);
    }
  }
  return out;
}

Expr WeightBlocks::number_at(const std::string& name, const Expr& k_of_row, const Expr& row,
                             std::int64_t at) const {
  using namespace ir;
  const Expr low = half(name, k_of_row, row, at);
  if (format_.scale_type == ScalarType::f16) {
    return convert(component(bitcast(low, ScalarType::f16), 0), ScalarType::f32);
  }
  const Expr high = half(name + "_high", k_of_row, row, at + 2);
  return bitcast(bit_or(low, shift_left(high, ir::number(ScalarType::u32, 16))), ScalarType::f32);
}

Expr WeightBlocks::weight(const std::string& suffix, const Expr& k_of_row, const Expr& row) const {
  using namespace ir;
  const Expr code = codes("codes" + suffix, k_of_row, row, 1).front();
  Expr value = code;
  if (format_.code_type) {
    value = convert(component(bitcast(code, *format_.code_type), 0), ScalarType::f32);
  } else if (!format_.levels.empty()) {
    value = ir::number(ScalarType::f32, format_.levels.front());
    for (std::uint32_t i = 1; i < format_.levels.size(); ++i) {
      const Expr level = ir::number(ScalarType::f32, format_.levels[i]);
      value = select(equal(code, ir::number(ScalarType::u32, i)), level, value);
    }
  } else {
    value = convert(code, ScalarType::f32) - static_cast<double>(format_.unsigned_zero());
  }
  if (!format_.scale_at) return value;
  const Expr scale = number_at("scale" + suffix, k_of_row, row, *format_.scale_at);
  if (!format_.minimum_at) return value * scale;
  return multiply_add(value, scale,
                      number_at("minimum" + suffix, k_of_row, row, *format_.minimum_at));
}

Expr WeightBlocks::first_word(const Expr& k_of_row) const {
  const Expr of_block = to_index(format_.bytes / 2);
  const Expr last = ir::variable("words") / of_block - 1;
  return minimum(k_of_row / to_index(format_.elements), last) * of_block;
}

Expr WeightBlocks::word(const std::string& name, const Expr& at, const Expr& row) const {
  using namespace ir;
  // `at` is below `words` as it is; the verifier does not see it through the division by the words of a block.
  ir::Element from{"src",
                   {minimum(at, variable("words") - 1), minimum(row, variable("rows") - 1)},
                   "blocks of weights",
                   1};
  if (matrix_) from.coordinates.push_back(*matrix_);
  return convert(builder_.load(name, from), ScalarType::u32);
}

}  // namespace vkmoye::gen
