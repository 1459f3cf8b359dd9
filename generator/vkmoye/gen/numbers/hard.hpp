// SPDX-License-Identifier: MIT
#pragma once
// Hard numbers: lines of the kinds on which arithmetic fails, reproducible from a stream.
//
//   exponents     2.1e-31 -7.3e12 4e-40 ..       uniform in a window of the type's exponents, or in all of them
//   ends          0 -0 1.4e-45 -3.4e38 1 ..      zeros, the smallest and the largest numbers, 1 and its neighbours
//   equal         7e4 7e4 7e4 -2e-3 -2e-3 ..     runs
//   one_sign      -3e8 -5e8 -2e8 ..              of similar size
//   cancelling    3e5 -3e5 7.25e5 -7.250001e5    pairs whose sum is 0 or a rounding error
//   subnormal     4e-40 -1e-44 ..
//   pleasant      0.3 -0.7 ..                    uniform in [-1, 1)
//   nonfinite     as exponents, one of them NaN or infinite
//   masked        0.3 -1e9 -1e9 ..               pleasant, and usual numbers for hidden: one of -1e4, -1e9, -1e10,
//                                                the lowest number and -infinity, on the left, on the right, in blocks,
//                                                everywhere, or everywhere but at one place
//
// For integer types: 0, 1, -1, the smallest and the largest numbers, runs, and uniform ones.

#include <cstdint>
#include <limits>

#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye::gen {

enum class HardKind : std::uint8_t {
  exponents,
  ends,
  equal,
  one_sign,
  cancelling,
  subnormal,
  pleasant,
  nonfinite,
  masked
};

/// Which hard numbers an array may contain.
struct HardNumbers {
  ScalarType type = ScalarType::f32;
  /// The largest magnitude of finite numbers, except those of a mask.
  double largest = std::numeric_limits<double>::infinity();
  bool nonfinite = true;
  bool masks = false;  // three of four lines are masked
};

/// A line of such numbers. It depends only on the stream, not on the machine. The type can represent each number.
class HardLine {
 public:
  HardLine(const HardNumbers& numbers, std::uint64_t stream, std::int64_t count);

  HardKind kind() const { return kind_; }
  /// Precondition: 0 <= place < count.
  double operator[](std::int64_t place) const;

 private:
  double drawn(std::int64_t place) const;
  double with_exponent(std::uint64_t bits) const;
  double end(std::uint64_t bits) const;
  double integer(std::int64_t place) const;
  bool is_hidden(std::int64_t place) const;

  HardNumbers numbers_;
  std::uint64_t stream_;
  std::int64_t count_;
  HardKind kind_;
  std::uint64_t shape_;           // bits that choose what the kind leaves open
  int min_exponent_, exponents_;  // of normal and subnormal numbers: the lowest, and how many
};

}  // namespace vkmoye::gen
