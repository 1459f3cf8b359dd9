#include "vkmoye/gen/kernels/relayout_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

#include "vkmoye/base/error.hpp"
#include "vkmoye/layout/access.hpp"
#include "vkmoye/layout/algebra.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 32;
constexpr std::int64_t kSector = 32;  // bytes: what memory is read and written in
constexpr std::int64_t kLine = 128;   // bytes that neighbouring threads should share

std::int64_t power_above(std::int64_t value) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(value)));
}

// The leaves of one mode of each layout, cut until they have the same extents. Nothing if they
// cannot be.
std::optional<std::vector<JointMode>> refine(const Layout& src, const Layout& dst) {
  std::vector<JointMode> out;
  const auto a = src.leaves(), b = dst.leaves();
  std::size_t i = 0, k = 0;
  Mode left{1, 0}, right{1, 0};  // what is left of the leaf before
  const auto next = [](Mode& rest, const auto& leaves, std::size_t& at) {
    while (rest.extent == 1 && at < leaves.size()) rest = leaves[at++];
  };
  while (true) {
    next(left, a, i);
    next(right, b, k);
    if (left.extent == 1 && right.extent == 1) return out;
    const std::int64_t common = std::gcd(left.extent, right.extent);
    if (common != std::min(left.extent, right.extent)) return std::nullopt;
    out.push_back({common, left.stride, right.stride});
    for (Mode* rest : {&left, &right})  // of a mode used up, the product may not fit 64 bits
      *rest = rest->extent == common ? Mode{} : Mode{rest->extent / common, rest->stride * common};
  }
}

// Whether `second` goes on where `first` ends, in both tensors.
bool follows(const JointMode& first, const JointMode& second) {
  return second.src == first.src * first.extent && second.dst == first.dst * first.extent;
}

// The modes by rising stride `stride`, without those that do not move.
std::vector<std::size_t> order_by(const std::vector<JointMode>& modes,
                                  std::int64_t JointMode::*stride) {
  std::vector<std::size_t> order;
  for (std::size_t m = 0; m < modes.size(); ++m) {
    if (modes[m].*stride != 0) order.push_back(m);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return modes[a].*stride < modes[b].*stride;
  });
  return order;
}

// The most elements of one access along `mode`: it begins at multiples of itself.
std::int64_t widest(const std::vector<JointMode>& modes, std::int64_t JointMode::*stride,
                    std::size_t mode, std::int64_t most) {
  if (modes[mode].*stride != 1) return 1;
  std::int64_t common = 0;
  for (std::size_t m = 0; m < modes.size(); ++m) {
    if (m != mode) common = std::gcd(common, modes[m].*stride);
  }
  while (most > 1 && common % most != 0) most /= 2;
  return most;
}

// Enlarges `tile` by the modes that follow each other in memory, up to a run of `run` elements.
// How many of `order` took part.
std::size_t take_run(const std::vector<JointMode>& modes, std::int64_t JointMode::*stride,
                     const std::vector<std::size_t>& order, std::int64_t run,
                     std::vector<std::int64_t>& tile) {
  std::int64_t taken = 1, expected = order.empty() ? 0 : modes[order[0]].*stride;
  std::size_t count = 0;
  for (const std::size_t m : order) {
    if (taken >= run || modes[m].*stride != expected) break;
    const std::int64_t extent = std::min(power_above(modes[m].extent), run / taken);
    tile[m] = std::max(tile[m], extent);
    taken *= extent;
    ++count;
    if (extent < modes[m].extent) break;
    expected *= modes[m].extent;
  }
  return count;
}

std::int64_t product(const std::vector<std::int64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

// Threads take the first parts of `units`, values what is left beside `own`.
Shares share(std::vector<Part> own, const std::vector<Part>& units, std::int64_t threads) {
  Shares out{{}, std::move(own)};
  for (const Part& unit : units) {
    const std::int64_t taken = std::min(unit.extent, threads);
    threads /= taken;
    if (taken > 1) out.threads.push_back({unit.mode, taken, unit.step});
    if (taken < unit.extent) {
      out.values.push_back({unit.mode, unit.extent / taken, unit.step * taken});
    }
  }
  return out;
}

// The parts of a tile beside vectors of `vector` along `first`: a line of that mode, the other
// modes in `order`, the rest of that mode.
std::vector<Part> units_of(const RelayoutPlan& plan, const std::vector<std::size_t>& order,
                           std::size_t first, std::int64_t vector, std::int64_t bytes) {
  const auto unit = [&](std::size_t m) { return m == plan.word_mode ? plan.packed : 1; };
  const std::int64_t step = std::max(vector, unit(first));
  const std::int64_t lanes =
      std::min(plan.tile[first] / step, std::max<std::int64_t>(1, kLine / (step * bytes)));
  std::vector<Part> units = {{first, lanes, step}};
  std::vector<std::size_t> rest = order;
  for (std::size_t m = 0; m < plan.modes.size(); ++m) {
    if (std::find(rest.begin(), rest.end(), m) == rest.end()) rest.push_back(m);
  }
  for (const std::size_t m : rest) {
    if (m != first) units.push_back({m, plan.tile[m] / unit(m), unit(m)});
  }
  units.push_back({first, plan.tile[first] / (step * lanes), step * lanes});
  return units;
}

// Strides of the tile in shared memory: words, then the modes in `order`, the first `row` of them
// followed by `padding` words.
void store_tile(RelayoutPlan& plan, const std::vector<std::size_t>& order, std::size_t row,
                std::int64_t padding) {
  std::int64_t stride = plan.packed;
  plan.shared.assign(plan.modes.size(), 0);
  plan.padding = padding;
  plan.shared_elements = 1;
  std::vector<std::size_t> all = order;
  for (std::size_t m = 0; m < plan.modes.size(); ++m) {
    if (std::find(all.begin(), all.end(), m) == all.end()) all.push_back(m);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == row) stride += padding * plan.packed;
    const std::size_t m = all[i];
    plan.shared[m] = stride;
    stride *= plan.tile[m] / (m == plan.word_mode ? plan.packed : 1);
    plan.shared_elements += plan.shared_offset(m, plan.tile[m] - 1);
  }
}

// (thread, value) -> word, for the values that are words.
Layout words(const RelayoutPlan& plan, const Shares& shares) {
  std::vector<Layout> threads, values;
  const auto add = [&](std::vector<Layout>& out, const Part& part) {
    // A part that lies within one word takes its first element.
    if (part.step < plan.packed && part.mode == plan.word_mode) {
      if (part.step * part.extent <= plan.packed) return;
      out.push_back(Layout(part.extent * part.step / plan.packed,
                           plan.shared_offset(part.mode, plan.packed) / plan.packed));
      return;
    }
    out.push_back(Layout(part.extent, plan.shared_offset(part.mode, part.step) / plan.packed));
  };
  for (const Part& part : shares.threads) add(threads, part);
  for (const Part& part : shares.values) add(values, part);
  if (threads.empty()) threads.push_back(Layout(1, 0));
  if (values.empty()) values.push_back(Layout(1, 0));
  return make_layout(make_layout(threads), make_layout(values));
}

// Cycles of the worst request of writing the tile and of reading it.
std::int64_t wavefronts(const RelayoutPlan& plan, std::int64_t word_bytes) {
  const std::int64_t count = (plan.shared_elements + plan.packed - 1) / plan.packed;
  const ComposedLayout storage{{}, 0, Layout(count)};
  std::int64_t sum = 0;
  for (const Shares* shares : {&plan.load, &plan.store}) {
    sum += bank_conflicts(storage, {words(plan, *shares), 1}, word_bytes).wavefronts;
  }
  return sum;
}

std::vector<Part> walk_of(const RelayoutPlan& plan, Walk walk,
                          const std::vector<std::size_t>& src_order,
                          const std::vector<std::size_t>& dst_order) {
  std::vector<std::int64_t> left, done(plan.modes.size(), 1);
  for (std::size_t m = 0; m < plan.modes.size(); ++m) {
    left.push_back((plan.modes[m].extent + plan.tile[m] - 1) / plan.tile[m]);
  }
  std::vector<Part> out;
  // Further along a run, as far as `most` tiles; a mode is parted only into equal parts.
  const auto take = [&](const std::vector<std::size_t>& order, std::int64_t most) {
    for (const std::size_t m : order) {
      std::int64_t taken = left[m];
      if (taken > most) {
        taken = std::gcd(
            left[m], static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(most))));
      }
      if (taken > 1) out.push_back({m, taken, done[m]});
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
  return out;
}

void plan_shared(RelayoutPlan& plan, const RelayoutConfig& config,
                 const std::vector<std::size_t>& src_order,
                 const std::vector<std::size_t>& dst_order, std::int64_t run) {
  const auto bytes = static_cast<std::int64_t>(size_of(config.type));
  const std::int64_t most = std::max<std::int64_t>(1, config.vector / bytes);
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
  plan.word_mode = to;
  const std::int64_t per_word = std::max<std::int64_t>(1, 4 / bytes);
  if (from != to && plan.tile[to] % per_word == 0) plan.packed = per_word;
  plan.load_vector = widest(plan.modes, &JointMode::src, from, std::min(most, plan.tile[from]));
  plan.store_vector = widest(plan.modes, &JointMode::dst, to, std::min(most, plan.tile[to]));

  const std::int64_t stored = std::max(plan.store_vector, plan.packed);
  std::vector<Part> load_own = {{from, plan.load_vector, 1}}, store_own = {{to, stored, 1}};
  if (plan.packed > 1) load_own.push_back({to, plan.packed, 1});
  const auto load_units = units_of(plan, src_order, from, plan.load_vector, bytes);
  const auto store_units = units_of(plan, dst_order, to, stored, bytes);
  const std::int64_t all = product(plan.tile);
  plan.threads = std::min({config.threads, all / (plan.load_vector * plan.packed), all / stored});
  plan.load = share(load_own, load_units, plan.threads);
  plan.store = share(store_own, store_units, plan.threads);

  // The padding that costs the fewest cycles, and of those the least.
  std::int64_t best = 0, least = 0;
  for (std::int64_t padding = 0; padding <= 32; ++padding) {
    store_tile(plan, src_order, row, padding);
    const std::int64_t cost = wavefronts(plan, std::max<std::int64_t>(4, bytes));
    if (padding == 0 || cost < least) best = padding, least = cost;
  }
  store_tile(plan, src_order, row, best);
}

void plan_straight(RelayoutPlan& plan, const RelayoutConfig& config,
                   const std::vector<std::size_t>& order) {
  const auto bytes = static_cast<std::int64_t>(size_of(config.type));
  plan.order = order;
  for (std::size_t m = 0; m < plan.modes.size(); ++m) {
    if (std::find(order.begin(), order.end(), m) == order.end()) plan.order.push_back(m);
  }
  const std::size_t first = plan.order.front();
  std::int64_t vector = std::max<std::int64_t>(1, config.vector / bytes);
  while (plan.modes[first].extent % vector != 0) vector /= 2;
  vector = std::min(widest(plan.modes, &JointMode::src, first, vector),
                    widest(plan.modes, &JointMode::dst, first, vector));
  plan.vector = vector;
  plan.threads = config.threads;
  plan.rounds = config.rounds;
}

}  // namespace

std::int64_t RelayoutPlan::shared_offset(std::size_t mode, std::int64_t at) const {
  if (mode != word_mode) return at * shared[mode];
  return at % packed + at / packed * shared[mode];
}

std::vector<std::string> reasons_against_relayout(const Layout& src, const Layout& dst) {
  std::vector<std::string> reasons;
  bool same_shape = src.rank() == dst.rank();
  for (int i = 0; same_shape && i < src.rank(); ++i) {
    same_shape = size(src.mode(i)) == size(dst.mode(i));
  }
  if (!same_shape) {
    reasons.push_back(
        fmt::format("src has the shape {}, dst {}: mode by mode they hold different "
                    "numbers of elements",
                    to_string(src.shape()), to_string(dst.shape())));
  }
  for (int i = 0; same_shape && i < src.rank(); ++i) {
    if (refine(src.mode(i), dst.mode(i))) continue;
    reasons.push_back(fmt::format("mode {}: {} and {} have no common refinement", i,
                                  to_string(src.mode(i).shape()), to_string(dst.mode(i).shape())));
  }
  if (const auto clash = find_collision(dst)) {
    reasons.push_back(fmt::format("dst {} overlaps itself: coordinates {} and {} share address {}",
                                  to_string(dst), to_string(clash->first), to_string(clash->second),
                                  clash->offset));
  }
  const auto require_small = [&](const char* whose, std::int64_t elements) {
    if (elements <= kMostElements) return;
    reasons.push_back(
        fmt::format("{} spans {} elements, a 32-bit index reaches 2^32", whose, elements));
  };
  require_small("src", cosize(src));
  require_small("dst", cosize(dst));
  return reasons;
}

Permutation permuted(const std::vector<std::int64_t>& shape,
                     const std::vector<std::int64_t>& permutation) {
  std::vector<std::int64_t> axes = permutation;
  if (axes.empty()) {
    for (std::size_t i = shape.size(); i-- > 0;) axes.push_back(static_cast<std::int64_t>(i));
  }
  std::vector<std::int64_t> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  bool right = sorted.size() == shape.size() && !shape.empty();
  for (std::size_t i = 0; right && i < sorted.size(); ++i) {
    right = sorted[i] == static_cast<std::int64_t>(i) && shape[i] >= 1;
  }
  if (!right) {
    throw LayoutError(fmt::format(
        "permuted: ({}) does not name each axis of ({}), which has {} of extents from 1, once",
        fmt::join(axes, ","), fmt::join(shape, ","), shape.size()));
  }
  std::vector<Layout> src(shape.size()), dst(shape.size());
  std::int64_t from = 1, to = 1;
  std::vector<std::int64_t> strides(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = from;
    from = checked_mul(from, shape[i]);
  }
  for (std::size_t i = shape.size(); i-- > 0;) {
    const auto axis = static_cast<std::size_t>(axes[i]);
    src[i] = Layout(shape[axis], strides[axis]);
    dst[i] = Layout(shape[axis], to);
    to = checked_mul(to, shape[axis]);
  }
  return {make_layout(src), make_layout(dst)};
}

std::vector<JointMode> joint_modes(const Layout& src, const Layout& dst) {
  std::vector<JointMode> modes;
  for (int i = 0; i < src.rank(); ++i) {
    const auto refined = refine(src.mode(i), dst.mode(i));
    modes.insert(modes.end(), refined->begin(), refined->end());
  }
  if (modes.empty()) return {{1, 1, 1}};
  std::sort(modes.begin(), modes.end(), [](const JointMode& a, const JointMode& b) {
    return a.dst < b.dst;  // of an injective layout, no two are equal
  });
  // What follows a mode in both tensors follows it here.
  std::vector<JointMode> out;
  for (const JointMode& mode : modes) {
    if (!out.empty() && follows(out.back(), mode)) {
      out.back().extent *= mode.extent;
    } else {
      out.push_back(mode);
    }
  }
  return out;
}

RelayoutPlan plan_relayout(const Layout& src, const Layout& dst, const RelayoutConfig& config) {
  const auto bytes = static_cast<std::int64_t>(size_of(config.type));
  RelayoutPlan plan;
  plan.modes = joint_modes(src, dst);
  const auto src_order = order_by(plan.modes, &JointMode::src);
  const auto dst_order = order_by(plan.modes, &JointMode::dst);
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
