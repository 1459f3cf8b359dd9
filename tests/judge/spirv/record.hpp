// SPDX-License-Identifier: MIT
#pragma once
// The accesses to each cell of a memory since the last barrier that orders it.
//
//   touch(7, by 3, write)      none
//   touch(7, by 3, read)       none: the same invocation
//   touch(7, by 4, read)       invocation 3 wrote it: a race
//   order()                    a barrier
//   touch(7, by 4, read)       none
//
// Two accesses to one cell race if different invocations make them, one of them writes, not both are atomic, and no
// barrier is between (SPIR-V specification, 2.18; Vulkan specification, "Memory Model").

#include <cstdint>
#include <optional>
#include <vector>

namespace vkmoye::judge::spirv {

enum class Touch : std::uint8_t { read, write, atomic };

const char* to_string(Touch touch);

/// The access that another one races with.
struct Race {
  std::uint32_t invocation;
  Touch touch;
};

class Record {
 public:
  explicit Record(std::size_t cells) : cells_(cells) {}

  /// Adds an access. Returns one that it races with.
  std::optional<Race> touch(std::size_t cell, std::uint32_t invocation, Touch touch);
  /// Orders all accesses so far before all that follow.
  void order() { ++epoch_; }

 private:
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  struct Cell {
    std::uint32_t epoch = 0;
    // For each kind of access, one of the invocations, and whether there are others. Two plain writers were reported as
    // a race before.
    std::uint32_t reader = kNobody, writer = kNobody, atomic = kNobody;
    bool many_readers = false, many_atomics = false;
  };
  std::vector<Cell> cells_;
  std::uint32_t epoch_ = 1;
};

}  // namespace vkmoye::judge::spirv
