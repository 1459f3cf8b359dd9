// SPDX-License-Identifier: MIT
#pragma once
// What is written where a condition holds, or fails, or a loop has a round.
//
//   if (c) { tile[..] = x }          remembered: where c holds
//   if (!c) { tile[..] = y }         where it fails, too: certain after both branches
//   if (c) { .. = tile[..] }         recalled

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/ir/guards.hpp"
#include "vkmoye/gen/verify/written_state.hpp"

namespace vkmoye::gen {

struct WrittenFact {
  enum class When : std::uint8_t { holds, fails, has_a_round };
  ir::Expr of;  // a condition that is no negation, or the end of a loop
  When when;
  WrittenState::Written written;
};

class WrittenFacts {
 public:
  using When = WrittenFact::When;

  void remember(const ir::Expr& of, When when, WrittenState::Written written);
  /// Counts what is known to be written there.
  void recall(const ir::Expr& of, When when, WrittenState& state) const;
  /// Counts what is known to be written in round `round` of `loop`: if (2 < n) { tile[..] = x }, before a loop to n.
  void recall_for(const ir::For& loop, std::uint64_t round, WrittenState& state) const;

  /// How many are known. Names keep their values up to the end of a body; then its facts are forgotten.
  std::size_t count() const { return list_.size(); }
  /// Forgets all but the first `count`, after `see` of each.
  void forget(std::size_t count, const std::function<void(const WrittenFact&)>& see);

 private:
  std::vector<WrittenFact> list_;
};

/// How many rounds later `loop` has a round if `fact` says what holds: 2 of r + 2 < n. 0: it says nothing of that.
std::uint64_t rounds_ahead(const WrittenFact& fact, const ir::For& loop,
                           const ir::Definitions& definitions);

}  // namespace vkmoye::gen
