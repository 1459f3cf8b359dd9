#pragma once
// What index expressions are worth in each thread of one workgroup.
//
//   Evaluator values(/*threads=*/4, budget);
//   values.define("row", Values(4, 7));
//   values(8 * variable("row") + builtin(Builtin::thread))     // 56 57 58 59
//   values(variable("cols"))                                   // absent: nothing defines it

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "vkmoye/gen/ir/expr.hpp"

namespace vkmoye::gen::ir {

/// Of an expression in one thread and in all of them, an index or a truth value as 0 or 1; absent
/// where it depends on what is not defined, or on data.
using Value = std::optional<std::uint32_t>;
using Values = std::vector<Value>;

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

class Evaluator {
 public:
  /// `budget` outlives the evaluator. `group`: every coordinate of the workgroup, where it is known.
  Evaluator(std::size_t threads, Budget& budget, Value group = std::nullopt)
      : threads_(threads), group_(group), budget_(budget) {}

  /// What `name` is worth from now on.
  void define(const std::string& name, Values values);

  /// The value in every thread; valid until the next `define`. Each node is evaluated once between
  /// two of them, however often it is shared.
  const Values& operator()(const Expr& e);

 private:
  const std::size_t threads_;
  const Value group_;
  Budget& budget_;
  std::map<std::string, Values> names_;
  std::unordered_map<const Node*, Values> memo_;
  std::vector<Expr> held_;  // keeps the nodes of the memo alive, so that no address comes twice
};

}  // namespace vkmoye::gen::ir
