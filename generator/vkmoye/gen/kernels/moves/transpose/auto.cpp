// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/moves/transpose/auto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/common/powers.hpp"
#include "vkmoye/gen/kernels/moves/transpose/shuffle.hpp"

namespace vkmoye::gen {
namespace {

// The maximum number of rows or columns of a thin array: an eighth of the tile's extent `across` in that
// direction, but at least as many as all threads move at once, side by side `along` the other direction.
std::int64_t thin_limit(std::int64_t across, std::int64_t along, std::int64_t threads) {
  return std::max(across / 8, threads / std::min(along, threads));
}

// Also at least the rows that a ragged tile needs.
std::int64_t thin_row_limit(const TransposeAutoConfig& config) {
  const std::int64_t rows =
      std::max(thin_limit(config.rows, config.cols, config.threads), min_rows(config));
  return next_power_of_two(rows);
}

std::int64_t thin_col_limit(const TransposeAutoConfig& config) {
  return thin_limit(config.cols, config.rows, config.threads);
}

std::int64_t bytes_of_transposed_tile(const TransposeAutoConfig& config) {
  const std::int64_t whole = config.whole_layout().layout.cosize();
  return std::max(whole, config.ragged_layout().layout.cosize()) *
         static_cast<std::int64_t>(size_of(config.shared_type()));
}

// Whether stores are of packed vectors, in which a shared array of single elements cannot be accessed.
bool stores_packed(const TransposeAutoConfig& config) {
  return ir::is_packed(config.type, to_index(config.store / config.bytes()));
}

}  // namespace

TransposeAutoConfig transpose_auto_config(ScalarType type, std::int64_t max_threads,
                                          std::int64_t shared_bytes) {
  TransposeAutoConfig config;
  config.type = type;
  // The fastest config of a sweep on an H200 at 8192x8192, 16384x16384 and 8191x8193.
  switch (size_of(type)) {
    case 1:
      config.rows = config.cols = 128;
      config.threads = max_threads < 512 ? 256 : 512;
      config.load = 4096 / config.threads;
      if (bytes_of_transposed_tile(config) > shared_bytes) {
        config.rows = config.cols = 64;
        config.threads = 256;
        config.load = 4;
      }
      break;
    case 2:
      config.rows = config.cols = 64;
      config.parts = 2;
      break;
    case 4:  // 64x64 in 16x16 bytes: 0.98 of a copy instead of 0.95, but 0.69 instead of 0.81 if ragged
      config.rows = 64;
      config.cols = 32;
      config.load = 8;
      break;
    default: config.rows = config.cols = 32; break;
  }
  if (config.together() == 1 && stores_packed(config)) config.load = config.store = config.bytes();
  return config;
}

TransposeAutoConfig transpose_shuffle_config(ScalarType type, std::int64_t lanes,
                                             std::int64_t max_threads) {
  TransposeAutoConfig config;
  static_cast<TransposeTile&>(config) = shuffled_tile(type, lanes, max_threads);
  config.exchange = TileExchange::shuffle;
  config.subgroup_size = lanes;
  return config;
}

const std::vector<ConfigField<TransposeAutoConfig>>& transpose_auto_fields() {
  using Config = TransposeAutoConfig;
  static const std::vector<ConfigField<Config>> fields = {
      numbers_field<Config>("tile", "rows x columns of src that one workgroup moves",
                            {&Config::rows, &Config::cols}),
      numbers_field<Config>("threads", "threads of a workgroup", {&Config::threads}),
      numbers_field<Config>("vector", "bytes of an access: loads x stores",
                            {&Config::load, &Config::store}),
      numbers_field<Config>("edge-parts", "parts of a ragged tile, for elements of 1 or 2 bytes",
                            {&Config::parts}),
      order_field<Config>(&Config::order),
      choice_field<Config, TileExchange>(
          "exchange", "how values pass from loads to stores: shared memory or subgroup shuffles",
          {"shared", "shuffle"}, &Config::exchange),
      numbers_field<Config>("subgroup-size",
                            "lanes of a subgroup with --exchange shuffle, which the device must "
                            "support (default: its own)",
                            {&Config::subgroup_size}),
  };
  return fields;
}

std::vector<std::string> reasons_against(const TransposeAutoConfig& config) {
  std::vector<std::string> reasons;
  for (const std::int64_t extent : {config.rows, config.cols}) {
    require_power_of_two("tile", extent, 4096, reasons);
  }
  require_power_of_two("threads", config.threads, 1024, reasons);
  require_power_of_two("edge-parts", config.parts, 64, reasons);
  for (const std::int64_t vector : {config.load, config.store}) {
    require_access(config.type, vector, reasons);
    if (vector < 4)
      reasons.push_back(fmt::format("vector {}: an access has at least 4 bytes", vector));
  }
  const bool shuffles = config.exchange == TileExchange::shuffle;
  if (shuffles) require_power_of_two("subgroup-size", config.subgroup_size, 128, reasons);
  if (!shuffles && config.subgroup_size != 0) {
    reasons.push_back(fmt::format("subgroup-size {}: only --exchange shuffle depends on it",
                                  config.subgroup_size));
  }
  if (!reasons.empty()) return reasons;  // the checks below compute with these numbers

  const std::int64_t across = config.load / config.bytes(), along = config.store / config.bytes();
  constexpr const char *kRows = "tile's rows", *kCols = "tile's columns", *kThreads = "threads";
  if (!shuffles && config.together() == 1 && stores_packed(config)) {
    reasons.push_back(
        fmt::format("vector {}: an access to several {} is packed, but the shared tile is also "
                    "accessed one by one",
                    config.store, to_string(config.type)));
  }
  require_divides("elements of a load", across, kCols, config.cols, reasons);
  require_divides("elements of a store", along, kRows, config.rows, reasons);
  if (!shuffles) {
    require_divides("elements of a sector", config.sector(), kRows, config.rows, reasons);
    require_divides("elements of a word times parts", config.together() * config.parts, kCols,
                    config.cols, reasons);
  }
  require_divides("columns moved at once of an array of few columns", thin_col_limit(config), kCols,
                  config.cols, reasons);
  require_divides("rows moved at once of an array of few rows", thin_row_limit(config), kRows,
                  config.rows, reasons);
  if (!reasons.empty()) return reasons;
  if (shuffles) return reasons_against_shuffles(config, config.subgroup_size);

  require_divides("loads of a row of the tile", config.cols / across, kThreads, config.threads,
                  reasons);
  require_divides("stores of a column of the tile", config.rows / along, kThreads, config.threads,
                  reasons);
  require_divides("words of a row of a part", config.cols / config.together() / config.parts,
                  kThreads, config.threads, reasons);
  require_divides("words of a column of the tile", config.rows / config.together(), kThreads,
                  config.threads, reasons);
  require_divides("columns of a part", config.cols / config.parts, kThreads, config.threads,
                  reasons);
  const std::int64_t values = config.rows * config.cols / config.threads;
  if (config.together() == 1) {
    require_divides("elements of a block of a thread", across * along, "elements of a thread",
                    values, reasons);
  } else {
    require_divides("threads, which load at least one block each", config.threads, "tile's blocks",
                    config.cols / across * (config.rows / config.together()), reasons);
    require_divides("threads, which make at least one store each", config.threads, "tile's stores",
                    config.rows / along * config.cols, reasons);
  }
  if (values > kMaxValuesAtOnce) {
    reasons.push_back(fmt::format("{} elements for each thread, but at most {} are possible",
                                  values, kMaxValuesAtOnce));
  }
  return reasons;
}

namespace {

// Copies the first `across` coordinates of the tiles' second mode; neighbouring threads are side by side
// along the first mode.
void straight_across(Builder& k, const View& from, const View& to, std::int64_t across,
                     std::int64_t threads) {
  const std::int64_t along = size(from.shape().mode(0)), lanes = std::min(along, threads);
  const auto mine = [&](const View& view) {
    return parallelize(tile(view, {along, across}, {0, 0}), make_layout({lanes, threads / lanes}),
                       k.thread());
  };
  k.copy(mine(from), mine(to));
}

// The column and the row of a workgroup's tile.
std::pair<Expr, Expr> tile_of_group(Builder& k, const TransposeAutoConfig& config) {
  constexpr std::int64_t kBlock = 8;  // tiles
  switch (config.order) {
    case TileOrder::automatic:  // this kernel always stores whole sectors of dst
    case TileOrder::dst:
      k.grid(0, "rows", config.rows);
      k.grid(1, "cols", config.cols);
      return {k.block_y(), k.block_x()};
    case TileOrder::src:
      k.grid(0, "cols", config.cols);
      k.grid(1, "rows", config.rows);
      return {k.block_x(), k.block_y()};
    case TileOrder::both: break;
  }
  k.grid(0, kBlock * kBlock, 1);
  k.grid(1, "cols", kBlock * config.cols);
  k.grid(2, "rows", kBlock * config.rows);
  const Expr within = k.block_x();
  return {Expr(to_index(kBlock)) * k.block_y() + within / to_index(kBlock),
          Expr(to_index(kBlock)) * k.block_z() + within % to_index(kBlock)};
}

}  // namespace

ir::Kernel transpose_auto(const TransposeAutoConfig& config, const std::string& name) {
  throw_if_any(name, reasons_against(config));

  const bool shuffles = config.exchange == TileExchange::shuffle;
  Builder k(name, config.threads, shuffles ? to_index(config.subgroup_size) : 0);
  auto items = typed_items(transpose_auto_fields(), config);
  // Leave out the fields that only the other exchange depends on.
  std::erase_if(items, [&](const auto& item) {
    return shuffles ? item.first == "edge-parts"
                    : item.first == "exchange" || item.first == "subgroup-size";
  });
  use_addressing(k, config.address, items);
  const bool by_elements = shuffles || config.address == AddressChoice::pointer;
  k.header(items, fmt::format("{}, wide accesses on both sides; ragged tiles {}",
                              shuffles ? "lanes exchange what they load for what they store"
                                       : "blocks transposed in registers",
                              by_elements ? "by elements" : "in sectors of dst"));

  const std::int64_t bM = config.cols, bN = config.rows;
  const Tensor src = k.input("src", config.type, {{"col", "cols"}, {"row", "rows"}});
  const Tensor dst = k.output("dst", config.type, {{"row", "rows"}, {"col", "cols"}});
  std::optional<View> shared;
  if (!shuffles) {
    shared = k.shared("tile", config.shared_type(), config.whole_layout(),
                      config.ragged_layout().layout.cosize());
  }
  const auto [tile_col, tile_row] = tile_of_group(k, config);
  const Expr col = tile_col, row = tile_row;
  const View from = tile(src, {bM, bN}, {col, row});  // (bM, bN)
  const View to = tile(dst, {bN, bM}, {row, col});    // (bN, bM)

  if (!by_elements) {
    k.assume_written(dst, "sectors of ragged rows begin at remainders of a product of sizes");
  }

  const auto whole_tile = [&] {
    if (shuffles) return move_by_shuffles(k, config, src, dst, col, row);
    move_whole(k, config, src, dst, *shared, col, row, TileRows::all);
  };
  // Without descriptors, offsets do not fit into an index: such tiles are moved element by element.
  const auto ragged_tile = [&] {
    if (by_elements) {
      return k.with_title("a ragged tile, element by element",
                          [&] { straight_across(k, from, transpose(to), bN, config.threads); });
    }
    // Ragged loads clamp to the last element, or word, so there must be one.
    k.branch(
        {less(0, src.element_count() / to_index(config.together()))},
        "a ragged tile, stored in whole sectors of dst",
        [&] { move_ragged(k, config, src, dst, *shared, col, row); }, "", [] {});
  };
  // Most of a tile of a thin array is outside; the part inside needs no shared memory. They come
  // first, so that each condition stands beside what it chooses.
  const auto of_few_rows = [&] {
    k.with_title(fmt::format("at most {} rows, element by element", thin_row_limit(config)), [&] {
      straight_across(k, from, transpose(to), thin_row_limit(config), config.threads);
    });
  };
  const auto of_few_cols = [&] {
    k.with_title(
        fmt::format("at most {} columns, element by element", thin_col_limit(config)),
        [&] { straight_across(k, transpose(from), to, thin_col_limit(config), config.threads); });
  };
  const auto more_than = [](std::int64_t count, const Expr& extent) {
    return less(to_index(count), extent);
  };
  const Expr rows = src.extent(1), cols = src.extent(0);
  const auto at_most = [&](std::int64_t count, const Expr& extent) {
    return logical_not(more_than(count, extent));
  };
  const auto not_whole = [&] {
    k.branch(k.begins_inside(from), [&] {
      k.branch({at_most(thin_row_limit(config), rows)}, of_few_rows, [&] {
        k.branch({at_most(thin_col_limit(config), cols)}, of_few_cols, ragged_tile);
      });
    });
  };
  // If the rows of dst are not aligned to sectors, every tile is ragged.
  const std::int64_t vector = config.store / config.bytes();
  const std::int64_t along = shuffles ? vector : std::max(vector, config.sector());
  const Conditions aligned = all_of(
      {k.aligned(from, to_index(config.load / config.bytes())), k.aligned(to, to_index(along))});
  k.branch(all_of({k.inside(from), aligned}), "a whole tile, rows aligned", whole_tile, "", [&] {
    if (shuffles || !config.can_lack_rows()) return not_whole();
    // The last row of tiles, or the only one, unless it has too few rows to be worth it.
    const Conditions columns_inside = {less(Expr(to_index(bM)) * col + to_index(bM - 1), cols)};
    k.branch(
        all_of({columns_inside, {more_than(thin_limit(bN, bM, config.threads), rows)}, aligned}),
        "columns inside, rows aligned: only blocks of rows inside are moved",
        [&] { move_whole(k, config, src, dst, *shared, col, row, TileRows::some); }, "", not_whole);
  });
  return k.finish();
}

bool is_narrow_transpose(const std::vector<std::int64_t>& shape) {
  constexpr std::int64_t kTile = 64, kFew = 256;  // rows or columns
  constexpr std::int64_t kLarge = 1 << 17;        // elements that are worth a kernel of their own
  if (shape.size() != 2) return false;
  const std::int64_t least = std::min(shape[0], shape[1]), most = std::max(shape[0], shape[1]);
  const bool is_whole_tiles = least > kTile && least % kTile == 0;
  return least >= 1 && least <= kFew && !is_whole_tiles && most >= kLarge / least;
}

}  // namespace vkmoye::gen
