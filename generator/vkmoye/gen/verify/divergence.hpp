// SPDX-License-Identifier: MIT
#pragma once
// How far a value may differ between the invocations of a workgroup. Barriers need conditions that do not differ at
// all, subgroup operations those that do not differ within a subgroup.
//
//   src[block_x]                        the same in the workgroup: nothing writes src
//   thread / 32 with 32 lanes           differs between subgroups
//   broadcast, ballot, an integer sum   the same in a subgroup; in the workgroup if it has a single one
//   src[thread], a scan, a shuffle      differs

#include <algorithm>
#include <cstdint>

#include "vkmoye/gen/ir/guards.hpp"

namespace vkmoye::gen {

enum class Divergence : std::uint8_t { none, between_subgroups, within_subgroups };

/// Whether `node` differs between threads by the number of their subgroup alone: thread / 64, thread < 64.
bool is_subgroup_uniform(const ir::Node& node, const ir::Kernel& kernel,
                         const ir::Definitions& definitions);

/// How far a value that `statement` reads from memory or from other lanes may differ between invocations. `used`: how
/// far its operands differ (the index, or the values that the lanes contribute), and the conditions around it.
Divergence divergence_of_data(const ir::Stmt& statement, const ir::Kernel& kernel, Divergence used);

/// `divergence`; nothing differs between subgroups where a workgroup has a single one.
Divergence within_workgroup(const ir::Kernel& kernel, Divergence divergence);

}  // namespace vkmoye::gen
