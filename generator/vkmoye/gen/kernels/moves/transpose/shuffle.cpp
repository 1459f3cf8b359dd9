// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/moves/transpose/shuffle.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/gen/dsl/exchange.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/moves/transpose/packed_words.hpp"
#include "vkmoye/layout/algebra.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kMaxWords = 128;  // per lane: more would not fit in registers

std::int64_t words_of(const TransposeTile& tile) {
  return std::max<std::int64_t>(1, tile.bytes() / 4);
}
std::int64_t across_of(const TransposeTile& tile) { return tile.load / tile.bytes(); }
std::int64_t along_of(const TransposeTile& tile) {
  return tile.store / tile.bytes() / tile.together();
}
// The number of groups of rows of a subgroup.
std::int64_t row_groups_of(const TransposeTile& tile, std::int64_t lanes) {
  return tile.rows / (tile.threads / lanes) / tile.together();
}

}  // namespace

SubgroupTile::SubgroupTile(const TransposeTile& tile, std::int64_t lanes)
    : cols(tile.cols),
      row_groups(row_groups_of(tile, lanes)),
      words(words_of(tile)),
      across(across_of(tile)),
      along(along_of(tile)) {
  const std::int64_t load_lanes = cols / across, store_lanes = row_groups / along;  // side by side
  const std::int64_t load_rows = lanes / load_lanes, store_cols = lanes / store_lanes;
  const std::int64_t kept_cols = std::min(load_lanes, store_cols);
  const std::int64_t kept_rows = std::min(load_rows, store_lanes);
  const std::int64_t crossing = lanes / (kept_cols * kept_rows);
  // The lanes are (crossing, kept_cols, kept_rows) if columns become rows, else (kept_cols, crossing,
  // kept_rows), so that neighbouring lanes load neighbouring elements.
  const bool columns_cross = load_lanes > store_cols;
  const std::int64_t kept_col = cols / kept_cols, kept_row = row_groups / kept_rows;
  const auto modes = [&](std::int64_t cross, std::int64_t col, std::int64_t row) {
    return columns_cross ? IntTuple{cross, col, row} : IntTuple{col, cross, row};
  };
  const IntTuple shape = modes(crossing, kept_cols, kept_rows);
  load_col = Layout(shape, modes(columns_cross ? across : 0, kept_col, 0));
  load_row = Layout(shape, modes(columns_cross ? 0 : row_groups / load_rows, 0, kept_row));
  store_col = Layout(shape, modes(columns_cross ? 0 : cols / store_cols, kept_col, 0));
  store_row = Layout(shape, modes(columns_cross ? along : 0, 0, kept_row));
}

namespace {

// lane -> word of the tile, from lane -> column and lane -> group of rows.
Layout lanes_of(const SubgroupTile& tile, const Layout& col, const Layout& row) {
  int i = 0;
  return Layout(col.tree().map<Mode>([&](const Mode& mode) {
    const std::int64_t down = row.leaves()[static_cast<std::size_t>(i++)].stride;
    return Mode{mode.extent, tile.words * (mode.stride + tile.cols * down)};
  }));
}

}  // namespace

Layout SubgroupTile::loaded() const {
  const std::int64_t rows = row_groups * cols / (across * size(load_col));
  return make_layout(lanes_of(*this, load_col, load_row),
                     Layout({words, across, rows}, {1, words, words * cols}));
}

Layout SubgroupTile::stored() const {
  const std::int64_t columns = row_groups * cols / (along * size(store_col));
  return make_layout(lanes_of(*this, store_col, store_row),
                     Layout({words, along, columns}, {1, words * cols, words}));
}

std::vector<std::string> reasons_against_shuffles(const TransposeTile& tile, std::int64_t lanes) {
  std::vector<std::string> reasons;
  require_subgroups(lanes, tile.threads, reasons);
  if (!reasons.empty()) return reasons;
  const std::string config =
      fmt::format("tile {}x{}, vector {}x{}, threads {}, subgroup-size {}: ", tile.rows, tile.cols,
                  tile.load, tile.store, tile.threads, lanes);
  const auto divides = [&](const char* what, std::int64_t part, const char* whose,
                           std::int64_t whole) {
    require_divides(config + what, part, whose, whole, reasons);
  };
  divides("rows that all subgroups hold at least", tile.threads / lanes * tile.together(),
          "rows of the tile", tile.rows);
  if (!reasons.empty()) return reasons;
  const std::int64_t row_groups = row_groups_of(tile, lanes);
  divides("words of a store", along_of(tile), "rows of words of a subgroup", row_groups);
  if (!reasons.empty()) return reasons;
  const std::int64_t load_lanes = tile.cols / across_of(tile),
                     store_lanes = row_groups / along_of(tile);
  divides("loads side by side in a row", load_lanes, "lanes of a subgroup", lanes);
  divides("stores side by side in a column", store_lanes, "lanes of a subgroup", lanes);
  if (!reasons.empty()) return reasons;
  divides("loads one below the other", lanes / load_lanes, "rows of words of a subgroup",
          row_groups);
  divides("columns that lanes store at once", lanes / store_lanes, "columns of the tile",
          tile.cols);
  const std::int64_t words = tile.cols * row_groups * words_of(tile) / lanes;
  require(words <= kMaxWords,
          config + fmt::format("each lane exchanges {} words, but at most {} are possible", words,
                               kMaxWords),
          reasons);
  return reasons;
}

TransposeTile shuffled_tile(ScalarType type, std::int64_t lanes, std::int64_t max_threads) {
  TransposeTile tile;
  tile.type = type;
  // Lanes side by side. If those of a load times those of a store are all lanes, no bit crosses, and blocks
  // transposed in registers suffice; if they are twice as many, one bit crosses.
  const std::int64_t load_lanes = lanes < 16 ? 4 : lanes > 64 ? 16 : 8;
  const std::int64_t store_lanes = lanes < 32 ? 4 : 8;
  if (tile.bytes() == 1 && load_lanes * store_lanes > lanes) tile.load = 8;
  tile.cols = load_lanes * across_of(tile);
  tile.threads = std::min(4 * lanes, std::max(lanes, max_threads));
  tile.rows = tile.threads / lanes * store_lanes * tile.store / tile.bytes();
  return tile;
}

void move_by_shuffles(Builder& k, const TransposeTile& tile, const Tensor& src, const Tensor& dst,
                      const Expr& col, const Expr& row) {
  const SubgroupTile mine(tile, k.lanes());
  const Layout loaded = mine.loaded(), stored = mine.stored();
  const auto number = [](std::int64_t value) { return Expr(to_index(value)); };
  const std::int64_t together = tile.together(),
                     loads = size(loaded.mode(1)) / (mine.words * mine.across);
  const auto of_lane = [&](const Layout& layout) { return evaluate(coalesce(layout), k.lane()); };
  const Expr col0 = number(tile.cols) * col;
  const Expr row0 = number(tile.rows) * row + number(mine.row_groups * together) * k.subgroup();
  const View held = k.registers("held", ScalarType::u32, Layout(size(loaded.mode(1))));

  const auto load = [&] {
    const Expr src_col = k.let("src_col", col0 + of_lane(mine.load_col));
    const Expr src_row = k.let("src_row", row0 + number(together) * of_lane(mine.load_row));
    k.unrolled_loop("group", to_index(loads), [&](const Expr& group) {
      std::vector<Expr> rows;
      for (std::int64_t e = 0; e < together; ++e) {
        const Expr at = src_row + number(together) * group + number(e);
        rows.push_back(k.load(fmt::format("row{}", e),
                              words(src, {src_col, at}, mine.across, "whole words of src")));
      }
      const std::int64_t count = tile.load / 4;  // words of a row
      for (std::int64_t w = 0; w < count; ++w) {
        std::vector<Expr> of_rows;
        for (const Expr& one : rows) {
          of_rows.push_back(count == 1 ? one : component(one, to_index(w)));
        }
        std::int64_t e = together * w;
        for (const Expr& word : transposed_words(k, fmt::format("word{}", w), of_rows)) {
          k.store(word, {held.array, {number(together * count) * group + number(e++)}, held.name});
        }
      }
    });
  };
  const std::string rows =
      together == 1 ? "a row"
                    : fmt::format("each of {} rows, transposed into words of columns", together);
  k.with_title(
      fmt::format("copy {} to {}: {} bytes of {}", src.array.name, held.array, tile.load, rows),
      load);

  const View moved = k.exchange(held, loaded, stored);  // (word, group of rows, column)
  const Layout places = moved.axes.front().values;
  const auto store = [&] {
    const Expr dst_row = k.let("dst_row", row0 + number(together) * of_lane(mine.store_row));
    const Expr dst_col = k.let("dst_col", col0 + of_lane(mine.store_col));
    k.unrolled_loop("column", to_index(size(places.mode(2))), [&](const Expr& column) {
      const Expr first = evaluate(coalesce(places.mode(2)), column);
      std::vector<Expr> parts;
      for (std::int64_t i = 0; i < mine.words * mine.along; ++i) {
        const Expr at = first + number(places(i));
        parts.push_back(k.load(fmt::format("word{}", i), {held.array, {at}, held.name}));
      }
      k.store(parts.size() == 1 ? parts.front() : ir::vector(parts),
              words(dst, {dst_row, dst_col + column}, mine.along * together, "whole words of dst"));
    });
  };
  k.with_title(
      fmt::format("copy {} to {}: {} bytes of a column", held.array, dst.array.name, tile.store),
      store);
}

}  // namespace vkmoye::gen
