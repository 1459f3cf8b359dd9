// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <numeric>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/packing/packed_form.hpp"
#include "vkmoye/gen/kernels/products/packing/weight_blocks.hpp"
#include "vkmoye/gen/kernels/products/sources/packed_weights.hpp"
#include "vkmoye/layout/algebra.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kMaxPackThreads = 128;

}  // namespace

ir::Kernel pack_weights(const PackedWeights& weights, bool batched) {
  using namespace ir;
  throw_if_any("gemm/pack", reasons_against(weights));
  const WeightFormat& format = *weights.format;
  const std::vector<PackedPlane> planes = weights.planes();
  std::int64_t threads = kMaxPackThreads;
  for (const PackedPlane& plane : planes) threads = std::gcd(threads, plane.words);
  Builder builder("gemm/pack", threads);
  builder.header({{"weights", format.name},
                  {"block", fmt::format("{} of k x {}", weights.block_depth(), weights.rows)},
                  {"codes", to_string(weights.places(planes.front()))}},
                 "a block of the result for each workgroup, a word for each thread");
  const WeightBlocks from(builder, format, batched);
  const View packed_block = output_block(builder, ScalarType::u32, weights.words(), batched);
  const Expr first_k = to_index(weights.block_depth()) * builder.block_x();
  const Expr first_row = to_index(weights.rows) * builder.block_y();
  // A word of 8 consecutive k of one row or of several rows; or, with codes of 8 bits, of 4.
  const auto word_of_codes = [&](const PackedPlane& plane, const Expr& word) {
    const Layout places = right_inverse(weights.places(plane));
    const std::int64_t of_row = std::min(kPackedVector, plane.of_word());
    Expr out = number(ScalarType::u32, 0);
    for (std::int64_t row = 0; row < plane.of_word() / of_row; ++row) {
      // The first code of a row in a word: that of the first of its weights, which are consecutive along k.
      const Expr place = evaluate(places, to_index(plane.of_word()) * word + to_index(4 * row));
      const std::vector<Expr> bits = from.bits(
          plane.number, row == 0 ? plane.name : fmt::format("{}_of_row{}", plane.name, row),
          first_k + place % to_index(weights.block_depth()),
          first_row + place / to_index(weights.block_depth()), to_index(of_row));
      for (std::int64_t i = 0; i < of_row; ++i) {
        const auto at = static_cast<std::uint32_t>((i / 2 + 4 * row) * plane.bits + i % 2 * 16);
        const Expr moved =
            shift_left(bits[static_cast<std::size_t>(i)], number(ScalarType::u32, at));
        out = row == 0 && i == 0 ? bits.front() : bit_or(out, moved);
      }
    }
    return out;
  };
  // A word of numbers that several k of a row share.
  const auto word_of_numbers = [&](const PackedPlane& plane, const Expr& word) {
    const Layout places = right_inverse(weights.places(plane));
    Expr out = number(ScalarType::u32, 0);
    const auto add = [&](const Expr& bits, std::int64_t at) {
      out = at == 0 ? bits : bit_or(out, shift_left(bits, number(ScalarType::u32, to_index(at))));
    };
    for (std::int64_t i = 0; i < plane.of_word(); ++i) {
      const Expr place = evaluate(places, to_index(plane.of_word()) * word + to_index(i));
      const Expr k = first_k + to_index(plane.run) * (place / to_index(weights.rows));
      const Expr row = first_row + place % to_index(weights.rows);
      add(from.bits(plane.number, fmt::format("{}{}", plane.name, i), k, row, 1).front(),
          i * plane.bits);
    }
    return out;
  };
  const auto write_packed_block = [&](bool has_blocks) {
    for (const PackedPlane& plane : planes) {
      builder.with_title(plane.plural, [&] {
        const View words = part_of(packed_block, plane.first, plane.words);
        const Layout all = make_layout({threads});
        builder.apply(parallelize(words, all, builder.thread()),
                      parallelize(make_identity_view({plane.words}), all, builder.thread()),
                      [&](const std::vector<Expr>&, const std::vector<Expr>& word) {
                        if (!has_blocks) return number(ScalarType::u32, 0);
                        return plane.is_code ? word_of_codes(plane, word[0])
                                             : word_of_numbers(plane, word[0]);
                      },
                      {});
      });
    }
  };
  builder.branch(
      from.has_blocks(), "a row has a block", [&] { write_packed_block(true); },
      "there is no block", [&] { write_packed_block(false); });
  return builder.finish();
}

}  // namespace vkmoye::gen
