// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/moves/relayout/relayout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/layout/algebra.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kMostShared = std::int64_t{1} << 18;  // bytes: more than any device has

constexpr std::int64_t kMostThreads = 1024, kLongestRun = 64;

constexpr std::uint64_t kMostBound = 0xffffffff;  // bytes: no descriptor reaches more

// One of the two tensors: its axes are the modes that move it, by rising stride; those that are
// joined and follow each other in it are one.
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

std::int64_t extent_of_tile(const RelayoutPlan& plan) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : plan.tile) elements *= extent;
  return elements;
}

std::vector<std::int64_t> extents_of(const RelayoutPlan& plan) {
  std::vector<std::int64_t> extents;
  for (const JointMode& mode : plan.modes) extents.push_back(mode.extent);
  return extents;
}

// One axis at least, though it may move nothing.
std::vector<std::vector<std::size_t>> axes_of(const RelayoutPlan& plan,
                                              std::int64_t JointMode::*stride) {
  std::vector<std::vector<std::size_t>> axes;
  for (const std::size_t m : order_by(plan.modes, stride)) {
    bool follows = !axes.empty() && m < plan.joined && axes.back().back() + 1 == m;
    if (follows) {
      const JointMode& before = plan.modes[m - 1];
      follows = plan.modes[m].*stride == before.*stride * before.extent;
    }
    if (!follows) axes.emplace_back();
    axes.back().push_back(m);
  }
  if (axes.empty()) axes.push_back({0});
  return axes;
}

std::vector<Builder::AxisName> names_of(const RelayoutPlan& plan,
                                        const std::vector<std::vector<std::size_t>>& axes,
                                        std::int64_t JointMode::*stride) {
  std::vector<Builder::AxisName> names;
  for (const auto& axis : axes) {
    names.push_back({fmt::format("i{}", fmt::join(axis, "_")), extent_of(extents_of(plan), axis),
                     plan.modes[axis.front()].*stride});
  }
  return names;
}

// Tile number `at` of one side: a mode for the first `joined` modes of the plan and for each other.
View tile_of(const StridedTensor& strided, const std::vector<std::int64_t>& extents,
             std::size_t joined, const std::vector<Expr>& at) {
  TreeBuilder<std::int64_t> of_axes;
  of_axes.open(static_cast<int>(strided.axes.size()));
  std::vector<Expr> coordinate;
  std::vector<std::int64_t> strides(extents.size(), 0);  // of each mode in the window on the axes
  std::int64_t stride = 1;
  for (const auto& axis : strided.axes) {
    of_axes.leaf(extent_of(extents, axis));
    coordinate.push_back(at[axis.back()]);  // joined modes before it are whole
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

void straight_across(Builder& k, const RelayoutPlan& plan, const StridedTensor& src,
                     const StridedTensor& dst) {
  const std::vector<std::int64_t> extents = extents_of(plan);
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count *= extent;
  const std::int64_t round = plan.threads * plan.vector, block = round * plan.rounds;
  k.grid(0, count, block);
  const std::vector<Expr> first(extents.size(), Expr(0));
  const View from = tile_of(src, extents, 1, first), to = tile_of(dst, extents, 1, first);
  const auto element = [&](const Expr& at) {
    return std::pair(take(from, at, plan.vector), take(to, at, plan.vector));
  };
  const CopyOptions options{.edges = Edges::inside, .loads_first = true};
  const Expr begin = Expr(to_index(block)) * k.block_x();
  const Expr mine = k.let("at0", begin + Expr(to_index(plan.vector)) * k.thread());

  // The last workgroup may have less to do.
  Conditions whole;
  if (count % block != 0) whole.push_back(ir::less(begin + to_index(block - 1), to_index(count)));
  const auto all_rounds = [&] {
    std::vector<std::pair<View, View>> pairs = {element(mine)};
    for (std::int64_t r = 1; r < plan.rounds; ++r) {
      pairs.push_back(element(k.let(fmt::format("at{}", r), mine + to_index(r * round))));
    }
    k.copy(pairs, options);
  };
  k.branch(whole, all_rounds, [&] {
    k.loop("r", to_index(plan.rounds), [&](const Expr& r) {
      const Expr at = k.let("at", mine + Expr(to_index(round)) * r);
      k.branch(
          {ir::less(at, to_index(count))}, [&] { k.copy({element(at)}, options); }, [] {});
    });
  });
}

void through_shared(Builder& k, const RelayoutPlan& plan, const StridedTensor& src,
                    const StridedTensor& dst, ScalarType type) {
  const View smem = k.shared("tile", type, plan.shared);
  std::int64_t tiles = 1;
  bool can_be_inside = true;
  for (std::size_t m = 0; m < plan.modes.size(); ++m) {
    tiles *= vkmoye::ceil_div(plan.modes[m].extent, plan.tile[m]);
    can_be_inside = can_be_inside && plan.tile[m] <= plan.modes[m].extent;
  }
  k.grid(0, tiles, 1);
  std::vector<Expr> at;
  for (const Layout& walk : plan.walk) {
    const Layout around = make_layout(walk, Layout(2, 0));  // so that every step is bounded
    at.push_back(evaluate(around, k.block_x()));
  }
  const View from = tile_of(src, plan.tile, plan.joined, at);
  const View to = tile_of(dst, plan.tile, plan.joined, at);

  const auto mine = [&](const View& view, const TiledCopy& copy) {
    return partition(view, copy, k.thread());
  };
  const auto bytes = [&](std::int64_t elements) {
    return to_index(elements * static_cast<std::int64_t>(size_of(type)));
  };
  const auto move = [&](Edges edges) {
    k.copy(mine(from, plan.load), mine(smem, plan.load),
           {.edges = edges, .loads_first = true, .to_bytes = bytes(plan.written)});
    k.barrier();
    k.copy(mine(smem, plan.store), mine(to, plan.store),
           {.edges = edges, .loads_first = true, .from_bytes = bytes(plan.read)});
  };
  if (!can_be_inside) return move(Edges::clamp);
  k.branch(
      all_of({k.inside(to), k.inside(from)}), [&] { move(Edges::inside); },
      [&] { move(Edges::clamp); });
}

std::vector<std::pair<std::string, std::string>> items(const Layout& src, const Layout& dst,
                                                       const RelayoutPlan& plan, ScalarType type) {
  std::vector<std::pair<std::string, std::string>> out = {
      {"type", std::string(to_string(type))}, {"src", to_string(src)}, {"dst", to_string(dst)}};
  if (plan.straight) {
    out.emplace_back("vector", std::to_string(plan.vector));
  } else {
    out.emplace_back("tile", fmt::format("{}", fmt::join(plan.tile, "x")));
    out.emplace_back("shared", text_of(plan.shared));
  }
  return out;
}

bool has_threads_enough(const Layout& src, const Layout& dst, const RelayoutConfig& config) {
  const RelayoutPlan plan = plan_relayout(src, dst, config);
  if (plan.straight) return true;
  return extent_of_tile(plan) <= kMostAtOnce * plan.threads;
}

// "; with 128 threads or --run 32 they are enough": what was tried. "": neither helps.
std::string advice_for(const Layout& src, const Layout& dst, const RelayoutConfig& config) {
  std::vector<std::string> ways;
  RelayoutConfig other = config;
  for (other.threads = 2 * config.threads; other.threads <= kMostThreads; other.threads *= 2) {
    if (!has_threads_enough(src, dst, other)) continue;
    ways.push_back(fmt::format("{} threads", other.threads));
    break;
  }
  other = config;
  for (other.run = config.run == 0 ? kLongestRun : config.run / 2; other.run > 0; other.run /= 2) {
    if (!has_threads_enough(src, dst, other)) continue;
    ways.push_back(fmt::format("a run of {}", other.run));
    break;
  }
  return ways.empty() ? "" : "; take " + join(ways, " or ");
}

std::vector<std::string> reasons_against(const RelayoutConfig& config) {
  std::vector<std::string> reasons;
  require_power_of_two("threads", config.threads, kMostThreads, reasons);
  require_power_of_two("vector", config.vector, 16, reasons);
  require_power_of_two("rounds", config.rounds, 16, reasons);
  const auto bytes = static_cast<std::int64_t>(size_of(config.type));
  std::int64_t most_run = 1;
  while (4 * most_run * most_run * bytes <= kMostShared) most_run *= 2;
  if (config.run != 0) require_power_of_two("run", config.run, most_run, reasons);
  return reasons;
}

}  // namespace

ir::Kernel relayout(const Layout& src, const Layout& dst, const RelayoutConfig& config,
                    const std::string& name) {
  auto reasons = reasons_against_relayout(src, dst);
  for (std::string& reason : reasons_against(config)) reasons.push_back(std::move(reason));
  throw_if_any(name, std::move(reasons));

  const RelayoutPlan plan = plan_relayout(src, dst, config);
  if (plan.straight && size(dst) > 0xffffffff) {
    throw KernelError(name, {fmt::format("{} elements go straight across, which counts them in 32 "
                                         "bits: at most 2^32-1",
                                         size(dst))});
  }
  if (!plan.straight) {
    const std::int64_t elements = extent_of_tile(plan);
    if (elements > kMostAtOnce * plan.threads) {
      throw KernelError(
          name, {fmt::format("{} threads are too few for a tile of {}: each would move "
                             "{} elements, at most {} at once{}",
                             plan.threads, fmt::join(plan.tile, "x"), elements / plan.threads,
                             kMostAtOnce, advice_for(src, dst, config))});
    }
  }
  Builder k(name, plan.threads);
  auto described = items(src, dst, plan, config.type);
  const auto elements = static_cast<std::uint64_t>(std::max(cosize(src), cosize(dst)));
  reach(k, decided(config.address, elements, config.type, kMostBound), described);
  k.describe(
      described,
      plan.straight ? "both sides run along the same mode: straight across"
      : plan.joined > 1
          ? "one side of a shared tile is flat, small modes with their run; the other has each "
            "by itself"
          : "runs along src on one side of a shared tile, along dst on the other");
  const auto src_axes = axes_of(plan, &JointMode::src), dst_axes = axes_of(plan, &JointMode::dst);
  const StridedTensor from{k.input("src", config.type, names_of(plan, src_axes, &JointMode::src)),
                           src_axes};
  const StridedTensor to{k.output("dst", config.type, names_of(plan, dst_axes, &JointMode::dst)),
                         dst_axes};
  if (plan.straight) {
    straight_across(k, plan, from, to);
  } else {
    through_shared(k, plan, from, to, config.type);
  }
  return k.finish();
}

}  // namespace vkmoye::gen
