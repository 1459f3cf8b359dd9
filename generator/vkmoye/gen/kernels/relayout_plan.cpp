#include "vkmoye/gen/kernels/relayout_plan.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "vkmoye/gen/dsl/copy.hpp"
#include "vkmoye/gen/kernels/relayout_tile.hpp"
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
    const bool takes_part = std::find(run.modes.begin(), run.modes.end(), m) != run.modes.end();
    if (!takes_part) others.push_back(Layout(2, plan.modes[m].*stride));
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
    const auto whole = std::bit_ceil(static_cast<std::uint64_t>(modes[m].extent));
    const std::int64_t extent = std::min(static_cast<std::int64_t>(whole), run / taken);
    tile[m] = std::max(tile[m], extent);
    taken *= extent;
    ++count;
    if (extent < modes[m].extent) break;
    expected *= modes[m].extent;
  }
  return count;
}

// For each mode, workgroup -> number of its tile.
std::vector<Layout> walk_of(const RelayoutPlan& plan, Walk walk, const Order& src_order,
                            const Order& dst_order) {
  std::vector<std::int64_t> left, done(plan.modes.size(), 1);
  for (std::size_t m = 0; m < plan.modes.size(); ++m) {
    left.push_back(ceil_div(plan.modes[m].extent, plan.tile[m]));
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
  if (walk == Walk::both) {
    take(src_order, kBlock);
    take(dst_order, kBlock);
  }
  if (walk == Walk::src) take(src_order, kAll);
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

// Both sides run along modes of their own: a thread's block is turned in registers.
void plan_blocks(RelayoutPlan& plan, const RelayoutConfig& config, const Order& src_order,
                 const Order& dst_order) {
  const auto bytes = static_cast<std::int64_t>(size_of(config.type));
  const std::size_t from = src_order.front(), to = dst_order.front();
  const auto width = [&](std::int64_t JointMode::*stride, std::size_t m, std::int64_t run) {
    const auto whole =
        static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(plan.modes[m].extent)));
    return widest(plan, stride, {1, std::min(whole, run), {m}}, config);
  };
  std::int64_t run = config.run;
  if (run == 0) {
    run = bytes == 1 ? 128 : bytes == 2 ? 64 : 32;
    // Larger tiles where threads have blocks of 4x4.
    if (width(&JointMode::src, from, 2 * run) * width(&JointMode::dst, to, 2 * run) == 16) run = 64;
  }
  plan.tile.assign(plan.modes.size(), 1);
  take_run(plan.modes, &JointMode::src, src_order, run, plan.tile);
  const std::size_t row = take_run(plan.modes, &JointMode::dst, dst_order, run, plan.tile);
  grow(plan, dst_order, run * run, plan.tile);

  const std::int64_t loaded = width(&JointMode::src, from, plan.tile[from]);
  const std::int64_t stored = width(&JointMode::dst, to, plan.tile[to]);
  const RelayoutTile tile(plan);
  RelayoutTile::Block load{tile.mode(from), loaded}, store{tile.mode(to), stored};
  if (from != to) {
    plan.written = std::gcd(plan.tile[to], std::max<std::int64_t>(stored, 4 / bytes));
    load.other = tile.mode(to);
    load.across = plan.written;
    // Where elements are stored one by one, neighbouring threads store neighbours.
    plan.read = stored == 1 ? 1 : plan.written;
    store.along = plan.read;
  }
  plan.threads = std::min({config.threads, tile.most_threads(load), tile.most_threads(store)});
  plan.load = tile.copy(load, src_order, plan.threads, bytes);
  plan.store = tile.copy(store, dst_order, plan.threads, bytes);
  // A run of dst, then src's order: neighbouring threads of either side differ in neighbouring bits.
  Order order(dst_order.begin(), dst_order.begin() + static_cast<int>(row));
  for (const std::size_t m : src_order) {
    if (std::find(order.begin(), order.end(), m) == order.end()) order.push_back(m);
  }
  const Layout each(loaded, load.run.column);
  const Layout words(store.along / plan.read, plan.read * store.run.column);
  plan.shared =
      tile.storage(order,
                   {tile.accesses(load, src_order, plan.threads, bytes, each, plan.written),
                    tile.accesses(store, dst_order, plan.threads, bytes, words, plan.read)},
                   bytes);
}

// --- small modes inside a run ---

constexpr std::int64_t kMostSmall = 31;             // elements of them together
constexpr std::int64_t kMostTileBytes = 24 * 1024;  // so that several workgroups stay resident
constexpr std::int64_t kMostJoined = std::int64_t{1} << 31;  // elements that one coordinate counts

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
  const auto most = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(
      std::min(kMostTileBytes / (small * bytes), config.threads * access))));
  const std::int64_t extent = plan.modes[last].extent;
  const auto whole = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(extent)));
  std::int64_t tile_extent = std::min({most, whole, config.run > 0 ? config.run : most});
  // Smaller ones where an eighth of the work would be outside.
  while (tile_extent * bytes > 2 * kSector &&
         8 * ceil_div(extent, tile_extent) * tile_extent > 9 * extent) {
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

RelayoutPlan plan_relayout(const Layout& src, const Layout& dst, const RelayoutConfig& config) {
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
  for (const auto stride : {&JointMode::src, &JointMode::dst}) {
    const bool of_src = stride == &JointMode::src;
    const Order joined = interleaved(plan.modes, stride, of_src ? src_order : dst_order,
                                     of_src ? dst_order : src_order, bytes);
    if (joined.empty()) continue;
    plan_interleaved(plan, config, joined, stride);
    plan.walk = walk_of(plan, config.walk, order_by(plan.modes, &JointMode::src),
                        order_by(plan.modes, &JointMode::dst));
    return plan;
  }
  plan_blocks(plan, config, src_order, dst_order);
  plan.walk = walk_of(plan, config.walk, src_order, dst_order);
  return plan;
}

}  // namespace vkmoye::gen
