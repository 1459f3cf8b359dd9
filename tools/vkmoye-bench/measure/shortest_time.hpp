// SPDX-License-Identifier: MIT
#pragma once
// The shortest time in which a device could do the work of a kernel, by its ceilings: the longest of the times that its
// memory and each kind of its arithmetic need.
//
//   gemm 4096x4096x4096, f16    copy          100.7 MB at 4100 GB/s         25 us
//                               matrix units  137 GFLOP at 900 TFLOP/s     153 us     the limit

#include <optional>
#include <string>
#include <vector>

#include "measure/ceilings.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::bench {

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

/// For a problem of at least `bytes` and `flops`. A kernel with several kinds of arithmetic is counted at the fastest,
/// so that the time stays a bound.
ShortestTime shortest_time(const gen::ir::Kernel& kernel, double bytes, double flops,
                           const std::vector<Ceiling>& ceilings);

}  // namespace vkmoye::bench
