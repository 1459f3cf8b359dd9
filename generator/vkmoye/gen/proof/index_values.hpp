// SPDX-License-Identifier: MIT
#pragma once
// The indices and conditions of a kernel as linear functions and sets over named variables.
//
//   32 * block_x + thread % 32      32 group_x + thread.0, if that is below 2^32 here; else its remainder by 2^32
//   if (col < cols && flag[0])      the points with col < cols: whether the flag is set is not known
//   rows * cols + 1                 ?#0 + 1: the product of two arguments is a variable of its own
//
// The variables are the arguments of the kernel, `thread`, `group_x` to `group_z`, the counters of loops, and:
//   ?#0    a value that is not known; equal expressions share one variable
//   !#0    a value that a condition selects, or the smaller of two; facts tell which
// An index is exact if no unknown value takes part in it, except values that depend on arguments alone: those are the
// same in the whole launch.
//
// index_operations.cpp defines the members that compute an operation; index_values.cpp the rest.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/proof/integer_set.hpp"
#include "vkmoye/gen/proof/linear.hpp"

namespace vkmoye::gen::proof {

/// Indices are computed modulo this number.
inline constexpr std::int64_t kWrap = std::int64_t{1} << 32;
/// The variables of the workgroup's coordinates, by dimension of the grid.
inline constexpr const char* kGroupNames[] = {"group_x", "group_y", "group_z"};

class IndexValues {
 public:
  struct Index {
    Linear value = 0;
    bool is_exact = true;
  };
  /// The points where a condition may hold; if `is_exact`, it holds at each of them.
  struct Condition {
    Set points;
    bool is_exact = true;
  };

  /// What holds in every workgroup of a launch is known from the start. `variables` may be those of a pass before,
  /// which have been split already. `is_draft`: for a pass that splits variables only; facts are then not kept.
  IndexValues(Solver& solver, Variables& variables, const ir::Kernel& kernel, bool is_draft);

  Index of(const ir::Expr& index);
  /// The points where `condition` holds or, if `negated`, fails.
  Condition where(const ir::Expr& condition, bool negated);

  /// Names that are defined and facts that are added after `enter` are forgotten at the matching `leave`.
  void enter();
  void leave();
  /// `from`: what the value is loaded from, if it is.
  void define(const ir::Definition& definition, const ir::Element* from = nullptr);
  /// Adds the body of a statement: its condition, or its loop counter. Returns where the body runs, if arguments alone
  /// decide; such a condition is no fact if it would split the facts into more pieces, as `n != 7` does.
  std::optional<Set> add(const ir::NestedBody& inner);

  /// `points` of arguments, with what the author assumes of them, and what variables that follow from them are.
  Set in_launch(Set points) const;
  /// What is known to hold here. Exact: it holds in exactly the invocations and rounds that get here.
  const Set& facts() const { return scopes_.back().facts; }
  bool is_exact() const { return scopes_.back().is_exact; }
  /// Throws GaveUp if the facts would fall into too many pieces.
  void add_fact(const Set& points);
  /// Adds what the author asserts as a fact, unless the facts would fall into too many pieces.
  void assume(const ir::Expr& condition);
  Set less(const Linear& a, const Linear& b) const { return at_most(a + 1, b); }
  Set at_most(const Linear& a, const Linear& b) const;
  Set equal(const Linear& a, const Linear& b) const;
  Linear variable(const std::string& name);
  /// The points where the variable `name` is one of the `count` numbers from `first` on.
  Set among(const std::string& name, const Linear& first, std::int64_t count);
  const Variables& variables() const { return variables_; }
  Solver& solver() { return solver_; }

 private:
  /// Equal for expressions that have the same value in each invocation.
  struct Identity {
    std::string key;
    SameIn same_in = SameIn::invocation;
  };
  struct Name {
    Identity identity;
    std::optional<Range> range;       // for an argument, whose index is made where it is first used
    std::optional<Index> index;       // for an argument, a loop counter or data
    std::optional<ir::Expr> meaning;  // for the name of a pure value
  };
  struct Scope {
    Set facts;
    bool is_exact;
    std::map<std::string, Name> names;
    std::unordered_map<const ir::Node*, Index> indices;
    std::unordered_map<const ir::Node*, Identity> identities;
    std::vector<ir::Expr> kept;  // so that no other node takes the address of one in a map
  };

  /// The result of `compute` for `e`, computed once in a scope and those within it.
  template <class T>
  T remembered(std::unordered_map<const ir::Node*, T> Scope::*known, const ir::Expr& e,
               T (IndexValues::*compute)(const ir::Expr&));
  Condition compared(const ir::Node& e, bool negated);
  Index computed(const ir::Expr& e);
  Index leaf(const ir::Expr& e);
  Index binary(const ir::Expr& e, const Index& a, const Index& b);
  Index product(const ir::Expr& e, const Index& a, const Index& b);
  Index quotient(const Index& value, std::int64_t divisor);
  Index remainder(const Index& value, std::int64_t divisor);
  Index masked(const ir::Expr& e, const Index& value, std::uint64_t mask);
  Index chosen(const ir::Expr& e);
  /// The smaller or the larger of two.
  Index extreme(const ir::Expr& e, const Index& a, const Index& b);
  /// Adds what the variable `name` is.
  void tie(const std::string& name, const Set& points, SameIn same_in);
  /// A variable that is `a` where `holds` does, else `b`.
  Index either(const std::string& name, const Set& holds, const Index& a, const Index& b,
               SameIn same_in);
  /// `value` modulo 2^32.
  Index fitting(const Linear& value, bool is_exact);
  Index unknown(const ir::Expr& e);
  /// The variable `name`, and the fact that it is in its range.
  Linear introduce(const std::string& name, Range range, SameIn same_in);
  /// The variable of an argument, whose range is a fact everywhere.
  Linear argument(const std::string& name, Range range);
  Set in_range(const Linear& value, Range range) const;
  Range range(const Index& index) const { return variables_.range(index.value); }
  Identity identity_of(const ir::Expr& e);
  Identity composed(const ir::Expr& e);
  /// The identity of a loaded element, equal for equal loads of an array that nothing writes.
  Identity identity_of_load(const ir::Element& from);
  Name* find(const std::string& name);

  Solver& solver_;
  Variables& variables_;
  const ir::Kernel& kernel_;
  const bool is_draft_;
  std::vector<Scope> scopes_;
  Set of_launch_;
  // The variables that arguments alone decide, by name, and how.
  std::vector<std::pair<std::string, Set>> ties_;
  std::size_t counters_ = 0, data_ = 0;
};

}  // namespace vkmoye::gen::proof
