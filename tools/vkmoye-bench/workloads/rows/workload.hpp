// SPDX-License-Identifier: MIT
#pragma once
// Operations that map each line (row or column) of an array to a line: to a single value such as a sum, or to a
// line of the same length. Their definition is a function on one line in f64, which also gives the error bound of
// each element.
//
//   array of 2x3, rows     step 1 between elements of a line, 3 between lines
//                 columns       3                             1
//
//   Operation row_sum = line_operation("row_sum", [](const LineSpec& spec) {
//     LineOperation sum;
//     sum.lines = spec.rows;
//     sum.inputs = {rows_of("src", spec)};
//     sum.output = {"dst", {spec.rows}, 1, 1, 1};
//     sum.arguments = {{"rows", spec.rows}, {"cols", spec.cols}};
//     sum.definition = [](const DeviceCaps&) {
//       return [](std::span<const Line> in, std::span<Expected> out) { .. };
//     };
//     return sum;
//   });

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "numbers/hard.hpp"
#include "numbers/number.hpp"
#include "vkmoye/bench/bench.hpp"
#include "workloads/operation.hpp"

namespace vkmoye::bench {

/// An array as lines. `shape` is in C order; the steps are in elements.
struct LineArray {
  std::string name;  // name of the kernel's binding
  Extents shape;
  std::int64_t length = 1;              // number of elements of a line
  std::int64_t step = 1;                // from one element of a line to the next
  std::int64_t next = 1;                // from one line to the next; 0: all lines are the same
  std::optional<ScalarType> type = {};  // element type; nullopt: that of the request
  HardNumbers hard = {};                // of hard lines; their type is that of the elements
};

using Line = std::vector<double>;

/// Computes a line of the result from the same line of each input. Where the definition gives NaN or infinity, the
/// result must be the same.
using DefineLine = std::function<void(std::span<const Line> in, std::span<Expected> out)>;

/// The contents of the inputs: --init random or hard.
enum class LineInit : std::uint8_t { random, hard };

struct LineOperation {
  std::int64_t lines = 0;
  std::vector<LineArray> inputs;  // in the order of the bindings, before the output
  LineArray output;
  /// Results between the inputs and the output. The definition gives their values first, then those of the output.
  std::vector<LineArray> further_outputs = {};
  Arguments arguments;
  double flops = 0;  // for all lines
  /// The definition for a kernel that is described for a device.
  std::function<DefineLine(const DeviceCaps&)> definition;
  std::optional<gen::Options> config = {};  // config of the kernel, in place of the typed one
  /// The shape for describing the kernel, in place of rows x cols.
  std::optional<Extents> kernel_shape = {};
  std::string refusal = {};  // why the result is not defined; empty: it is
};

/// The request: an array of rows x cols elements of `type`, whose precision is `range`.
struct LineSpec {
  std::int64_t rows = 0, cols = 0;
  ScalarType type = ScalarType::f32;
  NumberRange range = {};
  /// The shape of the array in memory: its last extent is cols, the product of the others is rows.
  Extents shape = {};
  bool fortran_order = false;  // the array is the transpose of the one in memory
  gen::Options config = {};    // config of the kernel, as typed
  std::string kernel = {};     // for messages
};

/// Compares element `place` of the array `name` with its definition.
void compare(const Expected& expected, double got, std::size_t place, const std::string& name,
             CheckResult& checked);

/// The rows of an array of rows x cols, and its columns.
LineArray rows_of(const std::string& name, const LineSpec& spec);
LineArray columns_of(const std::string& name, const LineSpec& spec);

/// The operation with random inputs: uniform in [-1, 1), or small whole numbers for integer types; with --init hard,
/// each line has hard numbers, and a result is right for the inputs as they are or with subnormal ones taken as 0.
/// `apply` takes one array for each input; the first has one dimension (a row) or more. `takes_fortran_order`: 2-D
/// arrays in Fortran order are not converted.
Operation line_operation(const std::string& name,
                         std::function<LineOperation(const LineSpec&)> make,
                         bool takes_fortran_order = false);

}  // namespace vkmoye::bench
