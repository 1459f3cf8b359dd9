// SPDX-License-Identifier: MIT
#pragma once
// The order in which the lanes of a device hold matrices: found by running a probe, and kept between runs.

#include <optional>
#include <string>
#include <vector>

#include "devices/execution.hpp"
#include "devices/facts.hpp"
#include "vkmoye/gen/kernels/matrix_units/probe.hpp"

namespace vkmoye::bench {

/// The places of an order as text, "0 1 8 9 ..", or "none: why"; and back into `order`, whose matrix is set: returns
/// false unless the text gives each element one place.
std::string order_text(const FragmentOrder& order);
bool read_order(const std::string& text, FragmentOrder& order);

/// The order of `probed` kept for this device and driver; nullopt if there is none.
std::optional<FragmentOrder> stored_order(const DeviceFacts& facts, const DeviceCaps& caps,
                                          const gen::ProbedMatrix& probed);

/// The order of one matrix: known to the executor, kept from an earlier run, or found by a probe and kept. The
/// executor knows it afterwards. Throws DeviceError, or Unavailable if the probe cannot run.
FragmentOrder find_fragment_order(Executor& executor, const gen::ProbedMatrix& probed);

/// Calls find_fragment_order for each matrix. Throws DeviceLacks about `subject` if the probe cannot run.
void find_fragment_orders(Executor& executor, const std::vector<gen::ProbedMatrix>& probes,
                          const std::string& subject);

}  // namespace vkmoye::bench
