// SPDX-License-Identifier: MIT
#include "vkmoye/gen/spirv/bfloat16.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/spirv/instructions.hpp"

namespace vkmoye::gen::spirv {
namespace {

using Words = std::vector<std::uint32_t>;

// Numbers of the SPIR-V specification.
constexpr std::uint32_t kExtension = 10, kMemoryModel = 14, kCapability = 17, kTypeFloat = 22,
                        kTypeCooperativeMatrix = 4456;
constexpr std::uint32_t kFloat16 = 9, kBFloat16Type = 5116, kBFloat16CooperativeMatrix = 5118;
constexpr std::uint32_t kBFloat16Encoding = 0;

void append(Words& to, std::uint32_t operation, std::span<const std::uint32_t> operands) {
  to.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | operation);
  to.insert(to.end(), operands.begin(), operands.end());
}

// A literal string: bytes in order, terminated by a zero and padded with zeros to whole words.
Words literal(std::string_view text) {
  Words words(text.size() / 4 + 1);
  std::memcpy(words.data(), text.data(), text.size());
  return words;
}

// Operations that move values unchanged, or multiply matrices according to their type.
constexpr std::uint32_t kMoves[] = {
    1,                 // OpUndef
    59,                // OpVariable
    61,                // OpLoad
    62,                // OpStore
    65,                // OpAccessChain
    66,                // OpInBoundsAccessChain
    79,                // OpVectorShuffle
    80,                // OpCompositeConstruct
    81,                // OpCompositeExtract
    82,                // OpCompositeInsert
    83,                // OpCopyObject
    124,               // OpBitcast
    169,               // OpSelect
    245,               // OpPhi
    4457, 4458, 4459,  // OpCooperativeMatrixLoadKHR, ..StoreKHR, ..MulAddKHR
};

// Operations in functions that take no such values, but literals that could equal the id of one.
constexpr std::uint32_t kWithoutValues[] = {
    8,    // OpLine
    54,   // OpFunction
    246,  // OpLoopMerge
    247,  // OpSelectionMerge
    250,  // OpBranchConditional
    251,  // OpSwitch
};

// The names of refused operations that are likely in shaders.
constexpr struct {
  std::uint32_t operation;
  const char* name;
} kNames[] = {
    {12, "OpExtInst"},
    {28, "OpTypeArray"},
    {29, "OpTypeRuntimeArray"},
    {30, "OpTypeStruct"},
    {32, "OpTypePointer"},
    {33, "OpTypeFunction"},
    {43, "OpConstant"},
    {44, "OpConstantComposite"},
    {46, "OpConstantNull"},
    {57, "OpFunctionCall"},
    {109, "OpConvertFToU"},
    {110, "OpConvertFToS"},
    {111, "OpConvertSToF"},
    {112, "OpConvertUToF"},
    {115, "OpFConvert"},
    {127, "OpFNegate"},
    {129, "OpFAdd"},
    {131, "OpFSub"},
    {133, "OpFMul"},
    {136, "OpFDiv"},
    {142, "OpVectorTimesScalar"},
    {143, "OpMatrixTimesScalar"},
    {148, "OpDot"},
    {156, "OpIsNan"},
    {180, "OpFOrdEqual"},
    {184, "OpFOrdLessThan"},
};

bool is_among(std::uint32_t operation, std::span<const std::uint32_t> list) {
  return std::find(list.begin(), list.end(), operation) != list.end();
}

std::string name_of(std::uint32_t operation) {
  const auto found = std::find_if(std::begin(kNames), std::end(kNames),
                                  [&](const auto& row) { return row.operation == operation; });
  if (found == std::end(kNames)) return fmt::format("operation {}", operation);
  return fmt::format("{} (operation {})", found->name, operation);
}

// Tracks the types and values of a module that are of the 16-bit floating-point type, in instruction order.
class Halves {
 public:
  explicit Halves(std::uint32_t half) : numbers_{half} {}

  bool has_matrices() const { return !matrices_.empty(); }

  // Why the meaning of the instruction would change with the type; empty if it would not.
  std::string reason_against(std::span<const std::uint32_t> instruction) {
    const std::uint32_t operation = opcode(instruction[0]);
    const auto operands = instruction.subspan(1);
    constexpr std::uint32_t kVector = 23, kArray = 28, kRuntimeArray = 29, kStruct = 30,
                            kPointer = 32, kFunctionType = 33, kPrivate = 6, kOfFunctions = 7;
    const auto is_of_numbers = [&](std::uint32_t type) { return numbers_.contains(type); };
    switch (operation) {
      case kTypeCooperativeMatrix:
        if (is_of_numbers(operands[1])) matrices_.insert(operands[0]);
        return "";
      case kVector:
        if (is_of_numbers(operands[1])) numbers_.insert(operands[0]);
        return "";
      case kPointer:
        if (!is_of_numbers(operands[2])) return "";
        pointers_.insert(operands[0]);
        return operands[1] == kOfFunctions || operands[1] == kPrivate ? ""
                                                                      : "uses the type in memory";
      case kArray:
      case kRuntimeArray:
      case kStruct:
      case kFunctionType:
        return std::any_of(operands.begin() + 1, operands.end(), is_of_numbers)
                   ? "contains the type"
                   : "";
      default: break;
    }
    return is_among(operation, kWithoutValues) ? "" : reason_against(operation, operands);
  }

 private:
  std::string reason_against(std::uint32_t operation, std::span<const std::uint32_t> operands) {
    const auto of_type = [&](std::uint32_t id) {
      return numbers_.contains(id) || pointers_.contains(id) || matrices_.contains(id);
    };
    // From kFirst on, and for OpUndef, instructions with a result have its type as the first operand.
    constexpr std::uint32_t kUndef = 1, kExtInst = 12, kFirst = 41;
    if (operation < kFirst && operation != kUndef && operation != kExtInst) return "";
    bool uses_values = false;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      // Operand 3 of OpExtInst is the number of the instruction in its set.
      const bool is_literal = operation == kExtInst && i == 3;
      if (!is_literal && values_.contains(operands[i])) uses_values = true;
    }
    if (operands.size() > 1 && of_type(operands[0])) {
      values_.insert(operands[1]);
      uses_values = true;
    }
    return uses_values && !is_among(operation, kMoves) ? "computes with values of the type" : "";
  }

  std::set<std::uint32_t> numbers_, pointers_, matrices_;  // types: it and its vectors, ..
  std::set<std::uint32_t> values_;                         // of any of them
};

}  // namespace

std::vector<std::uint32_t> with_bfloat16(const std::string& name, const Words& spirv) {
  const auto refuse = [&](const std::string& why) {
    throw CompileError(name, "bfloat16 in place of float16_t: " + why, "");
  };
  Words out(spirv.begin(), spirv.begin() + std::min(kHeader, spirv.size()));
  std::optional<Halves> halves;
  bool is_declared = false;
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
      halves.emplace(instruction[1]);
      append(out, kTypeFloat, Words{instruction[1], 16, kBFloat16Encoding});
      continue;
    }
    if (operation == kMemoryModel) {
      // Extensions come after the capabilities and before the imports.
      std::size_t before = kHeader;
      while (opcode(out[before]) == kCapability || opcode(out[before]) == kExtension) {
        before += length(out[before]);
      }
      Words extension;
      append(extension, kExtension, literal("SPV_KHR_bfloat16"));
      out.insert(out.begin() + static_cast<std::ptrdiff_t>(before), extension.begin(),
                 extension.end());
    }
    if (halves) {
      const std::string why = halves->reason_against(instruction);
      if (!why.empty()) refuse(fmt::format("{} at word {} {}", name_of(operation), at, why));
    }
    out.insert(out.end(), instruction.begin(), instruction.end());
  }
  if (!is_declared || !halves || !halves->has_matrices())
    refuse("there are no matrices of that type");
  return out;
}

}  // namespace vkmoye::gen::spirv
