// SPDX-License-Identifier: MIT
#pragma once
// From a kernel's interface, buffer sizes and arguments to what is dispatched, or every reason why
// not. Plain numbers: no Vulkan, no device.
//
//   grid of 70000 x 2 groups on a device that dispatches 65535 at a time in x:
//   pieces  (0,0) 65535 x 2    (65535,0) 4465 x 2

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/contract/kernel_interface.hpp"

namespace vkmoye {

/// What stands behind a binding: `bytes` bytes from `offset` on of the memory known by `memory`.
struct BoundRange {
  const void* memory = nullptr;    // equal: the same buffer
  std::uint64_t memory_bytes = 0;  // of the whole buffer
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t address =
      0;  // of the memory on the device; where something is reached by a pointer
};

/// Whether they have a byte in common.
bool overlap(const BoundRange& a, const BoundRange& b);

/// Why a and b, of these names, cannot both be given: they overlap and `written`, one of them, is written.
std::string overlap_reason(const std::string& name_of_a, const BoundRange& a,
                           const std::string& name_of_b, const BoundRange& b,
                           const std::string& written);

/// One dispatch: `count` groups from `first` on, in x, y and z.
struct GridPiece {
  std::array<std::uint32_t, 3> first = {}, count = {};
  bool operator==(const GridPiece&) const = default;
};

struct LaunchPlan {
  std::vector<std::uint64_t> needed_bytes;  // of each binding, under the arguments
  std::vector<std::uint64_t> bound_bytes;   // of each binding's descriptor
  /// As the interface lays them out, addresses filled in; first_group_* are 0.
  std::vector<std::byte> push_constants;
  std::array<int, 3> first_group = {-1, -1, -1};  // their offsets there, -1: the kernel has none
  std::vector<GridPiece> pieces;  // they cover the grid once; one unless it is too large or empty
};

/// Throws ArgumentError with every reason: number of buffers, arguments missing, unknown or out of
/// range, a range that reaches beyond its buffer, is misaligned or too short for the kernel, an
/// array larger than a binding or a buffer of the device may be, a written range that overlaps
/// another, a grid that cannot be split.
LaunchPlan plan_launch(const KernelInterface& kernel, const DeviceCaps& caps,
                       std::span<const BoundRange> ranges, const Arguments& arguments);

/// Gives `plan`, made for the same kernel and device, other ranges: what its arguments say stays. Throws as
/// plan_launch for what is wrong with them. Allocates nothing.
void rebind(const KernelInterface& kernel, const DeviceCaps& caps,
            std::span<const BoundRange> ranges, LaunchPlan& plan);

}  // namespace vkmoye
