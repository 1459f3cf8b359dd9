// SPDX-License-Identifier: MIT
#pragma once
// Sets of the invocations of a workgroup, and what a value is in each of them.
//
//   Lanes all(256, true);
//   Values sevens = Values::same(7);                 the same in every invocation
//   sevens.in(lane)                                  7
//   Values unknown;                                  not known, but the same everywhere

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vkmoye/gen/ir/meaning.hpp"

namespace vkmoye::gen::machine {

/// Which invocations of a workgroup take part.
class Lanes {
 public:
  explicit Lanes(std::size_t count = 0, bool all = false);

  std::size_t count() const { return count_; }  // of the workgroup
  bool has(std::size_t lane) const { return (words_[lane / 64] >> (lane % 64) & 1) != 0; }
  void set(std::size_t lane, bool member);
  bool none() const;
  bool operator==(const Lanes&) const = default;

  Lanes& operator&=(const Lanes& other);
  Lanes& operator|=(const Lanes& other);
  /// Without those of `other`.
  Lanes& operator-=(const Lanes& other);

  /// Calls visit(lane) for each member, in order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t word = 0; word < words_.size(); ++word) {
      for (std::uint64_t rest = words_[word]; rest != 0; rest &= rest - 1) {
        visit(64 * word + static_cast<std::size_t>(__builtin_ctzll(rest)));
      }
    }
  }

 private:
  std::size_t count_;
  std::vector<std::uint64_t> words_;
};

inline Lanes operator&(Lanes a, const Lanes& b) { return a &= b; }
inline Lanes operator-(Lanes a, const Lanes& b) { return a -= b; }

using ir::Value;

/// What an expression evaluates to in every invocation: `scalars` values each, more than one for
/// vectors and c128. Kept once where it is the same in all.
class Values {
 public:
  Values() : data_(1) {}
  static Values same(Value value) { return Values(std::vector<Value>{value}, 1, true); }
  static Values same(std::vector<Value> scalars) {
    const std::size_t count = scalars.size();
    return Values(std::move(scalars), count, true);
  }
  /// One for each of `lanes` invocations, to be set.
  static Values different(std::size_t lanes, std::size_t scalars = 1) {
    return Values(std::vector<Value>(lanes * scalars), scalars, false);
  }
  /// Not known, and perhaps different in each invocation.
  static Values unknown(std::size_t scalars = 1) { return Values({}, scalars, false); }

  bool is_same() const { return same_; }
  std::size_t scalars() const { return scalars_; }
  bool is_unknown() const { return data_.empty(); }  // in every invocation
  const Value& in(std::size_t lane, std::size_t scalar = 0) const {
    static const Value nothing;
    if (is_unknown()) return nothing;
    return data_[(same_ ? 0 : lane * scalars_) + scalar];
  }
  /// Precondition: made by `different`.
  void set(std::size_t lane, std::size_t scalar, Value value) {
    data_[lane * scalars_ + scalar] = value;
  }
  void set(std::size_t lane, Value value) { set(lane, 0, value); }

  /// Of indices, each known or not by itself. Precondition: scalars() == 1, !is_unknown().
  ir::Indices indices() const { return {data_.data(), same_ ? 0 : std::size_t{1}}; }
  /// All of them, to be set. Precondition: made by `different`.
  std::span<Value> all() { return data_; }

  /// Whether every member of `lanes` has a value.
  bool is_known(const Lanes& lanes) const;

 private:
  Values(std::vector<Value> data, std::size_t scalars, bool same)
      : scalars_(scalars), same_(same), data_(std::move(data)) {}
  std::size_t scalars_ = 1;
  bool same_ = true;
  std::vector<Value> data_;
};

/// Scalars of a value of this type: of an array's element that many words of 64 bits.
std::size_t scalars_of(const ir::Type& type);

}  // namespace vkmoye::gen::machine
