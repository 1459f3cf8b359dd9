// SPDX-License-Identifier: MIT
#include "vkmoye/contract/spirv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace vkmoye {
namespace {

// Opcodes and enumerants of the SPIR-V specification, 3.x, as far as they are asked for.
enum Spirv : std::uint32_t {
  kMagic = 0x07230203,
  kOpEntryPoint = 15,
  kOpExecutionMode = 16,
  kOpFunctionEnd = 56,
  kOpDecorate = 71,
  kGlCompute = 5,
  kLocalSize = 17,
  kBindingDecoration = 33,
  kDescriptorSet = 34,
};

std::string size_text(const std::array<std::uint32_t, 3>& size) {
  return fmt::format("{} x {} x {}", size[0], size[1], size[2]);
}

}  // namespace

std::vector<std::string> reasons_against_spirv(const KernelInterface& kernel,
                                               const std::vector<std::uint32_t>& spirv) {
  constexpr std::size_t kHeader = 5;
  if (spirv.size() < kHeader || spirv.front() != kMagic) {
    return {fmt::format("its {} words are not SPIR-V", spirv.size())};
  }
  std::vector<std::string> reasons;
  const auto add = [&](std::string reason) {  // once, however many buffers share a binding
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
      reasons.push_back(std::move(reason));
    }
  };
  std::uint32_t entry = 0, last = 0;
  std::optional<std::array<std::uint32_t, 3>> size;
  for (std::size_t at = kHeader; at < spirv.size();) {
    const std::size_t length = spirv[at] >> 16;
    const std::uint32_t operation = spirv[at] & 0xffff;
    if (length == 0 || length > spirv.size() - at) {
      return {fmt::format("its SPIR-V is cut off in word {} of {}", at, spirv.size())};
    }
    const std::uint32_t* word = spirv.data() + at;
    // "main" and its end, as little-endian words.
    if (operation == kOpEntryPoint && length >= 5 && word[1] == kGlCompute &&
        word[3] == 0x6e69616d && word[4] == 0) {
      entry = word[2];
    }
    if (operation == kOpExecutionMode && length == 6 && word[1] == entry && word[2] == kLocalSize) {
      size = {word[3], word[4], word[5]};
    }
    if (operation == kOpDecorate && length == 4 && word[2] == kBindingDecoration) {
      const std::uint32_t binding = word[3];
      if (binding >= kernel.bindings.size() ||
          kernel.bindings[binding].reach != Reach::descriptor) {
        add(fmt::format("its SPIR-V has a buffer at binding {}, its interface none", binding));
      }
    }
    if (operation == kOpDecorate && length == 4 && word[2] == kDescriptorSet && word[3] != 0) {
      add(fmt::format("its SPIR-V has a buffer in set {}, not 0", word[3]));
    }
    at += length;
    last = operation;
  }
  if (last != kOpFunctionEnd) reasons.push_back("its SPIR-V does not end with a function");
  if (entry == 0) reasons.push_back("its SPIR-V has no compute shader called main");
  if (!size) reasons.push_back("its SPIR-V does not say how large workgroups are");
  if (size && *size != kernel.workgroup_size) {
    reasons.push_back(fmt::format("workgroups are {} in its SPIR-V, {} in its interface",
                                  size_text(*size), size_text(kernel.workgroup_size)));
  }
  return reasons;
}

}  // namespace vkmoye
