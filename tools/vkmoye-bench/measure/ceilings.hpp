// SPDX-License-Identifier: MIT
#pragma once
// The ceilings of a device: how fast it copies memory, reads caches, and computes, at best.
//
//   copy                    4100 GB/s        bytes that are read and written
//   L2                      5600 GB/s        bytes that are read, and for shared memory
//   multiply-add f32          62 TFLOP/s     operands stay in registers; a multiply-add is two operations
//   matrix units f16,f32     900 TFLOP/s     type of the operands, type of the sums

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "timing/sampling.hpp"
#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye::bench {

/// What a ceiling limits.
struct CeilingOf {
  enum class Unit : std::uint8_t { copy, l2, shared, multiply_add, matrix, count };
  Unit unit = Unit::copy;
  std::optional<ScalarType> operand = {};  // of multiply_add and matrix
  std::optional<ScalarType> sum = {};      // of matrix
  bool operator==(const CeilingOf&) const = default;
};

struct Ceiling {
  CeilingOf of;
  /// The median of the samples, and what 95 % and 5 % of them reach, in 10^9 bytes or 10^12 operations a second.
  double median = 0, low = 0, high = 0;
  std::uint64_t samples = 0;
  std::string skipped = {};  // why it was not measured; empty: it was
  bool is_wrong = false;     // it was skipped because its kernel computed something else
};

/// "copy", "L2", "shared memory", "multiply-add f32", "matrix units f16,f32".
std::string name_of(const CeilingOf& of);
/// Its name in files: "copy", "l2", "shared", "multiply-add", "matrix".
const char* word_of(CeilingOf::Unit unit);
/// The number of its types: 0 for memory, 1 for multiply-adds, 2 (operands and sums) for matrix units.
std::size_t type_count(CeilingOf::Unit unit);
/// "f32", "f16,f32"; empty for memory.
std::string types_of(const CeilingOf& of);
/// "GB/s", "TFLOP/s", or "TOP/s" for integers.
std::string measure_of(const CeilingOf& of);

/// Everything to measure on the device of `caps`: the matrix units that it has, and all others.
std::vector<CeilingOf> ceilings_to_measure(const DeviceCaps& caps);

/// Checks a kernel on the device, and times it. Throws DeviceError.
Ceiling measure_ceiling(Device& device, const CeilingOf& of, const TimingRules& rules,
                        std::uint64_t seed);

/// The ceiling `of` among `all`, if it was measured; nullptr: it was not.
const Ceiling* ceiling_in(const std::vector<Ceiling>& all, const CeilingOf& of);

}  // namespace vkmoye::bench
