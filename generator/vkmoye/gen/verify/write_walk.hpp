// SPDX-License-Identifier: MIT
#pragma once
// Follows the writes of one workgroup through a kernel, for all sizes: which elements are certain to have been written
// when a statement is reached. written_before_read.hpp says how; a walk over accesses of one kind derives from this.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "vkmoye/gen/ir/guards.hpp"
#include "vkmoye/gen/machine/evaluator.hpp"
#include "vkmoye/gen/verify/effects_cache.hpp"
#include "vkmoye/gen/verify/open_loops.hpp"
#include "vkmoye/gen/verify/written_facts.hpp"
#include "vkmoye/gen/verify/written_state.hpp"

namespace vkmoye::gen {

class WriteWalk {
 public:
  WriteWalk(const WriteWalk&) = delete;
  WriteWalk& operator=(const WriteWalk&) = delete;
  virtual ~WriteWalk() = default;

 protected:
  using Path = WrittenState::Path;
  using IsFollowed = std::function<bool(const ir::Array&)>;

  /// `max_rounds`: loops with more are followed as if the number of their rounds was unknown. `kernel` must outlive
  /// this.
  WriteWalk(const ir::Kernel& kernel, std::uint32_t max_rounds, const IsFollowed& is_followed);

  /// Follows the whole kernel. Throws machine::Budget::Exceeded.
  void run();

  /// An access of `lanes` to an array that is followed.
  struct Access {
    const ir::Array& array;
    const ir::Element& element;
    machine::ThreadSet lanes;
    const Path& path;
    bool by_any_lane;
  };
  /// A read is reached. What is written before is in state().
  virtual void read(const Access&) {}
  /// The accesses to `array` cannot be followed.
  virtual void give_up_on(const std::string& /*array*/) {}

  /// The index of an access. `is_known`: in all of its lanes, and in the rounds that are not followed, too.
  struct Index {
    const machine::Values& values;
    bool is_known;
  };
  Index index_of(const Access& access);
  /// The value of `e` in each invocation.
  const machine::Values& values_of(const ir::Expr& e) { return values_(e); }
  /// Whether `e` has its value in rounds that are not followed, too.
  bool repeats(const ir::Expr& e) { return loops_.repeats(e); }

  const ir::Kernel& kernel() const { return kernel_; }
  const WrittenState& state() const { return state_; }
  SizeConditionTable& size_conditions() { return size_conditions_; }
  /// Counts the steps of an access.
  void spend(std::uint64_t steps) { budget_.spend(steps); }
  void spend_for(const machine::Values& index) { spend(index.is_same() ? 1 : kernel_.threads); }

 private:
  using When = WrittenFact::When;

  void run(
      const ir::Body& body, const Path& path,
      const std::function<void(const WrittenFact&)>& see = [](const WrittenFact&) {});
  void visit(const ir::Stmt& statement, const Path& path);
  Access access_of(const ir::StatementAccess& access, const Path& path) const;
  void write(const Access& access);
  void define(const ir::Stmt& statement, const ir::Definition& d);
  bool is_uniform_load(const ir::Stmt& statement);
  machine::Values reliable(const ir::Expr& e);
  machine::Values growing(const SplitCondition::Part& part);
  void choose(const ir::If& s, const Path& path);
  // Whether the condition holds, or fails, in every launch, by the conditions and the ends of loops around it.
  std::optional<bool> implied(const ir::If& s);
  std::shared_ptr<const PathConditions> with(const PathConditions& path,
                                             const SplitCondition& split,
                                             const machine::ThreadSet& active, bool is_same,
                                             std::optional<SizeConditions>& why);
  void repeat(const ir::For& s, const Path& path, bool has_a_round);
  void give_up(const ir::Body& body);

  const ir::Kernel& kernel_;
  const IsFollowed is_followed_;
  const std::uint32_t max_rounds_;
  machine::Budget budget_;
  machine::Evaluator values_;
  OpenLoops loops_;
  SizeConditionTable size_conditions_;
  WrittenState state_;
  WrittenFacts facts_;
  ir::Definitions definitions_;
  ir::Guards guards_;  // what holds at the current statement
  std::unordered_map<const ir::If*, std::optional<bool>> implied_;
  EffectsCache effects_;
};

}  // namespace vkmoye::gen
