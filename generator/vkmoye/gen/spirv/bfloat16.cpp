// SPDX-License-Identifier: MIT
#include "vkmoye/gen/spirv/bfloat16.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "vkmoye/base/error.hpp"

namespace vkmoye::gen::spirv {
namespace {

using Words = std::vector<std::uint32_t>;

// Numbers of the SPIR-V specification.
constexpr std::uint32_t kExtension = 10, kMemoryModel = 14, kCapability = 17, kTypeFloat = 22,
                        kTypeCooperativeMatrix = 4456;
constexpr std::uint32_t kFloat16 = 9, kBFloat16Type = 5116, kBFloat16CooperativeMatrix = 5118;
constexpr std::uint32_t kBFloat16Encoding = 0;
constexpr std::size_t kHeader = 5;

std::uint32_t opcode(std::uint32_t word) { return word & 0xffff; }
std::size_t length(std::uint32_t word) { return word >> 16; }

void append(Words& to, std::uint32_t operation, std::span<const std::uint32_t> operands) {
  to.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | operation);
  to.insert(to.end(), operands.begin(), operands.end());
}

// A literal string: bytes in order, ended by a zero, words filled up with zeros.
Words literal(std::string_view text) {
  Words words(text.size() / 4 + 1);
  std::memcpy(words.data(), text.data(), text.size());
  return words;
}

// Whether an instruction makes another type of `half`, or a value of it.
bool uses(std::span<const std::uint32_t> instruction, std::uint32_t half) {
  constexpr std::uint32_t kTypeVector = 23, kTypeArray = 28, kTypeRuntimeArray = 29,
                          kTypeStruct = 30, kTypePointer = 32, kTypeFunction = 33;
  constexpr std::uint32_t kFirstValue = 41;  // from here on, the type of a result comes first
  const auto operands = instruction.subspan(1);
  const std::uint32_t operation = opcode(instruction[0]);
  switch (operation) {
    case kTypeVector:
    case kTypeArray:
    case kTypeRuntimeArray: return operands[1] == half;
    case kTypePointer: return operands[2] == half;
    case kTypeStruct:
    case kTypeFunction:
      return std::find(operands.begin() + 1, operands.end(), half) != operands.end();
    default: return operation >= kFirstValue && !operands.empty() && operands[0] == half;
  }
}

}  // namespace

std::vector<std::uint32_t> with_bfloat16(const std::string& name, const Words& spirv) {
  const auto refuse = [&](const std::string& why) {
    throw CompileError(name, "bfloat16 in place of float16_t: " + why, "");
  };
  Words out(spirv.begin(), spirv.begin() + std::min(kHeader, spirv.size()));
  std::optional<std::uint32_t> half;
  bool is_declared = false, is_of_matrices = false;
  for (std::size_t at = kHeader; at < spirv.size(); at += length(spirv[at])) {
    const std::size_t count = length(spirv[at]);
    if (count == 0 || at + count > spirv.size()) refuse(fmt::format("broken at word {}", at));
    const std::span<const std::uint32_t> instruction(&spirv[at], count);
    const std::uint32_t operation = opcode(spirv[at]);
    if (operation == kCapability && instruction[1] == kFloat16) {
      append(out, kCapability, Words{kBFloat16Type});
      append(out, kCapability, Words{kBFloat16CooperativeMatrix});
      is_declared = true;
      continue;
    }
    if (operation == kTypeFloat && instruction[2] == 16) {
      half = instruction[1];
      append(out, kTypeFloat, Words{*half, 16, kBFloat16Encoding});
      continue;
    }
    if (operation == kMemoryModel) {
      // Extensions stand between the capabilities and the memory model, before imports.
      std::size_t before = kHeader;
      while (opcode(out[before]) == kCapability || opcode(out[before]) == kExtension) {
        before += length(out[before]);
      }
      Words extension;
      append(extension, kExtension, literal("SPV_KHR_bfloat16"));
      out.insert(out.begin() + static_cast<std::ptrdiff_t>(before), extension.begin(),
                 extension.end());
    }
    if (half && operation == kTypeCooperativeMatrix && instruction[2] == *half) {
      is_of_matrices = true;
    } else if (half && uses(instruction, *half)) {
      refuse(fmt::format("operation {} at word {} has the type for itself", operation, at));
    }
    out.insert(out.end(), instruction.begin(), instruction.end());
  }
  if (!half || !is_declared || !is_of_matrices) refuse("there are no matrices of that type");
  return out;
}

}  // namespace vkmoye::gen::spirv
