// SPDX-License-Identifier: MIT
#pragma once
// Runs one workgroup of a kernel in lockstep: every statement once for all invocations that reach it.
//
// An Environment supplies what differs between uses: the known sizes, the contents of memory, how loops are followed.
//
//     used by          knows                                         finds
//     verify/races     no sizes; all paths, all different rounds     races between invocations
//     verify/trial     small sizes, no data                          problems in all workgroups
//     twin             small sizes and data                          the results
//     analysis         example sizes                                 the cost of accesses
//
// If a condition is unknown, the machine follows both branches and joins the results.

#include <any>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/machine/evaluator.hpp"

namespace vkmoye::gen::machine {

class Machine;

/// The rounds of a loop that are followed.
struct Rounds {
  std::uint32_t count = 0;
  bool open = false;  // the loop may end after any of them
};

/// An access by the invocations in `active`.
struct MemoryAccess {
  const ir::Element& element;
  const ir::Array& array;
  const ThreadSet& active;
  bool reads = false, writes = false, atomic = false;
  /// Whether the device decides which lane of a subgroup accesses which of the elements.
  bool by_any_lane = false;
};

/// Unknown values for the elements of an access. Invocations that read one integer, which no other invocation can write
/// meanwhile, get equal values, see `is_uniform_load`.
Values unknown_elements(Machine& machine, const MemoryAccess& access);

/// Whether all invocations of an access are known to read equal integers: at one place, of a buffer that is only read,
/// or from shared memory, where another invocation that writes would race.
bool is_uniform_load(Machine& machine, const MemoryAccess& access);

/// What differs between uses of the machine.
class Environment {
 public:
  virtual ~Environment() = default;

  /// Whether accesses to `array` must be followed.
  virtual bool follows(const ir::Array& array) const = 0;
  /// Whether elements are computed, or only indices and conditions.
  virtual bool needs_data() const { return false; }
  /// Called by the default implementations of load, store and combine, for environments that only observe accesses.
  virtual void accessed(Machine&, const MemoryAccess&) {}
  /// The values that the invocations read; unknown by default.
  virtual Values load(Machine& machine, const MemoryAccess& access);
  /// `values` are unknown unless needs_data().
  virtual void store(Machine& machine, const MemoryAccess& access, const Values&) {
    accessed(machine, access);
  }
  /// An atomic operation, which reads and writes. Returns the previous values.
  virtual Values combine(Machine& machine, const MemoryAccess& access, ir::Op op,
                         const Values& values);
  /// The invocations in `active` wait for each other.
  virtual void barrier(Machine&, const ThreadSet& /*active*/) {}
  /// Only the invocations in `active` reached `what`, which all of a subgroup or workgroup must reach.
  virtual void diverged(Machine&, const char* /*what*/, const ThreadSet& /*active*/) {}

  /// Whether the value of `condition` in `active` is the same in every round that the current path represents. If not,
  /// it counts as unknown.
  virtual bool can_rely_on(Machine&, const ir::Expr& /*condition*/, const ThreadSet& /*active*/) {
    return true;
  }
  /// The kernel assumes a condition, see ir::Assume. Returns the invocations of `active` that go on. `is_sure`: they
  /// come here in each launch that the machine follows; else only if conditions that are not known hold.
  virtual ThreadSet assumed(Machine&, const ir::Assume&, const ThreadSet& active,
                            bool /*is_sure*/) {
    return active;
  }
  /// A pure value was named.
  virtual void named(Machine&, const std::string&, const ir::Expr&) {}
  /// The rounds of `loop` to be followed. `known`: how many it has, if its end is known.
  virtual Rounds enter(Machine&, const ir::For& loop, std::optional<std::uint32_t> known) = 0;
  virtual void leave(Machine&, const ir::For&) {}

  /// Whether both branches of an unknown condition start from the same memory, by save and restore; otherwise they
  /// run one after the other.
  virtual bool forks() const { return true; }
  virtual std::any save() { return {}; }
  virtual void restore(const std::any& /*saved*/) {}
  /// Memory is now in the current state or in the saved one.
  virtual void join(const std::any& /*saved*/) {}
};

class Machine {
 public:
  /// All arguments but `workgroup` must outlive the machine.
  Machine(const ir::Kernel& kernel, const Workgroup& workgroup, Environment& environment,
          Budget& budget);

  /// Runs the kernel. Throws Budget::Exceeded.
  void run();

  const ir::Kernel& kernel() const { return kernel_; }
  const Workgroup& workgroup() const { return workgroup_; }
  Budget& budget() { return budget_; }
  /// The value of `e` at the current statement.
  const Values& operator()(const ir::Expr& e) { return values_(e); }
  Evaluator& values() { return values_; }
  /// The loops around the current statement and their rounds, outermost first.
  const std::vector<std::pair<std::string, std::uint32_t>>& rounds() const { return rounds_; }

 private:
  void run(const ir::Body& body, ThreadSet active);
  // Runs `body` where it is not known whether the threads `active` reach it.
  void try_run(const ir::Body& body, const ThreadSet& active);
  // Statements for control flow and names.
  void step(const ir::Let& s, const ThreadSet& active);
  void step(const ir::If& s, const ThreadSet& active);
  void step(const ir::For& s, const ThreadSet& active);
  void step(const ir::Titled& s, const ThreadSet& active);
  void step(const ir::GridLoop& s, const ThreadSet& active);
  template <class Statement>
  static constexpr bool is_step() {
    return requires(Machine & machine, const Statement& s, const ThreadSet& active) {
      machine.step(s, active);
    };
  }
  /// All other statements. ir::effects_of says what they access, what they order and who must arrive; only the values
  /// are computed here.
  void act(const ir::Stmt& statement, const ThreadSet& active);

  /// The effects of a statement and the arrays that it accesses.
  struct CachedEffects {
    ir::Effects effects;
    std::vector<const ir::Array*> arrays;  // one for each access
  };
  const CachedEffects& cached_effects(const ir::Stmt& statement);
  /// Calls `diverged` if all invocations must arrive, and only some do.
  void require_all(const ir::Effects& effects, const ThreadSet& active);
  /// The values that an access of `statement` reads.
  Values found(const ir::StatementAccess& access, const ir::Array& array, const ir::Stmt& statement,
               const ThreadSet& active);

  /// Computes the values that a statement stores, one for each access that writes, or the one that it names.
  struct Results;
  const ir::Array& array_of(const ir::MatrixPart& part) const { return *arrays_.at(part.array); }

  bool follows(const ir::Body& body);
  // Nested ones, too.
  std::size_t statements_in(const ir::Body& body);

  const ir::Kernel& kernel_;
  const Workgroup workgroup_;
  Environment& environment_;
  Budget& budget_;
  Evaluator values_;
  std::map<std::string, const ir::Array*> arrays_;
  std::unordered_map<const ir::Body*, bool> is_followed_;
  std::unordered_map<const ir::Body*, std::size_t> statements_in_;
  std::unordered_map<const ir::Stmt*, CachedEffects> effects_;
  std::vector<std::pair<std::string, std::uint32_t>> rounds_;
  bool is_sure_ = true;  // no condition around the statement is unknown
};

}  // namespace vkmoye::gen::machine
