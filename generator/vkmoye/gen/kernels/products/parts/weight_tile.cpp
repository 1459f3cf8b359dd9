// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/parts/weight_tile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kWidest = kWidestCopy / 2;  // 16-bit words
constexpr std::int64_t kMaxSideBySide = 32;

// The mantissa of an f32 has 23 bits. A number of 24 - kLowestBit bits times the 11 of a scale is exact.
constexpr std::uint32_t kMantissa = 23, kLowestBit = 11;

std::int64_t power_dividing(std::int64_t value, std::int64_t most) {
  return std::min(value & -value, most);
}

}  // namespace

std::int64_t access_words(const WeightFormat& format, std::int64_t unit) {
  return power_dividing(unit * format.bytes / 2, kWidest);
}

FetchThreads fetch_threads(const WeightFormat& format, const WeightTileShape& shape) {
  const std::int64_t accesses = shape.blocks * format.bytes / 2 / access_words(format, shape.unit);
  const std::int64_t along = std::min(power_dividing(accesses, kMaxSideBySide), shape.threads);
  return {along, shape.threads / along};
}

std::int64_t shared_bytes(const WeightFormat& format, const WeightTileShape& shape) {
  return shape.rows * (shape.blocks * format.bytes + 2 * shape.pad);
}

std::vector<std::string> reasons_against(const WeightFormat& format, const WeightTileShape& shape) {
  std::vector<std::string> reasons;
  const std::int64_t pair = format.bytes % 4 == 0 ? 1 : 2;
  require(shape.unit % pair == 0,
          fmt::format("{} blocks of {} are not whole words of 4 bytes", shape.unit, format.name),
          reasons);
  if (!reasons.empty()) return reasons;
  require_divides("blocks of a thread", shape.unit, "the blocks of a row of the tile", shape.blocks,
                  reasons);
  const FetchThreads threads = fetch_threads(format, shape);
  require_divides("threads that fetch different rows of weights", threads.across,
                  "the rows of the tile", shape.rows, reasons);
  return reasons;
}

std::vector<WeightGroup> groups_of_word(const WeightFormat& format) {
  const std::uint32_t bits = format.bits;
  if (bits == 8) return {{{0, 8, 16, 24}, 0, 4}};
  if (format.order == WeightFormat::Order::neighbours) {
    return {{{0, 4, 8, 12}, 0, 8}, {{16, 20, 24, 28}, 4, 8}};
  }
  return {{{0, 8, 16, 24}, 0, 4}, {{4, 12, 20, 28}, format.elements / 2, 4}};
}

WeightTile::WeightTile(Builder& k, const WeightFormat& format, const WeightTileShape& shape)
    : k_(k), format_(format), shape_(shape), vector_{to_index(access_words(format, shape.unit))} {
  const Layout layout = make_layout({words_of_row(), shape.rows}, {1, words_of_row() + shape.pad});
  shared_ = k_.shared("shared_weights", ScalarType::u16, layout);
  const FetchThreads threads = fetch_threads(format, shape);
  const std::int64_t accesses = words_of_row() / vector_.count / threads.along;
  next_ = k_.registers("next_weights", ScalarType::u16,
                       make_layout({static_cast<std::int64_t>(vector_.count), accesses,
                                    shape.rows / threads.across}),
                       vector_.count);
}

View WeightTile::part(const View& tile) const {
  const FetchThreads threads = fetch_threads(format_, shape_);
  return partition(tile,
                   make_tiled_copy(make_layout({threads.along, threads.across}),
                                   make_layout({static_cast<std::int64_t>(vector_.count), 1})),
                   k_.thread());
}

Conditions WeightTile::fits(const View& tile) const {
  return k_.fits(part(tile), vector_, Edges::zero);
}

void WeightTile::fetch(const View& tile, Edges edges, bool elementwise) {
  k_.copy(
      part(tile), k_.retile(next_, part(tile)),
      {.edges = edges, .vector = vector_, .vectors_fit = true, .from_elementwise = elementwise});
}

void WeightTile::store() {
  const View to = part(shared_);
  k_.copy(k_.retile(next_, to), to, {.vector = vector_});
}

void WeightTile::read(const Expr& row, const Expr& unit, const View& to, const Expr& first) {
  const std::uint32_t words = vector_.count / 2;  // of an access
  const Expr start =
      row * to_index(words_of_row() + shape_.pad) + unit * to_index(2 * words_of_unit());
  const std::int64_t accesses = words_of_unit() / words;
  k_.unrolled_loop("access", to_index(accesses), [&](const Expr& i) {
    const ir::Element from{
        shared_.array, {start + i * vector_.count}, "words of a thread", vector_.count};
    const Expr loaded = k_.load("halves", from);
    const Expr all = k_.let("words_read", bitcast(loaded, ScalarType::u32));
    for (std::uint32_t w = 0; w < words; ++w) {
      k_.store(words == 1 ? all : ir::component(all, w),
               {to.array, {first + i * words + w}, "words of a thread"});
    }
  });
}

Expr WeightTile::word(const View& words, const Expr& first, const Expr& pair, const Expr& at,
                      const std::string& name) {
  const std::uint32_t words_of_pair = to_index(blocks_of_pair() * format_.bytes / 4);
  return k_.load(name, {words.array, {first + pair * words_of_pair + at}, "words of a thread"});
}

Expr WeightTile::codes(const View& words, const Expr& first, const Expr& pair, std::int64_t block,
                       const Expr& number, const std::string& suffix) {
  const std::int64_t byte = block * format_.bytes + format_.codes_at;
  const Expr at = number + to_index(byte / 4);
  Expr codes = word(words, first, pair, at, "codes" + suffix);
  if (byte % 4 != 0) {
    const Expr next = word(words, first, pair, at + 1, "next_codes" + suffix);
    codes = bit_or(shift_right(codes, ir::number(ScalarType::u32, 16)),
                   shift_left(next, ir::number(ScalarType::u32, 16)));
  }
  if (format_.has_sign) {
    codes =
        bit_xor(codes, ir::number(ScalarType::u32, format_.bits == 8 ? 0x80808080 : 0x88888888));
  }
  return k_.let("codes_of_word" + suffix, codes);
}

Expr WeightTile::half(const View& words, const Expr& first, const Expr& pair, std::int64_t block,
                      std::int64_t at, const std::string& name) {
  const std::int64_t byte = block * format_.bytes + at;
  const Expr both = word(words, first, pair, to_index(byte / 4), "word_of_" + name);
  const Expr halves = bitcast(both, ScalarType::f16);
  return k_.let(name, convert(ir::component(halves, byte % 4 == 0 ? 0 : 1), ScalarType::f32));
}

Expr WeightTile::weight(const Expr& codes, std::uint32_t first_bit, const Expr& scale,
                        const std::optional<Expr>& minimum) const {
  const auto word = [](std::uint32_t value) { return ir::number(ScalarType::u32, value); };
  const std::uint32_t highest = kMantissa - format_.bits;
  // The smallest shift that brings the code between these bits; codes that share a shift share an instruction.
  int by = 0;
  for (const int shift : {0, 8, -8, 4, -4, 12, -12}) {
    const int at = static_cast<int>(first_bit) + shift;
    by = shift;
    if (at >= static_cast<int>(kLowestBit) && at <= static_cast<int>(highest)) break;
  }
  const auto bit = static_cast<std::uint32_t>(static_cast<int>(first_bit) + by);
  const Expr moved = by == 0  ? codes
                     : by > 0 ? shift_left(codes, word(static_cast<std::uint32_t>(by)))
                              : shift_right(codes, word(static_cast<std::uint32_t>(-by)));
  const double power = std::ldexp(1, static_cast<int>(kMantissa - bit));
  const auto bits_of_power = static_cast<std::uint32_t>((127 + kMantissa - bit) << kMantissa);
  const std::uint32_t mask = ((1u << format_.bits) - 1) << bit;
  const Expr number =
      bitcast(bit_or(bit_and(moved, word(mask)), word(bits_of_power)), ScalarType::f32);
  const double zero = format_.has_sign ? std::ldexp(1, static_cast<int>(format_.bits) - 1)
                                       : static_cast<double>(format_.zero);
  if (minimum) return multiply_add(number - (power + zero), scale, *minimum);
  return multiply_add(number, scale, -(scale * (power + zero)));
}

}  // namespace vkmoye::gen
