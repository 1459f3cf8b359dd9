// SPDX-License-Identifier: MIT
#include "vkmoye/gen/machine/lanes.hpp"

#include <algorithm>

namespace vkmoye::gen::machine {

Lanes::Lanes(std::size_t count, bool all)
    : count_(count), words_((count + 63) / 64, all ? ~std::uint64_t{0} : 0) {
  if (all && count % 64 != 0) words_.back() >>= 64 - count % 64;
}

void Lanes::set(std::size_t lane, bool member) {
  const std::uint64_t bit = std::uint64_t{1} << (lane % 64);
  std::uint64_t& word = words_[lane / 64];
  word = member ? word | bit : word & ~bit;
}

bool Lanes::none() const {
  return std::all_of(words_.begin(), words_.end(), [](std::uint64_t word) { return word == 0; });
}

Lanes& Lanes::operator&=(const Lanes& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  return *this;
}

Lanes& Lanes::operator|=(const Lanes& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  return *this;
}

Lanes& Lanes::operator-=(const Lanes& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
  return *this;
}

bool Values::is_known(const Lanes& lanes) const {
  bool known = true;
  if (same_) {
    for (const Value& value : data_) known = known && value.has_value();
    return known || lanes.none();
  }
  lanes.for_each([&](std::size_t lane) {
    for (std::size_t s = 0; s < scalars_; ++s) known = known && in(lane, s).has_value();
  });
  return known;
}

std::size_t scalars_of(const ir::Type& type) {
  const bool is_long = type.kind == ir::Type::Kind::element && type.element == ScalarType::c128;
  return type.width * (is_long ? 2 : 1);
}

}  // namespace vkmoye::gen::machine
