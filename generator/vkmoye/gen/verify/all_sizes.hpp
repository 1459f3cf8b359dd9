// SPDX-License-Identifier: MIT
#pragma once
// What is decided for all sizes at once, by following one workgroup (written_before_read.hpp), or by sets of integers
// (proof/results.hpp, proof/reads.hpp).

#include <set>
#include <string>
#include <vector>

#include "vkmoye/gen/proof/obligation.hpp"
#include "vkmoye/gen/proof/results.hpp"

namespace vkmoye::gen {

/// What must hold in all launches besides what check_scope and check_shared_memory decide.
struct Obligations {
  std::vector<proof::Obligation> of_results;
  // Arrays for which written_before_read.hpp shows that what is read was written.
  std::set<std::string> written;
  std::vector<proof::Obligation> of_reads;  // claims about the other arrays
};
/// Precondition: names, types and bounds are right.
Obligations obligations_of(const ir::Kernel& kernel);

/// Why an element of a result is not written, or is touched by two invocations, or why something is read that was not
/// written; with the sizes at which this shows. Also what is neither proved nor refuted, unless the author assumes it:
/// what depends on more than linear functions of sizes, and where isl gives up.
std::vector<std::string> check_all_sizes(const ir::Kernel& kernel, const Obligations& obligations);

}  // namespace vkmoye::gen
