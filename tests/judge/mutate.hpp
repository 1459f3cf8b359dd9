// SPDX-License-Identifier: MIT
#pragma once
// Mutants: kernels with one change, as from an author's mistake.
//
//   barrier removed            without 'barrier' after 3 statements
//   guard weakened             col < cols + 1 instead of col < cols
//   ring one short             r % 2 instead of r % 3, everywhere
//   ..
//
// The facts about names (bounds and multiples) are updated with the change, so that a mutant states nothing false:
// only its behaviour is wrong.

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

/// At most `count` mutants of `kernel`, all from different changes, with the kinds in turn.
std::vector<Mutant> mutants_of(const gen::ir::Kernel& kernel, std::size_t count, Draw& draw);

/// `kernel` with the facts of each definition copied to all uses of the name.
gen::ir::Kernel with_known_bounds(gen::ir::Kernel kernel);

}  // namespace vkmoye::judge
