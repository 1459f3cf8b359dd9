// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/moves/relayout/shared_tile.hpp"

#include <algorithm>

#include "vkmoye/layout/algebra.hpp"
#include "vkmoye/layout/search.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kSharedRun = 256;  // bytes that neighbouring threads should access together

// The largest power of two that divides `n`.
std::int64_t even_part(std::int64_t n) { return n & -n; }

}  // namespace

bool contains(const ModeOrder& modes, std::size_t m) {
  return std::find(modes.begin(), modes.end(), m) != modes.end();
}

ModeOrder completed(ModeOrder order, std::size_t modes) {
  for (std::size_t m = 0; m < modes; ++m) {
    if (!contains(order, m)) order.push_back(m);
  }
  return order;
}

RelayoutTile::RelayoutTile(const RelayoutSchedule& schedule) : schedule_(schedule) {
  std::int64_t column = 1;
  for (const std::int64_t extent : schedule.tile) {
    columns_.push_back(column);
    column *= extent;
  }
}

RelayoutTile::Run RelayoutTile::joined() const {
  Run run = small();
  run.extent *= schedule_.tile[schedule_.joined - 1];
  run.modes.push_back(schedule_.joined - 1);
  return run;
}

RelayoutTile::Run RelayoutTile::small() const {
  Run run{1, 1, {}};
  for (std::size_t m = 0; m + 1 < schedule_.joined; ++m) {
    run.extent *= schedule_.tile[m];
    run.modes.push_back(m);
  }
  return run;
}

IntTuple RelayoutTile::shape() const {
  TreeBuilder<std::int64_t> builder;
  builder.open(static_cast<int>(schedule_.tile.size() - schedule_.joined + 1));
  builder.leaf(joined().extent);
  for (std::size_t m = schedule_.joined; m < schedule_.tile.size(); ++m)
    builder.leaf(schedule_.tile[m]);
  return builder.tree();
}

std::int64_t RelayoutTile::max_threads(const Block& block) const {
  std::int64_t count = 1;
  for (const std::int64_t extent : schedule_.tile) count *= extent;
  return even_part(count / (block.along * block.across));
}

// Factors that are not powers of two come last: each thread has all of their values.
Halves RelayoutTile::shares(const Block& block, const ModeOrder& order, std::int64_t threads,
                            std::int64_t element_bytes) const {
  const Run& run = block.run;
  const std::int64_t step = block.along, even = even_part(run.extent);
  const std::int64_t lanes =
      std::min(even / step, std::max<std::int64_t>(1, kSharedRun / (step * element_bytes)));
  const auto part = [&](std::int64_t column, std::int64_t extent, std::int64_t from) {
    return Layout(extent, column * from);
  };
  std::vector<Layout> pieces = {part(run.column, lanes, step)};
  std::vector<Layout> uneven = {part(run.column, run.extent / even, even)};
  bool has_other = block.across == block.other.extent;
  for (const std::size_t m : completed(order, schedule_.modes.size())) {
    if (contains(run.modes, m)) continue;
    if (!contains(block.other.modes, m)) {
      const std::int64_t power = even_part(schedule_.tile[m]);
      pieces.push_back(part(columns_[m], power, 1));
      uneven.push_back(part(columns_[m], schedule_.tile[m] / power, power));
    } else if (!has_other) {
      has_other = true;
      const Run& other = block.other;
      pieces.push_back(part(other.column, other.extent / block.across, block.across));
    }
  }
  pieces.push_back(part(run.column, even / (step * lanes), step * lanes));
  pieces.insert(pieces.end(), uneven.begin(), uneven.end());
  // A tile extends along few of many modes; a layout has at most kMaxLeaves of them.
  std::erase_if(pieces, [](const Layout& piece) { return size(piece) == 1; });
  if (pieces.empty()) pieces.emplace_back(1, 0);
  return tile_and_rest(make_layout(pieces), threads);
}

TiledCopy RelayoutTile::copy(const Block& block, const ModeOrder& order, std::int64_t threads,
                             std::int64_t element_bytes) const {
  const Halves halves = shares(block, order, threads, element_bytes);
  const Layout along(block.along, block.run.column);
  const Layout across(block.across, block.other.column);
  return {make_layout(halves.first, make_layout(along, across, halves.second)), shape(), 1};
}

TileAccess RelayoutTile::accesses(const Block& block, const ModeOrder& order, std::int64_t threads,
                                  std::int64_t element_bytes, const Layout& first,
                                  std::int64_t width) const {
  const Halves halves = shares(block, order, threads, element_bytes);
  return {make_layout(halves.first, make_layout(first, halves.second)), width};
}

ComposedLayout RelayoutTile::storage(const ModeOrder& order,
                                     const std::vector<TileAccess>& accesses,
                                     std::int64_t element_bytes) const {
  const bool has_joined = schedule_.joined > 1;
  std::vector<std::int64_t> strides(schedule_.modes.size(), 1);
  std::int64_t stride = 1;
  bool placed = false;
  for (const std::size_t m : completed(order, strides.size())) {
    const bool is_joined = has_joined && m < schedule_.joined;
    if (is_joined && placed) continue;
    placed = placed || is_joined;
    strides[is_joined ? 0 : m] = stride;
    stride *= is_joined ? joined().extent : schedule_.tile[m];
  }
  std::vector<Layout> modes = {Layout(joined().extent, strides[0])};
  for (std::size_t m = schedule_.joined; m < strides.size(); ++m) {
    modes.push_back(Layout(schedule_.tile[m], strides[m]));
  }
  const Layout plain = make_layout(modes);
  // The elements of an access are contiguous in memory, not in the tile, so the search gets offsets.
  std::vector<TileAccess> by_offset;
  for (const TileAccess& access : accesses) {
    by_offset.push_back({composition(plain, access.elements), access.width});
  }
  const auto found = search_swizzle(Layout(plain.size()), by_offset, element_bytes);
  return {found ? found->storage.swizzle : Swizzle(), 0, plain};
}

}  // namespace vkmoye::gen
