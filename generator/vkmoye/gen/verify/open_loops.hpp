// SPDX-License-Identifier: MIT
#pragma once
// Which rounds of a loop stand for all: after how many rounds every index and condition in it repeats.
//
//   for (r < n) { tile[(r % 2) * 64 + thread] = x; if (r > 0) .. }      from round 1 on, after 2 rounds
//
// An expression that does not repeat in a loop around it counts as unknown: its value in the rounds that are followed
// says nothing about the others.

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/ir/recurrence.hpp"

namespace vkmoye::gen {

/// What the rounds of a loop have in common.
struct LoopPattern {
  ir::Recurrence rounds;     // the round from which everything repeats, and the period
  bool grows = false;        // an index grows without bound
  bool chooses = false;      // a condition, or the length of an inner loop, depends on the round
  bool is_too_long = false;  // the period
  /// Whether `rounds` describes all that the loop does.
  bool stands_for_all() const { return !grows && !chooses && !is_too_long; }
};

/// The loops around a statement; some of them are followed for a few rounds only.
class OpenLoops {
 public:
  /// `is_followed`: whether accesses to an array are followed. `kernel` must outlive this.
  OpenLoops(const ir::Kernel& kernel, std::function<bool(const ir::Array&)> is_followed)
      : kernel_(kernel), is_followed_(std::move(is_followed)) {}

  const LoopPattern& pattern_of(const ir::For& loop);

  /// `loop` begins, or ends. `is_open`: a few rounds of it stand for all.
  void enter(const ir::For& loop, bool is_open);
  void leave() { loops_.pop_back(); }
  /// A pure value was named.
  void named(const std::string& name, const ir::Expr& value);
  /// Whether `e`, an expression of the kernel, has its value in rounds that are not followed, too.
  bool repeats(const ir::Expr& e);

 private:
  // Names are tracked for each loop: a value that depends on two loops must repeat in each of them.
  struct Loop {
    bool is_open;
    const LoopPattern* pattern;                       // how many rounds of it are followed
    ir::Recurrences names;                            // empty where it is not open
    std::unordered_map<const ir::Node*, bool> known;  // whether nodes repeat
  };
  void look(const ir::Body& body, ir::Recurrences names, LoopPattern& pattern) const;

  const ir::Kernel& kernel_;
  std::function<bool(const ir::Array&)> is_followed_;
  std::vector<Loop> loops_;
  std::unordered_map<const ir::For*, LoopPattern> patterns_;
};

}  // namespace vkmoye::gen
