// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/trial.hpp"

#include <fmt/format.h>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/twin/twin.hpp"

namespace vkmoye::gen {
namespace {

std::string text_of(const Arguments& sizes) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : sizes) parts.push_back(name + " = " + to_string(value));
  return parts.empty() ? "" : " (" + join(parts, ", ") + ")";
}

}  // namespace

std::vector<std::string> try_sizes(const ir::Kernel& kernel) {
  std::vector<std::string> reasons;
  for (const Arguments& sizes : trial_sizes(kernel)) {
    std::vector<std::string> found;
    try {
      found = watch(kernel, sizes).reasons;
    } catch (const ArgumentError& error) {
      found.push_back(error.what());
    }
    for (const std::string& reason : found) reasons.push_back(reason + text_of(sizes));
    if (!reasons.empty()) break;
  }
  return reasons;
}

}  // namespace vkmoye::gen
