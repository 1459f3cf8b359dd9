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

#include <vector>

#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/operations/user_operation.hpp"

namespace vkmoye::bench {

using gen::Expected;
using gen::Overflow;
/// An operation of yours.
using OperationEntry = gen::UserOperation;
/// What it computes for one size.
using Problem = gen::UserProblem;
/// An array of a problem.
using ProblemArray = gen::UserArray;

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
