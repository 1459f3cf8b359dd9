// SPDX-License-Identifier: MIT
#pragma once
// Whether a device runs so many workgroups at once: found by a trial when it is first asked, and kept between runs.

#include <cstdint>
#include <string>

#include "devices/execution.hpp"

namespace vkmoye::bench {

/// Throws DeviceLacks about `subject` unless `groups` workgroups of the executor's device run at once, of any size. A
/// trial finds that out; if they do not, it takes some seconds. An executor without facts, the host, needs none.
void require_at_once(Executor& executor, std::uint64_t groups, const std::string& subject);

}  // namespace vkmoye::bench
