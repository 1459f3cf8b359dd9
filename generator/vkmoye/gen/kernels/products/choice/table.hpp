// SPDX-License-Identifier: MIT
#pragma once
// Which kernel multiplies what, a row a line: gemm/auto takes the first row that fits.
//
//   device | types            | where          | kernel and what it is told                 | why
//   H200   | f16,f32 bf16,f32 | m>=512 n>=512  | gemm/coopmat --tile 128x256x32 --split-k 4 | measured: ..
//   *      | *                | -              | gemm/simt                                  | takes every product
//
//   device   parts of its name in any case, commas between; *: any
//   types    operands,accumulator for whatever result, or operands,accumulator,result; spaces between;
//            *: any
//   where    conditions that all hold, such as m>=512, k<=64, b=n; -: none. There are
//              m n k batch     as kernels see them: where C has m contiguous, m and n change places
//              least, area     the smaller of m and n; m * n
//              elements        of C: m * n * batch
//              lanes, shared   of the device: lanes of a subgroup, bytes of shared memory
//              a, b            the index of the operand that is contiguous: a=k, a=m; b=k, b=n
//              beta, epilogue  whether C is read: beta=no; steps: epilogue=bias,relu; epilogue=none
//            A product whose C has m contiguous is the transposed one there, by the same kernel.
//   kernel   as `run` takes it; --split-k cuts k into slices
//
// What begins with # is a comment.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/form/form.hpp"

namespace vkmoye::gen {

/// A product that a kernel is looked for.
struct GemmQuestion {
  GemmForm form = {};
  std::optional<std::vector<std::int64_t>> shape = {};  // {M, N, K}; nothing: 4096 each
  std::int64_t batch = 1;
};

struct GemmCondition {
  std::string name, relation;  // "m", ">="
  std::int64_t value = 0;
  std::string word = {};  // in place of a number: "k", "bias,relu"
};

struct GemmRow {
  std::vector<std::string> devices, types;
  std::vector<GemmCondition> where;
  std::string kernel;
  Options options;  // of the kernel, and split-k
  std::string why;
  int line = 0;
  std::string text;  // as it was read
};

struct GemmTable {
  std::string name;  // for a reader: "shipped table"
  std::vector<GemmRow> rows;
};

/// The rows of a text and, a line each, why the others are none: "NAME, line 3: ..".
struct GemmTableText {
  GemmTable table;
  std::vector<std::string> wrong;
};

/// A line is wrong that has other columns, or names a type, a condition, a kernel or an option that does
/// not exist; values of options are not looked at, see products/choice/choice.hpp. `first_line`: the number of the
/// first line of `text`.
GemmTableText read_gemm_table(std::string_view text, const std::string& name, int first_line = 1);

/// The same for a text that has to be right. Throws ArgumentError for the first line that is wrong.
GemmTable parse_gemm_table(std::string_view text, const std::string& name, int first_line = 1);

/// The device, types and conditions of a row, which say when it holds.
std::string match_text(const GemmRow& row);
/// Those of a row for products like this one and no other, on any device. Precondition: it has a shape.
std::string match_text(const GemmQuestion& question);

bool is_for_device(const GemmRow& row, const DeviceCaps& device);
bool is_for_types(const GemmRow& row, const GemmForm& form);

/// The first condition on the form, of those with words, that does not hold; empty: all do.
std::string unmet(const GemmRow& row, const GemmForm& form);

/// The first condition that does not hold: "m>=512 does not hold, m is 64"; empty: all do.
std::string unmet(const GemmRow& row, const GemmQuestion& question, const DeviceCaps& device);

/// That of vkmoye, with a row for each device that was measured or compiled for and, at the end, rows
/// for any.
const GemmTable& shipped_gemm_table();

}  // namespace vkmoye::gen
