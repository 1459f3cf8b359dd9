// SPDX-License-Identifier: MIT
#pragma once
// The operations of kernels, for the command line: the form of the size, the options of the problem, the arrays, the
// expected result, the baselines. A new operation of vkmoye is a file that defines it and an entry in the table of
// registry/operations.cpp; users define theirs as an OperationEntry.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/packed_file.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {

/// The form in which the size of a workload is typed.
struct SizeForm {
  std::string text;       // "MxNxK"
  std::size_t rank = 2;   // number of extents; a single number is used for all of them
  bool any_rank = false;  // or any number of extents from 2
  Extents example = {};   // for kernels that are described for one size, if none was given
  // The first extents that a single number is used for, if not for all; the others may be left out and are then
  // those of the example.
  std::size_t extents_of_one_number = 0;
};

/// The options that a user gives for one kernel.
struct WorkloadSpec {
  const gen::KernelEntry* entry = nullptr;
  std::string type;     // one of --type; empty: the type of the arrays
  gen::Options config;  // values of the kernel's config: --tile
  gen::Options values;  // values of Operation::options: --alpha
};

/// An array of the user that a kernel is applied to.
struct GivenArray {
  std::string name;  // the file it comes from
  ScalarType type;
  std::vector<std::int64_t> shape;
  std::optional<PackedOperand> packed = {};  // set if it is an operand in fragment order
  bool fortran_order = false;                // the first axis varies fastest, else the last
};

/// An option of the problem, and the commands that it applies to in addition to `run` and `explain`: `apply` takes
/// the user's arrays, `emit` has none, `pack` takes one operand of a product.
struct OperationOption {
  std::string name, help;
  bool of_apply = true, of_emit = true, of_pack = false;
  std::string expects = {};  // "a whole number"; empty: `help` contains it
  bool of_packed = false;    // only kernels that take packed operands have it
  bool is_flag = false;      // takes no value: the value "yes"
};

struct Operation {
  std::string name;  // as KernelEntry::operation
  SizeForm size;
  bool takes_all_types = false;  // "--type f16,f32" means one workload, else two
  bool converts = false;         // takes "--type f32*f16": the types of its two arrays
  bool is_tuned = false;         // `tune` measures its kernels and writes tables of them
  bool is_own = false;           // defined by a user: its usual size is size.example
  std::vector<OperationOption> options = {};
  std::vector<std::string> baselines = {};

  /// Both throw ArgumentError for an invalid request.
  std::function<std::unique_ptr<Workload>(const WorkloadSpec&, const Extents& size)> of_size;
  std::function<std::unique_ptr<Workload>(const WorkloadSpec&, const std::vector<GivenArray>&)>
      of_arrays;
  /// Whether `of_arrays` takes the array with index `place` in Fortran order. Other arrays are converted to C order
  /// first. Empty: it takes none.
  std::function<bool(const GivenArray&, std::size_t place)> takes_fortran_order = {};
  /// The sizes that `suite` runs. Empty: those of all operations of the same rank.
  std::function<std::vector<Extents>(bool cpu, bool quick)> suite_sizes = {};
};

/// The memory accesses of the kernel without rearranging the elements: a bound on its speed, without a result.
inline constexpr const char* kPatternBaseline = "pattern";
/// Multiply-adds from registers: a bound on the speed of a product, without a result. See peak.hpp.
inline constexpr const char* kPeakBaseline = "peak";

/// The size for which a kernel is run or explained if none is given: the example of a user's operation, else `usual`.
Extents usual_size(const Operation& operation, const Extents& usual);

/// `extents` as a size of `form`. Throws ArgumentError for another number of extents.
Extents size_of_form(const SizeForm& form, const Extents& extents);

}  // namespace vkmoye::bench
