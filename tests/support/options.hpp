// SPDX-License-Identifier: MIT
#pragma once
// Options for many kernels.

#include <algorithm>

#include "support/moves.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::test {

/// The ones of `options`, which are meant for the tutorial kernels, that `entry` has: a kernel without a shared tile
/// has no padding; products and kernels that choose their config have other options.
inline gen::Options options_of(const gen::KernelEntry& entry, gen::Options options) {
  if (!is_move_of_matrix(entry) || entry.name.ends_with("/auto")) return {};
  std::erase_if(options, [&](const auto& option) {
    return std::none_of(entry.options.begin(), entry.options.end(),
                        [&](const auto& row) { return row.name == option.first; });
  });
  return options;
}

}  // namespace vkmoye::test
