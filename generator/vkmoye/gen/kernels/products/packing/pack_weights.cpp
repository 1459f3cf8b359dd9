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
  const std::int64_t threads =
      std::gcd(kMaxPackThreads, std::gcd(weights.code_words(), weights.scale_words()));
  Builder builder("gemm/pack", threads);
  builder.describe({{"weights", format.name},
                    {"block", fmt::format("{} of k x {}", weights.depth(), weights.rows)},
                    {"codes", to_string(weights.codes())}},
                   "a block of the result for each workgroup, a word for each thread");
  const WeightBlocks from(builder, format, batched);
  const View packed_block = output_block(builder, ScalarType::u32, weights.words(), batched);
  const Expr first_k = to_index(weights.depth()) * builder.block_x();
  const Expr first_row = to_index(weights.rows) * builder.block_y();
  // Words `first` to `first + count` of the block; `word` computes word number `at` of them.
  const auto write = [&](std::int64_t first, std::int64_t count, const PlacedFunction& word) {
    const View words =
        tile(composition(packed_block, Layout(first + count)), {count}, {to_index(first / count)});
    const Layout all = make_layout({threads});
    builder.apply(parallelize(words, all, builder.thread()),
                  parallelize(make_identity_view({count}), all, builder.thread()), word, {});
  };
  const std::uint32_t of_word = 32 / format.bits;
  const Layout places = right_inverse(weights.codes()), scales = right_inverse(weights.scales());
  // A word of two scales of f16, or of half by half of one of f32, which are at byte `at` of their blocks.
  const auto scale_word = [&](std::int64_t at) -> PlacedFunction {
    return [&, at](const std::vector<Expr>&, const std::vector<Expr>& word) {
      const auto of_word = static_cast<std::uint32_t>(weights.scales_of_word());
      Expr out = number(ScalarType::u32, 0);
      for (const std::uint32_t i : {0u, 1u}) {
        const Expr place = evaluate(scales, of_word * word[0] + (of_word == 2 ? i : 0));
        const Expr weight_block =
            place / to_index(weights.rows);  // place: row + rows * weight_block
        const Expr half =
            from.half(fmt::format("half{}", i), first_k + to_index(format.elements) * weight_block,
                      first_row + place % to_index(weights.rows), of_word == 2 ? at : at + 2 * i);
        out = i == 0 ? half : bit_or(out, shift_left(half, number(ScalarType::u32, 16)));
      }
      return out;
    };
  };
  const PlacedFunction codes = [&](const std::vector<Expr>&, const std::vector<Expr>& word) {
    // The first code of a word is that of the first of its weights, which are consecutive along k.
    const Expr place = evaluate(places, of_word * word[0]);  // k + depth * row
    const std::vector<Expr> all =
        from.codes("codes", first_k + place % to_index(weights.depth()),
                   first_row + place / to_index(weights.depth()), of_word);
    Expr out = all.front();
    for (std::uint32_t i = 1; i < of_word; ++i) {
      const std::uint32_t bit = i / 2 * format.bits + i % 2 * 16;
      out = bit_or(out, shift_left(all[i], number(ScalarType::u32, bit)));
    }
    return out;
  };
  const PlacedFunction zeros = [](const std::vector<Expr>&, const std::vector<Expr>&) {
    return number(ScalarType::u32, 0);
  };
  const auto write_packed_block = [&](bool has_blocks) {
    std::int64_t first = weights.code_words();
    builder.with_title("codes", [&] { write(0, first, has_blocks ? codes : zeros); });
    for (const WeightNumber& of : format.numbers()) {
      builder.with_title(of.plural, [&] {
        write(first, weights.scale_words(), has_blocks ? scale_word(of.at) : zeros);
      });
      first += weights.scale_words();
    }
  };
  builder.branch(
      from.has_blocks(), "a row has a block", [&] { write_packed_block(true); },
      "there is no block", [&] { write_packed_block(false); });
  return builder.finish();
}

}  // namespace vkmoye::gen
