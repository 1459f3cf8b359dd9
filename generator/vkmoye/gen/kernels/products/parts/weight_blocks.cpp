// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/parts/weight_blocks.hpp"

#include <utility>

namespace vkmoye::gen {

WeightBlocks::WeightBlocks(Builder& k, const WeightFormat& format, std::optional<Expr> matrix)
    : builder_(k), format_(format), matrix_(std::move(matrix)) {}

Conditions WeightBlocks::has_blocks() const {
  return {ir::less(to_index(format_.bytes / 2 - 1), ir::variable("words")),
          ir::less(0, ir::variable("rows"))};
}

Expr WeightBlocks::half(const std::string& name, const Expr& k_of_row, const Expr& row,
                        std::int64_t at) const {
  return word(name, first_word(k_of_row) + to_index(at / 2), row);
}

Expr WeightBlocks::code(const std::string& name, const Expr& k_of_row, const Expr& row) const {
  using namespace ir;
  const Expr element = k_of_row % to_index(format_.elements);
  const std::int64_t in_half = format_.elements / 2;
  const bool is_whole = format_.bits == 8;
  const bool in_halves = format_.order == WeightFormat::Order::halves;
  const Expr byte = to_index(format_.codes_at) + (is_whole    ? element
                                                  : in_halves ? element % to_index(in_half)
                                                              : element / 2);
  Expr bit = 8 * (byte % 2);
  if (!is_whole) bit = bit + 4 * (in_halves ? element / to_index(in_half) : element % 2);
  const Expr codes = word(name, first_word(k_of_row) + byte / 2, row);
  const auto u32 = [](std::uint32_t value) { return number(ScalarType::u32, value); };
  const Expr code =
      bit_and(shift_right(codes, convert(bit, ScalarType::u32)), u32((1u << format_.bits) - 1));
  return format_.has_sign ? bit_xor(code, u32(1u << (format_.bits - 1))) : code;
}

Expr WeightBlocks::weight(const std::string& suffix, const Expr& k_of_row, const Expr& row) const {
  using namespace ir;
  const auto number_at = [&](const std::string& name, std::int64_t at) {
    const Expr halves = bitcast(half(name + suffix, k_of_row, row, at), ScalarType::f16);
    return convert(component(halves, 0), ScalarType::f32);
  };
  const auto zero =
      static_cast<double>(format_.has_sign ? std::int64_t{1} << (format_.bits - 1) : format_.zero);
  const Expr code = convert(this->code("codes" + suffix, k_of_row, row), ScalarType::f32) - zero;
  const Expr scale = number_at("scale", format_.scale_at);
  if (!format_.minimum_at) return code * scale;
  return multiply_add(code, scale, number_at("minimum", *format_.minimum_at));
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
