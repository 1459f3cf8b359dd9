// SPDX-License-Identifier: MIT
#pragma once
// A roofline as SVG: the speed of each result over its intensity, operations for each byte, below what memory and
// arithmetic allow. S. Williams, A. Waterman, D. Patterson: Roofline, CACM 52(4), 2009.
//
//   TFLOP/s |        ______________   arithmetic: results beside `peak`, as a percentage of it
//           |       /    o
//           |   o  /                  memory: the fastest copy, or the fastest result
//           |     /
//           +----------------------   FLOP/byte

#include <string>
#include <vector>

#include "report/report.hpp"

namespace vkmoye::bench {

/// A section with the figure and its key; empty if no result has operations and bytes.
std::string roofline(const std::vector<Result>& results);

}  // namespace vkmoye::bench
