// SPDX-License-Identifier: MIT
#pragma once
// A kernel's interface as JSON, schema 1, and back: what `emit --interface` and kernel files hold.

#include "vkmoye/contract/json.hpp"
#include "vkmoye/contract/kernel_interface.hpp"

namespace vkmoye {

Json interface_to_json(const KernelInterface& kernel);

/// Adds to `reasons` each field that is missing or invalid; the result is then incomplete.
KernelInterface interface_of_json(const Json& json, std::vector<std::string>& reasons);

}  // namespace vkmoye
