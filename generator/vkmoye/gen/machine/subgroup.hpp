// SPDX-License-Identifier: MIT
#pragma once
// The results of subgroup operations: reductions, scans, shuffles and votes.

#include "vkmoye/gen/ir/arithmetic.hpp"
#include "vkmoye/gen/ir/stmt.hpp"
#include "vkmoye/gen/machine/thread_set.hpp"

namespace vkmoye::gen::machine {

/// The result of `statement` in the subgroup of invocations first .. end-1; in the result these are numbered from 0.
/// `value` and `lane` are the values of its operands in all invocations. Lanes are combined in increasing order.
Values subgroup_result(const ir::Subgroup& statement, const Values& value, const Values& lane,
                       std::size_t first, std::size_t end, const ir::Arithmetic& arithmetic);

}  // namespace vkmoye::gen::machine
