// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/parts/key_rows.hpp"

#include <algorithm>

#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/common/powers.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kBitsOfCodeWord = 16;

bool in_halves(const WeightFormat& format) {
  return format.order == WeightFormat::Order::halves && format.bits == 4;
}

// The 16-bit words of the codes of a part.
std::int64_t words_of_part(const KeyRows& rows) {
  return rows.vector * rows.format->bits / kBitsOfCodeWord;
}

}  // namespace

std::int64_t KeyRows::run() const {
  return format != nullptr && in_halves(*format) ? vector / 2 : vector;
}

std::int64_t KeyRows::registers(std::int64_t bytes) const {
  if (format == nullptr) return std::max<std::int64_t>(1, vector * bytes / 4);
  return words_of_part(*this) + (format->minimum_at ? 2 : 1);
}

View KeyRows::at_places(const View& elements) const {
  if (format == nullptr || !in_halves(*format)) return elements;
  const std::int64_t rows = size(elements.shape().mode(1)), block = format->elements;
  return composition(elements, Layout(IntTuple{{{run(), 2}, {block / vector, width / block}}, rows},
                                      IntTuple{{{1, block / 2}, {run(), block}}, width}));
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
                                     by.part(words(tile, format->codes_at, count), count));
  const auto numbers = [&](const std::string& of) {
    return builder.make_fragment_like(of + name, ScalarType::u16,
                                      by.part(words(tile, *format->scale_at, 1), 1));
  };
  scales_ = numbers("scales_of_");
  if (format->minimum_at) minima_ = numbers("minima_of_");
}

// `count` words of each part from byte `at` of its block on: those of the codes, or the same one of all parts.
View KeyParts::words(const View& tile, std::int64_t at, std::int64_t count) const {
  const WeightFormat& format = *rows_.format;
  const std::int64_t parts = format.elements / rows_.vector, blocks = rows_.width / format.elements;
  const std::int64_t of_block = format.bytes * 8 / kBitsOfCodeWord,
                     first = at * 8 / kBitsOfCodeWord, step = at == format.codes_at ? count : 0;
  const std::int64_t keys = size(tile.shape().mode(1));
  View out = composition(tile, Layout(IntTuple{{count, {parts, blocks}}, keys},
                                      IntTuple{{1, {step, of_block}}, of_block * blocks}));
  if (first > 0) out.axes[0].fixed.push_back({Layout(first + 1, 1), to_index(first)});
  return out;
}

void KeyParts::load(const View& tile, const PartOfTile& part, const PartOfRegisters& to) {
  const auto load = [&](const View& from, const View& registers, std::int64_t vector) {
    builder_.copy(
        part(from, vector), to(registers),
        {.edges = Edges::zero, .vector = {rows_.format == nullptr ? to_index(vector) : 1}});
  };
  if (rows_.format == nullptr) return load(tile, read_, rows_.vector);
  const std::int64_t count = words_of_part(rows_);
  load(words(tile, rows_.format->codes_at, count), read_, count);
  load(words(tile, *rows_.format->scale_at, 1), scales_, 1);
  if (rows_.format->minimum_at) load(words(tile, *rows_.format->minimum_at, 1), minima_, 1);
}

void KeyParts::load(const View& tile, const KeyThreads& by) {
  load(
      tile, [&](const View& from, std::int64_t vector) { return by.part(from, vector); },
      [](const View& registers) { return registers; });
}

void KeyParts::load(const View& tile, const KeyThreads& by, const Expr& round) {
  load(
      tile,
      [&](const View& from, std::int64_t vector) {
        return slice(by.part(from, vector), {_, _, 0});
      },
      [&](const View& registers) { return select(registers, 2, round); });
}

void KeyParts::decode(const View& elements) const {
  const WeightFormat* format = rows_.format;
  if (format == nullptr)
    return builder_.copy(read_, elements, {.vector = {to_index(rows_.vector)}});
  Codes codes = format->has_sign ? builder_.signed_codes(read_, format->bits)
                                 : builder_.unsigned_codes(read_, format->bits);
  if (in_halves(*format)) {
    const std::int64_t parts = size(read_.shape().mode(1)), keys = size(read_.shape().mode(2));
    codes = composition(codes, Layout(IntTuple{{rows_.run(), 2}, parts, keys},
                                      IntTuple{{2, 1}, rows_.vector, rows_.vector * parts}));
  }
  builder_.copy(codes, elements);
  const auto half = [](const Expr& word) {
    return convert(ir::component(bitcast(convert(word, ScalarType::u32), ScalarType::f16), 0),
                   ScalarType::f32);
  };
  const double zero = static_cast<double>(format->zero);
  // A number for each part, in the modes that elements have: one for parts of a block and one for blocks, or one.
  const auto by_part = [&](const View& numbers) {
    const IntTuple shape = elements.shape();
    return builder_.retile(numbers, Layout(IntTuple{1, shape.mode(1), shape.mode(2)}));
  };
  std::vector<View> from = {elements, by_part(scales_)};
  if (format->minimum_at) from.push_back(by_part(minima_));
  builder_.apply(
      elements,
      [&](const std::vector<Expr>& x) {
        const Expr number = zero == 0 ? x[0] : x[0] - zero;
        return format->minimum_at ? multiply_add(number, half(x[1]), half(x[2]))
                                  : number * half(x[1]);
      },
      from);
}

}  // namespace vkmoye::gen
