// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/parts/key_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/common/powers.hpp"
#include "vkmoye/gen/kernels/common/weight_numbers.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kBitsOfCodeWord = 16;

CodesInWords codes_of(const KeyRows& rows) { return rows.format->codes_in_words(kBitsOfCodeWord); }

// The 16-bit words of the codes of a part.
std::int64_t words_of_part(const KeyRows& rows) {
  return rows.vector * rows.format->code.bits() / kBitsOfCodeWord;
}

}  // namespace

std::int64_t KeyRows::run() const {
  return format == nullptr ? vector : vector / codes_of(*this).parts;
}

std::int64_t KeyRows::registers(std::int64_t bytes) const {
  if (format == nullptr) return std::max<std::int64_t>(1, vector * bytes / 4);
  return words_of_part(*this) + static_cast<std::int64_t>(format->numbers().size());
}

View KeyRows::at_places(const View& elements) const {
  const std::int64_t runs = vector / run();
  if (runs == 1) return elements;
  const std::int64_t rows = size(elements.shape().mode(1)), block = format->elements;
  return composition(elements,
                     Layout(IntTuple{{{run(), runs}, {block / vector, width / block}}, rows},
                            IntTuple{{{1, block / runs}, {run(), block}}, width}));
}

KeyRows key_rows(const WeightFormat* format, ScalarType type, std::int64_t width,
                 std::int64_t threads) {
  if (format == nullptr) return {nullptr, width, power_dividing(width, widest_access(type))};
  const std::int64_t max_part = std::min<std::int64_t>(format->elements, 32);
  return {format, width,
          std::clamp(power_dividing(width, next_power_of_two(width / threads + 1) / 2),
                     min_part(*format), max_part)};
}

View KeyThreads::part(const View& view, std::int64_t vector) const {
  return partition(view, make_tiled_copy(threads, make_layout({vector, std::int64_t{1}})), thread);
}

KeyParts::KeyParts(Builder& builder, const std::string& name, const KeyRows& rows, ScalarType type,
                   const View& tile, const KeyThreads& by, const std::string& prefix)
    : builder_(builder), rows_(rows) {
  const WeightFormat* format = rows.format;
  if (format == nullptr) {
    read_ = builder.make_fragment_like(prefix + name, type, by.part(tile, rows.vector),
                                       to_index(rows.vector));
    return;
  }
  const std::int64_t count = words_of_part(rows);
  read_ = builder.make_fragment_like(prefix + name, ScalarType::u16,
                                     by.part(words(tile, format->codes_at(), count), count));
  for (const PlacedNumber& number : format->numbers()) {
    scales_.push_back(builder.make_fragment_like(fmt::format("{}_of_{}", number.plural, name),
                                                 ScalarType::u16,
                                                 by.part(words(tile, number.at, 1), 1)));
  }
}

// `count` words of each part from byte `at` of its block on: those of the codes, or the same one of all parts.
View KeyParts::words(const View& tile, std::int64_t at, std::int64_t count) const {
  const WeightFormat& format = *rows_.format;
  const std::int64_t parts = format.elements / rows_.vector, blocks = rows_.width / format.elements;
  const std::int64_t of_block = format.bytes * 8 / kBitsOfCodeWord,
                     first = at * 8 / kBitsOfCodeWord, step = at == format.codes_at() ? count : 0;
  const std::int64_t keys = size(tile.shape().mode(1));
  View out = composition(tile, Layout(IntTuple{{count, {parts, blocks}}, keys},
                                      IntTuple{{1, {step, of_block}}, of_block * blocks}));
  if (first > 0) out.axes[0].fixed.push_back({Layout(first + 1, 1), to_index(first)});
  return out;
}

void KeyParts::load(const View& tile, const KeyThreads& by, const std::optional<Expr>& round) {
  const auto load = [&](const View& from, const View& to, std::int64_t vector) {
    const View part = by.part(from, vector);
    builder_.copy(
        round ? slice(part, {_, _, 0}) : part, round ? select(to, 2, *round) : to,
        {.edges = Edges::zero, .vector = {rows_.format == nullptr ? to_index(vector) : 1}});
  };
  if (rows_.format == nullptr) return load(tile, read_, rows_.vector);
  const std::int64_t count = words_of_part(rows_);
  load(words(tile, rows_.format->codes_at(), count), read_, count);
  for (std::size_t i = 0; i < scales_.size(); ++i) {
    load(words(tile, rows_.format->numbers()[i].at, 1), scales_[i], 1);
  }
}

void KeyParts::decode(const View& elements) const {
  const WeightFormat* format = rows_.format;
  if (format == nullptr)
    return builder_.copy(read_, elements, {.vector = {to_index(rows_.vector)}});
  Codes codes = format->code.kind == NumberKind::has_sign
                    ? builder_.signed_codes(read_, format->code.bits())
                    : builder_.unsigned_codes(read_, format->code.bits());
  const CodesInWords places = codes_of(rows_);
  if (places.parts > 1) {  // codes of neighbours are as many codes apart
    const std::int64_t parts = size(read_.shape().mode(1)), keys = size(read_.shape().mode(2));
    codes = composition(codes, Layout(IntTuple{{rows_.run(), places.parts}, parts, keys},
                                      IntTuple{{places.apart / format->code.bits(), 1},
                                               rows_.vector,
                                               rows_.vector * parts}));
  }
  builder_.copy(codes, elements);
  // A number for each part, in the modes that elements have: one for parts of a block and one for blocks, or one.
  const IntTuple shape = elements.shape();
  std::vector<View> from = {elements};
  for (const View& words : scales_) {
    from.push_back(builder_.retile(words, Layout(IntTuple{1, shape.mode(1), shape.mode(2)})));
  }
  const double zero = static_cast<double>(format->code.zero);
  builder_.apply(
      elements,
      [&](const std::vector<Expr>& x) {
        const auto of_block = [&](std::size_t number) -> std::optional<Expr> {
          if (number >= x.size()) return std::nullopt;
          return number_in_word(convert(x[number], ScalarType::u32), format->scale_type(),
                                /*half=*/0);
        };
        const WeightScale scale = {of_block(1), of_block(2)};
        return scaled(zero == 0 ? x[0] : x[0] - zero, scale);
      },
      from);
}

}  // namespace vkmoye::gen
