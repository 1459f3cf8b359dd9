// SPDX-License-Identifier: MIT
#pragma once
// Random choices from one seed, the same on every machine.

#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

namespace vkmoye::judge {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15 + 1) {}

  std::uint64_t bits() { return random_(); }
  /// A number from 0 to count - 1. Precondition: count is not 0.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
  bool chance(std::size_t one_in) { return below(one_in) == 0; }
  template <class T>
  T one_of(const std::vector<T>& list) {
    return list[below(list.size())];
  }
  template <class T>
  T one_of(std::initializer_list<T> list) {
    return list.begin()[below(list.size())];
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace vkmoye::judge
