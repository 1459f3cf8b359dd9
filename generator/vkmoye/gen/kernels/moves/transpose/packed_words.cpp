// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/moves/transpose/packed_words.hpp"

#include <utility>

namespace vkmoye::gen {

ir::Element words(const Tensor& tensor, std::vector<Expr> at, std::int64_t elements,
                  const char* whose) {
  return {tensor.array.name, std::move(at), whose, to_index(elements), "", /*of_words=*/true};
}

std::vector<Expr> transposed_words(Builder& k, const std::string& name,
                                   const std::vector<Expr>& rows) {
  // A shift by a half needs no mask: what it moves is all that remains.
  const auto masked = [](const Expr& word, std::uint32_t mask, std::uint32_t bits) {
    return bits == 16 ? word : bit_and(word, mask);
  };
  const auto low = [&](const Expr& a, const Expr& b, std::uint32_t mask, std::uint32_t bits) {
    return bit_or(bit_and(a, mask), shift_left(masked(b, mask, bits), bits));
  };
  const auto high = [&](const Expr& a, const Expr& b, std::uint32_t mask, std::uint32_t bits) {
    return bit_or(masked(shift_right(a, bits), mask, bits), bit_and(b, ~mask));
  };
  constexpr std::uint32_t kHalf = 0xffff, kBytes = 0x00ff00ff;  // the low half; the even bytes
  const auto halves = [&](const Expr& a, const Expr& b) {
    return std::vector<Expr>{low(a, b, kHalf, 16), high(a, b, kHalf, 16)};
  };
  if (rows.size() == 1) return rows;
  if (rows.size() == 2) return halves(rows[0], rows[1]);
  const Expr even01 = k.let(name + "_even01", low(rows[0], rows[1], kBytes, 8));
  const Expr odd01 = k.let(name + "_odd01", high(rows[0], rows[1], kBytes, 8));
  const Expr even23 = k.let(name + "_even23", low(rows[2], rows[3], kBytes, 8));
  const Expr odd23 = k.let(name + "_odd23", high(rows[2], rows[3], kBytes, 8));
  const auto even = halves(even01, even23), odd = halves(odd01, odd23);
  return {even[0], odd[0], even[1], odd[1]};
}

}  // namespace vkmoye::gen
