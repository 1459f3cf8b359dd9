#pragma once
// Whether a device can run a kernel on arrays of a size, guard zones included: asked before
// anything is allocated, by every command that runs one.

#include <string>
#include <vector>

#include "vkmoye/contract/compiled_kernel.hpp"
#include "vkmoye/contract/device_caps.hpp"

namespace vkmoye::bench {

/// Every reason against it, not the first; empty: it can.
std::vector<std::string> reasons_against(const DeviceCaps& caps, const KernelInterface& kernel,
                                         const Arguments& arguments);

}  // namespace vkmoye::bench
