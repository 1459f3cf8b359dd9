// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/moves/ladder.hpp"

#include <algorithm>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

// How the threads of a workgroup share a tile.
struct TileShares {
  Layout threads, values;    // values of one thread, side by side
  std::uint32_t vector = 1;  // elements moved at once
};

TileShares shares_along_src(TileBlock block, ScalarType type, const Layout& threads) {
  const std::uint32_t widest = to_index(widest_access(type)), half = std::max(widest / 2, 1u);
  const std::uint32_t few = size_of(type) == 8 ? 2 : 4;
  switch (block) {
    case TileBlock::none:
    case TileBlock::single: break;
    case TileBlock::vector: return {threads, make_layout({widest, 1}), widest};
    case TileBlock::split_vector: return {threads, make_layout({{half, 2}, 1}), half};
    case TileBlock::loaded:
    case TileBlock::both: return {threads, make_layout({few, 1}), few};
  }
  return {threads, make_layout({1, 1}), 1};
}

// Of the shared tile and dst.
TileShares shares_along_dst(const TileConfig& config, const TileRung& rung,
                            const TileShares& loads) {
  const std::int64_t vector = loads.vector;
  if (rung.block == TileBlock::both) {  // `vector` rows of one column: a vector of dst
    return {make_layout({config.tile_rows / vector, config.tile_cols}), make_layout({vector, 1}),
            loads.vector};
  }
  // `vector` columns of one row: neighbouring threads write neighbouring elements.
  return {config.threads, make_layout({1, vector})};
}

}  // namespace

std::int64_t columns_of(TileBlock block, ScalarType type) {
  return size(shares_along_src(block, type, {}).values);
}

ir::Kernel move_tile(const TileConfig& config, const TileRung& rung, const std::string& name) {
  throw_if_any(name, reasons_against(config, rung.move));
  const bool transposes = rung.move == TileMove::transpose, deals = rung.block == TileBlock::none;
  const TileShares loads = shares_along_src(rung.block, config.type, config.threads);
  const ComposedLayout shared = config.shared_layout();

  Builder k(name, size(config.threads));
  auto items = typed_items(direct_tile_fields(), config);
  if (!deals && !transposes) items.emplace_back("values", to_string(loads.values));
  if (!deals) items.emplace_back("vector", std::to_string(loads.vector));
  if (rung.path == TilePath::shared) items.emplace_back("shared", text_of(shared));
  k.header(std::move(items), rung.why);

  const std::int64_t bM = config.tile_cols, bN = config.tile_rows;
  const Tensor src = k.input("src", config.type, {{"col", "cols"}, {"row", "rows"}});
  std::vector<Builder::AxisSpec> axes = {{"col", "cols"}, {"row", "rows"}};
  if (transposes) std::swap(axes[0], axes[1]);
  const Tensor dst = k.output("dst", config.type, axes);
  const View from = tile(src, {bM, bN}, {k.block_x(), k.block_y()});            // (bM, bN)
  const View to = transposes ? tile(dst, {bN, bM}, {k.block_y(), k.block_x()})  // (bN, bM)
                             : tile(dst, {bM, bN}, {k.block_x(), k.block_y()});

  const auto mine = [&](const View& view, const TileShares& shares) {
    return deals ? parallelize(view, shares.threads, k.thread())
                 : partition(view, make_tiled_copy(shares.threads, shares.values), k.thread());
  };
  const auto move = [&](const View& source, const View& target, const TileShares& shares) {
    k.copy(mine(source, shares), mine(target, shares), {.vector = {shares.vector}});
  };
  // The threads run along mode 0, so it must be the contiguous one of the side that they are to follow.
  const auto turned = [&](const View& view) { return transposes ? transpose(view) : view; };
  if (rung.path == TilePath::along_src) {
    move(from, turned(to), loads);
  } else if (rung.path == TilePath::along_dst) {
    move(turned(from), to, loads);
  } else {
    const View smem = k.shared("tile", config.type, shared);  // (bM, bN)
    move(from, smem, loads);
    if (transposes) k.barrier();  // each thread reads values that others wrote
    move(turned(smem), to, shares_along_dst(config, rung, loads));
  }
  return k.finish();
}

}  // namespace vkmoye::gen
