// SPDX-License-Identifier: MIT
#pragma once
// Runs one workgroup of a kernel in lockstep: every statement once for all invocations that reach it.
//
//   What varies is handed in as a `Guest`: what is known of sizes, what memory holds, what is done where
//   a condition is not known.
//
//     verify/races     sizes unknown, every path and every round that differs      who meets whom
//     verify/trial     small sizes, data unknown                                   all workgroups
//     twin             small sizes, real data                                      the results
//     analysis         example sizes                                               what an access costs
//
// Where a condition is not known, the machine follows both ways and joins what it found.

#include <any>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/machine/evaluator.hpp"

namespace vkmoye::gen::machine {

class Machine;

/// How a loop is followed.
struct Rounds {
  std::uint32_t count = 0;
  bool open =
      false;  // there may be fewer or more: what holds after any of them may hold at the end
};

/// An access of the invocations in `active`.
struct MemoryAccess {
  const ir::Element& element;
  const ir::Array& array;
  const Lanes& active;
  bool reads = false, writes = false, atomic = false;
  /// Which lane of a subgroup touches which of the elements is the device's affair.
  bool by_any_lane = false;
};

/// The elements of an access, none of them known.
Values unknown_elements(const MemoryAccess& access);

/// What varies between those who run kernels on the machine.
class Guest {
 public:
  virtual ~Guest() = default;

  /// Whether accesses to `array` have to be followed.
  virtual bool concerns(const ir::Array& array) const = 0;
  /// Whether elements are computed, or indices and conditions only.
  virtual bool needs_data() const { return false; }
  /// By default what each of the three below does; for a guest that only looks on.
  virtual void accessed(Machine&, const MemoryAccess&) {}
  /// What the invocations find; not known by default.
  virtual Values load(Machine& machine, const MemoryAccess& access);
  /// `values`: not known if no data is needed.
  virtual void store(Machine& machine, const MemoryAccess& access, const Values&) {
    accessed(machine, access);
  }
  /// An atomic operation: reads and writes; gives what was there before.
  virtual Values combine(Machine& machine, const MemoryAccess& access, ir::Op op,
                         const Values& values);
  /// `active` wait for each other.
  virtual void barrier(Machine&, const Lanes& /*active*/) {}
  /// Something that all of a subgroup or a workgroup must come to, and some did not.
  virtual void diverged(Machine&, const char* /*what*/, const Lanes& /*active*/) {}

  /// Whether what a condition evaluates to holds in every round that the path stands for.
  virtual bool can_rely_on(Machine&, const ir::Expr& /*condition*/) { return true; }
  /// A pure value was given a name.
  virtual void named(Machine&, const std::string&, const ir::Expr&) {}
  /// `known`: the rounds of the loop, if its end is known.
  virtual Rounds enter(Machine&, const ir::For& loop, std::optional<std::uint32_t> known) = 0;
  virtual void leave(Machine&, const ir::For&) {}

  /// Whether unknown conditions are followed both ways with what memory holds kept apart; else both
  /// ways are taken one after the other.
  virtual bool forks() const { return true; }
  virtual std::any save() { return {}; }
  virtual void restore(const std::any& /*saved*/) {}
  /// What memory holds may be what it holds now, or what was saved.
  virtual void join(const std::any& /*saved*/) {}
};

class Machine {
 public:
  /// All outlive the machine. Throws Budget::Exceeded from `run`.
  Machine(const ir::Kernel& kernel, const Workgroup& workgroup, Guest& guest, Budget& budget);

  void run();

  const ir::Kernel& kernel() const { return kernel_; }
  const Workgroup& workgroup() const { return workgroup_; }
  Budget& budget() { return budget_; }
  /// Of an expression, here and now.
  const Values& operator()(const ir::Expr& e) { return values_(e); }
  Evaluator& values() { return values_; }
  /// The loops around this place and their rounds, outermost first.
  const std::vector<std::pair<std::string, std::uint32_t>>& rounds() const { return rounds_; }

 private:
  void run(const ir::Body& body, const Lanes& active);
  // Of statements that steer or name: no others run here.
  void step(const ir::Let& s, const Lanes& active);
  void step(const ir::If& s, const Lanes& active);
  void step(const ir::For& s, const Lanes& active);
  void step(const ir::Block& s, const Lanes& active);
  template <class Statement>
  static constexpr bool is_step() {
    return requires(Machine & machine, const Statement& s, const Lanes& active) {
      machine.step(s, active);
    };
  }
  /// Of all others: who must come, what is touched and what is ordered is what ir::effects_of says; only
  /// what the values are stands here.
  void act(const ir::Stmt& statement, const Lanes& active);

  /// What a statement does, and to which arrays.
  struct Account {
    ir::Effects effects;
    std::vector<const ir::Array*> arrays;  // of each touch
  };
  const Account& account_of(const ir::Stmt& statement);
  /// Tells the guest where some invocations arrive and others do not.
  void require_all(const ir::Effects& effects, const Lanes& active);
  /// What the touch finds. `statement` is the one that touches: of an atomic operation it has the value.
  Values found(const ir::Touch& touch, const ir::Array& array, const ir::Stmt& statement,
               const Lanes& active);

  /// What a statement stores, touch by touch, or names, by what it found.
  struct Results;
  const ir::Array& array_of(const ir::MatrixPart& part) const { return *arrays_.at(part.array); }

  bool concerns(const ir::Body& body);

  const ir::Kernel& kernel_;
  const Workgroup workgroup_;
  Guest& guest_;
  Budget& budget_;
  Evaluator values_;
  std::map<std::string, const ir::Array*> arrays_;
  std::unordered_map<const ir::Body*, bool> concerns_;
  std::unordered_map<const ir::Stmt*, Account> accounts_;
  std::vector<std::pair<std::string, std::uint32_t>> rounds_;
};

}  // namespace vkmoye::gen::machine
