#pragma once
// Copies and transposes of a matrix: the result is the input elsewhere, bit for bit.

#include <memory>

#include "workloads/workload.hpp"

namespace vkmoye::bench {

/// Precondition: a copy or a transpose, with two extents.
std::unique_ptr<Workload> make_move(const Problem& problem);

/// See problem_of.
Problem move_of(const gen::KernelEntry& entry, const gen::Options& config, const std::string& type,
                const std::vector<GivenArray>& given);

}  // namespace vkmoye::bench
