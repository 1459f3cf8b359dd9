// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/moves/relayout/plan.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "vkmoye/gen/dsl/copy.hpp"
#include "vkmoye/gen/kernels/common/powers.hpp"
#include "vkmoye/gen/kernels/moves/relayout/tile.hpp"
#include "vkmoye/layout/algebra.hpp"
#include "vkmoye/tensor/access_width.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kSector = 32;  // bytes: what memory is read and written in

using Order = ModeOrder;

std::int64_t product(const std::vector<std::int64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

// The widest access of a tensor to `count` elements along `mode`, or along the joined modes.
std::int64_t widest(const RelayoutPlan& plan, std::int64_t JointMode::*stride,
                    const RelayoutTile::Run& run, const RelayoutConfig& config) {
  std::vector<Layout> others = {Layout(1)};
  for (std::size_t m = 0; m < plan.modes.size(); ++m) {
    if (!contains(run.modes, m)) others.push_back(Layout(2, plan.modes[m].*stride));
  }
  return access_width(Layout(run.extent, plan.modes[run.modes.front()].*stride),
                      make_layout(others), static_cast<std::int64_t>(size_of(config.type)),
                      config.vector)
      .elements;
}

void put_in_order(RelayoutPlan& plan, const Order& order) {
  std::vector<JointMode> modes;
  for (const std::size_t m : completed(order, plan.modes.size())) modes.push_back(plan.modes[m]);
  plan.modes = modes;
}

// --- straight across ---

void plan_straight(RelayoutPlan& plan, const RelayoutConfig& config, const Order& order) {
  put_in_order(plan, order);
  const RelayoutTile::Run along{1, plan.modes[0].extent, {0}};
  plan.vector = std::gcd(widest(plan, &JointMode::src, along, config),
                         widest(plan, &JointMode::dst, along, config));
  plan.threads = config.threads;
  plan.rounds = config.rounds;
}

// --- through shared memory ---

// Enlarges `tile` by the modes that follow each other in memory, up to a run of `run` elements.
// How many of `order` took part.
std::size_t take_run(const std::vector<JointMode>& modes, std::int64_t JointMode::*stride,
                     const Order& order, std::int64_t run, std::vector<std::int64_t>& tile) {
  std::size_t count = 0;
  std::int64_t taken = 1, expected = order.empty() ? 0 : modes[order[0]].*stride;
  for (const std::size_t m : order) {
    if (taken >= run || modes[m].*stride != expected) break;
    const std::int64_t extent = std::min(power_from(modes[m].extent), run / taken);
    tile[m] = std::max(tile[m], extent);
    taken *= extent;
    ++count;
    if (extent < modes[m].extent) break;
    expected *= modes[m].extent;
  }
  return count;
}

// Whether each row of a tile, a run along the first of `order`, begins with a sector.
bool begin_with_sectors(const RelayoutPlan& plan, std::int64_t JointMode::*stride,
                        const Order& order, std::int64_t bytes) {
  return std::all_of(order.begin() + 1, order.end(),
                     [&](std::size_t m) { return plan.modes[m].*stride * bytes % kSector == 0; });
}

// For each mode, workgroup -> number of its tile.
std::vector<Layout> walk_of(const RelayoutPlan& plan, TileOrder walk, const Order& src_order,
                            const Order& dst_order) {
  std::vector<std::int64_t> left, done(plan.modes.size(), 1);
  for (std::size_t m = 0; m < plan.modes.size(); ++m) {
    left.push_back(vkmoye::ceil_div(plan.modes[m].extent, plan.tile[m]));
  }
  std::vector<std::vector<Layout>> steps(plan.modes.size());
  // Further along a run, as far as `most` tiles; a mode is parted only into equal parts.
  const auto take = [&](const Order& order, std::int64_t most) {
    for (const std::size_t m : order) {
      std::int64_t taken = left[m];
      if (taken > most) {
        taken = std::gcd(
            left[m], static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(most))));
      }
      for (std::size_t other = 0; taken > 1 && other < steps.size(); ++other) {
        steps[other].push_back(Layout(taken, other == m ? done[m] : 0));
      }
      done[m] *= taken;
      left[m] /= taken;
      most /= taken;
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
void grow(const RelayoutPlan& plan, const Order& order, std::int64_t elements,
          std::vector<std::int64_t>& tile) {
  while (2 * product(tile) <= elements) {
    const auto grows = std::find_if(order.begin(), order.end(), [&](std::size_t m) {
      return m >= plan.joined && tile[m] < plan.modes[m].extent;
    });
    if (grows == order.end()) return;
    tile[*grows] *= 2;
  }
}

constexpr std::int64_t kMostSmall = 31;                      // elements of small modes together
constexpr std::int64_t kMostJoined = std::int64_t{1} << 31;  // elements that one coordinate counts

// Small modes of a tensor and the one that follows them, where together they make longer runs than powers
// of two do; none: they do not, or `others` has some of them.
Order uneven(const std::vector<JointMode>& modes, std::int64_t JointMode::*stride,
             const Order& order, const std::vector<std::int64_t>& others) {
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const JointMode& mode = modes[order[i]];
    if (mode.*stride != elements || others[order[i]] > 1) return {};
    if (elements * mode.extent > kMostSmall) {
      const bool is_power = std::has_single_bit(static_cast<std::uint64_t>(elements));
      if (is_power || mode.extent < 8 || mode.extent > kMostJoined / elements) return {};
      return Order(order.begin(), order.begin() + static_cast<int>(i) + 1);
    }
    elements *= mode.extent;
  }
  return {};
}

// Both sides run along modes of their own: a thread's block is turned in registers. The shared tile lies
// along the run of one of them, `flat_stride`, whose modes are powers of two; the other turns.
void plan_blocks(RelayoutPlan& plan, const RelayoutConfig& config) {
  const auto bytes = static_cast<std::int64_t>(size_of(config.type));
  const Order before[] = {order_by(plan.modes, &JointMode::src),
                          order_by(plan.modes, &JointMode::dst)};
  // The fastest of a sweep on an H200; 64 elements of 8 bytes are too much shared memory.
  std::int64_t run = config.run != 0 ? config.run : bytes == 1 ? 128 : bytes <= 4 ? 64 : 32;
  while (config.run == 0 && run > 1 && run * run * bytes > config.shared_bytes) run /= 2;
  const auto runs = [&](std::int64_t JointMode::*stride) {
    std::vector<std::int64_t> tile(plan.modes.size(), 1);
    take_run(plan.modes, stride, order_by(plan.modes, stride), run, tile);
    return tile;
  };
  bool src_turns = true;
  Order joined = uneven(plan.modes, &JointMode::src, before[0], runs(&JointMode::dst));
  if (joined.empty()) {
    joined = uneven(plan.modes, &JointMode::dst, before[1], runs(&JointMode::src));
    src_turns = joined.empty();
  }
  put_in_order(plan, joined);
  plan.joined = std::max<std::size_t>(1, joined.size());
  const auto turned_stride = src_turns ? &JointMode::src : &JointMode::dst;
  const auto flat_stride = src_turns ? &JointMode::dst : &JointMode::src;
  const Order turned_order = order_by(plan.modes, turned_stride);
  const Order flat_order = order_by(plan.modes, flat_stride);

  plan.tile.assign(plan.modes.size(), 1);
  const std::size_t row = take_run(plan.modes, flat_stride, flat_order, run, plan.tile);
  if (joined.empty()) {
    take_run(plan.modes, turned_stride, turned_order, run, plan.tile);
  } else {
    const std::size_t last = plan.joined - 1;
    for (std::size_t m = 0; m < last; ++m) plan.tile[m] = plan.modes[m].extent;
    const std::int64_t small =
        product({plan.tile.begin(), plan.tile.begin() + static_cast<int>(last)});
    plan.tile[last] =
        std::min(power_from(plan.modes[last].extent), power_from(vkmoye::ceil_div(run, small)));
  }
  grow(plan, order_by(plan.modes, &JointMode::dst), run * run, plan.tile);

  const RelayoutTile tile(plan);
  const std::size_t from = turned_order.front(), to = flat_order.front();
  RelayoutTile::Block turned{joined.empty() ? tile.mode(from) : tile.joined(), 1};
  RelayoutTile::Block flat{tile.mode(to), widest(plan, flat_stride, tile.mode(to), config)};
  turned.along = widest(plan, turned_stride, turned.run, config);
  std::int64_t word = 1, single = 1;  // elements of an access to shared memory on either side
  if (from != to) {
    word = std::gcd(plan.tile[to], std::max<std::int64_t>(flat.along, 4 / bytes));
    const std::int64_t small = joined.empty() ? 1 : tile.small().extent;
    while (turned.along * word * small > kMostAtOnce)
      (turned.along > word ? turned.along : word) /= 2;
    turned.other = tile.mode(to);
    turned.across = word;
    // Where elements are touched one by one, neighbouring threads have neighbours; of words all of one,
    // so that a request ends within fewer sectors.
    single = flat.along == 1 && bytes >= 4 ? 1 : word;
    flat.along = single;
  }
  plan.written = src_turns ? word : single;
  plan.read = src_turns ? single : word;
  plan.threads = std::min({config.threads, tile.most_threads(turned), tile.most_threads(flat)});
  const TiledCopy turned_copy = tile.copy(turned, turned_order, plan.threads, bytes);
  const TiledCopy flat_copy = tile.copy(flat, flat_order, plan.threads, bytes);
  plan.load = src_turns ? turned_copy : flat_copy;
  plan.store = src_turns ? flat_copy : turned_copy;
  // A run of the flat side, then the other's order: neighbouring threads of either side differ in
  // neighbouring bits.
  Order order(flat_order.begin(), flat_order.begin() + static_cast<int>(row));
  for (const std::size_t m : turned_order) {
    if (!contains(order, m)) order.push_back(m);
  }
  const Layout each(turned.along, turned.run.column);
  const Layout words(flat.along / single, single * flat.run.column);
  plan.shared = tile.storage(order,
                             {tile.accesses(turned, turned_order, plan.threads, bytes, each, word),
                              tile.accesses(flat, flat_order, plan.threads, bytes, words, single)},
                             bytes);
}

// --- small modes inside a run ---

constexpr std::int64_t kMostTileBytes = 24 * 1024;  // so that several workgroups stay resident

// The modes that one tensor has one after the other from its innermost one on, the last of them the
// innermost of the other tensor, the others small; none: it is not so.
Order interleaved(const std::vector<JointMode>& modes, std::int64_t JointMode::*stride,
                  const Order& order, const Order& other, std::int64_t bytes) {
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < order.size() && elements <= kMostSmall; ++i) {
    const JointMode& mode = modes[order[i]];
    if (mode.*stride != elements) return {};
    if (order[i] == other.front()) {
      const bool is_long =
          mode.extent * bytes >= 2 * kSector && mode.extent <= kMostJoined / elements;
      return i > 0 && is_long ? Order(order.begin(), order.begin() + static_cast<int>(i) + 1)
                              : Order();
    }
    elements *= mode.extent;
  }
  return {};
}

// The widest accesses to a shared array of two sides that prove `a` and `b` elements: one kind of
// vector stands beside single elements, and none that travels packed.
std::pair<std::int64_t, std::int64_t> widths_of(std::int64_t a, std::int64_t b, ScalarType type) {
  const std::int64_t least = std::min(a, b);
  if (least > 1) return {least, least};
  const auto unpacked = [&](std::int64_t width) {
    while (ir::is_packed(type, static_cast<std::uint32_t>(width))) width /= 2;
    return width;
  };
  return {unpacked(a), unpacked(b)};
}

// The interleaved side moves flat; on the other a thread has a block, small modes by elements of an
// access, which lie together in the shared tile.
void plan_interleaved(RelayoutPlan& plan, const RelayoutConfig& config, const Order& joined,
                      std::int64_t JointMode::*flat_stride) {
  const auto bytes = static_cast<std::int64_t>(size_of(config.type));
  const bool src_is_flat = flat_stride == &JointMode::src;
  const auto block_stride = src_is_flat ? &JointMode::dst : &JointMode::src;
  put_in_order(plan, joined);
  plan.joined = joined.size();
  const Order flat_order = order_by(plan.modes, flat_stride);
  const Order block_order = order_by(plan.modes, block_stride);
  const std::size_t last = plan.joined - 1;

  plan.tile.assign(plan.modes.size(), 1);
  for (std::size_t m = 0; m < last; ++m) plan.tile[m] = plan.modes[m].extent;
  const std::int64_t small = product(plan.tile);
  std::int64_t access = std::max<std::int64_t>(1, config.vector / bytes);
  while (small * access > kMostAtOnce) access /= 2;
  const std::int64_t most_bytes = std::min(kMostTileBytes, config.shared_bytes);
  const auto most = static_cast<std::int64_t>(std::bit_floor(
      static_cast<std::uint64_t>(std::min(most_bytes / (small * bytes), config.threads * access))));
  const std::int64_t extent = plan.modes[last].extent;
  std::int64_t tile_extent =
      std::min({most, power_from(extent), config.run > 0 ? config.run : most});
  // Smaller ones where an eighth of the work would be outside.
  while (tile_extent * bytes > 2 * kSector &&
         8 * vkmoye::ceil_div(extent, tile_extent) * tile_extent > 9 * extent) {
    tile_extent /= 2;
  }
  plan.tile[last] = tile_extent;
  grow(plan, block_order, small * most, plan.tile);

  const RelayoutTile tile(plan);
  const auto along = [&](std::int64_t JointMode::*stride, const RelayoutTile::Run& run) {
    return std::min(access, widest(plan, stride, run, config));
  };
  RelayoutTile::Block flat{tile.joined(), along(flat_stride, tile.joined())};
  const RelayoutTile::Block block{tile.mode(last), along(block_stride, tile.mode(last)),
                                  tile.small(), small};
  const std::int64_t together = small * block.along;
  const auto [flat_width, block_width] = widths_of(
      flat.along, std::min(together & -together, std::max<std::int64_t>(1, config.vector / bytes)),
      config.type);
  flat.along = flat_width;  // several accesses side by side would meet in banks
  plan.threads = std::min({config.threads, tile.most_threads(flat), tile.most_threads(block)});
  plan.written = src_is_flat ? flat_width : block_width;
  plan.read = src_is_flat ? block_width : flat_width;
  const TiledCopy flat_copy = tile.copy(flat, flat_order, plan.threads, bytes);
  const TiledCopy block_copy = tile.copy(block, block_order, plan.threads, bytes);
  plan.load = src_is_flat ? flat_copy : block_copy;
  plan.store = src_is_flat ? block_copy : flat_copy;
  const Layout of_block(together / block_width, block_width);
  plan.shared =
      tile.storage(flat_order,
                   {tile.accesses(flat, flat_order, plan.threads, bytes, Layout(1), flat_width),
                    tile.accesses(block, block_order, plan.threads, bytes, of_block, block_width)},
                   bytes);
}

}  // namespace

namespace {

RelayoutPlan plan_within(const Layout& src, const Layout& dst, const RelayoutConfig& config) {
  const auto bytes = static_cast<std::int64_t>(size_of(config.type));
  RelayoutPlan plan;
  plan.modes = joint_modes(src, dst);
  const Order src_order = order_by(plan.modes, &JointMode::src);
  const Order dst_order = order_by(plan.modes, &JointMode::dst);
  // Runs as long as a sector gains from: along modes whose neighbours share one.
  const bool src_runs = !src_order.empty() && plan.modes[src_order[0]].src * bytes < kSector;
  const bool dst_runs = plan.modes[dst_order[0]].dst * bytes < kSector;
  const bool together =
      src_runs && src_order[0] == dst_order[0] &&
      plan.modes[dst_order[0]].extent * plan.modes[dst_order[0]].src * bytes >= 2 * kSector;
  if (!src_runs || together || plan.modes.size() == 1) {
    plan_straight(plan, config, dst_order);
    return plan;
  }
  if (!dst_runs) {
    plan_straight(plan, config, src_order);
    return plan;
  }
  plan.straight = false;
  Order joined = interleaved(plan.modes, &JointMode::src, src_order, dst_order, bytes);
  auto flat_stride = &JointMode::src;
  if (joined.empty()) {
    joined = interleaved(plan.modes, &JointMode::dst, dst_order, src_order, bytes);
    flat_stride = &JointMode::dst;
  }
  if (joined.empty()) {
    plan_blocks(plan, config);
  } else {
    plan_interleaved(plan, config, joined, flat_stride);
  }
  const Order from = order_by(plan.modes, &JointMode::src);
  const Order to = order_by(plan.modes, &JointMode::dst);
  TileOrder order = config.order;
  if (order == TileOrder::automatic) {
    const bool are_whole = begin_with_sectors(plan, &JointMode::src, from, bytes) &&
                           begin_with_sectors(plan, &JointMode::dst, to, bytes);
    order = are_whole ? TileOrder::dst : TileOrder::both;
  }
  plan.walk = walk_of(plan, order, from, to);
  return plan;
}

std::int64_t bytes_of_tile(const RelayoutPlan& plan, const RelayoutConfig& config) {
  return plan.straight
             ? 0
             : plan.shared.layout.cosize() * static_cast<std::int64_t>(size_of(config.type));
}

}  // namespace

// Of joined modes a tile is larger than what was aimed at.
RelayoutPlan plan_relayout(const Layout& src, const Layout& dst, const RelayoutConfig& config) {
  constexpr std::int64_t kLeastBytes = 512;
  RelayoutConfig within = config;
  RelayoutPlan plan = plan_within(src, dst, within);
  while (bytes_of_tile(plan, config) > config.shared_bytes && within.shared_bytes > kLeastBytes) {
    within.shared_bytes /= 2;
    plan = plan_within(src, dst, within);
  }
  return plan;
}

}  // namespace vkmoye::gen
