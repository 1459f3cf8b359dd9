// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/sources/packed_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/layout/algebra.hpp"

namespace vkmoye::gen {
namespace {

// The layout with all strides multiplied by `factor`.
Layout with_longer_strides(const Layout& layout, std::int64_t factor) {
  return composition(Layout(layout.cosize(), factor), layout);
}

// The planes of a block of `rows` x `depth` weights.
std::vector<PackedPlane> planes_of(const WeightFormat& format, std::int64_t rows,
                                   std::int64_t depth) {
  std::vector<PackedPlane> planes;
  std::int64_t first = 0;
  const auto add = [&](PackedPlane plane) {
    plane.first = first;
    plane.words = rows * (depth / plane.run) * plane.bits / 32;
    first += plane.words;
    planes.push_back(std::move(plane));
  };
  for (const NamedNumber& named : numbers_of(format)) {
    WeightNumber number = *named.number;
    if (named.of != NumberOf::weight) {
      const std::int64_t bits = std::max<std::int64_t>(number.bits(), 8);
      add({named.name, named.plural, number, false, run_of(number, format.elements), bits});
      continue;
    }
    for (BitField field : named.number->fields) {
      const std::string name = field.to == 0 ? "codes" : fmt::format("codes_from_bit{}", field.to);
      field.to = 0;
      number.fields = {field};
      add({name, name, number, true, 1, field.bits});
    }
  }
  return planes;
}

}  // namespace

View part_of(const View& view, std::int64_t first, std::int64_t count) {
  View out = composition(view, Layout(count));
  out.axes[0].shift(first);
  return out;
}

std::int64_t packed_bytes(const WeightFormat& format, std::int64_t rows, std::int64_t depth) {
  const PackedPlane last = planes_of(format, rows, depth).back();
  return 4 * (last.first + last.words);
}

std::vector<PackedPlane> PackedWeights::planes() const {
  return planes_of(*format, rows, block_depth());
}

Layout PackedWeights::places(const PackedPlane& plane) const {
  if (!plane.is_code) {
    return make_layout(Layout({rows / rows_of_lane(), rows_of_lane()}, {rows_of_lane(), 1}),
                       Layout(block_depth() / plane.run, rows));
  }
  const std::int64_t bits = plane.bits, pairs = std::min<std::int64_t>(4, 16 / bits);
  const std::int64_t words_of_row = std::max<std::int64_t>(1, bits / 4);
  const std::int64_t rows_of_word = std::max<std::int64_t>(1, 4 / bits);
  const std::int64_t of_access = access_words(plane) * 32 / bits;
  const std::int64_t words_together = access_words(plane) / words_of_row;
  const Layout of_row({2, pairs, words_of_row}, {16 / bits, 1, 32 / bits});
  const Layout rows_of_one(
      {rows_of_word, words_together, rows_of_lane() / (rows_of_word * words_together)},
      {4, words_of_row * 32 / bits, size(lanes.to_lane) * of_access});
  const Layout of_parts(parts(), rows * depth());
  return make_layout(
      make_layout(of_row, with_longer_strides(lanes.to_lane.mode(0), of_access), of_parts),
      make_layout(with_longer_strides(lanes.to_lane.mode(1), of_access), rows_of_one));
}

std::vector<std::string> reasons_against(const PackedWeights& weights) {
  std::vector<std::string> reasons;
  const WeightFormat& format = *weights.format;
  require(
      weights.rows % size(weights.lanes.to_lane.mode(1)) == 0 && weights.rows_of_lane() % 2 == 0,
      fmt::format("packed {}: a lane must have an even number of the {} rows of a block",
                  format.name, weights.rows),
      reasons);
  require(format.elements % kPackedVector == 0 && weights.block_depth() % weights.depth() == 0 &&
              weights.block_depth() % format.elements == 0,
          fmt::format("packed {}: {} k of a block do not fit to its {} weights of a block",
                      format.name, weights.depth(), format.elements),
          reasons);
  if (!reasons.empty()) return reasons;
  for (const PackedPlane& plane : weights.planes()) {
    require(!plane.is_code || is_power_of_two(plane.bits, 8),
            fmt::format("packed {}: {} have {} bits, but must have 1, 2, 4 or 8", format.name,
                        plane.plural, plane.bits),
            reasons);
    require(weights.words_of_lane(plane) > 0,
            fmt::format("packed {}: {} of the {} rows of a lane do not fill a word of 32 bits",
                        format.name, plane.plural, weights.rows_of_lane()),
            reasons);
  }
  return reasons;
}

PackedWeightTile::PackedWeightTile(Builder& builder, const GemmBuffers& buffers,
                                   PackedWeights weights, std::int64_t reads,
                                   const std::string& suffix)
    : builder_(builder),
      buffers_(buffers),
      weights_(std::move(weights)),
      reads_(reads),
      numbers_(builder, *weights_.format) {
  for (const PackedPlane& plane : weights_.planes()) {
    const std::int64_t words = weights_.words_of_lane(plane), vector = weights_.access_words(plane);
    planes_.push_back(
        {plane, builder_.registers("next_" + plane.plural + suffix, ScalarType::u32,
                                   plane.is_code ? make_layout({vector, words / vector, reads})
                                                 : make_layout({words, reads}))});
  }
}

void PackedWeightTile::fill_table() {
  if (!numbers_.has_table()) return;
  numbers_.fill_table();
  builder_.barrier();
}

void PackedWeightTile::read(const Expr& first) {
  for (std::int64_t i = 0; i < reads_; ++i) read_part(first, buffers_.tile_n(), i);
}

void PackedWeightTile::read_part(const Expr& first, const Expr& block, std::int64_t read) {
  const ir::MatrixType::Use b = ir::MatrixType::Use::b;
  const Expr rows = buffers_.block_of_rows(b, block);
  const std::uint32_t parts = to_index(weights_.parts());
  const Expr number = to_index(reads_) * first + to_index(read);
  const Expr k_block = minimum(number / parts, buffers_.k_blocks() - 1);
  for (const Held& held : planes_) {
    read_plane(held, buffers_.packed_block(b, k_block, rows), number % parts, read);
  }
}

void PackedWeightTile::read_plane(const Held& held, const View& block, const Expr& part,
                                  std::int64_t read) {
  const PackedPlane& plane = held.plane;
  const std::int64_t parts = weights_.parts_of(plane);
  const View all = part_of(block, plane.first, plane.words);
  const View of_part =
      parts == 1 ? all
                 : tile(all, {plane.words / parts}, {part / to_index(weights_.parts() / parts)});
  const auto vector = weights_.access_words(plane);
  if (plane.is_code) {
    const View of_lane = partition(
        of_part,
        make_tiled_copy(make_layout({size(weights_.lanes.to_lane)}), make_layout({vector})),
        builder_.lane());
    return builder_.copy(of_lane, slice(held.registers, {_, _, read}),
                         {.edges = Edges::inside, .vector = {to_index(vector)}});
  }
  // (part of k, part of the rows) of the lane.
  const std::vector<Expr> of_lane = thread_coordinates(weights_.lanes.to_lane, builder_.lane());
  Expr rows = of_lane[1];
  if (plane.run < weights_.depth()) {
    rows = rows + to_index(weights_.rows / weights_.rows_of_lane()) *
                      (to_index(kPackedVector) * of_lane[0] / to_index(plane.run));
  }
  builder_.copy(tile(of_part, {weights_.words_of_lane(plane)}, {rows}),
                slice(held.registers, {_, read}),
                {.edges = Edges::inside, .vector = {to_index(vector)}});
}

CodeBits PackedWeightTile::number_of_row(const Held& held, const Expr& read, const Expr& pair,
                                         std::uint32_t number, std::int64_t w) {
  const PackedPlane& plane = held.plane;
  const std::int64_t of_row = plane.is_code ? kPackedVector * plane.bits : plane.bits;
  const std::int64_t words_of_row = std::max<std::int64_t>(1, of_row / 32);
  const std::int64_t pairs_of_word = std::max<std::int64_t>(1, 16 / of_row);
  const std::int64_t apart = plane.is_code ? 4 * plane.bits : plane.bits;  // bits, of two rows
  Expr at = of_row < 32 ? pair / to_index(pairs_of_word)
                        : to_index(words_of_row) * (2 * pair + number) + to_index(w);
  at = at + to_index(weights_.words_of_lane(plane)) * read;
  const std::string name = plane.is_code ? fmt::format("{}{}_{}", plane.name, number, w)
                                         : fmt::format("{}_words{}", plane.name, number);
  Expr word = builder_.load(name, {held.registers.array, {at}, plane.name});
  if (pairs_of_word > 1) {
    const Expr by = to_index(2 * apart) * (pair % to_index(pairs_of_word));
    word = builder_.let("moved_" + name, shift_right(word, convert(by, ScalarType::u32)));
  }
  return {word, of_row < 32 ? static_cast<std::uint32_t>(apart) * number : 0,
          static_cast<std::uint32_t>(plane.bits)};
}

WeightScale PackedWeightTile::scale_of(const Expr& read, const Expr& pair, std::uint32_t number,
                                       ScalarType type) {
  const auto of_row = [&](const NamedNumber& named) {
    const auto held = std::find_if(planes_.begin(), planes_.end(),
                                   [&](const Held& one) { return one.plane.name == named.name; });
    const CodeBits at = number_of_row(*held, read, pair, number, 0);
    return builder_.let(fmt::format("{}{}", named.name, number),
                        named.of == NumberOf::block
                            ? number_in_word(at.word, named.number->type, number, type)
                        : type == ScalarType::f16 ? whole_half(*named.number, {at})
                                                  : number_of(*named.number, CodePlace{at}));
  };
  return scale_of_parts(*weights_.format, type, of_row);
}

void PackedWeightTile::decode(const View& to) {
  builder_.unrolled_loop("read", to_index(reads_),
                         [&](const Expr& read) { decode_rows(select(to, 1, read), read, 0); });
}

void PackedWeightTile::decode_part(const View& to, std::int64_t read, std::int64_t first) {
  decode_rows(select(to, 1, 0), to_index(read), first);
}

void PackedWeightTile::decode_rows(const View& to, const Expr& read, std::int64_t first) {
  using namespace ir;
  const ScalarType type = builder_.type_of(to);
  const ScalarType of_scales = numbers_.decodes_in_halves(type) ? type : ScalarType::f32;
  const WeightFormat& format = *weights_.format;
  const std::int64_t count = size(to.shape().mode(0));
  // Codes of 8 bits have two words of a row, fields of fewer bits one.
  const std::int64_t words = format.code.fields.front().bits == 8 ? 2 : 1;
  // The bits of elements `v` and `v` + 1, which are 16 apart in a word of each field.
  const auto two_codes = [](const std::vector<CodeBits>& of_row, std::int64_t v) {
    std::pair<CodePlace, CodePlace> two;
    for (CodeBits code : of_row) {
      code.first_bit += static_cast<std::uint32_t>(v / 2 % (16 / code.bits)) * code.bits;
      two.first.push_back(code);
      code.first_bit += 16;
      two.second.push_back(code);
    }
    return two;
  };
  const auto decode_word = [&](const Expr& pair, std::uint32_t number, std::int64_t w,
                               const WeightScale& scale) {
    const std::int64_t begin = std::max(w * 8 / words, first),
                       end = std::min((w + 1) * 8 / words, first + count);
    if (begin >= end) return;
    std::vector<CodeBits> of_row;
    for (const Held& held : planes_) {
      if (held.plane.is_code) of_row.push_back(number_of_row(held, read, pair, number, w));
    }
    for (std::size_t i = 0; i < of_row.size(); ++i) of_row[i].to = format.code.fields[i].to;
    for (std::int64_t v = begin; v < end; v += 2) {
      const auto [low, high] = two_codes(of_row, v);
      const std::string name = fmt::format("two{}_{}", number, v / 2);
      const View row_of_tile = select(tile(to, {count, 2}, {0, pair}), 1, number);
      std::uint32_t element = to_index(v - first);
      for (const Expr& weight : numbers_.pair(low, high, scale, type, name)) {
        builder_.store(weight, take(row_of_tile, element++, 1));
      }
    }
  };
  builder_.unrolled_loop("pair", to_index(weights_.rows_of_lane() / 2), [&](const Expr& pair) {
    for (const std::uint32_t number : {0u, 1u}) {
      const WeightScale scale = scale_of(read, pair, number, of_scales);
      for (std::int64_t w = 0; w < words; ++w) decode_word(pair, number, w, scale);
    }
  });
}

}  // namespace vkmoye::gen
