// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/moves/copy.hpp"

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen {

ir::Kernel copy(const TileConfig& config, const std::string& name) {
  throw_if_any(name, reasons_against(config, TileMove::copy));

  Builder k(name, size(config.threads));
  k.describe(config.items(), "dst(c, r) = src(c, r): each thread reads back what it wrote itself");

  const std::int64_t bM = config.tile_cols, bN = config.tile_rows;
  const Tensor src = k.input("src", config.type, {{"col", "cols"}, {"row", "rows"}});
  const Tensor dst = k.output("dst", config.type, {{"col", "cols"}, {"row", "rows"}});
  const View smem = k.shared("tile", config.type, config.shared_layout());  // (bM, bN)

  const View blocktile_src = tile(src, {bM, bN}, {k.block_x(), k.block_y()});  // (bM, bN)
  const View blocktile_dst = tile(dst, {bM, bN}, {k.block_x(), k.block_y()});  // (bM, bN)

  const View threadtile_src = parallelize(blocktile_src, config.threads, k.thread());  // (TM, TN)
  const View threadtile_dst = parallelize(blocktile_dst, config.threads, k.thread());
  const View threadtile_smem = parallelize(smem, config.threads, k.thread());
  k.copy(threadtile_src, threadtile_smem);
  k.copy(threadtile_smem, threadtile_dst);
  return k.finish();
}

}  // namespace vkmoye::gen
