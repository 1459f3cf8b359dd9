// SPDX-License-Identifier: MIT
#pragma once
// Whether a device runs a number of workgroups at once: found by a trial, whose success on a GPU is kept between runs.

#include <cstdint>
#include <string>

#include "devices/execution.hpp"

namespace vkmoye::bench {

/// Throws DeviceLacks about `subject` unless `groups` workgroups, of the largest size that it allows, run at once on
/// the executor's device. A trial that fails takes some seconds, and is made again the next time: another program may
/// have kept the device busy. An executor without facts, the host, needs none.
void require_resident(Executor& executor, std::uint64_t groups, const std::string& subject);

}  // namespace vkmoye::bench
