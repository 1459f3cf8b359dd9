// SPDX-License-Identifier: MIT
#pragma once
// An operation: how problems are stated, by a size and options or by the arrays of a user. A new operation of vkmoye is
// a file that defines it and an entry in the table of operations.cpp.
//
//   operation_named("softmax").of_size({.entry = &kernel_named("softmax/rows"), .type = "f16"}, {64, 1000})

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/contract/extents.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/problems/packed_operand.hpp"
#include "vkmoye/gen/problems/problem.hpp"

namespace vkmoye::gen {

struct KernelEntry;

/// The form in which the size of a problem is typed.
struct SizeForm {
  std::string text;       // "MxNxK"
  std::size_t rank = 2;   // number of extents; a single number is used for all of them
  bool any_rank = false;  // or any number of extents from 2
  Extents example = {};   // for kernels that are described for one size, if none was given
  // The first extents that a single number is used for, if not for all; the others may be left out and are then
  // those of the example.
  std::size_t extents_of_one_number = 0;
};

/// The options that a user gives for the problem of one kernel.
struct ProblemText {
  const KernelEntry* entry = nullptr;
  std::string type;  // one of --type; empty: the type of the arrays
  Options config;    // values of the kernel's config: --tile; some belong to the problem: --axis
  Options values;    // values of Operation::options: --alpha
};

/// An array of the user that a kernel is applied to.
struct GivenArray {
  std::string name;  // the file it comes from
  ScalarType type;
  Extents shape;
  std::optional<PackedOperand> packed = {};  // set if it is an operand in fragment order
  bool fortran_order = false;                // the first axis varies fastest, else the last
};

/// An option of the problem, and the commands that it applies to in addition to `run` and `explain`: `apply` takes
/// the user's arrays, `emit` has none, `pack` takes one operand of a product.
struct OperationOption {
  std::string name, help;
  bool of_apply = true, of_emit = true, of_pack = false;
  std::string expects = {};               // "a whole number"; empty: `help` contains it
  bool of_packed = false;                 // only kernels that take packed operands have it
  bool is_flag = false;                   // takes no value: the value "yes"
  std::vector<std::string> choices = {};  // as ConfigField::choices
};

struct Operation {
  std::string name;  // as KernelEntry::operation
  SizeForm size;
  bool takes_all_types = false;  // "--type f16,f32" means one problem, else two
  bool converts = false;         // takes "--type f32*f16": the types of its two arrays
  bool is_tuned = false;         // `tune` measures its kernels and writes tables of them
  bool is_own = false;           // defined by a user: its usual size is size.example
  std::vector<OperationOption> options = {};

  /// Both throw ArgumentError for an invalid request.
  std::function<std::unique_ptr<Problem>(const ProblemText&, const Extents& size)> of_size;
  std::function<std::unique_ptr<Problem>(const ProblemText&, const std::vector<GivenArray>&)>
      of_arrays;
  /// Whether `of_arrays` takes the array with index `place` in Fortran order. Other arrays are converted to C order
  /// first. Empty: it takes none.
  std::function<bool(const GivenArray&, std::size_t place)> takes_fortran_order = {};
  /// The sizes that a benchmark runs. Empty: those of all operations of the same rank.
  std::function<std::vector<Extents>(bool cpu, bool quick)> suite_sizes = {};
};

/// The size for which a kernel is run or explained if none is given: the example of a user's operation, else `usual`.
Extents usual_size(const Operation& operation, const Extents& usual);

/// `extents` as a size of `form`. Throws ArgumentError for another number of extents.
Extents size_of_form(const SizeForm& form, const Extents& extents);

/// The type of the problem, where its first arrays have the types `wanted`, nullopt: that of the problem. Adds the
/// reasons why the arrays of the user are not of these names, types and shapes; the first may have any shape.
struct WantedArray {
  std::string name;
  std::optional<ScalarType> type;
  Extents shape;
};
/// Throws ArgumentError with every reason why the arrays `given` are not those that are `wanted`.
void require_arrays(const std::string& kernel, const std::vector<GivenArray>& given,
                    const std::vector<WantedArray>& wanted, ScalarType type);

}  // namespace vkmoye::gen
