// SPDX-License-Identifier: MIT
#pragma once
// A value whose copies share it until one of them changes: the state at the start of both branches of a condition.
//
//   SharedCopy<std::vector<int>> a(std::vector<int>{1, 2}), b = a;   one vector
//   b.writable().push_back(3);                                       b has a vector of its own

#include <memory>
#include <utility>

namespace vkmoye::gen::machine {

template <class T>
class SharedCopy {
 public:
  explicit SharedCopy(T value = {}) : value_(std::make_shared<T>(std::move(value))) {}

  const T& operator*() const { return *value_; }
  /// The value, for a change that no copy sees. References from before may belong to the copies afterwards.
  T& writable() {
    if (value_.use_count() > 1) value_ = std::make_shared<T>(*value_);
    return *value_;
  }
  /// Whether both still share the value, and so have equal ones.
  bool is_shared_with(const SharedCopy& other) const { return value_ == other.value_; }

 private:
  std::shared_ptr<T> value_;
};

}  // namespace vkmoye::gen::machine
