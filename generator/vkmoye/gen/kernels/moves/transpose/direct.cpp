// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/moves/transpose/direct.hpp"

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen {

ir::Kernel transpose_direct(const TileConfig& config, Contiguous side, const std::string& name) {
  throw_if_any(name, reasons_against(config, TileMove::transpose));

  Builder k(name, size(config.threads));
  k.describe(config.tile_items(),
             side == Contiguous::read
                 ? "neighbouring threads read neighbours of src and write dst a column apart"
                 : "neighbouring threads write neighbours of dst and read src a row apart");

  const std::int64_t bM = config.tile_cols, bN = config.tile_rows;
  const Tensor src = k.input("src", config.type, {{"col", "cols"}, {"row", "rows"}});
  const Tensor dst = k.output("dst", config.type, {{"row", "rows"}, {"col", "cols"}});

  View from = tile(src, {bM, bN}, {k.block_x(), k.block_y()});  // (bM, bN), contiguous along bM
  View to = tile(dst, {bN, bM}, {k.block_y(), k.block_x()});    // (bN, bM), contiguous along bN
  // The threads run along mode 0: it must be the contiguous mode of the chosen side.
  if (side == Contiguous::read) {
    to = transpose(to);
  } else {
    from = transpose(from);
  }
  k.copy(parallelize(from, config.threads, k.thread()),
         parallelize(to, config.threads, k.thread()));
  return k.finish();
}

}  // namespace vkmoye::gen
