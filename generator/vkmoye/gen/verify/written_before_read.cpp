// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/written_before_read.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "vkmoye/gen/verify/write_walk.hpp"

namespace vkmoye::gen {
namespace {

using ir::Expr;
using machine::Values;

// First all rounds of loops whose number is known, then, if these are too many steps, those of short loops.
constexpr std::uint32_t kRoundLimits[] = {std::numeric_limits<std::uint32_t>::max(), 64};

// Which arrays of shared memory and registers are written before they are read.
class ReadCheck : public WriteWalk {
 public:
  ReadCheck(const ir::Kernel& kernel, std::uint32_t max_rounds)
      : WriteWalk(kernel, max_rounds, is_followed) {}

  std::set<std::string> written() {
    run();
    std::set<std::string> out;
    for (const ir::Array& array : kernel().arrays) {
      if (is_followed(array) && !unshown_.contains(array.name) && !is_assumed(array)) {
        out.insert(array.name);
      }
    }
    return out;
  }

 private:
  static bool is_followed(const ir::Array& array) { return !array.is_buffer(); }

  bool is_assumed(const ir::Array& array) const {
    return std::any_of(
        kernel().assumptions.begin(), kernel().assumptions.end(), [&](const ir::Assumption& one) {
          return one.array == array.name && one.kind == ir::Assumption::Kind::written;
        });
  }

  void read(const Access& access) override {
    const Index at = index_of(access);
    const bool shown = at.is_known
                           ? state().is_written(access.array, at.values, access.element.width,
                                                access.lanes, access.path, access.by_any_lane)
                           : are_written(access);
    spend_for(at.values);
    if (!shown) unshown_.insert(access.array.name);
  }
  void give_up_on(const std::string& array) override { unshown_.insert(array); }

  // Whether all elements are written that a read with an unknown index may mean: those that the bounds of the index
  // allow, and of a sum, those from its known terms on.
  bool are_written(const Access& access) {
    const Expr& index = access.element.coordinates[0];
    const std::uint64_t end = index->bound + access.element.width - 1;
    if (state().are_written(access.array, end, access.lanes, access.path, access.by_any_lane)) {
      return true;
    }
    if (!access.array.is_shared()) return false;
    const std::uint32_t threads = kernel().threads;
    Values first = Values::different(threads);
    for (std::size_t lane = 0; lane < threads; ++lane) first.set(lane, ir::Bits{0});
    std::uint64_t others = 0;
    const std::function<void(const Expr&)> add = [&](const Expr& e) {
      if (e->op == ir::Op::add) {
        for (const Expr& term : e->operands) add(term);
        return;
      }
      const Values& term = values_of(e);
      if (!repeats(e) || !term.is_known(access.lanes)) {
        others += e->bound - 1;
        return;
      }
      access.lanes.for_each(
          [&](std::size_t lane) { first.set(lane, *first.in(lane) + *term.in(lane)); });
    };
    add(index);
    const auto size = static_cast<std::uint64_t>(access.array.size());
    spend(std::min(others, size) * threads);
    return others < size &&
           state().is_written(access.array, first,
                              static_cast<std::uint32_t>(others) + access.element.width,
                              access.lanes, access.path, access.by_any_lane);
  }

  std::set<std::string> unshown_;
};

}  // namespace

std::set<std::string> arrays_written_before_read(const ir::Kernel& kernel) {
  for (const std::uint32_t max_rounds : kRoundLimits) {
    try {
      return ReadCheck(kernel, max_rounds).written();
    } catch (const machine::Budget::Exceeded&) {
    }
  }
  return {};
}

}  // namespace vkmoye::gen
