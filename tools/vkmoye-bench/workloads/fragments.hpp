#pragma once
// How the lanes of a device hold matrices, found by running a probe on it.

#include "vkmoye/gen/kernels/fragment_probe.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {

/// The order of one matrix. Throws DeviceError, or Unavailable where the probe cannot run.
FragmentOrder find_fragment_order(Executor& executor, const gen::ProbedMatrix& probed);

/// The plan of `workload` for the executor's device, after whatever it has to know of it was found.
/// Throws KernelError with every reason.
Plan plan_on(Executor& executor, const Workload& workload);

}  // namespace vkmoye::bench
