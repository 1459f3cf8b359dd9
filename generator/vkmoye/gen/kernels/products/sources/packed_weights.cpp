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

}  // namespace

std::int64_t packed_bytes(const WeightFormat& format, std::int64_t rows, std::int64_t depth) {
  const std::int64_t scales_of_row = (depth + format.elements - 1) / format.elements;
  return rows * (depth * format.code.bits() / 8 + scales_of_row * format.numbers_bytes());
}

Layout PackedWeights::codes() const {
  const std::int64_t pairs = 16 / format->code.bits(), of_access = access_words() * 2 * pairs;
  const std::int64_t together = access_words() / words_of_row();  // rows of an access
  const Layout of_row({2, pairs, words_of_row()}, {pairs, 1, 2 * pairs});
  const Layout rows_of_one({together, rows_of_lane() / together},
                           {kPackedVector, size(lanes.lanes) * of_access});
  return make_layout(make_layout(of_row, with_longer_strides(lanes.lanes.mode(0), of_access)),
                     make_layout(with_longer_strides(lanes.lanes.mode(1), of_access), rows_of_one));
}

Layout PackedWeights::scales() const {
  return make_layout(Layout({rows / rows_of_lane(), rows_of_lane()}, {rows_of_lane(), 1}),
                     Layout(scales_of_row(), rows));
}

std::vector<std::string> reasons_against(const PackedWeights& weights) {
  std::vector<std::string> reasons;
  const WeightFormat& format = *weights.format;
  require(format.is_simple() && (format.code.bits() == 4 || format.code.bits() == 8),
          fmt::format("packed {}: codes must have one field of 4 or 8 bits, and a block one scale",
                      format.name),
          reasons);
  if (!reasons.empty()) return reasons;
  require(weights.rows % size(weights.lanes.lanes.mode(1)) == 0 && weights.rows_of_lane() % 2 == 0,
          fmt::format("packed {}: a lane must have an even number of the {} rows of a block",
                      format.name, weights.rows),
          reasons);
  require(format.elements % kPackedVector == 0 &&
              (weights.depth() % format.elements == 0 || format.elements % weights.depth() == 0),
          fmt::format("packed {}: {} k of a block do not fit to its {} weights of a block",
                      format.name, weights.depth(), format.elements),
          reasons);
  return reasons;
}

PackedWeightTile::PackedWeightTile(Builder& builder, const GemmBuffers& buffers,
                                   PackedWeights weights, std::int64_t reads)
    : builder_(builder),
      buffers_(buffers),
      weights_(std::move(weights)),
      reads_(reads),
      numbers_(builder, *weights_.format) {
  const std::int64_t vector = weights_.access_words();
  codes_ = builder_.registers("next_codes", ScalarType::u32,
                              make_layout({vector, weights_.words_of_lane() / vector, reads}));
  for (const PlacedNumber& number : weights_.format->numbers()) {
    of_scales_.push_back(
        builder_.registers(fmt::format("next_{}", number.plural), ScalarType::u32,
                           make_layout({weights_.words_of(weights_.rows_of_lane()), reads})));
  }
}

void PackedWeightTile::fill_table() {
  if (!numbers_.has_table()) return;
  numbers_.fill_table();
  builder_.barrier();
}

void PackedWeightTile::read(const Expr& first) {
  const ir::MatrixType::Use b = ir::MatrixType::Use::b;
  const Expr rows = buffers_.block_of_rows(b, buffers_.tile_n());
  for (std::int64_t read = 0; read < reads_; ++read) {
    const Expr k_block = to_index(reads_) * first + to_index(read);
    read_block(buffers_.packed_block(b, ir::minimum(k_block, buffers_.k_blocks() - 1), rows), read);
  }
}

void PackedWeightTile::read_block(const View& all, std::int64_t read) {
  const auto vector = weights_.access_words();
  const View of_lane =
      partition(composition(all, Layout(weights_.code_words())),
                make_tiled_copy(make_layout({size(weights_.lanes.lanes)}), make_layout({vector})),
                builder_.lane());
  builder_.copy(of_lane, slice(codes_, {_, _, read}),
                {.edges = Edges::inside, .vector = {to_index(vector)}});
  const std::vector<Expr> part = thread_coordinates(weights_.lanes.lanes, builder_.lane());
  Expr row = part[1];
  if (weights_.scales_of_row() > 1) {
    row = row + to_index(weights_.rows / weights_.rows_of_lane()) *
                    (to_index(kPackedVector) * part[0] / to_index(weights_.format->elements));
  }
  std::int64_t before = weights_.code_words();
  for (const View& to : of_scales_) {
    const std::int64_t count = size(to.shape().mode(0)), end = before + weights_.scale_words();
    const auto words = to_index(std::min<std::int64_t>(count & -count, 4));
    builder_.copy(tile(composition(all, Layout(end)), {count}, {to_index(before / count) + row}),
                  slice(to, {_, read}), {.edges = Edges::inside, .vector = {words}});
    before = end;
  }
}

WeightScale PackedWeightTile::scale_of(const Expr& read, const Expr& pair, std::uint32_t number,
                                       ScalarType type) {
  const WeightFormat& format = *weights_.format;
  const std::int64_t of_pair = weights_.words_of(2);  // 1: both are in a word
  Expr at = pair * to_index(of_pair) + read * to_index(weights_.words_of(weights_.rows_of_lane()));
  if (of_pair == 2) at = at + number;
  WeightScale scale;
  for (std::size_t i = 0; i < of_scales_.size(); ++i) {
    const char* name = format.numbers()[i].name;
    const Expr word =
        builder_.load(fmt::format("{}_words{}", name, number), {of_scales_[i].array, {at}, name});
    scale.push_back(builder_.let(fmt::format("{}{}", name, number),
                                 number_in_word(word, format.scale_type(), number, type)));
  }
  return scale;
}

void PackedWeightTile::decode(const View& to) {
  using namespace ir;
  const WeightFormat& format = *weights_.format;
  const std::int64_t pairs = 16 / format.code.bits();
  const ScalarType type = builder_.type_of(to);
  const ScalarType of_scales = numbers_.decodes_in_halves(type) ? type : ScalarType::f32;
  const Layout places = to.axes.front().values;  // (8, reads, rows of a lane)
  const Layout pairs_of_rows = composition(places.mode(2), Layout(weights_.rows_of_lane() / 2, 2));
  // The weights of word `w` of row `number` of a pair.
  const auto decode_word = [&](const Expr& read, const Expr& pair, std::uint32_t number,
                               std::int64_t w, const WeightScale& scale) {
    const Expr at = to_index(weights_.words_of_row()) * (2 * pair + number) + to_index(w) +
                    to_index(weights_.words_of_lane()) * read;
    const Expr codes =
        builder_.load(fmt::format("codes{}_{}", number, w), {codes_.array, {at}, "codes"});
    for (std::int64_t i = 0; i < pairs; ++i) {
      const auto bit = static_cast<std::uint32_t>(i * format.code.bits());
      std::int64_t v = 2 * i + 2 * pairs * w;
      for (const Expr& weight : numbers_.pair({{codes, bit, format.code.bits()}},
                                              {{codes, bit + 16, format.code.bits()}}, scale, type,
                                              fmt::format("two{}_{}{}", number, w, i))) {
        builder_.store(weight, {to.array,
                                {evaluate(places.mode(1), read) + evaluate(pairs_of_rows, pair) +
                                 to_index(places.mode(0)(v++) + places.mode(2)(number))},
                                "weights"});
      }
    }
  };
  builder_.unrolled_loop("read", to_index(reads_), [&](const Expr& read) {
    builder_.unrolled_loop("pair", to_index(weights_.rows_of_lane() / 2), [&](const Expr& pair) {
      for (const std::uint32_t number : {0u, 1u}) {
        const WeightScale scale = scale_of(read, pair, number, of_scales);
        for (std::int64_t w = 0; w < weights_.words_of_row(); ++w) {
          decode_word(read, pair, number, w, scale);
        }
      }
    });
  });
}

}  // namespace vkmoye::gen
