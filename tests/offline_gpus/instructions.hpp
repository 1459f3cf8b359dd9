// SPDX-License-Identifier: MIT
#pragma once
// The code of a kernel from a driver's compiler, in a form that is common to all drivers: statistics, and counts from
// the text of the instructions.
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
  std::int64_t matrix_products = 0;  // multiply-adds of a subgroup in these, each counted once
  std::int64_t narrow_loads = 0;  // of 8 or 16 bits from shared memory, in loops that have matrix
                                  // instructions
  std::int64_t wide_loads = 0, wide_stores = 0;  // of 128 bits, from and to buffers
};

struct Compiled {
  std::uint32_t lanes = 0;
  std::int64_t registers = 0;                    // of a lane, 32 bits each
  std::optional<std::int64_t> scalar_registers;  // of a subgroup, if the GPU has scalar registers
  std::int64_t spilled = 0;                      // registers, to memory
  std::int64_t scratch_bytes = 0;            // of a lane: memory for spills and indexed registers
  std::optional<std::int64_t> shared_bytes;  // of a workgroup, if the driver reports it
  std::int64_t code_bytes = 0;
  std::int64_t count = 0;  // instructions in all
  Instructions instructions;
};

/// The names of a driver for these, and the limits of its GPUs.
struct Dialect {
  std::string_view driver;  // the beginning of DeviceCaps::driver
  std::int64_t max_registers;
  std::string_view registers, scalar_registers, spilled, spilled_scalars, scratch, shared, code,
      count;
  std::string_view text;
  Instructions (*read)(std::string_view text);
};

/// nullptr: the output of this driver cannot be read.
const Dialect* dialect_of(std::string_view driver);

Instructions read_radv(std::string_view text);
Instructions read_nvk(std::string_view text);

/// Throws std::runtime_error with the first missing statistic or text.
Compiled compiled_of(const PipelineExecutable& executable, const Dialect& dialect);

}  // namespace vkmoye::test
