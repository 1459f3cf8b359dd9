// SPDX-License-Identifier: MIT
#pragma once
// Sets of threads of a workgroup, and the values of an expression in them.
//
//   ThreadSet all(256, true);
//   Values sevens = Values::same(7);                 the same in every thread
//   sevens.in(thread)                                7
//   Values unknown;                                  unknown, but the same in every thread

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vkmoye/gen/ir/evaluate.hpp"

namespace vkmoye::gen::machine {

/// A set of threads of a workgroup.
class ThreadSet {
 public:
  /// An empty set of threads of a workgroup that has `count`.
  explicit ThreadSet(std::size_t count = 0);
  /// The set of all `count` threads.
  static ThreadSet all(std::size_t count);

  /// The number of threads of the workgroup, not of the set.
  std::size_t count() const { return count_; }
  bool has(std::size_t thread) const { return (words_[thread / 64] >> (thread % 64) & 1) != 0; }
  void set(std::size_t thread, bool member);
  bool none() const;
  bool operator==(const ThreadSet&) const = default;

  ThreadSet& operator&=(const ThreadSet& other);
  ThreadSet& operator|=(const ThreadSet& other);
  /// Removes the members of `other`.
  ThreadSet& operator-=(const ThreadSet& other);

  /// Calls visit(thread) for each member, in increasing order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t word = 0; word < words_.size(); ++word) {
      for (std::uint64_t rest = words_[word]; rest != 0; rest &= rest - 1) {
        visit(64 * word + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
  }

 private:
  std::size_t count_;
  std::vector<std::uint64_t> words_;
};

inline ThreadSet operator&(ThreadSet a, const ThreadSet& b) { return a &= b; }
inline ThreadSet operator-(ThreadSet a, const ThreadSet& b) { return a -= b; }

using ir::Value;

/// The value of an expression in every thread: `scalars` scalars each, more than one for vectors and c128. It is
/// stored once if it is the same in all.
class Values {
 public:
  Values() : data_(1) {}
  static Values same(Value value) { return Values(std::vector<Value>{value}, 1, true); }
  static Values same(std::vector<Value> scalars) {
    const std::size_t count = scalars.size();
    return Values(std::move(scalars), count, true);
  }
  /// A value for each of `threads` threads, to be set.
  static Values different(std::size_t threads, std::size_t scalars = 1) {
    return Values(std::vector<Value>(threads * scalars), scalars, false);
  }
  /// Unknown, and possibly different in each thread.
  static Values unknown(std::size_t scalars = 1) { return Values({}, scalars, false); }

  bool is_same() const { return same_; }
  std::size_t scalars() const { return scalars_; }
  /// Whether this was made by `unknown`.
  bool is_unknown() const { return data_.empty(); }
  const Value& in(std::size_t thread, std::size_t scalar = 0) const {
    static const Value nothing;
    if (is_unknown()) return nothing;
    return data_[(same_ ? 0 : thread * scalars_) + scalar];
  }
  /// Precondition: made by `different`.
  void set(std::size_t thread, std::size_t scalar, Value value) {
    data_[thread * scalars_ + scalar] = value;
  }
  void set(std::size_t thread, Value value) { set(thread, 0, value); }

  /// The values as indices, some of which may be unknown. Precondition: scalars() == 1, !is_unknown().
  ir::Indices indices() const { return {data_.data(), same_ ? 0 : std::size_t{1}}; }
  /// All scalars, to be set. Precondition: made by `different`.
  std::span<Value> all() { return data_; }

  /// Whether the value is known in every member of `threads`.
  bool is_known(const ThreadSet& threads) const;

 private:
  Values(std::vector<Value> data, std::size_t scalars, bool same)
      : scalars_(scalars), same_(same), data_(std::move(data)) {}
  std::size_t scalars_ = 1;
  bool same_ = true;
  std::vector<Value> data_;
};

/// The number of scalars of a value of this type.
std::size_t scalars_of(const ir::Type& type);

}  // namespace vkmoye::gen::machine
