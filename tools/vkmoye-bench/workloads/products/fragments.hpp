// SPDX-License-Identifier: MIT
#pragma once
// How the lanes of a device hold matrices, found by running a probe on it, and kept between starts.

#include <optional>

#include "vkmoye/gen/kernels/products/fragments/probe.hpp"
#include "workloads/devices/facts.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {

/// "0 1 8 9 ..", the places of an order, or "none: why"; and back into `order`, whose matrix is known: false
/// where the text does not give each element one place.
std::string order_text(const FragmentOrder& order);
bool read_order(const std::string& text, FragmentOrder& order);

/// The order that was kept of `probed`; nothing: none was, for this device and driver.
std::optional<FragmentOrder> kept_order(const DeviceFacts& facts, const DeviceCaps& caps,
                                        const gen::ProbedMatrix& probed);

/// The order of one matrix as the executor knows it, as it was kept, or, at last, as a probe finds it,
/// which is kept. The executor knows it then. Throws DeviceError, or Unavailable where the probe cannot
/// run.
FragmentOrder find_fragment_order(Executor& executor, const gen::ProbedMatrix& probed);

/// find_fragment_order of each. Throws DeviceLacks about `subject` where the probe cannot run.
void know_orders(Executor& executor, const std::vector<gen::ProbedMatrix>& probes,
                 const std::string& subject);

/// The plan of `workload` for the executor's device, after whatever it has to know of it was found.
/// Throws KernelError with every reason.
Plan plan_on(Executor& executor, const Workload& workload);

}  // namespace vkmoye::bench
