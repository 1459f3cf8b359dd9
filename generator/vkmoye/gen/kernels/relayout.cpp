#include "vkmoye/gen/kernels/relayout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

std::uint32_t number(std::int64_t value) { return static_cast<std::uint32_t>(value); }

std::string coordinate(std::size_t mode) { return fmt::format("i{}", mode); }

// The modes of a tensor that move, by rising stride: the axes of its array.
std::vector<std::size_t> axes_of(const RelayoutPlan& plan, std::int64_t JointMode::*stride) {
  std::vector<std::size_t> axes;
  for (std::size_t m = 0; m < plan.modes.size(); ++m) {
    if (plan.modes[m].*stride != 0) axes.push_back(m);
  }
  std::stable_sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) {
    return plan.modes[a].*stride < plan.modes[b].*stride;
  });
  return axes;
}

std::vector<Builder::AxisName> names_of(const RelayoutPlan& plan, std::int64_t JointMode::*stride) {
  std::vector<Builder::AxisName> out;
  for (const std::size_t m : axes_of(plan, stride)) {
    out.push_back({coordinate(m), plan.modes[m].extent, plan.modes[m].*stride});
  }
  if (out.empty()) out.push_back({coordinate(0), 1, 1});  // one element, read again and again
  return out;
}

// Number `index` of the coordinates that `extents` count, the first fastest.
std::vector<Expr> digits(const Expr& index, const std::vector<std::int64_t>& extents) {
  std::vector<Expr> out;
  std::int64_t before = 1;
  for (const std::int64_t extent : extents) {
    out.push_back(index / number(before) % number(extent));
    before *= extent;
  }
  return out;
}

// --- straight across ---

// One access: the coordinates of element `at`, counted along plan.order.
std::vector<Expr> name_coordinates(ir::Body& body, const RelayoutPlan& plan,
                                   const std::string& name, const Expr& at) {
  body.emplace_back(ir::Let{name, at});
  const Expr named = ir::variable(name, ir::kIndex, at->bound, at->alignment);
  std::vector<std::int64_t> extents;
  for (const std::size_t m : plan.order) extents.push_back(plan.modes[m].extent);
  const std::vector<Expr> values = digits(named, extents);
  std::vector<Expr> out(plan.modes.size(), Expr(0));
  for (std::size_t i = 0; i < plan.order.size(); ++i) {
    const std::string digit = fmt::format("{}_{}", name, coordinate(plan.order[i]));
    body.emplace_back(ir::Let{digit, values[i]});
    out[plan.order[i]] = ir::variable(digit, ir::kIndex, values[i]->bound, values[i]->alignment);
  }
  return out;
}

ir::Element element(const RelayoutPlan& plan, const char* array, std::int64_t JointMode::*stride,
                    const std::vector<Expr>& at) {
  ir::Element out{array, {}, fmt::format("{}, element by element", array), number(plan.vector)};
  for (const std::size_t m : axes_of(plan, stride)) out.coordinates.push_back(at[m]);
  if (out.coordinates.empty()) out.coordinates.push_back(0);
  return out;
}

void straight_across(Builder& k, const RelayoutPlan& plan, ScalarType type) {
  std::int64_t count = 1;
  for (const JointMode& mode : plan.modes) count *= mode.extent;
  const std::int64_t round = plan.threads * plan.vector, block = round * plan.rounds;
  k.grid(0, count, block);

  ir::Block whole{"elements in the order of memory, all loads before the stores", {}};
  ir::Body stores;
  for (std::int64_t r = 0; r < plan.rounds; ++r) {
    const Expr first = Expr(number(block)) * k.block_x() + Expr(number(plan.vector)) * k.thread();
    const std::string name = fmt::format("at{}", r);
    const auto at = name_coordinates(whole.body, plan, name, first + number(r * round));
    const std::string value = fmt::format("value{}", r);
    whole.body.emplace_back(ir::Load{value, element(plan, "src", &JointMode::src, at)});
    stores.emplace_back(ir::Store{element(plan, "dst", &JointMode::dst, at),
                                  ir::variable(value, ir::element(type, number(plan.vector)))});
  }
  whole.body.insert(whole.body.end(), stores.begin(), stores.end());
  if (count % block == 0) {
    k.add(whole);
    return;
  }
  // The last workgroup may have less to do.
  ir::Block part{"the same, as far as there are elements", {}};
  const Expr r = ir::variable("r", ir::kIndex, static_cast<std::uint64_t>(plan.rounds));
  ir::Body inside;
  const Expr first = Expr(number(block)) * k.block_x() + Expr(number(plan.vector)) * k.thread();
  inside.emplace_back(ir::Let{"at", first + Expr(number(round)) * r});
  const Expr at = ir::variable("at", ir::kIndex, ir::kUnbounded, first->alignment);
  ir::Body guarded;
  const auto coordinates = name_coordinates(guarded, plan, "at_now", at);
  guarded.emplace_back(ir::Load{"value", element(plan, "src", &JointMode::src, coordinates)});
  guarded.emplace_back(ir::Store{element(plan, "dst", &JointMode::dst, coordinates),
                                 ir::variable("value", ir::element(type, number(plan.vector)))});
  inside.emplace_back(ir::If{ir::less(at, number(count)), guarded});
  part.body = ir::statements(ir::For{"r", number(plan.rounds), inside});
  k.branch(
      {ir::less(Expr(number(block)) * k.block_x() + number(block - 1), number(count))},
      [&] { k.add(whole); }, [&] { k.add(part); });
}

// --- through shared memory ---

// Where a thread's parts of one mode begin, and the layout of its values along that mode.
View::Axis axis_of(const Shares& shares, std::size_t mode, const Expr& origin, const Expr& thread) {
  Expr sum = origin;
  std::int64_t before = 1;
  for (const Part& part : shares.threads) {
    if (part.mode == mode) {
      sum = sum + Expr(number(part.step)) * (thread / number(before) % number(part.extent));
    }
    before *= part.extent;
  }
  std::vector<Layout> values;
  for (const Part& part : shares.values) {
    values.push_back(Layout(part.extent, part.mode == mode ? part.step : 0));
  }
  return {{{Layout(0xffffffff, 1), sum}}, make_layout(values)};
}

View buffer_view(const Builder& k, const RelayoutPlan& plan, const char* array,
                 std::int64_t JointMode::*stride, const Shares& shares,
                 const std::vector<Expr>& origins) {
  View view{array, {}, {}, fmt::format("tile of {}", array)};
  for (const std::size_t m : axes_of(plan, stride)) {
    view.axes.push_back(axis_of(shares, m, origins[m], k.thread()));
  }
  if (view.axes.empty()) {
    View::Axis none = axis_of(shares, plan.modes.size(), 0, k.thread());
    view.axes.push_back(none);
  }
  return view;
}

View shared_view(const Builder& k, const RelayoutPlan& plan, const Shares& shares) {
  Expr origin = 0;
  std::int64_t before = 1;
  for (const Part& part : shares.threads) {
    origin = origin + Expr(number(plan.shared_offset(part.mode, part.step))) *
                          (k.thread() / number(before) % number(part.extent));
    before *= part.extent;
  }
  std::vector<Layout> values;
  for (const Part& part : shares.values) {
    const std::int64_t last = (part.extent - 1) * part.step;
    // A part that spans several words: inside a word, then the words.
    if (part.mode == plan.word_mode && part.step == 1 && last >= plan.packed && plan.packed > 1) {
      values.push_back(Layout({plan.packed, part.extent / plan.packed},
                              {1, plan.shared_offset(part.mode, plan.packed)}));
    } else {
      values.push_back(Layout(part.extent, plan.shared_offset(part.mode, part.step)));
    }
  }
  return {"tile", {{{{Layout(plan.shared_elements, 1), origin}}, make_layout(values)}}, {}, "tile"};
}

void through_shared(Builder& k, const RelayoutPlan& plan, ScalarType type) {
  std::vector<std::int64_t> walk;
  std::int64_t tiles = 1;
  for (const Part& part : plan.walk) {
    walk.push_back(part.extent);
    tiles *= part.extent;
  }
  k.grid(0, tiles, 1);
  k.shared("tile", type, Layout(plan.shared_elements));

  const std::vector<Expr> steps = digits(k.block_x(), walk);
  std::vector<Expr> origins(plan.modes.size(), Expr(0));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Part& part = plan.walk[i];
    origins[part.mode] = origins[part.mode] + Expr(number(part.step)) * steps[i];
  }
  Conditions inside;
  bool never_inside = false;
  for (std::size_t m = 0; m < origins.size(); ++m) {
    origins[m] = Expr(number(plan.tile[m])) * origins[m];
    if (plan.modes[m].extent % plan.tile[m] == 0) continue;
    never_inside = never_inside || plan.modes[m].extent < plan.tile[m];
    inside.push_back(ir::less(origins[m] + number(plan.tile[m] - 1), number(plan.modes[m].extent)));
  }
  // Single elements share their array with one kind of vector, and not with packed ones.
  const auto bytes = static_cast<std::uint32_t>(size_of(type));
  std::uint32_t word = plan.packed > 1 ? 4 : 16;
  while (plan.packed == 1 && word > bytes && ir::is_packed(type, word / bytes)) word /= 2;
  const auto move = [&](Edges edges) {
    k.copy(buffer_view(k, plan, "src", &JointMode::src, plan.load, origins),
           shared_view(k, plan, plan.load),
           {.edges = edges, .loads_first = true, .to_bytes = word});
    k.barrier();
    k.copy(shared_view(k, plan, plan.store),
           buffer_view(k, plan, "dst", &JointMode::dst, plan.store, origins),
           {.edges = edges, .loads_first = true, .from_bytes = word});
  };
  if (never_inside) {
    move(Edges::clamp);
  } else {
    k.branch(
        inside, [&] { move(Edges::inside); }, [&] { move(Edges::clamp); });
  }
}

std::vector<std::pair<std::string, std::string>> items(const Layout& src, const Layout& dst,
                                                       const RelayoutPlan& plan, ScalarType type) {
  std::vector<std::pair<std::string, std::string>> out = {
      {"type", std::string(to_string(type))}, {"src", to_string(src)}, {"dst", to_string(dst)}};
  std::vector<std::string> tile;
  for (const std::int64_t extent : plan.tile) tile.push_back(std::to_string(extent));
  if (plan.straight) {
    out.emplace_back("vector", std::to_string(plan.vector));
  } else {
    out.emplace_back("tile", join(tile, "x"));
    out.emplace_back("pad", std::to_string(plan.padding));
  }
  return out;
}

bool is_power(std::int64_t value) {
  return value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value));
}

}  // namespace

ir::Kernel relayout(const Layout& src, const Layout& dst, const RelayoutConfig& config,
                    const std::string& name) {
  auto reasons = reasons_against_relayout(src, dst);
  const auto require = [&](const char* what, std::int64_t value, std::int64_t most) {
    if (is_power(value) && value <= most) return;
    reasons.push_back(fmt::format("{} {} is no power of two up to {}", what, value, most));
  };
  require("threads", config.threads, 1024);
  require("vector", config.vector, 16);
  require("rounds", config.rounds, 16);
  if (config.run != 0) require("run", config.run, 1024);
  if (!reasons.empty()) throw KernelError(name, std::move(reasons));

  const RelayoutPlan plan = plan_relayout(src, dst, config);
  Builder k(name, number(plan.threads));
  k.describe(items(src, dst, plan, config.type),
             plan.straight ? "both sides run along the same mode: straight across"
                           : "runs along src on one side of a shared tile, along dst on the other");
  k.input("src", config.type, names_of(plan, &JointMode::src));
  k.output("dst", config.type, names_of(plan, &JointMode::dst));
  if (plan.straight) {
    straight_across(k, plan, config.type);
  } else {
    through_shared(k, plan, config.type);
  }
  return k.finish();
}

}  // namespace vkmoye::gen
