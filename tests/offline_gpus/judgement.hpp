// SPDX-License-Identifier: MIT
#pragma once
// What a kernel promises, found in its IR, and what is wrong where the compiler did not keep it.

#include <cstdint>
#include <string>
#include <vector>

#include "offline_gpus/instructions.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::test {

/// Multiply-adds of matrix units in the text of a kernel, for a subgroup: each statement once for each
/// turn of the loops of constant length around it. Of loops that the compiler may unroll, the least
/// number takes one turn, as of those whose length is known at run time only.
struct Demands {
  std::int64_t least_products = 0, most_products = 0;
  bool wide_loads = false, wide_stores = false;  // 16 bytes at once, from and to buffers
};

Demands demands_of(const gen::ir::Kernel& kernel);

/// What is wrong, by the name of the check that found it: spill, scratch, registers, shared, matrix,
/// narrow or wide.
struct Finding {
  std::string check, text;
};

struct Limits {
  std::int64_t registers = 0;     // of a lane
  std::int64_t shared_bytes = 0;  // of a workgroup
};

std::vector<Finding> judge(const Demands& demands, const Compiled& compiled, const Limits& limits);

}  // namespace vkmoye::test
