// SPDX-License-Identifier: MIT
#pragma once
// What expressions evaluate to in each invocation of one workgroup.
//
//   Evaluator values({.threads = 4}, budget);
//   values.define("row", Values::same(7));
//   values(8 * variable("row") + builtin(Builtin::thread))     // 56 57 58 59
//   values(variable("cols"))                                   // not known: nothing defines it

#include <array>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "vkmoye/gen/machine/lanes.hpp"

namespace vkmoye::gen::machine {

/// The work that an analysis may do.
class Budget {
 public:
  /// Thrown where it is used up.
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
  std::size_t subgroup = 1;         // lanes of one
  std::array<Value, 3> group = {};  // its coordinates, where they are known
};

class Evaluator {
 public:
  /// `budget` outlives the evaluator.
  Evaluator(const Workgroup& workgroup, Budget& budget) : workgroup_(workgroup), budget_(budget) {}

  /// What `name` stands for from now on.
  void define(const std::string& name, Values values);

  /// The value in every invocation; valid until the next `define`. A node is evaluated anew only
  /// when a name that it depends on was defined since, however often it is shared.
  const Values& operator()(const ir::Expr& e);

 private:
  // Names are told apart by 64 bits, of which each has one: two that share theirs only cost time.
  using Names = std::uint64_t;
  struct Entry {
    Names names = 0;         // that the value depends on
    std::uint64_t time = 0;  // when it was found, 0: never
    Values values = Values();
  };
  static Names bit_of(const std::string& name);
  bool is_current(const Entry& entry) const;

  Values evaluate(const ir::Node& node);
  Values builtin(ir::Builtin which) const;
  void combine(const ir::Node& node, const std::vector<const Values*>& operands, std::size_t lane,
               std::span<Value> out) const;
  Value combine(const ir::Node& node, const std::vector<const Values*>& operands,
                std::size_t lane) const;

  const Workgroup workgroup_;
  Budget& budget_;
  std::unordered_map<std::string, Values> names_;
  std::unordered_map<const ir::Node*, Entry> memo_;
  std::vector<ir::Expr> held_;  // keeps the nodes of the memo alive, so that no address comes twice
  std::array<std::uint64_t, 64> defined_ = {};  // when a name with this bit was last defined
  std::uint64_t now_ = 1;
};

}  // namespace vkmoye::gen::machine
