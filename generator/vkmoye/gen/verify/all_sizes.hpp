// SPDX-License-Identifier: MIT
#pragma once
// What is decided for all sizes at once, by following one workgroup (written.hpp), or by sets of integers
// (proof/results.hpp, proof/reads.hpp).

#include <set>
#include <string>
#include <vector>

#include "vkmoye/gen/proof/obligation.hpp"

namespace vkmoye::gen {

/// What must hold in all launches besides what check_scope and check_shared_memory decide.
struct Obligations {
  std::vector<proof::Obligation> of_results;
  std::set<std::string>
      written;  // arrays for which written.hpp shows that every element read was written before
  std::vector<proof::Obligation> of_reads;  // the reads of all other arrays
};
/// Precondition: names, types and bounds are right.
Obligations obligations_of(const ir::Kernel& kernel);

/// Why an element of a result is not written, or is touched by two invocations, or why something is read that was not
/// written; with the sizes at which this shows. What is about results and depends on more than linear functions of
/// sizes is refused, too, unless the author assumes it. If isl gives up, no reason is returned: only the sizes of
/// trial.hpp were checked then.
std::vector<std::string> check_all_sizes(const ir::Kernel& kernel, const Obligations& obligations);

}  // namespace vkmoye::gen
