// SPDX-License-Identifier: MIT
#pragma once
// Options of many kernels at once.

#include <algorithm>

#include "support/moves.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::test {

/// Those of `options`, which are meant for tutorials' tiles, that `entry` has: a kernel without a
/// shared tile has no padding of it; products and kernels that choose for themselves have other
/// options.
inline gen::Options options_of(const gen::KernelEntry& entry, gen::Options options) {
  if (!is_move_of_matrix(entry) || entry.name.ends_with("/auto")) return {};
  std::erase_if(options, [&](const auto& option) {
    return std::none_of(entry.options.begin(), entry.options.end(),
                        [&](const auto& row) { return row.name == option.first; });
  });
  return options;
}

}  // namespace vkmoye::test
