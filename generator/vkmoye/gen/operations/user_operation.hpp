// SPDX-License-Identifier: MIT
#pragma once
// A problem of a user: arrays, arguments and a definition of whole arrays. vkmoye/bench/bench.hpp runs, checks and
// times kernels for it.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/contract/kernel_interface.hpp"
#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/numbers/expected.hpp"
#include "vkmoye/gen/problems/operation.hpp"

namespace vkmoye::gen {

/// An array of the kernel, in C order.
struct UserArray {
  std::string name;  // name of the binding
  std::vector<std::int64_t> shape;
  /// The type of its elements, where it differs from --type: f32 scales of rows of i8.
  std::optional<ScalarType> type = {};
  /// Element `index`, made of 64 random bits and rounded to the type, for an input or a result that the kernel
  /// also reads. Empty: uniform in [-1, 1); for integer types, whole numbers up to 100.
  std::function<double(std::uint64_t index, std::uint64_t bits)> value = {};
  /// Whether the kernel also reads this result (Builder::in_out), so that it is filled like an input.
  bool in_out = false;
};

/// The arrays and arguments of a kernel for one size.
struct UserProblem {
  std::vector<UserArray> inputs;  // in the order of the bindings, before the output
  UserArray output;
  Arguments arguments;
  double flops = 0;  // floating-point operations; 0: it only moves data
  /// Further results, bound after `output`.
  std::vector<UserArray> more_outputs = {};
};

/// A problem that kernels compute. They can be compared with a copy of as many bytes (--baseline copy) and
/// with any other kernel of the operation (--baseline NAME), such as the fastest so far.
struct UserOperation {
  std::string name;  // as KernelEntry::operation; differs from those of vkmoye, see registry.hpp
  /// The form of --size: one extent for each word, separated by x, such as "ROWSxCOLUMNS".
  std::string size_form = "ROWSxCOLUMNS";
  /// A size of that form: the size of run, suite and explain if none is given.
  std::vector<std::int64_t> example = {2048, 2048};
  /// `size` is the one typed, or the shape of the first array that `apply` takes.
  std::function<UserProblem(const std::vector<std::int64_t>& size, ScalarType type)> problem;
  /// Computes the whole output from the whole inputs, in f64. After the inputs come the initial contents of the results
  /// that are in_out.
  std::function<void(const UserProblem& problem, std::span<const std::vector<double>> inputs,
                     std::span<Expected> output)>
      reference;
  /// Replaces `reference` if there are several results: `outputs` are the output and those of more_outputs, with all
  /// their elements.
  std::function<void(const UserProblem& problem, std::span<const std::vector<double>> inputs,
                     std::span<std::vector<Expected>> outputs)>
      references = {};
};

/// The operation that `own` describes.
Operation operation_of(const UserOperation& own);

}  // namespace vkmoye::gen
