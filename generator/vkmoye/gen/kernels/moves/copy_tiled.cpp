// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/moves/copy_tiled.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

struct Accesses {
  Layout values;         // of one thread, in the tile
  std::uint32_t vector;  // elements moved at once
  const char* why;
};

Accesses accesses_of(TiledValues values, std::uint32_t widest) {
  switch (values) {
    case TiledValues::single:
      return {make_layout({1, 1}), 1, "neighbouring threads move neighbouring elements"};
    case TiledValues::vector:
      return {make_layout({widest, 1}), widest, "neighbouring threads move neighbouring vectors"};
    case TiledValues::split_vector:
      widest = std::max(widest / 2, 1u);
      return {make_layout({{widest, 2}, 1}), widest,
              "not coalesced: in each access, neighbouring threads move every second vector"};
  }
  return {};
}

}  // namespace

ir::Kernel copy_tiled(ScalarType type, TiledValues values, const std::string& name) {
  const Layout threads = make_layout({32, 8});
  const Accesses accesses = accesses_of(values, static_cast<std::uint32_t>(16 / size_of(type)));
  const TiledCopy copy = make_tiled_copy(threads, accesses.values);
  // The copy's tile four times along the rows, so that several loads are in flight at once.
  const std::int64_t bM = copy.tiler.leaf(0), bN = 4 * copy.tiler.leaf(1);

  Builder k(name, size(threads));
  k.describe({{"type", std::string(to_string(type))},
              {"tile", fmt::format("{}x{}", bN, bM)},
              {"threads", to_string(threads)},
              {"values", to_string(accesses.values)},
              {"vector", std::to_string(accesses.vector)}},
             accesses.why);
  const Tensor src = k.input("src", type, {{"col", "cols"}, {"row", "rows"}});
  const Tensor dst = k.output("dst", type, {{"col", "cols"}, {"row", "rows"}});
  const View from = tile(src, {bM, bN}, {k.block_x(), k.block_y()});  // (bM, bN)
  const View to = tile(dst, {bM, bN}, {k.block_x(), k.block_y()});    // (bM, bN)
  k.copy(partition(from, copy, k.thread()), partition(to, copy, k.thread()),
         {.vector = {accesses.vector}});
  return k.finish();
}

}  // namespace vkmoye::gen
