#include "vkmoye/gen/kernels/transpose_auto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/layout/text.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
namespace {

std::int64_t bytes_of(const TransposeAutoConfig& config) {
  return static_cast<std::int64_t>(size_of(config.type));
}

// `lanes` threads side by side, each with `values`.
TiledCopy side_by_side(std::int64_t threads, std::int64_t lanes, IntTuple values) {
  return make_tiled_copy(make_layout({lanes, threads / lanes}), make_layout(values));
}

// Who moves what through shared memory: tiles of (columns, rows) while loading, of (rows, columns)
// while storing.
struct Work {
  TiledCopy load, store;
  Edges edges;
};

// Whole tiles, in wide accesses.
Work whole_tiles(const TransposeAutoConfig& config) {
  const std::int64_t load = config.load / bytes_of(config), store = config.store / bytes_of(config);
  return {side_by_side(config.threads, config.load_lanes, {load, config.packed()}),
          side_by_side(config.threads, config.store_lanes, {store, 1}), Edges::inside};
}

// Tiles that hang over an edge, element by element.
Work tiles_at_edges(const TransposeAutoConfig& config) {
  const std::int64_t packed = config.packed();
  const std::int64_t cols = std::gcd<std::int64_t>(32, config.tile_cols);
  const std::int64_t rows = std::gcd<std::int64_t>(32, config.tile_rows / packed);
  return {side_by_side(config.threads, cols, {1, packed}),
          side_by_side(config.threads, rows, {packed, 1}), Edges::clamp};
}

// The most rows or columns, `across`, of an array that is thin: an eighth of a tile, and at least what
// all threads take at once, neighbours `along` the tile's other direction.
std::int64_t few(std::int64_t across, std::int64_t along, std::int64_t threads) {
  return std::max(across / 8, threads / std::min(along, threads));
}

}  // namespace

std::int64_t TransposeAutoConfig::packed() const {
  return std::max<std::int64_t>(1, 4 / static_cast<std::int64_t>(size_of(type)));
}

Layout TransposeAutoConfig::shared_layout() const {
  const std::int64_t p = packed();
  if (p == 1) return Layout({tile_cols, tile_rows}, {1, tile_cols + pad});
  return Layout({tile_cols, {p, tile_rows / p}}, {p, {1, p * (tile_cols + pad)}});
}

TransposeAutoConfig transpose_auto_config(ScalarType type) {
  TransposeAutoConfig config;
  config.type = type;
  // The fastest of a sweep on an H200 at 8192x8192 and 16384x16384: tiles of 8 KiB that 8 workgroups
  // of a multiprocessor hold at once.
  config.strip = 8;
  switch (size_of(type)) {
    case 1: config.tile_rows = config.tile_cols = 128; break;
    case 2: config.tile_rows = config.tile_cols = 64; break;
    case 4:
      config.tile_rows = 64;
      config.tile_cols = 32;
      break;
    case 8:
      config.tile_rows = config.tile_cols = 32;
      config.load = config.store = 8;
      config.load_lanes = config.store_lanes = 32;
      break;
    default: config.tile_rows = config.tile_cols = 32; break;
  }
  return config;
}

const std::vector<ConfigField<TransposeAutoConfig>>& transpose_auto_fields() {
  using Config = TransposeAutoConfig;
  static const std::vector<ConfigField<Config>> fields = {
      numbers_field<Config>("tile", "rows x columns of src that one workgroup moves",
                            {&Config::tile_rows, &Config::tile_cols}),
      numbers_field<Config>("threads", "threads of a workgroup", {&Config::threads}),
      numbers_field<Config>("vector", "bytes of an access: loads x stores",
                            {&Config::load, &Config::store}),
      numbers_field<Config>("lanes", "threads side by side along a row of src x of dst",
                            {&Config::load_lanes, &Config::store_lanes}),
      numbers_field<Config>("pad", "words after each run of columns of the shared tile",
                            {&Config::pad}),
      numbers_field<Config>("strip",
                            "rows of tiles that workgroups walk down before they step aside",
                            {&Config::strip}),
  };
  return fields;
}

std::vector<std::string> reasons_against(const TransposeAutoConfig& config) {
  std::vector<std::string> reasons;
  const auto require_range = [&](const char* what, std::int64_t value, std::int64_t least,
                                 std::int64_t most) {
    if (value >= least && value <= most) return;
    reasons.push_back(fmt::format("{} {} is outside {}..{}", what, value, least, most));
  };
  for (const std::int64_t extent : {config.tile_rows, config.tile_cols}) {
    require_power_of_two("tile:", extent, 4096, reasons);
  }
  require_range("threads", config.threads, 1, 1024);
  require_range("load lanes", config.load_lanes, 1, 1024);
  require_range("store lanes", config.store_lanes, 1, 1024);
  require_range("pad", config.pad, 0, 4096);
  require_range("strip", config.strip, 1, 65536);
  for (const std::int64_t vector : {config.load, config.store}) {
    require_access(config.type, vector, reasons);
  }
  if (!reasons.empty()) return reasons;  // what follows computes with these numbers

  const auto divides = [&](const char* what, std::int64_t part, std::int64_t whole) {
    if (part > 0 && whole % part == 0) return true;
    reasons.push_back(fmt::format("{} {} does not divide {}", what, part, whole));
    return false;
  };
  divides("a word's", config.packed(), config.tile_rows);
  divides("load lanes", config.load_lanes, config.threads);
  divides("store lanes", config.store_lanes, config.threads);
  divides("a word's", config.packed(), config.store / bytes_of(config));
  divides("lanes by one", std::gcd<std::int64_t>(32, config.tile_cols), config.threads);
  divides("lanes by one",
          std::gcd<std::int64_t>(32, std::max<std::int64_t>(1, config.tile_rows / config.packed())),
          config.threads);
  if (!reasons.empty()) return reasons;

  const Work whole = whole_tiles(config), edges = tiles_at_edges(config);
  const auto covers = [&](const char* what, const TiledCopy& copy, std::int64_t first,
                          std::int64_t second) {
    if (first % copy.tiler.leaf(0) == 0 && second % copy.tiler.leaf(1) == 0) return;
    reasons.push_back(fmt::format("{}: {} threads move {} at once, which does not divide ({},{})",
                                  what, config.threads, to_string(copy.tiler), first, second));
  };
  covers("load", whole.load, config.tile_cols, config.tile_rows);
  covers("store", whole.store, config.tile_rows, config.tile_cols);
  covers("load at the edges", edges.load, config.tile_cols, config.tile_rows);
  covers("store at the edges", edges.store, config.tile_rows, config.tile_cols);
  const std::int64_t values = config.tile_rows * config.tile_cols / config.threads;
  if (values > kMostAtOnce) {
    reasons.push_back(
        fmt::format("{} elements for each thread, at most {} are moved", values, kMostAtOnce));
  }
  return reasons;
}

namespace {

void through_shared(Builder& k, const TransposeAutoConfig& config, const View& from,
                    const View& smem, const View& to, const Work& work) {
  // Single elements share their array with one kind of vector: words of several are that kind.
  const std::uint32_t word = to_index(config.packed() > 1 ? 4 : kWidestCopy);
  CopyOptions loading{.edges = work.edges, .loads_first = true}, storing = loading;
  loading.from_bytes = to_index(config.load);
  loading.to_bytes = storing.from_bytes = word;
  storing.to_bytes = to_index(config.store);
  k.copy(partition(from, work.load, k.thread()), partition(smem, work.load, k.thread()), loading);
  k.barrier();
  k.copy(partition(transpose(smem), work.store, k.thread()), partition(to, work.store, k.thread()),
         storing);
}

// The first `across` of the tiles' second mode, neighbouring threads along the first.
void straight_across(Builder& k, const View& from, const View& to, std::int64_t across,
                     std::int64_t threads) {
  const std::int64_t along = size(from.shape().mode(0)), lanes = std::min(along, threads);
  const auto mine = [&](const View& view) {
    return parallelize(tile(view, {along, across}, {0, 0}), make_layout({lanes, threads / lanes}),
                       k.thread());
  };
  k.copy(mine(from), mine(to));
}

}  // namespace

ir::Kernel transpose_auto(const TransposeAutoConfig& config, const std::string& name) {
  auto reasons = reasons_against(config);
  if (!reasons.empty()) throw KernelError(name, std::move(reasons));

  Builder k(name, config.threads);
  auto items = typed_items(transpose_auto_fields(), config);
  reach(k, config.address, items);
  k.describe(
      items,
      "wide accesses along the rows of src and of dst, words between in padded shared memory");

  const std::int64_t bM = config.tile_cols, bN = config.tile_rows;
  const Tensor src = k.input("src", config.type, {{"col", "cols"}, {"row", "rows"}});
  const Tensor dst = k.output("dst", config.type, {{"row", "rows"}, {"col", "cols"}});
  const View smem = k.shared("tile", config.type, config.shared_layout());  // (bM, bN)

  // Workgroups run along x first: down the rows of tiles of a strip, then to the next column.
  Expr col = k.block_x(), row = k.block_y();
  if (config.strip > 1) {
    k.grid(0, "rows", bN, config.strip);
    k.grid(1, "cols", bM);
    k.grid(2, "rows", bN * config.strip);
    col = k.block_y();
    row = Expr(to_index(config.strip)) * k.block_z() + k.block_x();
  }
  const View from = tile(src, {bM, bN}, {col, row});  // (bM, bN)
  const View to = tile(dst, {bN, bM}, {row, col});    // (bN, bM)

  const auto whole_tile = [&] { through_shared(k, config, from, smem, to, whole_tiles(config)); };
  const auto part_of_a_tile = [&] {
    through_shared(k, config, from, smem, to, tiles_at_edges(config));
  };
  // Of a thin array most of a tile is outside: what is inside needs no shared memory.
  const std::int64_t few_rows = few(bN, bM, config.threads), few_cols = few(bM, bN, config.threads);
  const auto of_few_rows = [&] {
    straight_across(k, from, transpose(to), few_rows, config.threads);
  };
  const auto of_few_cols = [&] {
    straight_across(k, transpose(from), to, few_cols, config.threads);
  };
  const auto more_than = [](std::int64_t count, const char* extent) {
    return Conditions{ir::less(to_index(count), ir::variable(extent))};
  };
  const auto at_an_edge = [&] {
    k.branch(
        more_than(few_rows, "rows"),
        [&] { k.branch(more_than(few_cols, "cols"), part_of_a_tile, of_few_cols); }, of_few_rows);
  };
  const Conditions whole =
      all_of({k.inside(from), k.aligned(from, to_index(config.load / bytes_of(config))),
              k.aligned(to, to_index(config.store / bytes_of(config)))});
  k.branch(whole, whole_tile, [&] { k.branch(k.begins_inside(from), at_an_edge); });
  return k.finish();
}

}  // namespace vkmoye::gen
