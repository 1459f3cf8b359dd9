// SPDX-License-Identifier: MIT
#pragma once
// Reports the cost of the memory accesses of a kernel from its layouts, without running it.
//
//   KernelReport report = analyse(kernel, {.sizes = {{"rows", 4096}, {"cols", 4096}}});
//   for (const AccessReport& access : report.accesses) puts(verdict(access).c_str());
//
//   transpose/simple    load src     coalesced
//                       store tile   conflict-free
//                       load tile    32-way bank conflict: 32 wavefronts where 1 would do
//                       store dst    coalesced
//
// Every index is evaluated for all threads of workgroup (0,0,0), at example sizes. A subgroup makes one request each
// time it reaches a statement. Buffers are assumed to begin at a sector, shared arrays at bank 0. Accesses to
// registers are free and are not reported.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/analysis/request_cost.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// The memory of a device, by which the costs of accesses are computed.
struct AccessModel {
  BankModel banks;  // also has the number of lanes of a subgroup
  std::int64_t sector_bytes = 32;
  std::map<std::string, std::uint32_t> sizes;  // the values of arguments
  std::uint32_t other_sizes = 4096;  // the value of all others, except first_group_*, which are 0
};

/// An access as the author wrote it; one for each of the paths on which it is made.
struct AccessReport {
  std::string array;
  ir::Array::Space space = ir::Array::Space::buffer;
  ScalarType type = ScalarType::f32;
  bool writes = false;
  std::string source_text;
  std::string path;         // the condition: "cols is a multiple of 4"; empty: none
  std::string of_case;      // the case that the copy handles: "a whole tile"; empty: it has none
  std::string start;        // where its tile starts: "at (0, 128 block_x)"; empty: not known
  std::uint32_t width = 1;  // elements of one access
  std::string not_wider;    // why it is not wider
  std::vector<std::string> bounds;  // what keeps each coordinate in range

  std::uint64_t requests = 0;         // the number of requests; 0: none at these sizes
  bool index_from_data = false;       // the index of some depends on data; they are not counted
  std::optional<SectorCost> sectors;  // cost of the worst request, if it is a buffer
  std::optional<BankCost> banks;      // cost of the worst request, if it is shared
  double efficiency = 1;              // over all requests: best possible cost / actual cost
  // The subgroup and the rounds of the loops with the worst request.
  std::uint32_t worst_subgroup = 0;
  std::vector<std::pair<std::string, std::uint32_t>> worst_rounds;
  std::optional<std::int64_t> worst_step;  // elements between the first two adjacent lanes in it

  std::int64_t bytes() const { return static_cast<std::int64_t>(width * size_of(type)); }
};

/// The grade of the worst request; nullopt if there is none.
std::optional<Grade> grade(const AccessReport& access);

/// "coalesced", "NOT coalesced: 32 sectors where 4 would do", "conflict-free". If the bytes of a request fill less than
/// half of the sectors, which are as few as possible: "as few sectors as possible, 4 bytes used of 1 sector". Without a
/// request: why.
std::string verdict(const AccessReport& access);

/// The costs of all accesses of a kernel.
struct KernelReport {
  std::vector<AccessReport> accesses;  // in the order of the text
  std::vector<std::string> reasons;    // from the verifier; if there are any, accesses is empty
  bool in_part = false;                // more rounds of a loop, or more steps, than were followed
};

/// The maximum number of rounds that are followed of a loop with a constant end, and of one whose end is a run-time
/// size. Further rounds repeat the same pattern at other addresses.
inline constexpr std::uint32_t kMaxFollowedRounds = 64, kMaxFollowedRunTimeRounds = 8;

/// The accesses of `kernel` to buffers and shared arrays, or the reasons why the verifier rejects it.
KernelReport analyse(const ir::Kernel& kernel, const AccessModel& model = {});

}  // namespace vkmoye::gen
