// SPDX-License-Identifier: MIT
#pragma once
// Interfaces, devices and buffers for the tests of dispatches.

#include <cstring>
#include <vector>

#include "vkmoye/runtime/values/dispatches.hpp"

namespace vkmoye::test {

inline KernelInterface transpose_interface() {
  KernelInterface kernel;
  kernel.name = "transpose";
  kernel.bindings = {{"src", ScalarType::f32, Access::read, {"cols", "rows"}},
                     {"dst", ScalarType::f32, Access::write, {"rows", "cols"}}};
  kernel.push_constants = {"cols", "rows", kFirstGroup[0], kFirstGroup[1]};
  kernel.grid = {GridDimension{"cols", 32}, GridDimension{"rows", 32}};
  return kernel;
}

inline DeviceCaps caps_with(std::uint32_t groups_x, std::uint32_t groups_y) {
  DeviceCaps caps;
  caps.name = "fake";
  caps.max_group_count = {groups_x, groups_y, 1};
  caps.max_storage_buffer_bytes = std::uint64_t{1} << 32;
  caps.max_buffer_bytes = caps.max_allocation_bytes = std::uint64_t{1} << 40;
  caps.storage_buffer_alignment = 16;
  return caps;
}

// The push constants as 32-bit words.
inline std::vector<std::uint32_t> words_of(const Dispatches& dispatches) {
  std::vector<std::uint32_t> words(dispatches.push_constants.size() / 4);
  std::memcpy(words.data(), dispatches.push_constants.data(), 4 * words.size());
  return words;
}

inline const int memory_a = 0, memory_b = 0;

inline std::vector<BoundRange> two_buffers(std::uint64_t bytes) {
  return {{&memory_a, bytes, 0, bytes}, {&memory_b, bytes, 0, bytes}};
}

// An n x 3 array with row stride `step`, and an n x 3 x 2 array with layer stride `step` x n.
inline KernelInterface strided_interface() {
  KernelInterface kernel;
  kernel.name = "strided";
  kernel.bindings = {{"src", ScalarType::f32, Access::read, {"n", 3, 2}, {1, "n", {"step", "n"}}},
                     {"dst", ScalarType::f32, Access::write, {"n", 3}, {1, "step"}}};
  kernel.push_constants = {"n", "step"};
  kernel.grid[0] = {"n", 32};
  return kernel;
}

}  // namespace vkmoye::test
