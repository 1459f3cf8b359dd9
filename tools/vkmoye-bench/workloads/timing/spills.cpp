// SPDX-License-Identifier: MIT
#include "workloads/timing/spills.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace vkmoye::bench {
namespace {

// A count of what was spilled, in the low 32 bits of a statistic, behind what every kernel has.
struct Spill {
  const char* name;
  std::int64_t of_every_kernel;
};

constexpr Spill kSpills[] = {
    {"Spilled VGPRs", 0},       // RADV; scalar registers spill into vector ones
    {"Spills to memory", 0},    // NVK
    {"Local Memory Size", 36},  // NVIDIA: bytes of a thread; 36 where nothing is spilled
};

}  // namespace

std::string spilled(const PipelineExecutable& executable) {
  for (const Spill& spill : kSpills) {
    const auto count = executable.count(spill.name);
    if (!count) continue;
    const std::int64_t more = (*count & 0xffffffff) - spill.of_every_kernel;
    if (more > 0) return fmt::format("{} {}", spill.name, more);
  }
  return "";
}

}  // namespace vkmoye::bench
