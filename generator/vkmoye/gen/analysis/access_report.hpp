// SPDX-License-Identifier: MIT
#pragma once
// What the layouts of a kernel say about its memory accesses, before anything is timed.
//
//   KernelReport report = analyse(kernel, {.sizes = {{"rows", 4096}, {"cols", 4096}}});
//   for (const AccessReport& access : report.accesses) puts(verdict(access).c_str());
//
//   transpose/simple    load src     coalesced
//                       store tile   conflict-free
//                       load tile    32-way bank conflict: 32 wavefronts where 1 would do
//                       store dst    coalesced
//
// Every index is evaluated for all threads of workgroup (0,0,0), at example sizes. Threads make
// requests by subgroups, one for each statement that they reach. Buffers begin at a sector, shared
// arrays at bank 0. Registers cost nothing here and are not reported.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/analysis/request_cost.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

struct AccessModel {
  BankModel banks;  // and the lanes of a subgroup
  std::int64_t sector_bytes = 32;
  std::map<std::string, std::uint32_t> sizes;  // of run-time arguments
  std::uint32_t other_sizes = 4096;            // of the others but the first group, which is 0
};

/// One access as the author's partition names it, or one of the paths on which it is made.
struct AccessReport {
  std::string array;
  ir::Array::Space space = ir::Array::Space::buffer;
  ScalarType type = ScalarType::f32;
  bool writes = false;
  std::string partition;
  std::string path;                 // "cols is a multiple of 4"; empty: it is always taken
  std::uint32_t width = 1;          // elements at once
  std::string not_wider;            // the reason
  std::vector<std::string> bounds;  // what keeps each coordinate inside

  std::uint64_t requests = 0;         // followed; 0: none is made at these sizes
  std::optional<SectorCost> sectors;  // of the worst request to a buffer
  std::optional<BankCost> banks;      // of the worst request to a shared array
  double efficiency = 1;              // of all requests: the best cost over the cost found
  std::uint32_t worst_subgroup = 0;   // who makes the worst request, in which rounds of the loops
  std::vector<std::pair<std::string, std::uint32_t>> worst_rounds;
  std::optional<std::int64_t> worst_step;  // elements from its first lane to the next

  std::int64_t bytes() const { return static_cast<std::int64_t>(width * size_of(type)); }
};

/// As the worst request deserves; nothing where none is made.
std::optional<Grade> grade(const AccessReport& access);

/// "coalesced", "NOT coalesced: 32 sectors where 4 would do", "conflict-free".
std::string verdict(const AccessReport& access);

struct KernelReport {
  std::vector<AccessReport> accesses;  // in the order of the text
  std::vector<std::string> reasons;    // of the verifier: races, bounds and all else; empty: sound
  bool in_part =
      false;  // a loop has more rounds, or the kernel takes more steps, than are followed
};

/// Rounds of one loop that are followed, and of one whose end is a run-time size: more of them only
/// move the same pattern on.
inline constexpr std::uint32_t kMostRounds = 64, kMostRunTimeRounds = 8;

KernelReport analyse(const ir::Kernel& kernel, const AccessModel& model = {});

}  // namespace vkmoye::gen
