// SPDX-License-Identifier: MIT
#pragma once
// Follows the writes of one workgroup through a kernel, for all sizes, and finds the reads of shared memory and
// registers of which it is not certain that something wrote the elements before. written_before_read.hpp says how.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
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
  /// `max_rounds`: loops with more are followed as if the number of their rounds was unknown. `kernel` must outlive
  /// this.
  WriteWalk(const ir::Kernel& kernel, std::uint32_t max_rounds);
  WriteWalk(const WriteWalk&) = delete;
  WriteWalk& operator=(const WriteWalk&) = delete;

  /// The first read of elements that may be unwritten, for each array that has one; "" if the array cannot be
  /// followed. Throws machine::Budget::Exceeded.
  std::map<std::string, std::string> unshown();

 private:
  using When = WrittenFact::When;
  using Path = WrittenState::Path;
  /// An access of `lanes` to shared memory or registers.
  struct Access {
    const ir::Array& array;
    const ir::Element& element;
    machine::ThreadSet lanes;
    const Path& path;
    bool by_any_lane;
  };
  /// The index of an access. `is_known`: in all of its lanes, and in the rounds that are not followed, too.
  struct Index {
    const machine::Values& values;
    bool is_known;
  };

  void run(
      const ir::Body& body, const Path& path,
      const std::function<void(const WrittenFact&)>& see = [](const WrittenFact&) {});
  void visit(const ir::Stmt& statement, const Path& path);
  Access access_of(const ir::StatementAccess& access, const Path& path) const;
  Index index_of(const Access& access);
  void write(const Access& access);
  void read(const Access& access);
  // Whether all elements are written that a read with an unknown index may mean.
  bool may_only_read_written(const Access& access);
  void spend_for(const machine::Values& index) {
    budget_.spend(index.is_same() ? 1 : kernel_.threads);
  }
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
  std::map<std::string, std::string> unshown_;
};

}  // namespace vkmoye::gen
