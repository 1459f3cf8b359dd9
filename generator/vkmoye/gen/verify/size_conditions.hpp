// SPDX-License-Identifier: MIT
#pragma once
// Conditions on sizes by which two invocations can be compared: base + number < limit, with a base and a limit that are
// the same in the workgroup, and a number that belongs to the invocation.
//
//   if (32 * block_x + thread % 32 < cols) tile[..] = x        thread 5 writes if 32 block_x + 5 < cols
//   if (32 * block_x + thread / 8 < cols) y = tile[..]         thread 47 gets there if 32 block_x + 5 < cols
//
// A write happens where a set of such conditions holds; a read is on a path on which another set holds. A condition
// with a larger number implies one with a smaller number.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/ir/guards.hpp"
#include "vkmoye/gen/machine/thread_set.hpp"

namespace vkmoye::gen {

/// Numbers up to this can be added to an element of an axis, and do not wrap: see kMaxExtent.
inline constexpr std::int64_t kMaxConditionNumber = (std::int64_t{1} << 32) - 1 - kMaxExtent;

/// A term of a sum, with the number that it is multiplied by.
struct LinearTerm {
  ir::Expr term;
  std::uint32_t factor = 1;
};
/// Adds the terms of `e` times `factor` to `terms`, also those of sums that are multiplied by a number; `e` is their
/// sum, modulo 2^32. Numbers are terms of 1.
void add_linear_terms(const ir::Expr& e, std::uint32_t factor, std::vector<LinearTerm>& terms);

/// The dimension of the grid along which `e` counts workgroups: a coordinate of the workgroup, or of the first one of a
/// piece of a launch. nullopt: it is neither.
std::optional<std::size_t> dimension_of_workgroup(const ir::Expr& e);

/// base + number < limit, with the base and the limit of SizeConditionTable::bound(bound).
struct SizeCondition {
  std::size_t bound;
  std::int64_t number;
  auto operator<=>(const SizeCondition&) const = default;
};
/// A set that must hold together, at most one for each bound.
using SizeConditions = std::vector<SizeCondition>;
/// The union of both sets.
SizeConditions union_of(const SizeConditions& a, const SizeConditions& b);

/// A condition of the kernel, split into conditions on sizes and others.
struct SplitCondition {
  struct Part {
    std::size_t bound;
    ir::Expr number;  // the number of the invocation
    // What grows with the rounds of a loop, `step` in each, and does not wrap: number = rest + step * round. 0: nothing
    std::int64_t step = 0;
    ir::Expr rest = 0;
  };
  std::vector<Part> parts;
  /// Conditions on threads and loop counters alone.
  std::vector<ir::Expr> others;
  /// Whether the condition holds wherever all `parts` and all `others` hold.
  bool is_complete = true;
  /// Limits that are multiples of a number there.
  std::map<std::string, std::int64_t> multiples;
};

class SizeConditionTable {
 public:
  explicit SizeConditionTable(const ir::Kernel& kernel);

  /// `condition` of a statement, or, `negated`, that it fails. Computed once for each statement.
  const SplitCondition& split(const ir::Expr& condition, bool negated,
                              const ir::Definitions& definitions);

  /// The loop of `variable` to `end` begins, and ends.
  void enter(const std::string& variable, const ir::Expr& end);
  void leave(const std::string& variable) { tiled_loops_.erase(variable); }

  struct Bound {
    std::string limit;          // "": it is no sum below a limit
    std::int64_t step = 0;      // a number that divides its base; 0: the base is 0
    std::int64_t constant = 0;  // the limit, if it is a number
    std::int64_t max = 0;       // a larger number may wrap when it is added to the base
  };
  const Bound& bound(std::size_t number) const { return bounds_[number]; }

 private:
  void add(const ir::Expr& condition, bool negated, const ir::Definitions& definitions,
           SplitCondition& out);
  bool add_less(const ir::Expr& low, const ir::Expr& limit, SplitCondition& out);
  std::size_t bound_of(const std::string& key, const Bound& bound);
  bool is_of_launch(const ir::Expr& e) const;
  bool add_base(const std::map<std::string, LinearTerm>& base, Bound& bound) const;

  const ir::Kernel& kernel_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<Bound> bounds_;
  std::map<std::pair<const ir::Expr*, bool>, SplitCondition> split_;
  // A loop along an extent, `tile` elements in each round.
  struct TiledLoop {
    std::string extent;
    std::int64_t tile = 0;
    bool is_long_if_empty = false;  // (n - 1) / tile + 1 rounds, many if n is 0
  };
  std::map<std::string, TiledLoop> tiled_loops_;  // by variable
};

/// The conditions on sizes that hold on a path.
struct PathConditions {
  struct Number {
    std::size_t bound;
    machine::Values number;
    bool is_needed;  // some invocations come here, others do not
    // The number grows by a multiple of this in later rounds that a loop stands for.
    std::int64_t step = 0;
  };
  std::vector<Number> numbers;
  std::map<std::string, std::int64_t> multiples;
  /// Whether every invocation that may be on the path is on it if the needed conditions hold.
  bool are_complete = true;

  /// Whether they imply `set` in `lane`.
  bool imply(const SizeConditions& set, std::size_t lane, const SizeConditionTable& table) const;
  /// The conditions that `lane` needs; nullopt if they are not known.
  std::optional<SizeConditions> in(std::size_t lane, const SizeConditionTable& table) const;
};

}  // namespace vkmoye::gen
