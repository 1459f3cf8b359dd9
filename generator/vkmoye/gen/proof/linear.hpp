// SPDX-License-Identifier: MIT
#pragma once
// Linear functions of bounded integer variables, with quotients and remainders by numbers.
//
//   thread in 0..255:   thread % 8    ->  thread.0                 a variable in 0..7
//                       thread / 8    ->  thread.1                 in 0..31, and thread is thread.0 + 8 thread.1
//                       (thread / 8 + 32 turn) % 8  ->  thread.1.0
//
// A variable is split where something is divided by a number, so that quotients and remainders of threads, loop
// counters and workgroups become variables of their own, each in a range that begins at 0. What cannot be
// divided so is a variable too, which facts tie to what it is the quotient of.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vkmoye::gen::proof {

class Linear {
 public:
  Linear(std::int64_t constant) : constant(constant) {}  // NOLINT: implicit by intent
  std::map<std::size_t, std::int64_t> terms = {};        // factors of variables, none 0
  std::int64_t constant = 0;

  bool is_number() const { return terms.empty(); }
  friend Linear operator+(const Linear& a, const Linear& b);
  friend Linear operator-(const Linear& a, const Linear& b) { return a + b * -1; }
  friend Linear operator*(const Linear& a, std::int64_t factor);
  friend bool operator==(const Linear&, const Linear&) = default;
};

/// Far beyond 32 bits: where a term or a partial sum may lie beyond it, the range is -kFar to kFar. Sums of a few such
/// numbers do not overflow.
inline constexpr std::int64_t kFar = std::int64_t{1} << 55;

struct Range {
  std::int64_t min = 0, max = 0;
};

/// Where a value is the same: in all of a launch; in a workgroup, in each round of a loop; or in an invocation alone.
enum class SameIn : std::uint8_t { launch, workgroup, invocation };

class Variables {
 public:
  struct Variable {
    std::string name;
    Range range;
    SameIn same_in = SameIn::invocation;
    // value = low + by * high, where it was divided by a number
    std::int64_t by = 0;
    std::size_t low = 0, high = 0;
  };

  /// The variable called `name`; it is made if there is none. Its range becomes at least `range`.
  std::size_t add(const std::string& name, Range range, SameIn same_in);
  bool has(const std::string& name) const { return by_name_.contains(name); }
  /// A short name for `key`, the same each time.
  std::string short_key(const std::string& key);
  /// Grows with each variable that is added, and each range that becomes wider.
  std::size_t changes() const { return list_.size() + widenings_; }
  const Variable& operator[](std::size_t variable) const { return list_[variable]; }
  std::size_t size() const { return list_.size(); }
  /// The value in terms of variables that are not split.
  Linear value(std::size_t variable) const;
  Linear expanded(const Linear& value) const;
  /// The variables that are not split and make up `variable`.
  std::vector<std::size_t> parts(std::size_t variable) const;
  Range range(const Linear& value) const;
  SameIn same_in(const Linear& value) const;

  /// `value` / `divisor`, rounded down. Splits variables so that it is linear; nullopt if they cannot be split so.
  /// Precondition: divisor > 0.
  std::optional<Linear> quotient(const Linear& value, std::int64_t divisor);

 private:
  std::optional<Linear> quotient_of_rest(const Linear& rest, std::int64_t divisor);
  void split(std::size_t variable, std::int64_t by);
  void widen(std::size_t variable, Range range);

  std::vector<Variable> list_;
  std::map<std::string, std::size_t> by_name_;
  std::map<std::string, std::string> keys_;
  std::size_t widenings_ = 0;
};

}  // namespace vkmoye::gen::proof
