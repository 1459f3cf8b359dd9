// SPDX-License-Identifier: MIT
#pragma once
// The benchmark as a library: checks, times, compares and explains your own kernels like those of vkmoye.
//
//   int main(int argc, char** argv) {
//     vkmoye::bench::Registry mine;                  // or our_registry(), to add yours to ours
//     mine.operations.push_back(doubling());         // the problem: an OperationEntry
//     mine.kernels.push_back(doubling_kernel());     // a KernelEntry that computes it
//     return vkmoye::bench::main(argc, argv, mine);  // list, run, explain, emit, apply, suite, ..
//   }
//
// `run` fills the inputs with random numbers, runs the kernel between guard words, compares every element
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

/// An array of the kernel, in C order.
struct ProblemArray {
  std::string name;  // name of the binding
  std::vector<std::int64_t> shape;
  /// The type of its elements, where it differs from --type: f32 scales of rows of i8.
  std::optional<ScalarType> type = {};
  /// Element `index`, made of 64 random bits and rounded to the type, for an input or a result that the kernel
  /// also reads. Empty: uniform in [-1, 1); for integer types, whole numbers up to 100.
  std::function<double(std::uint64_t index, std::uint64_t bits)> value = {};
  /// For a result: the kernel also reads it (Builder::in_out), so it is filled like an input.
  bool in_out = false;
};

/// The arrays and arguments of a kernel for one size.
struct Problem {
  std::vector<ProblemArray> inputs;  // in the order of the bindings, before the output
  ProblemArray output;
  Arguments arguments;
  double flops = 0;  // floating-point operations; 0: it only moves data
  /// Further results, bound after `output`. `apply` writes `output` alone.
  std::vector<ProblemArray> more_outputs = {};
};

/// What an element may be because something is too large for its type: a sum on the way to it, or the element itself.
struct Overflow {
  bool to_infinity = false, to_minus_infinity = false, to_nan = false;
};

/// The correct value of an element, and the largest difference that rounding explains. Where it is NaN or
/// infinite, the kernel's must be the same, or what `overflow` has.
struct Expected {
  double value = 0, bound = 0;
  Overflow overflow = {};
};

/// A problem that kernels compute. They can be compared with a copy of as many bytes (--baseline copy) and
/// with any other kernel of the operation (--baseline NAME), such as the fastest so far.
struct OperationEntry {
  std::string name;  // as KernelEntry::operation; differs from those of vkmoye, see registry.hpp
  /// The form of --size: one extent for each word, separated by x, such as "ROWSxCOLUMNS".
  std::string size_form = "ROWSxCOLUMNS";
  /// A size of that form: the size of run, suite and explain if none is given.
  std::vector<std::int64_t> example = {2048, 2048};
  /// `size` is the one typed, or the shape of the first array that `apply` takes.
  std::function<Problem(const std::vector<std::int64_t>& size, ScalarType type)> problem;
  /// Computes the whole output from the whole inputs, in f64. After the inputs come the initial contents of the results
  /// that are in_out.
  std::function<void(const Problem& problem, std::span<const std::vector<double>> inputs,
                     std::span<Expected> output)>
      reference;
  /// In its place, for several results: `outputs` are the output and those of more_outputs, with all their elements.
  std::function<void(const Problem& problem, std::span<const std::vector<double>> inputs,
                     std::span<std::vector<Expected>> outputs)>
      references = {};
};

/// The kernels and operations of the program.
struct Registry {
  std::vector<gen::KernelEntry> kernels;
  std::vector<OperationEntry> operations;  // in addition to those of vkmoye
};

/// Every kernel of vkmoye.
Registry our_registry();

/// The program: reads the command line, prints, and returns the exit status (see --help). An invalid registry
/// (a duplicate name, a kernel of an unknown operation) is exit status 2, with every reason. Call it once in a
/// process.
int main(int argc, char** argv, Registry registry);

}  // namespace vkmoye::bench
