// SPDX-License-Identifier: MIT
#pragma once
// What the lanes of a subgroup find together: reductions, scans, exchanges, votes.

#include "vkmoye/gen/ir/stmt.hpp"
#include "vkmoye/gen/machine/lanes.hpp"

namespace vkmoye::gen::machine {

/// The result of `statement` in invocations first .. end-1, a whole subgroup, numbered from 0.
/// `value` and `lane`: what its operands evaluate to. Lanes are combined in their order.
Values found_together(const ir::Subgroup& statement, const Values& value, const Values& lane,
                      std::size_t first, std::size_t end);

}  // namespace vkmoye::gen::machine
