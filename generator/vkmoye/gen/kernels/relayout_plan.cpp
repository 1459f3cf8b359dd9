#include "vkmoye/gen/kernels/relayout_plan.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "vkmoye/layout/algebra.hpp"
#include "vkmoye/layout/search.hpp"
#include "vkmoye/tensor/access_width.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kSector = 32;  // bytes: what memory is read and written in
constexpr std::int64_t kLine = 128;   // bytes that neighbouring threads should share

using Order = std::vector<std::size_t>;  // of modes

std::int64_t product(const std::vector<std::int64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

// `order`, then the modes that it leaves out.
Order completed(Order order, std::size_t modes) {
  for (std::size_t m = 0; m < modes; ++m) {
    if (std::find(order.begin(), order.end(), m) == order.end()) order.push_back(m);
  }
  return order;
}

// The widest access of a tensor to `count` elements along `mode`.
std::int64_t widest(const std::vector<JointMode>& modes, std::int64_t JointMode::*stride,
                    std::size_t mode, std::int64_t count, const RelayoutConfig& config) {
  std::vector<Layout> others = {Layout(1)};
  for (std::size_t m = 0; m < modes.size(); ++m) {
    if (m != mode) others.push_back(Layout(2, modes[m].*stride));
  }
  return access_width(Layout(count, modes[mode].*stride), make_layout(others),
                      static_cast<std::int64_t>(size_of(config.type)), config.vector)
      .elements;
}

// --- straight across ---

void plan_straight(RelayoutPlan& plan, const RelayoutConfig& config, const Order& order) {
  std::vector<JointMode> modes;
  for (const std::size_t m : completed(order, plan.modes.size())) modes.push_back(plan.modes[m]);
  plan.modes = modes;
  const std::int64_t along = modes[0].extent;
  plan.vector = std::gcd(widest(modes, &JointMode::src, 0, along, config),
                         widest(modes, &JointMode::dst, 0, along, config));
  plan.threads = config.threads;
  plan.rounds = config.rounds;
}

// --- through shared memory ---

// Enlarges `tile` by the modes that follow each other in memory, up to a run of `run` elements.
// How many of `order` took part.
std::size_t take_run(const std::vector<JointMode>& modes, std::int64_t JointMode::*stride,
                     const Order& order, std::int64_t run, std::vector<std::int64_t>& tile) {
  std::int64_t taken = 1, expected = order.empty() ? 0 : modes[order[0]].*stride;
  std::size_t count = 0;
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

// The tile of a plan in words of `packed` elements along `word`, and who moves them.
class Tile {
 public:
  Tile(const RelayoutPlan& plan, std::size_t word)
      : plan_(plan), word_(word), columns_(Layout(shape())) {}

  // Elements that belong together along a mode, and the tile's extent in those.
  std::int64_t unit(std::size_t m) const { return m == word_ ? plan_.packed : 1; }
  std::int64_t units(std::size_t m) const { return plan_.tile[m] / unit(m); }

  // Each thread has `vector` elements along `first` and whole words; threads side by side take a line
  // of that mode, then the other modes in `order`, then the rest of it.
  TiledCopy copy(const Order& order, std::size_t first, std::int64_t vector, std::int64_t bytes,
                 std::int64_t threads) const {
    const std::int64_t step = std::max(vector, unit(first));
    const std::int64_t lanes =
        std::min(plan_.tile[first] / step, std::max<std::int64_t>(1, kLine / (step * bytes)));
    std::vector<Layout> pieces = {part(first, lanes, step)};
    for (const std::size_t m : completed(order, plan_.modes.size())) {
      if (m != first) pieces.push_back(part(m, units(m), unit(m)));
    }
    pieces.push_back(part(first, plan_.tile[first] / (step * lanes), step * lanes));
    const Halves shared_out = tile_and_rest(make_layout(pieces), threads);
    const Layout own = part(first, step, 1);
    const Layout word = first == word_ ? Layout(1, 0) : part(word_, plan_.packed, 1);
    return {make_layout(shared_out.first, make_layout(own, word, shared_out.second)), shape(), 1};
  }

  // The tile in memory: words, then the modes in `order`, the first `row` of them followed by
  // `padding` words.
  Layout storage(const Order& order, std::size_t row, std::int64_t padding) const {
    std::vector<Layout> modes(plan_.modes.size());
    std::int64_t stride = plan_.packed;
    const Order all = completed(order, modes.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i == row) stride += padding * plan_.packed;
      const std::size_t m = all[i];
      modes[m] =
          unit(m) == 1 ? Layout(plan_.tile[m], stride) : Layout({unit(m), units(m)}, {1, stride});
      stride *= units(m);
    }
    return make_layout(modes);
  }

  // The padding with which loads and stores of words meet the fewest banks twice.
  std::int64_t padding(const Order& order, std::size_t row, std::int64_t bytes) const {
    std::int64_t rows = 1;
    for (std::size_t i = 0; i < row; ++i) rows *= units(order[i]);
    const std::int64_t words = product(plan_.tile) / plan_.packed;
    const Layout plain = storage(order, row, 0);
    const auto touched = [&](const TiledCopy& copy) {
      return TileAccess{upcast(composition(plain, copy.layout_tv), plan_.packed), 1};
    };
    const TileAccess accesses[] = {touched(plan_.load), touched(plan_.store)};
    return cheapest_padding(make_layout({rows, words / rows}), accesses, bytes * plan_.packed)
        .padding;
  }

 private:
  IntTuple shape() const {
    TreeBuilder<std::int64_t> builder;
    builder.open(static_cast<int>(plan_.tile.size()));
    for (const std::int64_t extent : plan_.tile) builder.leaf(extent);
    return builder.tree();
  }
  // Coordinates 0, step, .. (extent - 1) * step along one mode, as indices of the tile.
  Layout part(std::size_t m, std::int64_t extent, std::int64_t step) const {
    return Layout(extent, step * columns_.leaves()[m].stride);
  }

  const RelayoutPlan& plan_;
  const std::size_t word_;
  const Layout columns_;  // the column-major tile
};

void plan_shared(RelayoutPlan& plan, const RelayoutConfig& config, const Order& src_order,
                 const Order& dst_order, std::int64_t run) {
  const auto bytes = static_cast<std::int64_t>(size_of(config.type));
  const std::size_t from = src_order.front(), to = dst_order.front();
  plan.straight = false;
  plan.tile.assign(plan.modes.size(), 1);
  const std::size_t row = take_run(plan.modes, &JointMode::src, src_order, run, plan.tile);
  take_run(plan.modes, &JointMode::dst, dst_order, run, plan.tile);
  // Enough for every thread to have several accesses in flight.
  while (product(plan.tile) < run * run) {
    const auto grows = std::find_if(dst_order.begin(), dst_order.end(), [&](std::size_t m) {
      return plan.tile[m] < plan.modes[m].extent;
    });
    if (grows == dst_order.end()) break;
    plan.tile[*grows] *= 2;
  }
  plan.walk = walk_of(plan, config.walk, src_order, dst_order);
  const std::int64_t per_word = std::max<std::int64_t>(1, 4 / bytes);
  if (from != to && plan.tile[to] % per_word == 0) plan.packed = per_word;

  const std::int64_t loaded = widest(plan.modes, &JointMode::src, from, plan.tile[from], config);
  const std::int64_t stored =
      std::max(widest(plan.modes, &JointMode::dst, to, plan.tile[to], config), plan.packed);
  const std::int64_t all = product(plan.tile);
  plan.threads = std::min({config.threads, all / (loaded * plan.packed), all / stored});
  const Tile tile(plan, to);
  plan.load = tile.copy(src_order, from, loaded, bytes, plan.threads);
  plan.store = tile.copy(dst_order, to, stored, bytes, plan.threads);
  plan.padding = tile.padding(src_order, row, bytes);
  plan.shared = tile.storage(src_order, row, plan.padding);
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
  } else if (!dst_runs) {
    plan_straight(plan, config, src_order);
  } else {
    const std::int64_t by_type = bytes == 1 ? 128 : bytes == 2 ? 64 : 32;
    plan_shared(plan, config, src_order, dst_order, config.run > 0 ? config.run : by_type);
  }
  return plan;
}

}  // namespace vkmoye::gen
