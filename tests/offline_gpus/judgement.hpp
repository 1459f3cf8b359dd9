// SPDX-License-Identifier: MIT
#pragma once
// The expected properties of the code of a kernel, derived from its IR, and the violations by the compiler.

#include <cstdint>
#include <string>
#include <vector>

#include "offline_gpus/instructions.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::test {

/// The multiply-adds of matrix units in the text of a kernel, for a subgroup: each statement counts once for each
/// round of the loops of constant length around it. The least number counts one round for loops that the compiler
/// may unroll, and for loops whose length is known only at run time.
struct Demands {
  std::int64_t min_products = 0, max_products = 0;
  bool wide_loads = false, wide_stores = false;  // 16 bytes at once, from and to buffers
};

Demands demands_of(const gen::ir::Kernel& kernel);

/// The violations, by the name of the check: spill, scratch, registers, shared, matrix, narrow or wide.
struct Finding {
  std::string check, text;
};

struct Limits {
  std::int64_t registers = 0;     // of a lane
  std::int64_t shared_bytes = 0;  // of a workgroup
};

std::vector<Finding> judge(const Demands& demands, const Compiled& compiled, const Limits& limits);

}  // namespace vkmoye::test
