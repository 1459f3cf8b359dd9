// SPDX-License-Identifier: MIT
#pragma once
// The values of arguments that are specialisation constants.
//
//   copy: specialised cols, push constant rows
//   specialised(copy, {{"cols", 4096}})                 the interface of its pipeline for cols = 4096
//   with_specialised_values(that, {{"rows", 7}})        {{"cols", 4096}, {"rows", 7}}
//   specialised_among(copy, {{"cols", 4096}, {"rows", 7}})    {{"cols", 4096}}

#include <string>
#include <string_view>
#include <vector>

#include "vkmoye/contract/kernel_interface.hpp"

namespace vkmoye {

/// Whether the argument `name` is a specialisation constant.
bool is_specialised(const KernelInterface& kernel, std::string_view name);

/// Why `arguments` do not give usable values to the specialised arguments of `kernel`: one is missing, or outside
/// 1..2^32-1. Empty if they do.
std::vector<std::string> reasons_against_specialised(const KernelInterface& kernel,
                                                     const Arguments& arguments);

/// `kernel` with `values` of its specialised arguments. Throws ArgumentError with every reason: a value that is missing
/// or outside 1..2^32-1, or one of an argument that is not specialised. 0 is refused because a driver may divide by a
/// specialisation constant while it compiles.
KernelInterface specialised(KernelInterface kernel, const Arguments& values);

/// The entries of `arguments` that `kernel` declares as specialised.
Arguments specialised_among(const KernelInterface& kernel, const Arguments& arguments);

/// `arguments`, with the values that the kernel was loaded with for those that are missing.
Arguments with_specialised_values(const KernelInterface& kernel, Arguments arguments);

}  // namespace vkmoye
