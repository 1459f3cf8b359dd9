// SPDX-License-Identifier: MIT
#pragma once
// Operations that make a line out of each line of an array: a sum, a line of the same length. Their
// definition is one function of one line in f64, which says for each element how far the kernel may
// be from it.
//
//   array of 2x3, rows     elements of a line 1 apart, lines 3 apart
//                 columns                     3                1
//
//   Operation row = line_operation("row_sum", [](const LineQuestion& asked) {
//     LineOperation sum;
//     sum.lines = asked.rows;
//     sum.inputs = {rows_of("src", asked)};
//     sum.output = {"dst", {asked.rows}, 1, 1, 1};
//     sum.arguments = {{"rows", asked.rows}, {"cols", asked.cols}};
//     sum.definition = [](const DeviceCaps&) {
//       return [](std::span<const Line> in, std::span<Defined> out) { .. };
//     };
//     return sum;
//   });

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/bench/bench.hpp"
#include "workloads/number.hpp"
#include "workloads/operation.hpp"

namespace vkmoye::bench {

/// An array cut into lines. `shape` in C's order, the steps in elements.
struct LineArray {
  std::string name;  // of the kernel's binding
  Extents shape;
  std::int64_t length = 1;              // elements of a line
  std::int64_t step = 1;                // from one of them to the next
  std::int64_t next = 1;                // from one line to the next; 0: all lines are this one
  std::optional<ScalarType> type = {};  // of its elements; nothing: of what is asked
};

using Line = std::vector<double>;

using Defined = Expected;

/// One line of the result from the same line of each input. Where the definition is not finite, so is
/// the result, in the same way.
using DefineLine = std::function<void(std::span<const Line> in, std::span<Defined> out)>;

struct LineOperation {
  std::int64_t lines = 0;
  std::vector<LineArray> inputs;  // in the order of the bindings, before the output
  LineArray output;
  Arguments arguments;
  double flops = 0;  // of all lines
  /// How a kernel that was described for a device computes it.
  std::function<DefineLine(const DeviceCaps&)> definition;
  std::optional<gen::Options> config = {};   // of the kernel, in place of what was typed
  std::optional<Extents> kernel_shape = {};  // that it is described for, in place of rows x cols
  std::string refusal = {};                  // why there is no such result; empty: there is one
};

/// What is asked: an array of rows x cols elements of `type`, which rounds as `range` says.
struct LineQuestion {
  std::int64_t rows = 0, cols = 0;
  ScalarType type = ScalarType::f32;
  NumberRange range = {};
  Extents shape = {};  // of the array in memory: its last extent is cols, the others make rows
  bool fortran_order = false;  // the array is the transpose of what is in memory
  gen::Options config = {};    // of the kernel, as typed
  std::string kernel = {};     // for messages
};

/// The rows of an array of rows x cols, and its columns.
LineArray rows_of(const std::string& name, const LineQuestion& asked);
LineArray columns_of(const std::string& name, const LineQuestion& asked);

/// Its inputs are random: uniform in [-1, 1), small whole numbers of integer types. `apply` takes
/// one array for each input, the first of one dimension (a row) or more.
/// `takes_fortran_order`: arrays of two dimensions, as they lie.
Operation line_operation(const std::string& name,
                         std::function<LineOperation(const LineQuestion&)> ask,
                         bool takes_fortran_order = false);

}  // namespace vkmoye::bench
