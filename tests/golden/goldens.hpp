// SPDX-License-Identifier: MIT
#pragma once
// The kernels whose texts are committed in shaders/generated, each with the reason.

#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::test {

struct Golden {
  const char* file;
  const char* kernel;  // of the registry, or gemm/combine
  ScalarType type;
  gen::Options options;
  const char* reason;                      // why the text of this config is worth reviewing
  std::vector<std::string> epilogue = {};  // of a product
  std::optional<std::vector<std::int64_t>> shape = {};
  std::optional<ScalarType> result = {};  // of a copy that converts
  gen::AttentionForm attention = {};
  const char* weights = nullptr;              // the format of B of a product
  bool has_experts = false;                   // a product with experts
  std::vector<std::string> specialised = {};  // sizes that are specialisation constants
  // Of the kernels for slices and for their combination as one launch: its workgroups.
  std::int64_t groups = 0;
};

std::span<const Golden> goldens();

gen::ir::Kernel describe(const Golden& golden);

inline void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.file; }

}  // namespace vkmoye::test
