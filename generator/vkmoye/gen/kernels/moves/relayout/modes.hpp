// SPDX-License-Identifier: MIT
#pragma once
// Two tensors of one shape as one list of modes, each with a stride in both.
//
//   src (8,64,64):(4096,1,64) -> dst (8,64,64):(1,512,8)            in NumPy: a.transpose(0, 2, 1), ..
//     modes    8: 4096 | 1     64: 64 | 8     64: 1 | 512           extent: stride in src | in dst
//
// Modes that are contiguous in both tensors are merged; the modes that remain are permuted.

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/layout/layout.hpp"

namespace vkmoye::gen {

/// A mode of both tensors.
struct JointMode {
  std::int64_t extent = 1;
  std::int64_t src = 1, dst = 1;  // strides, elements
  bool operator==(const JointMode&) const = default;
};

/// The smallest number of modes that describe both layouts, in order of increasing stride in dst. At least
/// one; none of extent 1 if there are others. Precondition: `reasons_against_relayout` is empty.
std::vector<JointMode> joint_modes(const Layout& src, const Layout& dst);

/// The modes with a nonzero stride in one of the tensors, selected by `stride`, in order of increasing
/// stride.
std::vector<std::size_t> order_by(const std::vector<JointMode>& modes,
                                  std::int64_t JointMode::*stride);

/// Why src cannot be copied to dst: modes of different sizes or without a common refinement, a dst that
/// overlaps itself, more than 2^48 elements. Empty if it can.
std::vector<std::string> reasons_against_relayout(const Layout& src, const Layout& dst);

/// Both tensors of b = a.transpose(permutation) in NumPy, with a and b in C order: src is a, indexed by
/// the coordinates of b. An empty permutation reverses the axes, as in NumPy.
struct Permutation {
  Layout src, dst;
};

/// Throws LayoutError unless `permutation` contains each axis of `shape` once, all extents are at least
/// 1, and their product fits in 64 bits.
Permutation permuted(const std::vector<std::int64_t>& shape,
                     const std::vector<std::int64_t>& permutation);

}  // namespace vkmoye::gen
