// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/moves/relayout/relayout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/reasons.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/layout/algebra.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kMaxShared = std::int64_t{1} << 18;  // bytes, more than any device has

constexpr std::int64_t kMaxWorkgroupThreads = 1024, kMaxRun = 64;

constexpr std::uint64_t kMaxBound = 0xffffffff;  // bytes: the largest range of a descriptor

// One of the two tensors. Its axes are the modes with a nonzero stride, in order of increasing stride;
// joined modes that are contiguous in it are one axis.
struct StridedTensor {
  Tensor tensor;
  std::vector<std::vector<std::size_t>> axes;
};

std::int64_t extent_of(const std::vector<std::int64_t>& extents,
                       const std::vector<std::size_t>& modes) {
  std::int64_t product = 1;
  for (const std::size_t m : modes) product *= extents[m];
  return product;
}

std::int64_t extent_of_tile(const RelayoutSchedule& schedule) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : schedule.tile) elements *= extent;
  return elements;
}

std::vector<std::int64_t> extents_of(const RelayoutSchedule& schedule) {
  std::vector<std::int64_t> extents;
  for (const JointMode& mode : schedule.modes) extents.push_back(mode.extent);
  return extents;
}

// The axes of one tensor; at least one, even if its stride is 0.
std::vector<std::vector<std::size_t>> axes_of(const RelayoutSchedule& schedule,
                                              std::int64_t JointMode::*stride) {
  std::vector<std::vector<std::size_t>> axes;
  for (const std::size_t m : order_by(schedule.modes, stride)) {
    bool follows = !axes.empty() && m < schedule.joined && axes.back().back() + 1 == m;
    if (follows) {
      const JointMode& before = schedule.modes[m - 1];
      follows = schedule.modes[m].*stride == before.*stride * before.extent;
    }
    if (!follows) axes.emplace_back();
    axes.back().push_back(m);
  }
  if (axes.empty()) axes.push_back({0});
  return axes;
}

std::vector<Builder::AxisSpec> names_of(const RelayoutSchedule& schedule,
                                        const std::vector<std::vector<std::size_t>>& axes,
                                        std::int64_t JointMode::*stride) {
  std::vector<Builder::AxisSpec> names;
  for (const auto& axis : axes) {
    names.push_back({fmt::format("i{}", fmt::join(axis, "_")),
                     extent_of(extents_of(schedule), axis), schedule.modes[axis.front()].*stride});
  }
  return names;
}

// Tile number `at` of one side: one mode for the first `joined` modes of the schedule, and one for each other.
View tile_of(const StridedTensor& strided, const std::vector<std::int64_t>& extents,
             std::size_t joined, const std::vector<Expr>& at) {
  TreeBuilder<std::int64_t> of_axes;
  of_axes.open(static_cast<int>(strided.axes.size()));
  std::vector<Expr> coordinate;
  std::vector<std::int64_t> strides(extents.size(), 0);  // one for each mode along the axes
  std::int64_t stride = 1;
  for (const auto& axis : strided.axes) {
    of_axes.leaf(extent_of(extents, axis));
    coordinate.push_back(at[axis.back()]);  // a tile covers the joined modes before it entirely
    for (const std::size_t m : axis) {
      strides[m] = stride;
      stride *= extents[m];
    }
  }
  const View window = tile(strided.tensor, of_axes.tree(), coordinate);
  const auto mode = [&](std::size_t m) { return Layout(extents[m], strides[m]); };
  std::vector<Layout> modes;
  for (std::size_t m = 0; m < joined; ++m) modes.push_back(mode(m));
  modes = {joined == 1 ? modes.front() : coalesce(make_layout(modes))};
  for (std::size_t m = joined; m < extents.size(); ++m) modes.push_back(mode(m));
  const Layout layout = make_layout(modes);
  return layout == Layout(window.shape()) ? window : composition(window, layout);
}

void straight_across(Builder& k, const RelayoutSchedule& schedule, const StridedTensor& src,
                     const StridedTensor& dst) {
  const std::vector<std::int64_t> extents = extents_of(schedule);
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count *= extent;
  const std::int64_t round = schedule.threads * schedule.vector, block = round * schedule.rounds;
  k.grid(0, count, block);
  const std::vector<Expr> first(extents.size(), Expr(0));
  const View from = tile_of(src, extents, 1, first), to = tile_of(dst, extents, 1, first);
  const auto element = [&](const Expr& at) {
    return std::pair(take(from, at, schedule.vector), take(to, at, schedule.vector));
  };
  const CopyOptions options{.edges = Edges::inside, .loads_first = true};
  const Expr begin = Expr(to_index(block)) * k.block_x();
  const Expr mine = k.let("at0", begin + Expr(to_index(schedule.vector)) * k.thread());

  // The last workgroup may have fewer elements.
  Conditions whole;
  if (count % block != 0) whole.push_back(less(begin + to_index(block - 1), to_index(count)));
  const auto all_rounds = [&] {
    std::vector<std::pair<View, View>> pairs = {element(mine)};
    for (std::int64_t r = 1; r < schedule.rounds; ++r) {
      pairs.push_back(element(k.let(fmt::format("at{}", r), mine + to_index(r * round))));
    }
    k.copy(pairs, options);
  };
  k.branch(whole, all_rounds, [&] {
    k.loop("r", to_index(schedule.rounds), [&](const Expr& r) {
      const Expr at = k.let("at", mine + Expr(to_index(round)) * r);
      k.branch(
          {less(at, to_index(count))}, [&] { k.copy({element(at)}, options); }, [] {});
    });
  });
}

void through_shared(Builder& k, const RelayoutSchedule& schedule, const StridedTensor& src,
                    const StridedTensor& dst, ScalarType type) {
  const View smem = k.shared("tile", type, schedule.shared);
  std::int64_t tiles = 1;
  bool can_be_inside = true;
  for (std::size_t m = 0; m < schedule.modes.size(); ++m) {
    tiles *= ceil_div(schedule.modes[m].extent, schedule.tile[m]);
    can_be_inside = can_be_inside && schedule.tile[m] <= schedule.modes[m].extent;
  }
  k.grid(0, tiles, 1);
  std::vector<Expr> at;
  for (const Layout& walk : schedule.walk) {
    const Layout around =
        make_layout(walk, Layout(2, 0));  // a last mode, so that every index is bounded
    at.push_back(evaluate(around, k.block_x()));
  }
  const View from = tile_of(src, schedule.tile, schedule.joined, at);
  const View to = tile_of(dst, schedule.tile, schedule.joined, at);

  const auto mine = [&](const View& view, const TiledCopy& copy) {
    return partition(view, copy, k.thread());
  };
  const auto bytes = [&](std::int64_t elements) {
    return to_index(elements * static_cast<std::int64_t>(size_of(type)));
  };
  const auto move = [&](Edges edges) {
    k.copy(mine(from, schedule.load), mine(smem, schedule.load),
           {.edges = edges, .loads_first = true, .to_bytes = bytes(schedule.written)});
    k.barrier();
    k.copy(mine(smem, schedule.store), mine(to, schedule.store),
           {.edges = edges, .loads_first = true, .from_bytes = bytes(schedule.read)});
  };
  if (!can_be_inside) return move(Edges::clamp);
  k.branch(
      all_of({k.inside(to), k.inside(from)}), "a whole tile", [&] { move(Edges::inside); },
      "a tile at an edge: elements outside are replaced by the last one",
      [&] { move(Edges::clamp); });
}

std::vector<std::pair<std::string, std::string>> items(const Layout& src, const Layout& dst,
                                                       const RelayoutSchedule& schedule,
                                                       ScalarType type) {
  std::vector<std::pair<std::string, std::string>> out = {
      {"type", std::string(to_string(type))}, {"src", to_string(src)}, {"dst", to_string(dst)}};
  if (schedule.straight) {
    out.emplace_back("vector", std::to_string(schedule.vector));
  } else {
    out.emplace_back("tile", fmt::format("{}", fmt::join(schedule.tile, "x")));
    out.emplace_back("shared", text_of(schedule.shared));
  }
  return out;
}

bool has_enough_threads(const Layout& src, const Layout& dst, const RelayoutConfig& config) {
  const RelayoutSchedule schedule = schedule_relayout(src, dst, config);
  if (schedule.straight) return true;
  return extent_of_tile(schedule) <= kMaxValuesAtOnce * schedule.threads;
}

// "; use 512 threads or a run of 32": configs that would work. "" if there are none.
std::string advice_for(const Layout& src, const Layout& dst, const RelayoutConfig& config) {
  std::vector<std::string> ways;
  RelayoutConfig other = config;
  for (other.threads = 2 * config.threads; other.threads <= kMaxWorkgroupThreads;
       other.threads *= 2) {
    if (!has_enough_threads(src, dst, other)) continue;
    ways.push_back(fmt::format("{} threads", other.threads));
    break;
  }
  other = config;
  for (other.run = config.run == 0 ? kMaxRun : config.run / 2; other.run > 0; other.run /= 2) {
    if (!has_enough_threads(src, dst, other)) continue;
    ways.push_back(fmt::format("a run of {}", other.run));
    break;
  }
  return ways.empty() ? "" : "; use " + join(ways, " or ");
}

std::vector<std::string> reasons_against(const RelayoutConfig& config) {
  std::vector<std::string> reasons;
  require_power_of_two("threads", config.threads, kMaxWorkgroupThreads, reasons);
  require_power_of_two("vector", config.vector, 16, reasons);
  require_power_of_two("rounds", config.rounds, 16, reasons);
  const auto bytes = static_cast<std::int64_t>(size_of(config.type));
  std::int64_t max_run = 1;
  while (4 * max_run * max_run * bytes <= kMaxShared) max_run *= 2;
  if (config.run != 0) require_power_of_two("run", config.run, max_run, reasons);
  return reasons;
}

}  // namespace

ir::Kernel relayout(const Layout& src, const Layout& dst, const RelayoutConfig& config,
                    const std::string& name) {
  auto reasons = reasons_against_relayout(src, dst);
  add_all(reasons, reasons_against(config));
  throw_if_any(name, std::move(reasons));

  const RelayoutSchedule schedule = schedule_relayout(src, dst, config);
  if (schedule.straight && size(dst) > 0xffffffff) {
    throw KernelError(name,
                      {fmt::format("{} elements are too many for a copy without shared memory: "
                                   "its index has 32 bits, so at most 2^32-1",
                                   size(dst))});
  }
  if (!schedule.straight) {
    const std::int64_t elements = extent_of_tile(schedule);
    if (elements > kMaxValuesAtOnce * schedule.threads) {
      throw KernelError(
          name,
          {fmt::format("{} threads are too few for a tile of {}: each would move "
                       "{} elements, but at most {} are possible{}",
                       schedule.threads, fmt::join(schedule.tile, "x"), elements / schedule.threads,
                       kMaxValuesAtOnce, advice_for(src, dst, config))});
    }
  }
  Builder k(name, schedule.threads);
  auto described = items(src, dst, schedule, config.type);
  const auto elements = static_cast<std::uint64_t>(std::max(cosize(src), cosize(dst)));
  use_addressing(k, chosen_addressing(config.address, elements, config.type, kMaxBound), described);
  k.header(
      described,
      schedule.straight ? "both sides run along the same mode: straight across"
      : schedule.joined > 1
          ? "one tensor is accessed in contiguous runs that include its small modes, the other "
            "mode by mode"
          : "runs along src on one side of a shared tile, along dst on the other");
  const auto src_axes = axes_of(schedule, &JointMode::src),
             dst_axes = axes_of(schedule, &JointMode::dst);
  const StridedTensor from{
      k.input("src", config.type, names_of(schedule, src_axes, &JointMode::src)), src_axes};
  const StridedTensor to{
      k.output("dst", config.type, names_of(schedule, dst_axes, &JointMode::dst)), dst_axes};
  if (schedule.straight) {
    straight_across(k, schedule, from, to);
  } else {
    through_shared(k, schedule, from, to, config.type);
  }
  // The coordinates of tiles with many modes may be too many quotients and remainders for a proof.
  return k.finish_or_assume_written(to.tensor,
                                    "layouts are one-to-one, and tiles cover all coordinates once");
}

}  // namespace vkmoye::gen
