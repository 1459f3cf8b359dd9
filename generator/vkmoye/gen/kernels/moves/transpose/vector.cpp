// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/moves/transpose/vector.hpp"

#include <fmt/format.h>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

const char* reason_for(VectorRung rung) {
  switch (rung) {
    case VectorRung::plain: return "vector loads along src, scalar stores a column of dst apart";
    case VectorRung::shared: return "vectors on both sides; reads of a tile column share few banks";
    case VectorRung::padded:
      return "padded rows keep the banks apart and dst contiguous by element";
  }
  return "";
}

}  // namespace

ir::Kernel transpose_vector(ScalarType type, VectorRung rung, const std::string& name) {
  constexpr std::int64_t kWarp = 32;
  const std::uint32_t vector = size_of(type) == 8 ? 2 : 4;
  const std::int64_t bM = kWarp * vector, bN = kWarp;  // columns, rows of src
  const Layout threads = make_layout({kWarp, kWarp});
  const TiledCopy load = make_tiled_copy(threads, make_layout({vector, 1}));

  const CopyOptions vectors{.vector = {vector}};

  Builder k(name, size(threads));
  const Layout padded = make_layout({bM, bN}, {1, rung == VectorRung::padded ? bM + 1 : bM});
  std::vector<std::pair<std::string, std::string>> items = {{"type", std::string(to_string(type))},
                                                            {"tile", fmt::format("{}x{}", bN, bM)},
                                                            {"threads", to_string(threads)},
                                                            {"vector", std::to_string(vector)}};
  if (rung != VectorRung::plain) items.emplace_back("shared", to_string(padded));
  k.describe(std::move(items), reason_for(rung));

  const Tensor src = k.input("src", type, {{"col", "cols"}, {"row", "rows"}});
  const Tensor dst = k.output("dst", type, {{"row", "rows"}, {"col", "cols"}});
  const View from = tile(src, {bM, bN}, {k.block_x(), k.block_y()});  // (bM, bN)
  const View to = tile(dst, {bN, bM}, {k.block_y(), k.block_x()});    // (bN, bM)
  if (rung == VectorRung::plain) {
    k.copy(partition(from, load, k.thread()), partition(transpose(to), load, k.thread()), vectors);
    return k.finish();
  }

  const View smem = k.shared("tile", type, padded);  // (bM, bN)
  k.copy(partition(from, load, k.thread()), partition(smem, load, k.thread()), vectors);
  k.barrier();
  if (rung == VectorRung::shared) {
    // Each thread reads `vector` rows of one column: a vector of dst.
    const TiledCopy store =
        make_tiled_copy(make_layout({bN / vector, bM}), make_layout({vector, 1}));
    k.copy(partition(transpose(smem), store, k.thread()), partition(to, store, k.thread()),
           vectors);
  } else {
    // Each thread reads `vector` columns of one row; neighbouring threads write neighbouring elements.
    const TiledCopy store = make_tiled_copy(threads, make_layout({1, vector}));
    k.copy(partition(transpose(smem), store, k.thread()), partition(to, store, k.thread()));
  }
  return k.finish();
}

}  // namespace vkmoye::gen
