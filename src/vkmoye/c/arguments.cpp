// SPDX-License-Identifier: MIT
#include "vkmoye/c/arguments.hpp"

#include <fmt/format.h>

#include <utility>

#include "vkmoye/c/parameters.hpp"
#include "vkmoye/contract/compact_strides.hpp"

namespace vkmoye::c {

void refuse_arguments(const vkmoye_file& file, std::uint32_t count) {
  if (!file.plan() || count == 0) return;
  throw ArgumentError(fmt::format(
      "plan {}: takes no arguments, because its sizes are fixed; got {}", file.name(), count));
}

Arguments arguments_of(const vkmoye_file& file, const GivenArguments& given) {
  require_elements(given.first, given.count, given.function, "arguments");
  Arguments arguments;
  for (const vkmoye_argument& argument : std::span(given.first, given.count)) {
    require(argument.name, given.function, "the name of an argument");
    if (!arguments.emplace(argument.name, argument_of(argument.value)).second) {
      throw ArgumentError(
          fmt::format("{}: argument '{}' is given twice", file.name(), argument.name));
    }
  }
  return arguments;
}

Arguments complete_arguments(const vkmoye_file& file, const GivenArguments& given) {
  refuse_arguments(file, given.count);
  Arguments arguments = arguments_of(file, given);
  return file.plan() ? Arguments() : with_compact_strides(file.kernel()->interface, arguments);
}

}  // namespace vkmoye::c
