// SPDX-License-Identifier: MIT
#pragma once
// Computes what to dispatch from a kernel's interface, buffer sizes and arguments, or gives every reason why it
// cannot be dispatched. Plain numbers: no Vulkan, no device.
//
//   grid of 70000 x 2 groups on a device that dispatches 65535 at a time in x:
//   pieces  (0,0) 65535 x 2    (65535,0) 4465 x 2

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/contract/argument_names.hpp"
#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/contract/kernel_interface.hpp"

namespace vkmoye {

/// The memory of a binding: `bytes` bytes of a buffer, starting at `offset`.
struct BoundRange {
  const void* memory = nullptr;    // identifies the buffer
  std::uint64_t memory_bytes = 0;  // the size of the whole buffer
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  /// The address of the buffer on the device, if the binding is accessed through a pointer.
  std::uint64_t address = 0;
};

/// Whether the ranges have a byte in common.
bool overlap(const BoundRange& a, const BoundRange& b);

/// The message for two buffers that overlap although one of them, `written`, is written.
std::string overlap_reason(const std::string& name_of_a, const BoundRange& a,
                           const std::string& name_of_b, const BoundRange& b,
                           const std::string& written);

/// One dispatch: `count` groups, starting at group `first`, in x, y and z.
struct GridPiece {
  std::array<std::uint32_t, 3> first = {}, count = {};
  bool operator==(const GridPiece&) const = default;
};

struct Dispatches {
  std::vector<std::uint64_t> needed_bytes;  // that each binding needs for these arguments
  std::vector<std::uint64_t> bound_bytes;   // the size of each binding's descriptor
  /// The values of the arguments and addresses, in the layout of the interface; the members first_group_* are 0.
  std::vector<std::byte> push_constants;
  /// The offsets of first_group_*; -1: the kernel has none.
  std::array<int, 3> first_group = {-1, -1, -1};
  /// Cover each group of the grid once. One piece; several if the grid is too large, none if it is empty.
  std::vector<GridPiece> pieces;
};

/// Specialised arguments may be missing. Throws ArgumentError with every reason: the wrong number of buffers; arguments
/// that are missing, unknown, out of range, or specialised with another value; a range that exceeds its buffer, is
/// misaligned or too short for the kernel; an array that is larger than the device allows for a binding or a buffer; a
/// written range that overlaps another; a grid that cannot be split.
Dispatches prepare_dispatches(const KernelInterface& kernel, const DeviceCaps& caps,
                              std::span<const BoundRange> ranges, const Arguments& given);

/// Replaces the ranges of `dispatches`, which was made for the same kernel and device; its arguments stay the same.
/// Throws ArgumentError for invalid ranges, like prepare_dispatches. Allocates nothing.
void rebind(const KernelInterface& kernel, const DeviceCaps& caps,
            std::span<const BoundRange> ranges, Dispatches& dispatches);

}  // namespace vkmoye
