// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/moves/relayout/schedule.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "vkmoye/gen/dsl/copy.hpp"
#include "vkmoye/gen/kernels/common/powers.hpp"
#include "vkmoye/gen/kernels/moves/relayout/shared_tile.hpp"
#include "vkmoye/layout/algebra.hpp"
#include "vkmoye/tensor/access_width.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kSector = 32;  // bytes: the unit in which memory is read and written

using Order = ModeOrder;

std::int64_t product(const std::vector<std::int64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

// The widest access of a tensor along a run: a mode, or the joined modes.
std::int64_t widest(const RelayoutSchedule& schedule, std::int64_t JointMode::*stride,
                    const RelayoutTile::Run& run, const RelayoutConfig& config) {
  std::int64_t others = 0;  // every offset of the other modes is a multiple of it
  for (std::size_t m = 0; m < schedule.modes.size(); ++m) {
    if (!contains(run.modes, m)) others = std::gcd(others, schedule.modes[m].*stride);
  }
  return access_width(Layout(run.extent, schedule.modes[run.modes.front()].*stride),
                      Layout(2, others), static_cast<std::int64_t>(size_of(config.type)),
                      config.vector)
      .elements;
}

void put_in_order(RelayoutSchedule& schedule, const Order& order) {
  std::vector<JointMode> modes;
  for (const std::size_t m : completed(order, schedule.modes.size()))
    modes.push_back(schedule.modes[m]);
  schedule.modes = modes;
}

// --- direct copies ---

void set_direct(RelayoutSchedule& schedule, const RelayoutConfig& config, const Order& order) {
  put_in_order(schedule, order);
  const RelayoutTile::Run along{1, schedule.modes[0].extent, {0}};
  schedule.vector = std::gcd(widest(schedule, &JointMode::src, along, config),
                             widest(schedule, &JointMode::dst, along, config));
  schedule.threads = config.threads;
  schedule.rounds = config.rounds;
}

// --- through shared memory ---

// Enlarges `tile` along modes that are contiguous in memory, up to a run of `run` elements.
// Returns the number of modes of `order` that it used.
std::size_t take_run(const std::vector<JointMode>& modes, std::int64_t JointMode::*stride,
                     const Order& order, std::int64_t run, std::vector<std::int64_t>& tile) {
  std::size_t count = 0;
  std::int64_t taken = 1, expected = order.empty() ? 0 : modes[order[0]].*stride;
  for (const std::size_t m : order) {
    if (taken >= run || modes[m].*stride != expected) break;
    const std::int64_t extent = std::min(next_power_of_two(modes[m].extent), run / taken);
    tile[m] = std::max(tile[m], extent);
    taken *= extent;
    ++count;
    if (extent < modes[m].extent) break;
    expected *= modes[m].extent;
  }
  return count;
}

// Whether each row of a tile, a run along the first of `order`, starts at a sector boundary.
bool begin_with_sectors(const RelayoutSchedule& schedule, std::int64_t JointMode::*stride,
                        const Order& order, std::int64_t bytes) {
  return std::all_of(order.begin() + 1, order.end(), [&](std::size_t m) {
    return schedule.modes[m].*stride * bytes % kSector == 0;
  });
}

// For each mode, workgroup -> number of its tile along that mode.
std::vector<Layout> walk_of(const RelayoutSchedule& schedule, TileOrder walk,
                            const Order& src_order, const Order& dst_order) {
  std::vector<std::int64_t> left, done(schedule.modes.size(), 1);
  for (std::size_t m = 0; m < schedule.modes.size(); ++m) {
    left.push_back(ceil_div(schedule.modes[m].extent, schedule.tile[m]));
  }
  std::vector<std::vector<Layout>> steps(schedule.modes.size());
  // Appends up to `max_tiles` tiles along `order`; a mode is only split into equal parts.
  const auto take = [&](const Order& order, std::int64_t max_tiles) {
    for (const std::size_t m : order) {
      std::int64_t taken = left[m];
      if (taken > max_tiles) {
        taken = std::gcd(left[m], static_cast<std::int64_t>(
                                      std::bit_floor(static_cast<std::uint64_t>(max_tiles))));
      }
      for (std::size_t other = 0; taken > 1 && other < steps.size(); ++other) {
        steps[other].push_back(Layout(taken, other == m ? done[m] : 0));
      }
      done[m] *= taken;
      left[m] /= taken;
      max_tiles /= taken;
      if (left[m] > 1) return;
    }
  };
  constexpr std::int64_t kBlock = 8, kAll = std::int64_t{1} << 33;
  if (walk == TileOrder::both) {
    take(src_order, kBlock);
    take(dst_order, kBlock);
  }
  if (walk == TileOrder::src) take(src_order, kAll);
  take(dst_order, kAll);
  std::vector<Layout> out;
  for (const auto& of_mode : steps) {
    out.push_back(of_mode.empty() ? Layout(1, 0) : make_layout(of_mode));
  }
  return out;
}

// Enlarges `tile` along the modes in `order` until it has `elements`.
void grow(const RelayoutSchedule& schedule, const Order& order, std::int64_t elements,
          std::vector<std::int64_t>& tile) {
  while (2 * product(tile) <= elements) {
    const auto grows = std::find_if(order.begin(), order.end(), [&](std::size_t m) {
      return m >= schedule.joined && tile[m] < schedule.modes[m].extent;
    });
    if (grows == order.end()) return;
    tile[*grows] *= 2;
  }
}

constexpr std::int64_t kMaxSmall = 31;                      // elements of small modes together
constexpr std::int64_t kMaxJoined = std::int64_t{1} << 31;  // elements that one coordinate counts

// The small modes of a tensor and the mode that follows them, if together they form longer runs than powers
// of two do; empty if they do not, or if the tile `others` extends along one of them.
Order uneven(const std::vector<JointMode>& modes, std::int64_t JointMode::*stride,
             const Order& order, const std::vector<std::int64_t>& others) {
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const JointMode& mode = modes[order[i]];
    if (mode.*stride != elements || others[order[i]] > 1) return {};
    if (elements * mode.extent > kMaxSmall) {
      const bool is_power = std::has_single_bit(static_cast<std::uint64_t>(elements));
      if (is_power || mode.extent < 8 || mode.extent > kMaxJoined / elements) return {};
      return Order(order.begin(), order.begin() + static_cast<int>(i) + 1);
    }
    elements *= mode.extent;
  }
  return {};
}

// The two sides are contiguous along different modes, so each thread transposes a block in registers. The
// shared tile is contiguous along the run of the side `flat_stride`, whose modes are powers of two; the
// threads of the other side transpose.
void set_blocks(RelayoutSchedule& schedule, const RelayoutConfig& config) {
  const auto bytes = static_cast<std::int64_t>(size_of(config.type));
  const Order before[] = {order_by(schedule.modes, &JointMode::src),
                          order_by(schedule.modes, &JointMode::dst)};
  // The fastest run of a sweep on an H200; 64 elements of 8 bytes would need too much shared memory.
  std::int64_t run = config.run != 0 ? config.run : bytes == 1 ? 128 : bytes <= 4 ? 64 : 32;
  while (config.run == 0 && run > 1 && run * run * bytes > config.shared_bytes) run /= 2;
  const auto runs = [&](std::int64_t JointMode::*stride) {
    std::vector<std::int64_t> tile(schedule.modes.size(), 1);
    take_run(schedule.modes, stride, order_by(schedule.modes, stride), run, tile);
    return tile;
  };
  bool src_turns = true;
  Order joined = uneven(schedule.modes, &JointMode::src, before[0], runs(&JointMode::dst));
  if (joined.empty()) {
    joined = uneven(schedule.modes, &JointMode::dst, before[1], runs(&JointMode::src));
    src_turns = joined.empty();
  }
  put_in_order(schedule, joined);
  schedule.joined = std::max<std::size_t>(1, joined.size());
  const auto turned_stride = src_turns ? &JointMode::src : &JointMode::dst;
  const auto flat_stride = src_turns ? &JointMode::dst : &JointMode::src;
  const Order turned_order = order_by(schedule.modes, turned_stride);
  const Order flat_order = order_by(schedule.modes, flat_stride);

  schedule.tile.assign(schedule.modes.size(), 1);
  const std::size_t row = take_run(schedule.modes, flat_stride, flat_order, run, schedule.tile);
  if (joined.empty()) {
    take_run(schedule.modes, turned_stride, turned_order, run, schedule.tile);
  } else {
    const std::size_t last = schedule.joined - 1;
    for (std::size_t m = 0; m < last; ++m) schedule.tile[m] = schedule.modes[m].extent;
    const std::int64_t small =
        product({schedule.tile.begin(), schedule.tile.begin() + static_cast<int>(last)});
    schedule.tile[last] = std::min(next_power_of_two(schedule.modes[last].extent),
                                   next_power_of_two(ceil_div(run, small)));
  }
  grow(schedule, order_by(schedule.modes, &JointMode::dst), run * run, schedule.tile);

  const RelayoutTile tile(schedule);
  const std::size_t from = turned_order.front(), to = flat_order.front();
  RelayoutTile::Block turned{joined.empty() ? tile.mode(from) : tile.joined(), 1};
  RelayoutTile::Block flat{tile.mode(to), widest(schedule, flat_stride, tile.mode(to), config)};
  turned.along = widest(schedule, turned_stride, turned.run, config);
  std::int64_t word = 1, single = 1;  // elements of an access to shared memory on either side
  if (from != to) {
    word = std::gcd(schedule.tile[to], std::max<std::int64_t>(flat.along, 4 / bytes));
    const std::int64_t small = joined.empty() ? 1 : tile.small().extent;
    while (turned.along * word * small > kMaxValuesAtOnce)
      (turned.along > word ? turned.along : word) /= 2;
    turned.other = tile.mode(to);
    turned.across = word;
    // If the flat side accesses single elements, neighbouring threads access neighbouring elements. For
    // smaller types, a thread has all elements of a word, so that a request touches fewer sectors.
    single = flat.along == 1 && bytes >= 4 ? 1 : word;
    flat.along = single;
  }
  schedule.written = src_turns ? word : single;
  schedule.read = src_turns ? single : word;
  schedule.threads = std::min({config.threads, tile.max_threads(turned), tile.max_threads(flat)});
  const TiledCopy turned_copy = tile.copy(turned, turned_order, schedule.threads, bytes);
  const TiledCopy flat_copy = tile.copy(flat, flat_order, schedule.threads, bytes);
  schedule.load = src_turns ? turned_copy : flat_copy;
  schedule.store = src_turns ? flat_copy : turned_copy;
  // A run of the flat side, then the order of the other side, so that neighbouring threads of both sides
  // differ in neighbouring bits.
  Order order(flat_order.begin(), flat_order.begin() + static_cast<int>(row));
  for (const std::size_t m : turned_order) {
    if (!contains(order, m)) order.push_back(m);
  }
  const Layout each(turned.along, turned.run.column);
  const Layout words(flat.along / single, single * flat.run.column);
  schedule.shared =
      tile.storage(order,
                   {tile.accesses(turned, turned_order, schedule.threads, bytes, each, word),
                    tile.accesses(flat, flat_order, schedule.threads, bytes, words, single)},
                   bytes);
}

// --- small modes inside a run ---

constexpr std::int64_t kMaxTileBytes = 24 * 1024;  // so that several workgroups stay resident

// The contiguous modes of one tensor from its innermost mode up to the innermost mode of the other tensor, if
// all but the last are small; else empty.
Order interleaved(const std::vector<JointMode>& modes, std::int64_t JointMode::*stride,
                  const Order& order, const Order& other, std::int64_t bytes) {
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < order.size() && elements <= kMaxSmall; ++i) {
    const JointMode& mode = modes[order[i]];
    if (mode.*stride != elements) return {};
    if (order[i] == other.front()) {
      const bool is_long =
          mode.extent * bytes >= 2 * kSector && mode.extent <= kMaxJoined / elements;
      return i > 0 && is_long ? Order(order.begin(), order.begin() + static_cast<int>(i) + 1)
                              : Order();
    }
    elements *= mode.extent;
  }
  return {};
}

// The widest accesses to a shared array for two sides whose layouts prove `a` and `b` elements. An array can
// be accessed in vectors of one width and in single elements, but then not in packed vectors.
std::pair<std::int64_t, std::int64_t> widths_of(std::int64_t a, std::int64_t b, ScalarType type) {
  const std::int64_t narrower = std::min(a, b);
  if (narrower > 1) return {narrower, narrower};
  const auto unpacked = [&](std::int64_t width) {
    while (ir::is_packed(type, static_cast<std::uint32_t>(width))) width /= 2;
    return width;
  };
  return {unpacked(a), unpacked(b)};
}

// The interleaved side is accessed flat. On the other side a thread has a block, (small modes, elements of
// an access), which is contiguous in the shared tile.
void set_interleaved(RelayoutSchedule& schedule, const RelayoutConfig& config, const Order& joined,
                     std::int64_t JointMode::*flat_stride) {
  const auto bytes = static_cast<std::int64_t>(size_of(config.type));
  const bool src_is_flat = flat_stride == &JointMode::src;
  const auto block_stride = src_is_flat ? &JointMode::dst : &JointMode::src;
  put_in_order(schedule, joined);
  schedule.joined = joined.size();
  const Order flat_order = order_by(schedule.modes, flat_stride);
  const Order block_order = order_by(schedule.modes, block_stride);
  const std::size_t last = schedule.joined - 1;

  schedule.tile.assign(schedule.modes.size(), 1);
  for (std::size_t m = 0; m < last; ++m) schedule.tile[m] = schedule.modes[m].extent;
  const std::int64_t small = product(schedule.tile);
  std::int64_t access = std::max<std::int64_t>(1, config.vector / bytes);
  while (small * access > kMaxValuesAtOnce) access /= 2;
  const std::int64_t max_bytes = std::min(kMaxTileBytes, config.shared_bytes);
  const auto max_extent = static_cast<std::int64_t>(std::bit_floor(
      static_cast<std::uint64_t>(std::min(max_bytes / (small * bytes), config.threads * access))));
  const std::int64_t extent = schedule.modes[last].extent;
  std::int64_t tile_extent =
      std::min({max_extent, next_power_of_two(extent), config.run > 0 ? config.run : max_extent});
  // Smaller tiles if more than an eighth of the work would be outside.
  while (tile_extent * bytes > 2 * kSector &&
         8 * ceil_div(extent, tile_extent) * tile_extent > 9 * extent) {
    tile_extent /= 2;
  }
  schedule.tile[last] = tile_extent;
  grow(schedule, block_order, small * max_extent, schedule.tile);

  const RelayoutTile tile(schedule);
  const auto along = [&](std::int64_t JointMode::*stride, const RelayoutTile::Run& run) {
    return std::min(access, widest(schedule, stride, run, config));
  };
  RelayoutTile::Block flat{tile.joined(), along(flat_stride, tile.joined())};
  const RelayoutTile::Block block{tile.mode(last), along(block_stride, tile.mode(last)),
                                  tile.small(), small};
  const std::int64_t together = small * block.along;
  const auto [flat_width, block_width] = widths_of(
      flat.along, std::min(together & -together, std::max<std::int64_t>(1, config.vector / bytes)),
      config.type);
  flat.along = flat_width;  // several accesses side by side would have bank conflicts
  schedule.threads = std::min({config.threads, tile.max_threads(flat), tile.max_threads(block)});
  schedule.written = src_is_flat ? flat_width : block_width;
  schedule.read = src_is_flat ? block_width : flat_width;
  const TiledCopy flat_copy = tile.copy(flat, flat_order, schedule.threads, bytes);
  const TiledCopy block_copy = tile.copy(block, block_order, schedule.threads, bytes);
  schedule.load = src_is_flat ? flat_copy : block_copy;
  schedule.store = src_is_flat ? block_copy : flat_copy;
  const Layout of_block(together / block_width, block_width);
  schedule.shared = tile.storage(
      flat_order,
      {tile.accesses(flat, flat_order, schedule.threads, bytes, Layout(1), flat_width),
       tile.accesses(block, block_order, schedule.threads, bytes, of_block, block_width)},
      bytes);
}

RelayoutSchedule schedule_within(const Layout& src, const Layout& dst,
                                 const RelayoutConfig& config) {
  const auto bytes = static_cast<std::int64_t>(size_of(config.type));
  RelayoutSchedule schedule;
  schedule.modes = joint_modes(src, dst);
  const Order src_order = order_by(schedule.modes, &JointMode::src);
  const Order dst_order = order_by(schedule.modes, &JointMode::dst);
  // A tensor has runs if neighbours along its innermost mode share a sector.
  const bool src_runs = !src_order.empty() && schedule.modes[src_order[0]].src * bytes < kSector;
  const bool dst_runs = schedule.modes[dst_order[0]].dst * bytes < kSector;
  const bool together =
      src_runs && src_order[0] == dst_order[0] &&
      schedule.modes[dst_order[0]].extent * schedule.modes[dst_order[0]].src * bytes >= 2 * kSector;
  if (!src_runs || together || schedule.modes.size() == 1) {
    set_direct(schedule, config, dst_order);
    return schedule;
  }
  if (!dst_runs) {
    set_direct(schedule, config, src_order);
    return schedule;
  }
  schedule.straight = false;
  Order joined = interleaved(schedule.modes, &JointMode::src, src_order, dst_order, bytes);
  auto flat_stride = &JointMode::src;
  if (joined.empty()) {
    joined = interleaved(schedule.modes, &JointMode::dst, dst_order, src_order, bytes);
    flat_stride = &JointMode::dst;
  }
  if (joined.empty()) {
    set_blocks(schedule, config);
  } else {
    set_interleaved(schedule, config, joined, flat_stride);
  }
  const Order from = order_by(schedule.modes, &JointMode::src);
  const Order to = order_by(schedule.modes, &JointMode::dst);
  TileOrder order = config.order;
  if (order == TileOrder::automatic) {
    const bool are_whole = begin_with_sectors(schedule, &JointMode::src, from, bytes) &&
                           begin_with_sectors(schedule, &JointMode::dst, to, bytes);
    order = are_whole ? TileOrder::dst : TileOrder::both;
  }
  schedule.walk = walk_of(schedule, order, from, to);
  return schedule;
}

std::int64_t bytes_of_tile(const RelayoutSchedule& schedule, const RelayoutConfig& config) {
  return schedule.straight
             ? 0
             : schedule.shared.layout.cosize() * static_cast<std::int64_t>(size_of(config.type));
}

}  // namespace

// With joined modes a tile can exceed the limit; it is then scheduled again with a smaller one.
RelayoutSchedule schedule_relayout(const Layout& src, const Layout& dst,
                                   const RelayoutConfig& config) {
  constexpr std::int64_t kMinBytes = 512;
  RelayoutConfig within = config;
  RelayoutSchedule schedule = schedule_within(src, dst, within);
  while (bytes_of_tile(schedule, config) > config.shared_bytes && within.shared_bytes > kMinBytes) {
    within.shared_bytes /= 2;
    schedule = schedule_within(src, dst, within);
  }
  return schedule;
}

}  // namespace vkmoye::gen
