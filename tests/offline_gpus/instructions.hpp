// SPDX-License-Identifier: MIT
#pragma once
// What a driver's compiler made of a kernel, in the words of all drivers: its statistics, and what is
// found in the text of its instructions.
//
//   BB2:                                          loop
//     ds_load_u16_d16 v5, v1 offset:32              a narrow load of shared memory
//     v_wmma_f32_16x16x16_f16 v[0:7], ...           4096 products, so this is a matrix loop
//     s_cbranch_scc0 BB2

#include <cstdint>
#include <optional>
#include <string_view>

#include "vkmoye/runtime/pipeline_statistics.hpp"

namespace vkmoye::test {

struct Instructions {
  std::int64_t matrix = 0;           // instructions of matrix units
  std::int64_t matrix_products = 0;  // multiply-adds of a subgroup that they do, each counted once
  std::int64_t narrow_loads = 0;  // of 8 or 16 bits from shared memory, in loops that have matrix
                                  // instructions
  std::int64_t wide_loads = 0, wide_stores = 0;  // of 128 bits, from and to buffers
};

struct Compiled {
  std::uint32_t lanes = 0;
  std::int64_t registers = 0;                    // of a lane, 32 bits each
  std::optional<std::int64_t> scalar_registers;  // of a subgroup, where there are such
  std::int64_t spilled = 0;                      // registers, to memory
  std::int64_t scratch_bytes = 0;            // of a lane: memory for spills and indexed registers
  std::optional<std::int64_t> shared_bytes;  // of a workgroup, where the driver says it
  std::int64_t code_bytes = 0;
  std::int64_t count = 0;  // instructions in all
  Instructions instructions;
};

/// How a driver calls all that, and what its GPUs have.
struct Dialect {
  std::string_view driver;  // how DeviceCaps::driver begins
  std::int64_t most_registers;
  std::string_view registers, scalar_registers, spilled, spilled_scalars, scratch, shared, code,
      count;
  std::string_view text;
  Instructions (*read)(std::string_view text);
};

/// nullptr: no driver that we can read.
const Dialect* dialect_of(std::string_view driver);

Instructions read_radv(std::string_view text);
Instructions read_nvk(std::string_view text);

/// Throws std::runtime_error naming the first statistic or text that is not there.
Compiled compiled_of(const PipelineExecutable& executable, const Dialect& dialect);

}  // namespace vkmoye::test
