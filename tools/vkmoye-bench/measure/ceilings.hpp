// SPDX-License-Identifier: MIT
#pragma once
// The ceilings of a device: how fast it copies memory, reads caches, and computes, at best.
//
//   copy                    4100 GB/s        bytes that are read and written
//   L2                      5600 GB/s        bytes that are read, and for shared memory
//   multiply-add f32          62 TFLOP/s     operands stay in registers; a multiply-add is two operations
//   matrix units f16,f32     900 TFLOP/s     type of the operands, type of the sums
//
// They are kept between runs: a file for each device, beside the pipeline cache.
//
//   {"file": "ceilings", "format": 1, "device": "NVIDIA H200", "driver": "NVIDIA 580.159.04",
//    "measured": "2026-11-27 07:13 UTC", "checksum": "9f86d081884c7d65",
//    "ceilings": [{"of": "copy", "type": "", "median": 4100.2, "low": 4091.5, "high": 4104.8, "samples": 412, ..}, ..]}
//
// A file that is damaged, or belongs to another device or driver, is ignored as a whole.
//
// The ceilings give the shortest time in which a device could do the work of a kernel: the longest of the times that
// its memory and each kind of its arithmetic need.
//
//   gemm 4096x4096x4096, f16    copy          100.7 MB at 4100 GB/s         25 us
//                               matrix units  137 GFLOP at 900 TFLOP/s     153 us     the limit

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "timing/sampling.hpp"
#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

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

struct KeptCeilings {
  std::vector<Ceiling> ceilings = {};  // empty: none are kept
  std::string measured = {};           // when: "2026-11-27 07:13 UTC"
  std::string ignored =
      {};  // why the file is not used, as one line; empty: it is, or there is none
};

/// Where the ceilings of the device of `caps` are kept. Empty: there is no cache folder, or `caps` names no driver.
std::filesystem::path ceilings_file(const DeviceCaps& caps);

/// `file` empty: none are kept.
KeptCeilings read_ceilings(const std::filesystem::path& file, const DeviceCaps& caps);

/// Replaces the file atomically. Returns why it cannot be written; empty: it was.
std::string write_ceilings(const std::filesystem::path& file, const DeviceCaps& caps,
                           const KeptCeilings& kept);

/// The time that memory, or one kind of arithmetic, needs at its ceiling.
struct UnitTime {
  CeilingOf of;
  double rate = 0;  // see Ceiling::median
  double microseconds = 0;
};

struct ShortestTime {
  std::vector<UnitTime> units;  // those that are counted: at most memory and one kind of arithmetic
  std::optional<UnitTime> in_l2;  // the bytes, if all of them were in L2
  std::string
      not_counted;  // the arithmetic whose ceiling is not known, and why; empty: it is counted

  /// The longest of these times; nullptr if there are none.
  const UnitTime* limit() const;
};

/// The arithmetic that `kernel` uses: the kinds of its matrix units, else the types of its multiply-adds, else of its
/// other sums and products. Empty: none is known. Bytes in words (dot4) count as none: no ceiling is measured for them.
std::vector<CeilingOf> arithmetic_of(const gen::ir::Kernel& kernel);

/// A bound on the time for a problem of at least `bytes` and `flops`. A kernel with several kinds of arithmetic is
/// counted at the fastest, so that the time stays a bound.
ShortestTime shortest_time(const gen::ir::Kernel& kernel, double bytes, double flops,
                           const std::vector<Ceiling>& ceilings);

}  // namespace vkmoye::bench
