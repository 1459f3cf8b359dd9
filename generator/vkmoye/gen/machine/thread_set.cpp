// SPDX-License-Identifier: MIT
#include "vkmoye/gen/machine/thread_set.hpp"

#include <algorithm>

namespace vkmoye::gen::machine {

ThreadSet::ThreadSet(std::size_t count) : count_(count), words_((count + 63) / 64) {}

ThreadSet ThreadSet::all(std::size_t count) {
  ThreadSet set(count);
  std::fill(set.words_.begin(), set.words_.end(), ~std::uint64_t{0});
  if (count % 64 != 0) set.words_.back() >>= 64 - count % 64;
  return set;
}

void ThreadSet::set(std::size_t thread, bool member) {
  const std::uint64_t bit = std::uint64_t{1} << (thread % 64);
  std::uint64_t& word = words_[thread / 64];
  word = member ? word | bit : word & ~bit;
}

bool ThreadSet::none() const {
  return std::all_of(words_.begin(), words_.end(), [](std::uint64_t word) { return word == 0; });
}

ThreadSet& ThreadSet::operator&=(const ThreadSet& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  return *this;
}

ThreadSet& ThreadSet::operator|=(const ThreadSet& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  return *this;
}

ThreadSet& ThreadSet::operator-=(const ThreadSet& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
  return *this;
}

bool Values::is_known(const ThreadSet& threads) const {
  bool known = true;
  if (same_) {
    for (const Value& value : data_) known = known && value.has_value();
    return known || threads.none();
  }
  threads.for_each([&](std::size_t thread) {
    for (std::size_t s = 0; s < scalars_; ++s) known = known && in(thread, s).has_value();
  });
  return known;
}

std::size_t scalars_of(const ir::Type& type) {
  const bool is_long = type.is_element() && type.element == ScalarType::c128;
  return type.width * (is_long ? 2 : 1);
}

}  // namespace vkmoye::gen::machine
