// SPDX-License-Identifier: MIT
#pragma once
// Evaluates expressions in all invocations of one workgroup.
//
//   Evaluator values({.threads = 4}, budget);
//   values.define("row", Values::same(7));
//   values(8 * variable("row") + builtin(Builtin::thread))     // 56 57 58 59
//   values(variable("cols"))                                   // unknown: it is not defined

#include <array>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "vkmoye/gen/ir/contracted.hpp"
#include "vkmoye/gen/machine/thread_set.hpp"

namespace vkmoye::gen::machine {

/// Limits the work of an analysis.
class Budget {
 public:
  /// Thrown by `spend` when the budget is exceeded.
  struct Exceeded {};

  explicit Budget(std::uint64_t steps) : left_(steps) {}
  void spend(std::uint64_t steps) {
    if (steps > left_) throw Exceeded{};
    left_ -= steps;
  }

 private:
  std::uint64_t left_;
};

/// One workgroup of a launch.
struct Workgroup {
  std::size_t threads = 1;
  std::size_t subgroup_size = 1;    // lanes of a subgroup
  std::array<Value, 3> group = {};  // its coordinates, if they are known
  ir::Arithmetic arithmetic = {};
};

class Evaluator {
 public:
  /// `budget` must outlive the evaluator.
  Evaluator(const Workgroup& workgroup, Budget& budget) : workgroup_(workgroup), budget_(budget) {}

  /// Sets the value of `name` from now on.
  void define(const std::string& name, Values values);

  /// The value of `e` in every invocation. The reference is valid until the next call of `define`. Results are
  /// stored: a node is only evaluated again after a name that it depends on was redefined. Throws Budget::Exceeded.
  const Values& operator()(const ir::Expr& e) {
    return value(e, ir::computes_otherwise(workgroup_.arithmetic));
  }
  /// The value of `e` exactly as it is written, see ir::Let, whatever the compiler makes of other values.
  const Values& exact(const ir::Expr& e) { return value(e, /*contracts=*/false); }

 private:
  // A set of names, in which each name has one of 64 bits. If two names share a bit, a value may be evaluated again
  // without need.
  using Names = std::uint64_t;
  struct Entry {
    Names names = 0;         // the names that the value depends on
    std::uint64_t time = 0;  // when it was evaluated; 0: never
    Values values = Values();
  };
  static Names bit_of(const std::string& name);
  bool is_current(const Entry& entry) const;

  // `contracts`: whether the compiler may compute something else in place of nodes.
  const Values& value(const ir::Expr& e, bool contracts);
  Values evaluate(const ir::Node& node, bool contracts);
  // The expression that the compiler computes in place of `e`.
  const ir::Expr& as_computed(const ir::Expr& e);
  Values builtin(ir::Builtin which) const;
  void combine(const ir::Node& node, const std::vector<const Values*>& operands, std::size_t thread,
               std::span<Value> out) const;
  Value combine(const ir::Node& node, const std::vector<const Values*>& operands,
                std::size_t thread, std::size_t s) const;

  const Workgroup workgroup_;
  Budget& budget_;
  std::unordered_map<std::string, Values> names_;
  std::array<std::unordered_map<const ir::Node*, Entry>, 2> memo_;  // by `contracts`
  std::unordered_map<const ir::Node*, ir::Expr> as_computed_;
  std::vector<ir::Expr> held_;  // keeps the nodes in memo_ alive, so that no address is reused
  std::array<std::uint64_t, 64> defined_ = {};  // when a name with each bit was last defined
  std::uint64_t now_ = 1;
};

}  // namespace vkmoye::gen::machine
