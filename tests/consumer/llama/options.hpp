// SPDX-License-Identifier: MIT
#pragma once
// The arguments of the program.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <vkmoye/contract/scalar_type.hpp>

#include "sampling.hpp"

namespace llama {

extern const char* const kUsage;

struct Options {
  std::string model;
  std::optional<std::string> text;    // the prompt,
  std::vector<std::uint32_t> prompt;  // or its tokens
  bool prints_text = false;           // else the numbers of tokens
  std::uint32_t tokens = 16;          // at most
  bool ignores_end = false;
  Sampling sampling;
  std::uint32_t chunk = 512, device = 0;
  vkmoye::ScalarType cache = vkmoye::ScalarType::f16, activations = vkmoye::ScalarType::f16;
  std::uint32_t groups = 0;  // of a launch for each layer of a token; 0: a launch for each step
  bool has_timings = false;
};

/// Throws std::invalid_argument with all reasons.
Options options_of(const std::vector<std::string>& words);

}  // namespace llama
