// SPDX-License-Identifier: MIT
#pragma once
// The arrays of a decoder that are not weights: activations, caches, and what the host writes and reads.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>
#include <vkmoye/vkmoye.hpp>

#include "model.hpp"
#include "plans.hpp"

namespace llama {

struct StepOptions {
  std::uint32_t count = 1;                             // of tokens
  std::uint32_t places = 128;                          // of the caches
  vkmoye::ScalarType cache = vkmoye::ScalarType::f16;  // of keys and values
  vkmoye::ScalarType activations = vkmoye::ScalarType::f16;
  std::string tokens = "tokens";  // the array that has them
  /// Of a token: the workgroups of a launch for each layer, see one_launch.hpp; 0: a launch for each step.
  std::uint32_t groups = 0;
};

/// The bytes of the arrays that are not weights, for at most `count` tokens at once.
std::map<std::string, std::uint64_t> state_of(const Sizes& sizes, const StepOptions& options);
/// The type of the elements of such an array; none: whole numbers.
std::optional<vkmoye::ScalarType> type_of(const std::string& array, const StepOptions& options);

/// Rows of these numbers of elements, one after the other in an array.
std::vector<Part> rows_of(const std::string& array, std::vector<std::uint64_t> widths,
                          const StepOptions& options);

}  // namespace llama
