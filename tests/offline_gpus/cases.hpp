// SPDX-License-Identifier: MIT
#pragma once
// The kernels to compile for an absent GPU: every kernel of the registry, for each of its types, with its default
// config on that GPU and in the forms whose code differs most; and the steps of products that are not in the
// registry.

#include <cstddef>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::test {

struct Case {
  std::string kernel;   // "gemm/simt"
  std::string types;    // "f32"; several where the text is the same: "i32,u32"
  std::string variant;  // "a=m b=n"; "-": the default config
  std::string refusal;  // why there is no such kernel; empty: there is
  gen::ir::Kernel description = {};
  std::string glsl = {};
};

/// Every how many-th kernel of the registry to take, and from which on: processes that share the work each take a part.
struct Part {
  std::size_t number = 0, of = 1;
};

/// In the order of the registry, further steps last (they belong to the last part).
std::vector<Case> cases_for(const DeviceCaps& caps, const Part& part = {});

/// Second passes and packing kernels: steps of a product that are not in the registry.
std::vector<Case> further_steps(const DeviceCaps& caps);

}  // namespace vkmoye::test
