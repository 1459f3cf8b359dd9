// SPDX-License-Identifier: MIT
#pragma once
// Which elements of shared memory and registers are certain to have been written when a given statement is reached.
//
//   state.write(sums, ..)                        certain from here on
//   const auto mark = state.mark();
//   state.write(tile, ..)                        in a branch
//   const auto then = state.take_back(mark);     as before the branch
//   state.join(then, otherwise, ..)              what counts after both branches

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/machine/thread_set.hpp"
#include "vkmoye/gen/verify/size_conditions.hpp"

namespace vkmoye::gen {

class WrittenState {
 public:
  /// Nothing is written. `size_conditions` must outlive this.
  WrittenState(const ir::Kernel& kernel, const SizeConditionTable& size_conditions);

  /// Who is on a path.
  struct Path {
    machine::ThreadSet active;                         // threads that may be on the path
    machine::ThreadSet uncertain;                      // threads for which this is not known
    std::shared_ptr<const PathConditions> conditions;  // the conditions that hold on the path
  };

  /// The threads in `lanes` write `width` elements from `at` on. `by_any`: the device decides which of them writes
  /// which.
  void write(const ir::Array& array, const machine::Values& at, std::uint32_t width,
             const machine::ThreadSet& lanes, const Path& path, bool by_any);
  /// Whether those elements are written, each in the invocation of `lanes` that reads it.
  bool is_written(const ir::Array& array, const machine::Values& at, std::uint32_t width,
                  const machine::ThreadSet& lanes, const Path& path, bool by_any) const;
  /// Whether the first `count` elements are written, each in all of `lanes`.
  bool are_written(const ir::Array& array, std::uint64_t count, const machine::ThreadSet& lanes,
                   const Path& path, bool by_any) const;

  /// A position in the log of changes.
  struct Mark {
    std::size_t registers = 0, shared = 0;
  };
  /// The elements that were written since a mark.
  struct Written {
    std::map<std::size_t, machine::ThreadSet> registers;
    std::map<std::size_t, std::int32_t> shared;
  };
  Mark mark() const { return {registers_log_.size(), shared_log_.size()}; }
  Written since(const Mark& mark) const;
  Written take_back(const Mark& to);
  /// Marks the elements of `written` as written, where the writes are known to have happened.
  void add(const Written& written);

  /// Who takes which of two branches.
  struct Choice {
    machine::ThreadSet active;        // who may come to them
    machine::ThreadSet holds, fails;  // the one, or the other
    machine::ThreadSet uncertain;     // who may not come to the branches, although others do
    bool is_same;                     // all others take the same one, and it is not known which
    // What decides about the first branch and the second one, if arguments and the workgroup do.
    std::optional<SizeConditions> first = {}, second = {};
  };
  /// Counts what is written after two branches that wrote `then` and `otherwise`.
  void join(const Written& then, const Written& otherwise, const Choice& choice);

 private:
  // State of an element of shared memory: kUnwritten, kWritten, or kFirstConditional + i, which means written under the
  // conditions conditional_writes_[i].
  static constexpr std::int32_t kUnwritten = 0, kWritten = 1, kFirstConditional = 2;
  struct ConditionalWrite {
    std::int32_t by = -1;  // this thread has written it, if it is on the path; -1: none
    std::optional<SizeConditions> conditions;  // it is written where they hold
    auto operator<=>(const ConditionalWrite&) const = default;
  };
  const ConditionalWrite& conditional(std::int32_t value) const;
  std::int32_t number_of(ConditionalWrite write);
  struct Place {
    std::size_t first = 0, count = 0;  // in registers_ or shared_
  };
  void set(std::size_t unit, const machine::ThreadSet& lanes);
  void set(std::size_t cell, std::int32_t value);
  std::int32_t joined(std::int32_t then, std::int32_t otherwise, const Choice& choice);
  // The state after two paths, if all invocations take the same one.
  std::int32_t on_either(std::int32_t then, std::int32_t otherwise, const Choice& choice);

  const SizeConditionTable& size_conditions_;
  std::vector<ConditionalWrite> conditional_writes_;
  std::map<ConditionalWrite, std::int32_t> numbers_;  // in conditional_writes_
  std::map<std::string, Place> places_;
  std::vector<machine::ThreadSet> registers_;  // for each vector: who has written it
  std::vector<std::int32_t> shared_;
  // The states that changes replaced, to take them back.
  std::vector<std::pair<std::size_t, machine::ThreadSet>> registers_log_;
  std::vector<std::pair<std::size_t, std::int32_t>> shared_log_;
};

}  // namespace vkmoye::gen
