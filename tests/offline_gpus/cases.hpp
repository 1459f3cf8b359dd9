// SPDX-License-Identifier: MIT
#pragma once
// What is compiled for a GPU that is not there: every kernel of the registry, for each of its types, as
// it is by itself on that GPU and in the forms whose code differs most; and the steps of products that
// are no kernels of the registry.

#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::test {

struct Case {
  std::string kernel;   // "gemm/simt"
  std::string types;    // "f32"; several where the text is the same: "i32,u32"
  std::string variant;  // "a=m b=n"; "-": the kernel by itself
  std::string refusal;  // why there is no such kernel; empty: there is
  gen::ir::Kernel description = {};
  std::string glsl = {};
};

/// In the order of the registry, further steps last.
std::vector<Case> cases_for(const DeviceCaps& caps);

}  // namespace vkmoye::test
