// SPDX-License-Identifier: MIT
#pragma once
// Arguments of the C interface as those of the runtime.

#include <cstdint>
#include <span>
#include <string>

#include "vkmoye/base/error.hpp"
#include "vkmoye/c/objects.hpp"

namespace vkmoye::c {

/// The arguments that a caller passed to `function`, unchecked.
struct GivenArguments {
  const vkmoye_argument* first;
  std::uint32_t count;
  const char* function;
};

/// Throws ArgumentError if `reserved` is not 0.
inline Argument argument_of(const vkmoye_value& value) {
  if (value.reserved != 0) {
    throw ArgumentError("reserved of a value is " + std::to_string(value.reserved) + ", not 0");
  }
  return value.is_real != 0 ? Argument(value.real) : Argument(value.integer);
}

/// Throws ArgumentError for a plan that is given arguments.
void refuse_arguments(const vkmoye_file& file, std::uint32_t count);

/// The arguments by name. Throws ArgumentError: a null pointer, a name that was given twice.
Arguments arguments_of(const vkmoye_file& file, const GivenArguments& given);

/// All arguments by name; the strides that were left out are compact. Throws ArgumentError: a null pointer, a name
/// that was given twice, an argument for a plan, a missing extent; the error then names every missing argument.
Arguments complete_arguments(const vkmoye_file& file, const GivenArguments& given);

}  // namespace vkmoye::c
