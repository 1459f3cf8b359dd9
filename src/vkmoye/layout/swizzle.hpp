// SPDX-License-Identifier: MIT
#pragma once
// Swizzle: xor one field of an offset's bits with another, so that columns of a shared array fall
// into different banks without padding.
//
//   Swizzle{2,0,3}: bits 3 4 are xored onto bits 0 1           Swizzle{B,M,S}: B bits, onto bit M,
//                                                              from S bits further up
//     offset   0  1  2  3 |  8  9 10 11 | 16 17 18 19
//     becomes  0  1  2  3 |  9  8 11 10 | 18 19 16 17
//
// A swizzle permutes every aligned block of 2^(B+M+|S|) offsets, so a layout stays injective under
// it. Slicing a swizzled layout must not lose it: the slice starts at an offset *before* the
// swizzle, which is what ComposedLayout keeps.
//
// CuTe: Swizzle, ComposedLayout (include/cute/swizzle.hpp, layout_composed.hpp).

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>

#include "vkmoye/layout/composition.hpp"
#include "vkmoye/layout/divide.hpp"
#include "vkmoye/layout/modes.hpp"
#include "vkmoye/layout/slice.hpp"

namespace vkmoye {

class Swizzle {
 public:
  /// The identity.
  constexpr Swizzle() = default;

  /// `bits` bits are xored onto bit `base` from `shift` bits further up (below 0: from further
  /// down). Throws LayoutError unless bits >= 0, base >= 0, |shift| >= bits, and all bits are below 62.
  constexpr Swizzle(int bits, int base, int shift) : bits_(bits), base_(base), shift_(shift) {
    const int distance = shift < 0 ? -shift : shift;
    if (bits < 0 || base < 0 || distance < bits || bits > 62 || base > 62 || distance > 62 ||
        bits + base + distance > 62)
      raise("swizzle", {IntTuple{bits, base, shift}},
            "it needs bits >= 0, base >= 0, |shift| >= bits and their sum at most 62");
  }

  constexpr int bits() const { return bits_; }
  constexpr int base() const { return base_; }
  constexpr int shift() const { return shift_; }

  /// The bits that are read, and the bits that are changed.
  constexpr std::int64_t source_mask() const {
    return field() << (base_ + (shift_ > 0 ? shift_ : 0));
  }
  constexpr std::int64_t target_mask() const {
    return field() << (base_ - (shift_ < 0 ? shift_ : 0));
  }

  /// Postcondition: (*this)((*this)(x)) == x, and x / block_size() stays. Throws LayoutError for x < 0.
  constexpr std::int64_t operator()(std::int64_t x) const {
    if (x < 0) raise("swizzle", {IntTuple{bits_, base_, shift_}}, "offset {} is below 0", {x});
    const std::int64_t source = x & source_mask();
    return x ^ (shift_ >= 0 ? source >> shift_ : source << -shift_);
  }

  /// Every aligned block of this many offsets is permuted in itself.
  constexpr std::int64_t block_size() const {
    return std::int64_t{1} << (bits_ == 0 ? 0 : bits_ + base_ + (shift_ < 0 ? -shift_ : shift_));
  }

  /// Offsets below this are not changed.
  constexpr std::int64_t identity_below() const {
    return bits_ == 0 ? std::numeric_limits<std::int64_t>::max()
                      : std::int64_t{1} << (base_ + (shift_ > 0 ? shift_ : 0));
  }

  constexpr bool operator==(const Swizzle&) const = default;

 private:
  constexpr std::int64_t field() const { return (std::int64_t{1} << bits_) - 1; }

  int bits_ = 0;
  int base_ = 0;
  int shift_ = 0;
};

/// Postcondition: result(x) == a(b(x)). Throws LayoutError unless the result is a single swizzle: the
/// shifts are equal, b does not change bits that a reads, and the bits that only one of them changes
/// are adjacent.
constexpr Swizzle composition(const Swizzle& a, const Swizzle& b) {
  if (a.bits() == 0) return b;
  if (b.bits() == 0) return a;
  if (a.shift() != b.shift())
    raise("composition of swizzles", {a.shift(), b.shift()}, "the shifts differ");
  if ((a.source_mask() & b.target_mask()) != 0)
    raise("composition of swizzles", {a.base(), b.base()},
          "the second changes bits the first reads");
  std::int64_t field = (a.source_mask() ^ b.source_mask()) >> (a.shift() > 0 ? a.shift() : 0);
  if (field == 0) return {};
  int base = 0, bits = 0;
  for (; (field & 1) == 0; field >>= 1) ++base;
  for (; (field & 1) == 1; field >>= 1) ++bits;
  if (field != 0)
    raise("composition of swizzles", {a.base(), b.base()}, "the xored bits are not side by side");
  return {bits, base, a.shift()};
}

/// c -> swizzle(offset + layout(c)).
struct ComposedLayout {
  Swizzle swizzle;
  std::int64_t offset = 0;
  Layout layout;

  /// The offset of `coordinate`, after the swizzle.
  constexpr std::int64_t operator()(const IntTuple& coordinate) const {
    return swizzle(checked_add(offset, layout(coordinate)));
  }
  /// The offset of the coordinate (first, second, rest...).
  template <std::convertible_to<IntTuple>... Rest>
  constexpr std::int64_t operator()(const IntTuple& first, const IntTuple& second,
                                    const Rest&... rest) const {
    return (*this)(IntTuple{first, second, IntTuple(rest)...});
  }
  constexpr std::int64_t size() const { return layout.size(); }
  constexpr int rank() const { return layout.rank(); }
  constexpr IntTuple shape() const { return layout.shape(); }

  /// Elements that storage needs, the last block that the swizzle permutes included whole.
  constexpr std::int64_t cosize() const {
    const std::int64_t plain = checked_add(offset, layout.cosize());
    if (plain <= swizzle.identity_below()) return plain;
    const std::int64_t block = swizzle.block_size();
    return checked_mul(ceil_div(plain, block), block);
  }

  /// Applies f to the layout inside and keeps swizzle and offset. f may only rearrange coordinates.
  template <class F>
  constexpr ComposedLayout with(F f) const {
    return {swizzle, offset, f(layout)};
  }

  constexpr bool operator==(const ComposedLayout&) const = default;
};

/// Swizzle<2,0,3>, and Swizzle<2,0,3> o 24 o (8):(1).
std::string to_string(const Swizzle& swizzle);
std::string to_string(const ComposedLayout& layout);

/// Postcondition: result(c) == swizzle(layout(c)).
constexpr ComposedLayout composition(const Swizzle& swizzle, const Layout& layout) {
  return {swizzle, 0, layout};
}

/// Postcondition: result(c) == a(b(c)) for a list per mode. The swizzle stays outside.
constexpr ComposedLayout composition(const ComposedLayout& a, const Tiler& b) {
  return a.with([&](const Layout& layout) { return composition(layout, b); });
}

/// Postcondition: result(c) == outer(a(c)).
constexpr ComposedLayout composition(const Swizzle& outer, const ComposedLayout& a) {
  return {composition(outer, a.swizzle), a.offset, a.layout};
}

/// The modes at `_`; what the numbers fix is added to the offset before the swizzle.
constexpr ComposedLayout slice(const IntTuple& coordinate, const ComposedLayout& a) {
  const OffsetLayout part = slice_and_offset(coordinate, a.layout);
  return {a.swizzle, checked_add(a.offset, part.offset), part.layout};
}

/// As for layouts; the swizzle stays as it is.
constexpr ComposedLayout zipped_divide(const ComposedLayout& a, const Tiler& tiler) {
  return a.with([&](const Layout& layout) { return zipped_divide(layout, tiler); });
}
/// As for layouts; the swizzle stays as it is.
constexpr ComposedLayout logical_divide(const ComposedLayout& a, const Tiler& tiler) {
  return a.with([&](const Layout& layout) { return logical_divide(layout, tiler); });
}
/// As for layouts; the swizzle stays as it is.
constexpr ComposedLayout transpose(const std::same_as<ComposedLayout> auto& a) {
  return a.with([](const Layout& layout) { return transpose(layout); });
}

}  // namespace vkmoye
