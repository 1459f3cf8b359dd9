// SPDX-License-Identifier: MIT
#pragma once
// One invocation: its values, its position, and what it waits for. It runs alone up to the next barrier or subgroup
// operation, where the caller checks whether all others wait at the same one; or up to an atomic load, before which
// other workgroups have their turn.
//
//   for (i = 0; i < 3; ++i) { .. barrier(); }      rounds: {header of the loop: 0, 1, 2}
//   two invocations at that barrier, in rounds 0 and 1, do not wait at the same one

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "judge/spirv/memory.hpp"
#include "judge/spirv/program.hpp"

namespace vkmoye::judge::spirv {

struct Invocation {
  enum class State : std::uint8_t { runs, at_barrier, at_subgroup, at_load, finished, lost };
  /// A loop around the current operation, and its rounds so far.
  struct Round {
    std::uint32_t header, round;
    bool operator==(const Round&) const = default;
  };
  /// An active call: the return position, the slot of the result, and the loops around the call.
  struct Call {
    std::size_t next;
    std::uint32_t result, count;
    std::size_t rounds;
    bool operator==(const Call&) const = default;
  };

  std::vector<Scalar> values;
  std::size_t next = 0;  // operation
  State state = State::runs;
  bool has_waited = false;  // at the atomic load that is next
  std::vector<Round> rounds;
  std::vector<Call> calls;
  std::uint32_t block = 0, previous = 0;
  Who who = {};

  /// Whether both invocations are at the same operation, in the same rounds and calls.
  bool is_with(const Invocation& other) const {
    return state == other.state && next == other.next && rounds == other.rounds &&
           calls == other.calls;
  }
};

/// The state that all invocations of a launch share.
struct World {
  const Program& program;
  std::span<const std::byte> push_constants;
  Shared& shared;
  BufferMemory& buffers;
  Faults& faults;
  std::uint64_t steps = 0, max_steps = 0;
  std::uint64_t accesses = 0;  // to shared memory and buffers
};

/// Runs until `state` is no longer `runs`: `next` is then the barrier or subgroup operation at which it waits. After a
/// fault that makes it impossible to continue, or too many steps, `state` is `lost`.
void run(World& world, Invocation& invocation);

}  // namespace vkmoye::judge::spirv
