// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/parts/packed_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/parts/weight_units.hpp"
#include "vkmoye/layout/algebra.hpp"

namespace vkmoye::gen {
namespace {

// The layout with all strides multiplied by `factor`.
Layout with_longer_strides(const Layout& layout, std::int64_t factor) {
  return composition(Layout(layout.cosize(), factor), layout);
}

}  // namespace

Layout PackedWeights::codes() const {
  const std::int64_t pairs = 16 / format->bits, of_access = access_words() * 2 * pairs;
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

std::int64_t PackedWeights::zero() const {
  return format->has_sign ? std::int64_t{1} << (format->bits - 1) : format->zero;
}

std::vector<std::string> reasons_against(const PackedWeights& weights) {
  std::vector<std::string> reasons;
  const WeightFormat& format = *weights.format;
  require(format.is_linear(),
          fmt::format("packed {}: codes must be whole numbers with scales of f16", format.name),
          reasons);
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

PackedWeightTile::PackedWeightTile(Builder& builder, PackedWeights weights, std::int64_t reads)
    : builder_(builder), weights_(std::move(weights)), reads_(reads) {
  tensor_ =
      builder_.input("b", ScalarType::u32,
                     {{"at", weights_.words()}, {"k_block", "k_blocks"}, {"block", "b_blocks"}});
  const auto registers = [&](const char* name, std::int64_t words) {
    return builder_.registers(name, ScalarType::u32, make_layout({words, reads}));
  };
  const std::int64_t vector = weights_.access_words();
  codes_ = builder_.registers("next_codes", ScalarType::u32,
                              make_layout({vector, weights_.words_of_lane() / vector, reads}));
  scales_ = registers("next_scales", weights_.rows_of_lane() / 2);
  if (weights_.format->minimum_at) minima_ = registers("next_minima", weights_.rows_of_lane() / 2);
}

void PackedWeightTile::read(std::int64_t read, const Expr& k_block, const Expr& block) {
  const View all = slice(tile(tensor_, {weights_.words(), 1, 1}, {0, k_block, block}), {_, 0, 0});
  // `count` words, number `at` of such parts of the first `of` words.
  const auto copy = [&](std::int64_t of, std::int64_t count, const Expr& at, const View& to) {
    const auto vector = to_index(std::min<std::int64_t>(count & -count, 4));
    builder_.copy(tile(composition(all, Layout(of)), {count}, {at}), slice(to, {_, read}),
                  {.edges = Edges::inside, .vector = {vector}});
  };
  const std::int64_t codes = weights_.code_words(), numbers = weights_.scale_words();
  const auto vector = weights_.access_words();
  const View of_lane =
      partition(composition(all, Layout(codes)),
                make_tiled_copy(make_layout({size(weights_.lanes.lanes)}), make_layout({vector})),
                builder_.lane());
  builder_.copy(of_lane, slice(codes_, {_, _, read}),
                {.edges = Edges::inside, .vector = {to_index(vector)}});
  const std::int64_t scales = weights_.rows_of_lane() / 2;
  const std::vector<Expr> part = thread_coordinates(weights_.lanes.lanes, builder_.lane());
  Expr row = part[1];
  if (weights_.scales_of_row() > 1) {
    row = row + to_index(weights_.rows / weights_.rows_of_lane()) *
                    (to_index(kPackedVector) * part[0] / to_index(weights_.format->elements));
  }
  copy(codes + numbers, scales, to_index(codes / scales) + row, scales_);
  if (!weights_.format->minimum_at) return;
  copy(codes + 2 * numbers, scales, to_index((codes + numbers) / scales) + row, minima_);
}

void PackedWeightTile::decode(const View& to) {
  using namespace ir;
  const auto bits = weights_.format->bits;
  const std::int64_t pairs = 16 / bits;
  const ScalarType type = builder_.type_of(to), f32 = ScalarType::f32;
  const bool in_halves = type == ScalarType::f16 && !weights_.format->minimum_at;
  const auto zero = static_cast<double>(weights_.zero());
  const Layout places = to.axes.front().values;  // (8, reads, rows of a lane)
  const Layout pairs_of_rows = composition(places.mode(2), Layout(weights_.rows_of_lane() / 2, 2));
  const auto half = [&](const View& words, const Expr& at, std::uint32_t number, const char* name) {
    const Expr both =
        bitcast(builder_.load(fmt::format("{}_words{}", name, number), {words.array, {at}, name}),
                ScalarType::f16);
    const Expr one = component(both, number);
    return builder_.let(fmt::format("{}{}", name, number), in_halves ? one : convert(one, f32));
  };
  builder_.unrolled_loop("read", to_index(reads_), [&](const Expr& read) {
    builder_.unrolled_loop("pair", to_index(weights_.rows_of_lane() / 2), [&](const Expr& pair) {
      const Expr at = pair + to_index(weights_.rows_of_lane() / 2) * read;
      for (const std::uint32_t number : {0u, 1u}) {
        const Expr row = 2 * pair + number;
        const Expr scale = half(scales_, at, number, "scale");
        const Expr minimum =
            weights_.format->minimum_at ? half(minima_, at, number, "minimum") : scale;
        for (std::int64_t w = 0; w < weights_.words_of_row(); ++w) {
          const Expr codes = builder_.load(fmt::format("codes{}_{}", number, w),
                                           {codes_.array,
                                            {to_index(weights_.words_of_row()) * row + to_index(w) +
                                             to_index(weights_.words_of_lane()) * read},
                                            "codes"});
          for (std::int64_t i = 0; i < pairs; ++i) {
            const auto by = static_cast<std::uint32_t>(i * bits);
            std::vector<Expr> both;
            if (in_halves) {
              const Expr two = builder_.let(fmt::format("two{}_{}{}", number, w, i),
                                            two_codes_as_halves(codes, by, bits));
              for (const std::uint32_t high : {0u, 1u}) {
                both.push_back((component(two, high) - (1024 + zero)) * scale);
              }
            } else {
              const auto weight = [&](std::uint32_t first_bit) {
                const auto [code, power] = code_as_number(codes, first_bit, bits);
                return weights_.format->minimum_at
                           ? multiply_add(code - (power + zero), scale, minimum)
                           : multiply_add(code, scale, -(scale * (power + zero)));
              };
              const Expr rounded =
                  builder_.let(fmt::format("two{}_{}{}", number, w, i),
                               convert(vector({weight(by), weight(by + 16)}), type));
              both = {component(rounded, 0), component(rounded, 1)};
            }
            for (std::int64_t high = 0; high < 2; ++high) {
              const std::int64_t v = 2 * i + high + 2 * pairs * w;
              builder_.store(both[static_cast<std::size_t>(high)],
                             {to.array,
                              {evaluate(places.mode(1), read) + evaluate(pairs_of_rows, pair) +
                               to_index(places.mode(0)(v) + places.mode(2)(number))},
                              "weights"});
            }
          }
        }
      }
    });
  });
}

}  // namespace vkmoye::gen
