// SPDX-License-Identifier: MIT
#include "devices/spills.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace vkmoye::bench {
namespace {

// A statistic whose low 32 bits count spills, and its value without spills.
struct Spill {
  const char* name;
  std::int64_t of_every_kernel;
};

constexpr Spill kSpills[] = {
    {"Spilled VGPRs",
     0},  // RADV; spilled scalar registers go to vector registers and are not counted
    {"Spills to memory", 0},    // NVK
    {"Local Memory Size", 36},  // NVIDIA: bytes per thread; 36 without spills
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

bool counts_spills(const PipelineExecutable& executable) {
  return std::any_of(std::begin(kSpills), std::end(kSpills),
                     [&](const Spill& spill) { return executable.count(spill.name).has_value(); });
}

}  // namespace vkmoye::bench
