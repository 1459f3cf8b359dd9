// SPDX-License-Identifier: MIT
#pragma once
// Kernels changed in one place, as an author's slip would.
//
//   barrier removed            without 'barrier' after 3 statements
//   guard weakened             col < cols + 1 instead of col < cols
//   ring one short             r % 2 instead of r % 3, everywhere
//   ..
//
// What is known of names (their bounds and multiples) follows the change, so that a mutant says
// nothing false about itself: it is wrong only in what it does.

#include <map>
#include <string>
#include <vector>

#include "judge/draw.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::judge {

struct Mutant {
  std::string kind, text;
  gen::ir::Kernel kernel;
};

/// At most `count` mutants of `kernel`, no two from the same change; the kinds take turns.
std::vector<Mutant> mutants_of(const gen::ir::Kernel& kernel, std::size_t count, Draw& draw);

/// `kernel` with each use of a name stating what its definition states.
gen::ir::Kernel with_known_bounds(gen::ir::Kernel kernel);

}  // namespace vkmoye::judge
