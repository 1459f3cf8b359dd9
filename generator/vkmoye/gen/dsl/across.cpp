// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/across.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/dsl/fragment_lanes.hpp"
#include "vkmoye/layout/coalesce.hpp"
#include "vkmoye/layout/injective.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

// One digit of the number of a thread: `extent` threads, `stride` apart.
struct ThreadDigit {
  std::int64_t extent, stride;
  bool is_combined, is_lanes;
};

// The number of a thread as digits, the lowest first; each is either of lanes or of subgroups.
std::vector<ThreadDigit> digits_of(const Layout& threads, int mode, std::uint32_t lanes) {
  const auto refuse = [&](const std::string& why) {
    throw LayoutError(fmt::format("reduction over mode {} of the threads {}, subgroups of {}: {}",
                                  mode, to_string(threads), lanes, why));
  };
  if (mode < 0 || mode >= threads.rank()) {
    refuse(fmt::format("the layout has modes 0 to {}", threads.rank() - 1));
  }
  if (cosize(threads) != size(threads) || !is_injective(threads)) {
    refuse(fmt::format("the layout does not number the threads 0 to {}, each once",
                       size(threads) - 1));
  }
  std::vector<ThreadDigit> digits;
  for (int i = 0; i < threads.rank(); ++i) {
    const Layout one = threads.mode(i);
    for (const Mode& leaf : one.leaves()) {
      // The lower part of a leaf that starts within a subgroup belongs to the lanes.
      const auto parts = split_at(leaf, lanes);
      if (!parts) {
        refuse(fmt::format("{}:{} straddles a subgroup boundary", leaf.extent, leaf.stride));
      }
      const auto [low, high] = *parts;
      if (low > 1) digits.push_back({low, leaf.stride, i == mode, /*is_lanes=*/true});
      if (high > 1) digits.push_back({high, low * leaf.stride, i == mode, /*is_lanes=*/false});
    }
  }
  std::sort(digits.begin(), digits.end(),
            [](const ThreadDigit& a, const ThreadDigit& b) { return a.stride < b.stride; });
  return digits;
}

}  // namespace

ThreadReduction reduction_of(const Layout& threads, int mode, std::uint32_t lanes) {
  ThreadReduction out;
  std::vector<Layout> slots, group, members, combined_lanes;
  out.all_lanes = true;
  for (const ThreadDigit& digit : digits_of(threads, mode, lanes)) {
    const bool shares_slot = digit.is_combined && digit.is_lanes;
    const bool is_member = digit.is_combined && !digit.is_lanes;
    const auto leaf = [&](bool counts, std::int64_t stride) {
      return Layout(IntTuple(digit.extent), IntTuple(counts ? stride : 0));
    };
    slots.push_back(leaf(!shares_slot, out.slot_count));
    group.push_back(leaf(!digit.is_combined, out.slot_count));
    combined_lanes.push_back(leaf(shares_slot, digit.stride));
    if (is_member) members.push_back(leaf(true, out.slot_count));
    if (!shares_slot) out.slot_count *= digit.extent;
    if (!digit.is_lanes) continue;
    out.all_lanes = out.all_lanes && digit.is_combined;
    for (std::int64_t step = 1; shares_slot && step < digit.extent; step *= 2) {
      out.lane_steps.push_back(static_cast<std::uint32_t>(step * digit.stride));
    }
  }
  // Adjacent digits that stay adjacent become one number in the generated text.
  out.slots = coalesce(make_layout(slots));
  out.group = coalesce(make_layout(group));
  out.members = coalesce(make_layout(members));
  out.combined_lanes = coalesce(make_layout(combined_lanes));
  return out;
}

Expr Builder::lane() const { return ir::variable("lane", ir::kIndex, kernel_.subgroup_size); }
Expr Builder::subgroup() const {
  return ir::variable("subgroup", ir::kIndex, kernel_.threads / kernel_.subgroup_size);
}

void Builder::require_lanes(const std::string& operation) const {
  if (kernel_.subgroup_size > 0) return;
  throw KernelError(kernel_.name,
                    {operation + ": the Builder must be constructed with a number of lanes"});
}

Expr Builder::add_subgroup(ir::Subgroup statement) {
  require_lanes("subgroup operation '" + statement.name + "'");
  const Expr result = ir::variable(statement.name, ir::type_of(statement));
  kernel_.body.emplace_back(std::move(statement));
  return result;
}

Expr Builder::subgroup_reduce(const std::string& name, ir::Op combine, const Expr& value) {
  return add_subgroup({name, ir::Subgroup::Kind::reduce, combine, value});
}
Expr Builder::subgroup_inclusive_scan(const std::string& name, ir::Op combine, const Expr& value) {
  return add_subgroup({name, ir::Subgroup::Kind::inclusive_scan, combine, value});
}
Expr Builder::subgroup_exclusive_scan(const std::string& name, ir::Op combine, const Expr& value) {
  return add_subgroup({name, ir::Subgroup::Kind::exclusive_scan, combine, value});
}
Expr Builder::subgroup_broadcast(const std::string& name, const Expr& value, const Expr& lane) {
  return add_subgroup({name, ir::Subgroup::Kind::broadcast, ir::Op::add, value, lane});
}
Expr Builder::subgroup_shuffle(const std::string& name, const Expr& value, const Expr& lane) {
  return add_subgroup({name, ir::Subgroup::Kind::shuffle, ir::Op::add, value, lane});
}
Expr Builder::subgroup_shuffle_xor(const std::string& name, const Expr& value, const Expr& step) {
  return add_subgroup({name, ir::Subgroup::Kind::shuffle_xor, ir::Op::add, value, step});
}
Expr Builder::subgroup_ballot(const std::string& name, const Expr& condition) {
  return add_subgroup({name, ir::Subgroup::Kind::ballot, ir::Op::add, condition});
}
Expr Builder::subgroup_elect(const std::string& name) {
  return add_subgroup({name, ir::Subgroup::Kind::elect});
}

void Builder::reduce_across(const View& values, Reduction reduction, const Layout& threads,
                            int mode) {
  require_lanes("reduction of " + values.name);
  if (size(threads) != kernel_.threads) {
    throw LayoutError(fmt::format("reduction of {} over the threads {}: the workgroup has {}",
                                  values.name, to_string(threads), kernel_.threads));
  }
  const ThreadReduction parts = reduction_of(threads, mode, kernel_.subgroup_size);
  const ScalarType type = array(values).type;
  const bool is_native =
      parts.all_lanes && !parts.lane_steps.empty() && reduction.is_native(ir::element(type));
  const auto over_lanes = [&](const Expr& mine) {
    if (is_native) return subgroup_reduce("of_lanes", reduction.op, mine);
    Expr sum = mine;
    for (const std::uint32_t step : parts.lane_steps) {
      const Expr other = subgroup_shuffle_xor(fmt::format("other{}", step), sum, step);
      const Expr both = reduction(sum, other);
      sum = step == parts.lane_steps.back() ? both : let(fmt::format("combined{}", step), both);
    }
    return sum;
  };
  if (is_native || !parts.lane_steps.empty()) {
    std::vector<std::string> steps;
    for (const std::uint32_t step : parts.lane_steps) steps.push_back(fmt::format("^ {}", step));
    const std::string which =
        is_native ? "the lanes of the subgroup" : "lanes " + join(steps, ", then ");
    with_title(fmt::format("{} <- {} over {}", values.name, reduction.name(), which),
               [&] { apply(values, over_lanes, values); });
  }
  if (size(parts.members) == 1) return;

  // Partial results in shared memory: (slot, values).
  const Layout compact(values.shape());
  const View partials = shared(values.array + "_partials", type,
                               make_layout({parts.slot_count, size(values.shape())}));
  const Layout by_slot(compact.tree().map<Mode>([&](const Mode& leaf) {
    return Mode{leaf.extent, leaf.stride * parts.slot_count};
  }));
  const auto at = [&](const Layout& slot, const Layout& kept) {
    View view = partials;
    view.axes = {{{{slot, thread()}}, kept}};
    return view;
  };
  const Expr combined_lane = evaluate(parts.combined_lanes, thread());
  const Conditions writes =
      is_constant(combined_lane) ? Conditions{} : Conditions{ir::equal(combined_lane, 0)};
  const auto same_value = [](const Expr& value) { return value; };
  const std::int64_t writers = parts.slot_count * kernel_.subgroup_size / kernel_.threads;
  const std::string whose = writes.empty() ? "each thread"
                            : writers == 1 ? "one thread of each subgroup"
                                           : fmt::format("{} threads of each subgroup", writers);
  branch(writes, [&] {
    with_title(fmt::format("{} <- {}, from {}", partials.name, values.name, whose),
               [&] { apply(at(parts.slots, by_slot), same_value, values); });
  });
  barrier();
  const int rank = by_slot.rank();
  std::vector<Layout> modes;
  for (int i = 0; i < rank; ++i) modes.push_back(by_slot.mode(i));
  modes.push_back(make_layout(std::vector{parts.members}));
  const View group = at(parts.group, make_layout(modes));
  assign(values, reduction.neutral(type));
  with_title(reduction.title(values.name, "each of " + partials.name),
             [&] { accumulate(repeat(values, rank, group.shape().mode(rank)), reduction, group); });
}

}  // namespace vkmoye::gen
