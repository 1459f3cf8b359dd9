// SPDX-License-Identifier: MIT
#pragma once
// Problems that map each line (row or column) of some arrays to lines of others: to a single value such as a sum, or to
// a line of the same length. Their definition is a function on one line in f64, which also gives the error bound of
// each element. A problem of a user is one line: all elements of each array.
//
//   array of 2x3, rows     step 1 between elements of a line, 3 between lines
//                 columns       3                             1
//
//   Operation row_sum = line_operation("row_sum", [](const LineSpec& spec) {
//     LineProblem sum;
//     sum.lines = spec.rows;
//     sum.inputs = {rows_of("src", spec)};
//     sum.results = {{"dst", {spec.rows}, 1, 1, 1}};
//     sum.arguments = {{"rows", spec.rows}, {"cols", spec.cols}};
//     sum.define = [](std::span<const Line> in, std::span<Expected> out, std::size_t threads) { .. };
//     return sum;
//   });

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/gen/numbers/hard.hpp"
#include "vkmoye/gen/problems/operation.hpp"

namespace vkmoye::gen {

/// An array as lines. `shape` is in C order; the steps are in elements.
struct LineArray {
  std::string name;  // name of the kernel's binding
  Extents shape;
  std::int64_t length = 1;              // number of elements of a line
  std::int64_t step = 1;                // from one element of a line to the next
  std::int64_t next = 1;                // from one line to the next; 0: all lines are the same
  std::optional<ScalarType> type = {};  // element type; nullopt: that of the problem
  HardNumbers hard = {};                // of hard lines; their type is that of the elements
  /// Element `index` before the kernel runs, from 64 random bits. Empty: uniform in [-1, 1), or small whole numbers.
  std::function<double(std::uint64_t index, std::uint64_t bits)> value = {};
  bool is_read = false;  // of a result: the kernel reads it as well
};

using Line = std::vector<double>;

/// Computes a line of each result, one after the other, from a line of each input, then of each result that is read.
/// `threads` of the kernel share the sum of a line. Where the definition gives NaN or infinity, so must the kernel.
using DefineLine =
    std::function<void(std::span<const Line> in, std::span<Expected> out, std::size_t threads)>;

struct LineProblem {
  std::int64_t lines = 0;
  std::vector<LineArray> inputs;   // in the order of the bindings
  std::vector<LineArray> results;  // after the inputs
  Arguments arguments;
  DefineLine define;
  double flops = 0;  // for all lines
  /// The result that gives the problem its name; nullopt: the last.
  std::optional<std::size_t> result = {};
  Options kernel_options = {};  // see Problem::kernel_options
  /// The shape for describing the kernel, in place of rows x cols.
  std::optional<Extents> kernel_shape = {};
  std::string refusal = {};  // why the result is not defined; empty: it is
};

/// The request: an array of rows x cols elements of `type`.
struct LineSpec {
  std::int64_t rows = 0, cols = 0;
  ScalarType type = ScalarType::f32;
  /// The shape of the array in memory: its last extent is cols, the product of the others is rows.
  Extents shape = {};
  bool fortran_order = false;  // the array is the transpose of the one in memory
  Options config = {};         // config of the kernel, as typed
  std::string kernel = {};     // for messages
};

/// The rows of an array of rows x cols, and its columns; a row for all lines.
LineArray rows_of(const std::string& name, const LineSpec& spec);
LineArray columns_of(const std::string& name, const LineSpec& spec);
LineArray one_row(const std::string& name, std::int64_t cols);

using MakeLineProblem = std::function<LineProblem(const LineSpec&)>;

/// The operation of such problems with random inputs: uniform in [-1, 1), or small whole numbers for integer types;
/// with --init hard, each line has hard numbers, and a result is right for the inputs as they are or with subnormal
/// ones taken as 0. `apply` takes one array for each input; the first has one dimension (a row) or more, or if
/// `is_own`, as a user's operation, as many as the size has extents.
Operation line_operation(const std::string& name, MakeLineProblem make,
                         SizeForm size = {.text = "ROWSxCOLUMNS", .example = {2048, 2048}},
                         bool is_own = false);

}  // namespace vkmoye::gen
