// SPDX-License-Identifier: MIT
#pragma once
// A number that stands for a whole kernel, so that programs can remember which kernels were verified.
//
//   fingerprint(kernel) == fingerprint(copy)     for identical kernels (identical.hpp)
//   copy.threads = 64;                           another number

#include <compare>
#include <cstdint>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::ir {

/// 128 bits: among a billion kernels, two have equal fingerprints with a probability of 2^-69.
struct Fingerprint {
  std::uint64_t low = 0, high = 0;
  auto operator<=>(const Fingerprint&) const = default;
};

/// XXH3-128 of all members that `identical` compares, those of expressions too; the same in every process.
/// Precondition: the kernel was not written by hand (Kernel::hand_written).
Fingerprint fingerprint(const Kernel& kernel);

}  // namespace vkmoye::gen::ir
