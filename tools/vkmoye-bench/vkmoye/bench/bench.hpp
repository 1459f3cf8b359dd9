// SPDX-License-Identifier: MIT
#pragma once
// The benchmark as a library: kernels of yours, checked, timed, compared and explained as ours are.
//
//   int main(int argc, char** argv) {
//     vkmoye::bench::Registry mine;                  // or our_registry(), and yours beside ours
//     mine.operations.push_back(doubling());         // what is computed: an OperationRow
//     mine.kernels.push_back(doubling_kernel());     // how: a KernelEntry of that operation
//     return vkmoye::bench::main(argc, argv, mine);  // list, run, explain, emit, apply, suite, ..
//   }
//
// `run` gives the inputs random numbers, runs the kernel between guard zones, compares every element
// with the reference, and times it.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/contract/kernel_interface.hpp"
#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::bench {

/// An array of the kernel, in C's order.
struct OwnArray {
  std::string name;  // of the kernel's binding
  std::vector<std::int64_t> shape;
  /// Of its elements, where it is another one than --type says: the f32 scale of a row of i8.
  std::optional<ScalarType> type = {};
};

/// What a kernel is given for one size.
struct Problem {
  std::vector<OwnArray> inputs;  // in the order of the bindings, before the output
  OwnArray output;
  Arguments arguments;
  double flops = 0;  // operations on floating-point numbers; 0: it only moves
};

/// What an element must be, and the largest difference from it that rounding explains. Where the value
/// is not finite, so is the kernel's, in the same way.
struct Expected {
  double value = 0, bound = 0;
};

/// What kernels compute. It can be compared with a copy of as many bytes, --baseline copy, and with any
/// other kernel of the operation, --baseline NAME: one that was fast enough so far.
struct OperationRow {
  std::string name;  // as KernelEntry::operation; none of ours, see registry.hpp
  /// How --size is typed: one extent for each word between x, as "ROWSxCOLUMNS".
  std::string size_form = "ROWSxCOLUMNS";
  std::vector<std::int64_t> example = {2048, 2048};  // of that size
  /// `size` is as typed, or the shape of the first array that `apply` is given.
  std::function<Problem(const std::vector<std::int64_t>& size, ScalarType type)> problem;
  /// The whole output from the whole inputs, in f64. Inputs are uniform in [-1, 1), of integer types
  /// whole numbers up to 100.
  std::function<void(const Problem& problem, std::span<const std::vector<double>> inputs,
                     std::span<Expected> output)>
      reference;
};

/// What the program knows.
struct Registry {
  std::vector<gen::KernelEntry> kernels;
  std::vector<OperationRow> operations;  // beside ours, which are always known
};

/// Every kernel of vkmoye.
Registry our_registry();

/// The program: reads the command line, prints, and returns the exit status (see --help). A registry that
/// cannot be meant (a name that is taken, a kernel of an unknown operation) is status 2, with every
/// reason. Once in a process.
int main(int argc, char** argv, Registry registry);

}  // namespace vkmoye::bench
