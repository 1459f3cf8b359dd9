#pragma once
// The part of the verifier that follows shared memory; see verify.hpp for what it promises.

#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::ir {

/// Races, out-of-range indices and reads of unwritten elements in shared arrays, each pair of
/// partitions once. Precondition: every name in `kernel` is defined.
std::vector<std::string> check_shared_memory(const Kernel& kernel);

}  // namespace vkmoye::gen::ir
