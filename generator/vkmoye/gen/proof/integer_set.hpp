// SPDX-License-Identifier: MIT
#pragma once
// Sets of integer points over named variables: Presburger arithmetic, decided by isl (S. Verdoolaege, "isl: An Integer
// Set Library for the Polyhedral Model", ICMS 2010).
//
//   Solver solver(kSteps);
//   Set few = solver.not_negative({{"n", -1}}, 9);                  n <= 9
//   Set above = solver.not_negative({{"t", 1}, {"n", -1}}, 0);      t >= n
//   (few & above).is_empty()                                        false
//   (few & above).project_out({"t"}).is_subset_of(few)              true
//
// Each function throws GaveUp once the solver has taken its steps.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

struct isl_ctx;
struct isl_set;

namespace vkmoye::gen::proof {

/// The solver has taken as many steps as it may.
struct GaveUp {};

/// A value for each variable.
using Point = std::map<std::string, std::int64_t>;

class Set {
 public:
  /// Owns `set`. Throws GaveUp for nullptr, which isl gives after its last step.
  explicit Set(isl_set* set);
  Set(const Set& other);
  Set& operator=(Set other) {
    std::swap(set_, other.set_);
    return *this;
  }
  ~Set();

  friend Set operator&(const Set& a, const Set& b);
  friend Set operator|(const Set& a, const Set& b);
  friend Set operator-(const Set& a, const Set& b);
  /// The points that satisfy all linear equations which hold in the whole set.
  Set affine_hull() const;
  Set complement() const;
  /// This set, described by fewer constraints where that is easy.
  Set simplified() const;
  bool is_empty() const;
  bool is_subset_of(const Set& other) const;
  /// The points for which some values of the variables `names` exist.
  Set project_out(const std::vector<std::string>& names) const;
  /// This set with other names for its variables; variables that are not in `names` keep theirs.
  Set renamed(const std::map<std::string, std::string>& names) const;
  std::vector<std::string> variables() const;
  /// The number of sets whose union it is; each of them is given by constraints that all hold.
  int pieces() const;
  /// A point in it; nullopt: it is empty.
  std::optional<Point> sample() const;
  std::string text() const;

  isl_set* copy() const;

 private:
  isl_set* set_;
};

/// Factors of variables.
using Factors = std::map<std::string, std::int64_t>;

/// Makes sets, which must not outlive it.
class Solver {
 public:
  explicit Solver(unsigned long max_steps);

  /// The points where the sum of `factors` times variables and `constant` is not negative, or is 0.
  Set not_negative(const Factors& factors, std::int64_t constant) const;
  Set zero(const Factors& factors, std::int64_t constant) const;
  Set everything() const;
  Set nothing() const { return everything().complement(); }

 private:
  Set constrained(const Factors& factors, std::int64_t constant, bool is_equality) const;

  std::shared_ptr<isl_ctx> context_;
};

/// "0.25-GMP": of the library that decides, as part of a file name.
std::string version_of_isl();

}  // namespace vkmoye::gen::proof
