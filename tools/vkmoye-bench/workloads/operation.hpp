// SPDX-License-Identifier: MIT
#pragma once
// What kernels compute, as the command line sees it: how a size is typed, which options say what is
// meant, what is given, what must come out, what it is compared with. One row each; a new operation of
// ours is a file with its row, named in the table of operation.cpp, one of others an OperationRow.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/products/packed_file.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {

/// How the size of a workload is typed.
struct SizeForm {
  std::string text;       // "MxNxK"
  std::size_t rank = 2;   // extents that it has; a single number stands for each of them
  bool any_rank = false;  // or any other number of extents from 2
  Extents example = {};   // where a kernel is described for one and none was given
};

/// What a user asks of one kernel.
struct Question {
  const gen::KernelEntry* entry = nullptr;
  std::string type;     // one of --type; empty: that of the arrays
  gen::Options config;  // values of the kernel's config: --tile
  gen::Options values;  // of Operation::options: --alpha
};

/// Options of a kernel's config that say what is computed, and not how.
inline constexpr std::string_view kOptionsOfMeaning[] = {"axis", "permute", "epsilon"};

/// An array that a user applies a kernel to.
struct GivenArray {
  std::string name;  // the file it comes from
  ScalarType type;
  std::vector<std::int64_t> shape;
  std::optional<PackedOperand> packed = {};  // it is an operand in fragment order
  bool fortran_order = false;                // the first axis runs fastest, else the last
};

/// An option that says what is computed, and for which commands it makes sense: `run` makes arrays,
/// `apply` is given them, `emit` and `explain` have none, `pack` is given one operand of a product.
struct OperationOption {
  std::string name, help;
  bool of_apply = true, of_emit = true, of_pack = false;
  std::string expects = {};  // "a whole number"; empty: `help` says it
};

struct Operation {
  std::string name;  // as KernelEntry::operation
  SizeForm size;
  bool takes_all_types = false;  // "f16,f32" of --type is one workload; else it is two
  std::vector<OperationOption> options = {};
  std::vector<std::string> baselines = {};

  /// Both throw ArgumentError for what cannot be meant.
  std::function<std::unique_ptr<Workload>(const Question&, const Extents& size)> of_size;
  std::function<std::unique_ptr<Workload>(const Question&, const std::vector<GivenArray>&)>
      of_arrays;
  /// Whether `of_arrays` takes an array in Fortran's order as it lies, at that place among the arrays.
  /// The others are put into C's order before. Empty: it takes none.
  std::function<bool(const GivenArray&, std::size_t place)> takes_fortran_order = {};
};

/// Ours, and all that the registry in use knows, in the order in which their options and baselines are
/// listed.
const std::vector<Operation>& our_operations();
const std::vector<Operation>& operations();

/// Their names.
std::vector<std::string> operation_names();

/// That of `entry`. Precondition: it is in the table.
const Operation& operation_of(const gen::KernelEntry& entry);

/// The kernel's own accesses to memory, nothing turned: what bounds it, and no result to compare.
inline constexpr const char* kPatternBaseline = "pattern";
/// Multiply-adds from registers: what bounds a product, and no result to compare. See peak.hpp.
inline constexpr const char* kPeakBaseline = "peak";

/// Every baseline that is not a kernel, once.
const std::vector<std::string>& baseline_names();

/// The kernel of the registry in use that is called `name`; nullptr: there is none.
const gen::KernelEntry* kernel_called(const std::string& name);

/// `extents` as a size of `form`. Throws ArgumentError for another number of extents.
Extents size_of_form(const SizeForm& form, const Extents& extents);

/// Throws ArgumentError if one of the values was given that none of `entries` takes.
void refuse_useless_values(const gen::Options& values,
                           const std::vector<const gen::KernelEntry*>& entries);

/// Throws ArgumentError if one of the baselines does what none of `entries` does.
void refuse_useless_baselines(const std::vector<std::string>& names,
                              const std::vector<const gen::KernelEntry*>& entries);

/// Whether the baseline `name` does what `entry` does: another kernel of its operation does.
bool does(const std::string& name, const gen::KernelEntry& entry);

}  // namespace vkmoye::bench
