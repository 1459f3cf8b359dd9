// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "vkmoye/base/round_up.hpp"
#include "vkmoye/gen/ir/assumptions.hpp"
#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/guards.hpp"
#include "vkmoye/gen/ir/traversal.hpp"
#include "vkmoye/gen/machine/evaluator.hpp"
#include "vkmoye/gen/proof/access_sets.hpp"
#include "vkmoye/gen/verify/trial.hpp"

namespace vkmoye::gen {
namespace {

using ir::Expr;
using ir::Op;
using Sizes = std::map<std::string, std::int64_t>;

// How an extent lies to the tiles that it is cut into, by the grid or by a loop.
enum class Fit : std::uint8_t {
  one,     // a single element
  ragged,  // the last tile is cut off, where no vector begins
  wide,    // the last tile is cut off, vectors fit
  barely,  // the last tile has one element
  almost,  // the last tile lacks one element
  whole,   // three tiles: one that is counted twice, or not at all, leaves a gap
};

// The first extent of the grid, the second and so on take turns: what goes wrong where one is cut off
// and the other is not shows in one of them.
struct Trial {
  Fit even, odd, looped;
  std::int64_t gap;    // between rows whose step is an argument
  std::int64_t other;  // the first argument that is neither an extent nor a step; each has its own
};
constexpr Trial kTrials[] = {{Fit::ragged, Fit::wide, Fit::ragged, 3, 0},
                             {Fit::wide, Fit::wide, Fit::wide, 16, 3},
                             {Fit::whole, Fit::ragged, Fit::one, 0, 1},
                             {Fit::one, Fit::whole, Fit::whole, 1, 2},
                             {Fit::almost, Fit::barely, Fit::ragged, 5, 4}};

constexpr std::int64_t kBetween = 5;     // from one argument that is no size to the next
constexpr std::int64_t kAnyTile = 16;    // of an extent whose tile is not known
constexpr std::int64_t kMaxTile = 1024;  // for a loop; beyond it a trial takes too long
constexpr std::int64_t kMaxTrialElements = std::int64_t{1} << 31;  // of an array
constexpr std::uint64_t kMaxRing = 8;  // of stages that a loop may take turns with

void enlarge(Sizes& sizes, const std::string& name, std::int64_t value) {
  std::int64_t& size = sizes[name];
  size = std::max(size, value);
}

std::set<std::string> names_in(const Expr& e) {
  std::set<std::string> names;
  ir::for_each_node(e, [&](const ir::Node& node) {
    if (node.op == Op::variable) names.insert(node.name);
  });
  return names;
}

bool any_in(const std::set<std::string>& names, const std::set<std::string>& wanted) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return wanted.contains(name); });
}

// How loops cut extents, and after how many rounds they repeat.
struct Loops {
  Sizes tiles;              // one for each argument that an end of a loop depends on
  std::int64_t rounds = 1;  // rounds of the longest ring
};

class LoopFinder {
 public:
  explicit LoopFinder(const ir::Kernel& kernel) : kernel_(kernel) {
    for (const PushConstant& argument : kernel.arguments) arguments_.insert(argument.name);
    walk(kernel.body);
  }
  Loops loops;

 private:
  void walk(const ir::Body& body) {
    for (const ir::Stmt& statement : body) {
      const ir::Effects effects = effects_of(statement, kernel_);
      if (!followed_.empty()) {
        for (const Expr* e : effects.uses) look_for_rings(*e);
      }
      for (const ir::Definition& d : effects.defines) {
        if (d.is_data) continue;
        if (any_in(names_in(d.value), followed_)) followed_.insert(d.name);
        meanings_.insert_or_assign(d.name, expand(d.value, meanings_));
      }
      for (const ir::NestedBody& inner : effects.nested) {
        if (inner.repeats) take_tiles(expand(*inner.condition, meanings_), inner);
        walk(*inner.body);
      }
    }
  }

  // (k - 1) / 8 + 1 rounds: tiles of 8 along k.
  void take_tiles(const Expr& end, const ir::NestedBody& loop) {
    const std::set<std::string> names = names_in(end);
    if (!any_in(names, arguments_)) return;
    for (const ir::Definition& d : loop.defines) followed_.insert(d.name);
    for (const std::string& name : names) {
      if (arguments_.contains(name)) enlarge(loops.tiles, name, 1);
    }
    ir::for_each_node(end, [&](const ir::Node& node) {
      if (node.op != Op::divide || !is_constant(node.operands[1])) return;
      const auto tile = static_cast<std::int64_t>(node.operands[1]->value);
      for (const std::string& name : names_in(node.operands[0])) {
        if (arguments_.contains(name) && tile <= kMaxTile) enlarge(loops.tiles, name, tile);
      }
    });
  }

  void look_for_rings(const Expr& e) {
    ir::for_each_node(e, [&](const ir::Node& node) {
      if (node.op != Op::modulo || !is_constant(node.operands[1]) ||
          node.operands[1]->value > kMaxRing || !any_in(names_in(node.operands[0]), followed_)) {
        return;
      }
      loops.rounds = std::max(loops.rounds, static_cast<std::int64_t>(node.operands[1]->value));
    });
  }

  const ir::Kernel& kernel_;
  std::set<std::string> arguments_;
  std::set<std::string> followed_;  // names that a loop of sizes moves
  ir::Definitions meanings_;
};

// An extent that workgroups cut into tiles; few elements where a tile is one.
std::int64_t size_of(Fit fit, std::int64_t tile) {
  switch (fit) {
    case Fit::one: return 1;
    case Fit::ragged: return tile + tile / 2 + 1;
    case Fit::wide: {
      const std::int64_t rounded = round_up(tile + tile / 2, 16);
      return tile == 1 ? 2 : rounded % tile != 0 ? rounded : tile + tile / 2;
    }
    case Fit::barely: return tile + 1;
    case Fit::almost: return 2 * tile - 1;
    case Fit::whole: return 3 * tile;
  }
  return 1;
}

// One that a loop walks along, twice around its ring and one round more.
std::int64_t looped_size(Fit fit, std::int64_t tile, std::int64_t ring) {
  return fit == Fit::ragged ? 2 * ring * tile + 1 : size_of(fit, tile);
}

// The extents along which the grid counts tiles.
void take_grid(const ir::Kernel& kernel, const Trial& trial, Sizes& sizes) {
  Sizes tiles;
  std::vector<std::string> order;
  for (const GridDimension& dimension : kernel.grid) {
    const std::vector<std::string> names = dimension.extent.arguments();
    for (const std::string& name : names) {
      if (std::find(order.begin(), order.end(), name) == order.end()) order.push_back(name);
      // Of a product of two, each is about a square root of the tile.
      const std::int64_t tile = dimension.tile * dimension.extent.per;
      std::int64_t part = names.size() == 1 ? tile : 1;
      while (names.size() == 2 && part * part < tile) ++part;
      // Of an extent that is cut twice, the smaller tiles; once a large one and an element more.
      const auto [known, is_new] = tiles.try_emplace(name, part);
      if (is_new) continue;
      if (trial.even == Fit::one) enlarge(sizes, name, std::max(known->second, part) + 1);
      known->second = std::min(known->second, part);
    }
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    enlarge(sizes, order[i], size_of(i % 2 == 0 ? trial.even : trial.odd, tiles[order[i]]));
  }
}

// nullopt: it depends on more than `sizes`.
machine::Value value_of(const Expr& e, const Sizes& sizes) {
  machine::Budget plenty(1 << 16);
  machine::Evaluator values({}, plenty);
  for (const auto& [name, size] : sizes) {
    values.define(name, machine::Values::same(static_cast<ir::Bits>(size)));
  }
  return values(e).in(0);
}

// 0 if it is not known.
std::int64_t number_of(const Expr& e, const Sizes& sizes) {
  return static_cast<std::int64_t>(value_of(e, sizes).value_or(0));
}

// The other extents, no smaller than what workgroups and loops go along: an array that is read may
// be as large as the result and larger, or there is nothing to write at its end. Then the steps from
// row to row: no smaller than what they step over.
void take_arrays(const ir::Kernel& kernel, const Trial& trial, Sizes& sizes) {
  // Where neither grid nor loop cuts anything, one round of the threads may be all that is done.
  const std::int64_t uncut =
      sizes.empty() ? std::max<std::int64_t>(kAnyTile, kernel.threads) : kAnyTile;
  std::int64_t largest = size_of(trial.looped, uncut);
  for (const auto& [name, size] : sizes) largest = std::max(largest, size);
  for (const ir::Array& array : kernel.arrays) {
    std::int64_t elements = 1;  // an array with too many of them has no launch
    for (const ir::Axis& axis : array.axes) {
      for (const std::string& name : axis.extent.arguments()) {
        sizes.try_emplace(
            name, std::min(largest, std::max<std::int64_t>(1, kMaxTrialElements / elements)));
      }
      elements *= std::clamp<std::int64_t>(number_of(extent_of(axis), sizes), 1,
                                           kMaxTrialElements / elements);
    }
  }
  Sizes steps;
  for (const ir::Array& array : kernel.arrays) {
    std::int64_t span = 1;
    for (const ir::Axis& axis : array.axes) {
      // Of a product of arguments, one is as large as all that is stepped over.
      for (const std::string& name : ir::extent_from(axis.stride).value_or(1).arguments()) {
        if (!sizes.contains(name)) enlarge(steps, name, span + trial.gap);
      }
      Sizes all = sizes;
      all.insert(steps.begin(), steps.end());
      span = std::max(span, number_of(axis.stride, all) * number_of(ir::extent_of(axis), sizes));
    }
  }
  sizes.merge(steps);
}

Arguments arguments_of(const ir::Kernel& kernel, const Trial& trial, const Sizes& sizes) {
  Arguments out;
  std::int64_t other = trial.other;
  for (const PushConstant& argument : kernel.arguments) {
    if (argument.type != ScalarType::u32 || is_first_group(argument.name)) continue;
    const auto found = sizes.find(argument.name);
    if (found != sizes.end()) {
      out[argument.name] = found->second;
    } else {
      out[argument.name] = other;
      other += kBetween;
    }
  }
  return out;
}

// --- assumptions ---

constexpr unsigned long kMaxStepsOfSizes = 100'000;  // of isl

bool are_fulfilled(const std::vector<ir::Assume>& assumptions, const Arguments& arguments) {
  Sizes sizes;
  for (const auto& [name, value] : arguments) sizes[name] = std::get<std::int64_t>(value.value);
  return std::all_of(assumptions.begin(), assumptions.end(), [&](const ir::Assume& one) {
    return value_of(one.condition, sizes) != ir::Bits{0};
  });
}

// Arguments of a launch that fulfils all assumptions, as far as linear functions express them: those of `wanted` where
// that is possible, else larger ones. One argument after the other is chosen, so that the others fit to it.
Arguments fulfilling(const ir::Kernel& kernel, const Arguments& wanted) {
  try {
    proof::AccessSets sets(
        kernel, [](const ir::Array&) { return false; }, kMaxStepsOfSizes);
    proof::IndexValues& values = sets.values();
    proof::Set points = values.facts();
    for (const auto& [name, value] : wanted) {
      if (!sets.variables().has(name)) continue;
      const proof::Linear at = values.variable(name), size = std::get<std::int64_t>(value.value);
      for (const proof::Set& choice : {values.equal(at, size), values.at_most(size, at)}) {
        const proof::Set some = points & choice;
        if (some.is_empty()) continue;
        points = some;
        break;
      }
    }
    Arguments out = wanted;
    for (const auto& [name, value] : sets.arguments_in(points)) {
      if (sets.variables().has(name)) out[name] = value;
    }
    return with_strides(kernel, std::move(out));
  } catch (const proof::GaveUp&) {
    return wanted;
  }
}

// Arguments of a launch that fulfils `assumptions` which are not linear, such as n * m == 4096: up to three arguments
// of those that `wanted` violates are tried at small numbers, powers of two and numbers of the conditions.
Arguments tried(const ir::Kernel& kernel, const std::vector<ir::Assume>& assumptions,
                const Arguments& wanted) {
  constexpr std::size_t kMaxTried = 3;
  constexpr std::int64_t kSmall = 12, kLarge = 4096;
  std::set<std::string> names;
  std::set<std::int64_t> numbers;
  for (std::int64_t n = 1; n <= kSmall; ++n) numbers.insert(n);
  for (std::int64_t n = 16; n <= kLarge; n *= 2) numbers.insert(n);
  for (const ir::Assume& one : assumptions) {
    if (are_fulfilled({one}, wanted)) continue;
    names.merge(names_in(one.condition));
    ir::for_each_node(one.condition, [&](const ir::Node& node) {
      if (node.op == Op::constant && node.value > 0) numbers.insert(ir::Bits{node.value});
    });
  }
  std::erase_if(names, [&](const std::string& name) { return !wanted.contains(name); });
  if (names.size() > kMaxTried) return wanted;
  Arguments out = wanted;
  const std::function<bool(std::set<std::string>::const_iterator)> found = [&](auto name) {
    if (name == names.end()) return are_fulfilled(assumptions, out);
    return std::any_of(numbers.begin(), numbers.end(), [&](std::int64_t number) {
      out[*name] = number;
      return found(std::next(name));
    });
  };
  return found(names.begin()) ? with_strides(kernel, std::move(out)) : wanted;
}

}  // namespace

Arguments with_strides(const ir::Kernel& kernel, Arguments sizes) {
  const auto value_of = [&](const Extent& extent) {
    std::int64_t value = extent.is_symbol() ? 1 : extent.value;
    for (const std::string& name : extent.arguments()) {
      value *= std::get<std::int64_t>(sizes[name].value);
    }
    return (value + extent.per - 1) / extent.per;
  };
  for (const Binding& binding : ir::interface_of(kernel).bindings) {
    std::int64_t span = 1;
    for (std::size_t i = 0; i < binding.strides.size(); ++i) {
      const Extent& step = binding.strides[i];
      const bool is_argument = step.is_argument();
      if (is_argument && value_of(step) < span) sizes[step.symbol] = span;
      span = std::max(span, value_of(step) * value_of(binding.extents[i]));
    }
  }
  return sizes;
}

std::vector<Arguments> trial_sizes(const ir::Kernel& kernel) {
  const Loops loops = LoopFinder(kernel).loops;
  const std::vector<ir::Assume> assumptions = assumptions_of_launch(kernel);
  std::vector<Arguments> out;
  for (const Trial& trial : kTrials) {
    Sizes sizes;
    take_grid(kernel, trial, sizes);
    for (const auto& [name, tile] : loops.tiles) {
      enlarge(sizes, name, looped_size(trial.looped, tile, loops.rounds));
    }
    take_arrays(kernel, trial, sizes);
    Arguments arguments = arguments_of(kernel, trial, sizes);
    if (!are_fulfilled(assumptions, arguments)) arguments = fulfilling(kernel, arguments);
    if (!are_fulfilled(assumptions, arguments)) arguments = tried(kernel, assumptions, arguments);
    if (std::find(out.begin(), out.end(), arguments) == out.end()) {
      out.push_back(std::move(arguments));
    }
  }
  return out;
}

}  // namespace vkmoye::gen
