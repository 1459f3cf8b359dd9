// SPDX-License-Identifier: MIT
#include "judge/spirv/module.hpp"

#include <fmt/format.h>
#include <spirv-tools/libspirv.h>

#include <cstring>

#include "judge/spirv/operations.hpp"

namespace vkmoye::judge::spirv {
namespace {

// The largest value whose scalars are listed; arrays in kernels are smaller.
constexpr std::size_t kMaxScalars = std::size_t{1} << 20;

Instruction instruction_from(const spv_parsed_instruction_t& parsed) {
  Instruction out;
  out.opcode = static_cast<spv::Op>(parsed.opcode);
  out.type = parsed.type_id;
  out.result = parsed.result_id;
  for (std::uint16_t i = 0; i < parsed.num_operands; ++i) {
    const spv_parsed_operand_t& operand = parsed.operands[i];
    if (operand.type == SPV_OPERAND_TYPE_RESULT_ID || operand.type == SPV_OPERAND_TYPE_TYPE_ID) {
      continue;
    }
    const std::uint32_t* words = parsed.words + operand.offset;
    if (operand.type == SPV_OPERAND_TYPE_LITERAL_STRING) {
      const auto* text = reinterpret_cast<const char*>(words);
      if (out.text.empty()) out.text.assign(text, strnlen(text, 4u * operand.num_words));
      out.operands.push_back({});
      continue;
    }
    std::uint64_t value = words[0];
    if (operand.num_words == 2) value |= std::uint64_t{words[1]} << 32;
    const bool is_id = operand.type == SPV_OPERAND_TYPE_ID ||
                       operand.type == SPV_OPERAND_TYPE_SCOPE_ID ||
                       operand.type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID;
    out.operands.push_back({is_id, value});
  }
  return out;
}

class Decoder {
 public:
  explicit Decoder(const std::vector<std::uint32_t>& specialised) : specialised_(specialised) {}

  void take(Instruction instruction) {
    if (function_ != nullptr) return take_inside(std::move(instruction));
    switch (instruction.opcode) {
      case spv::OpName: module.names[instruction.id(0)] = instruction.text; return;
      case spv::OpEntryPoint: module.entry = instruction.id(1); return;
      case spv::OpExecutionMode: return take_mode(instruction);
      case spv::OpDecorate:
        module.decorations[instruction.id(0)].own[static_cast<spv::Decoration>(instruction.id(1))] =
            instruction.operands.size() > 2 ? instruction.id(2) : 0;
        return;
      case spv::OpMemberDecorate:
        module.decorations[instruction.id(0)]
            .members[instruction.id(1)][static_cast<spv::Decoration>(instruction.id(2))] =
            instruction.operands.size() > 3 ? instruction.id(3) : 0;
        return;
      case spv::OpExtInstImport:
        if (instruction.text != "GLSL.std.450") {
          throw Unsupported("the instruction set " + instruction.text);
        }
        return;
      case spv::OpConstant:
      case spv::OpConstantTrue:
      case spv::OpConstantFalse:
      case spv::OpConstantNull:
      case spv::OpConstantComposite:
      case spv::OpSpecConstant:
      case spv::OpSpecConstantOp:
      case spv::OpSpecConstantComposite:
      case spv::OpUndef: return take_constant(instruction);
      case spv::OpVariable:
        module.type_of[instruction.result] = instruction.type;
        module.variables.push_back(std::move(instruction));
        return;
      case spv::OpFunction:
        function_ = &module.functions[instruction.result];
        function_->id = instruction.result;
        return;
      case spv::OpCapability:
      case spv::OpExtension:
      case spv::OpMemoryModel:
      case spv::OpSource:
      case spv::OpSourceExtension:
      case spv::OpString:
      case spv::OpMemberName:
      case spv::OpModuleProcessed:
      case spv::OpTypeForwardPointer: return;
      default: return take_type(instruction);
    }
  }

  Module module;

 private:
  void take_inside(Instruction instruction) {
    if (instruction.result != 0 && instruction.type != 0) {
      module.type_of[instruction.result] = instruction.type;
    }
    switch (instruction.opcode) {
      case spv::OpFunctionEnd: function_ = nullptr; return;
      case spv::OpFunctionParameter: function_->parameters.push_back(instruction.result); return;
      case spv::OpUndef: return take_constant(instruction);
      case spv::OpLine:
      case spv::OpNoLine:
      case spv::OpNop: return;
      default: function_->body.push_back(std::move(instruction));
    }
  }

  void take_mode(const Instruction& instruction) {
    if (instruction.id(1) != spv::ExecutionModeLocalSize) return;
    for (std::size_t i = 0; i < 3; ++i) module.local_size[i] = instruction.id(2 + i);
  }

  void take_constant(const Instruction& instruction) {
    const Type& type = module.types.at(instruction.type);
    std::vector<Scalar> value;
    switch (instruction.opcode) {
      case spv::OpConstant: {
        const std::uint32_t width = type.scalar().width;
        const std::uint64_t mask =
            width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
        value = {{instruction.operands.at(0).value & mask, true}};
        break;
      }
      case spv::OpSpecConstant: value = {{specialised(instruction), true}}; break;
      case spv::OpSpecConstantOp: value = {computed(instruction)}; break;
      case spv::OpConstantTrue: value = {{1, true}}; break;
      case spv::OpConstantFalse: value = {{0, true}}; break;
      case spv::OpConstantNull: value.assign(type.scalars.size(), {0, true}); break;
      case spv::OpUndef: value.assign(type.scalars.size(), {}); break;
      default:
        for (const Operand& part : instruction.operands) {
          const auto& scalars = module.constants.at(static_cast<std::uint32_t>(part.value));
          value.insert(value.end(), scalars.begin(), scalars.end());
        }
    }
    module.type_of[instruction.result] = instruction.type;
    module.constants[instruction.result] = std::move(value);
  }

  // The value of a specialisation constant of 32 bits.
  std::uint64_t specialised(const Instruction& instruction) const {
    const auto& own = module.decorations.at(instruction.result).own;
    const auto id = own.find(spv::DecorationSpecId);
    const bool is_given = id != own.end() && id->second < specialised_.size();
    return is_given ? specialised_[id->second] : instruction.operands.at(0).value;
  }

  // An operation on constants, which are scalars.
  Scalar computed(const Instruction& instruction) const {
    const auto operand = [&](std::size_t number) -> const Scalar& {
      return module.constants.at(instruction.id(number)).at(0);
    };
    const auto width = [&](std::uint32_t type) { return module.types.at(type).scalar().width; };
    const auto opcode = static_cast<spv::Op>(instruction.id(0));
    if (opcode == spv::OpSelect) {
      return operand(1).defined ? operand(operand(1).bits != 0 ? 2 : 3) : Scalar();
    }
    const bool has_two = instruction.operands.size() > 2;
    return compute(opcode, width(module.type_of.at(instruction.id(1))), width(instruction.type),
                   operand(1), has_two ? operand(2) : Scalar{0, true});
  }

  void take_type(const Instruction& instruction) {
    Type type;
    type.kind = instruction.opcode;
    switch (instruction.opcode) {
      case spv::OpTypeVoid:
      case spv::OpTypeFunction: break;
      case spv::OpTypeBool: type.scalars = {{Number::boolean, 1, 0}}; break;
      case spv::OpTypeInt:
        type.is_signed = instruction.id(1) != 0;
        type.scalars = {{Number::integer, instruction.id(0), 0}};
        break;
      case spv::OpTypeFloat:
        if (instruction.operands.size() > 1) throw Unsupported("floating types of other encodings");
        type.scalars = {{Number::floating, instruction.id(0), 0}};
        break;
      case spv::OpTypeVector:
        type.element = &module.types.at(instruction.id(0));
        type.count = instruction.id(1);
        type.stride = type.element->scalar().width / 8;
        append(type, *type.element, type.count, type.stride);
        break;
      case spv::OpTypeArray:
        type.element = &module.types.at(instruction.id(0));
        type.count = static_cast<std::uint32_t>(module.constants.at(instruction.id(1)).at(0).bits);
        type.stride = decoration(instruction.result, spv::DecorationArrayStride);
        append(type, *type.element, type.count, type.stride);
        break;
      case spv::OpTypeRuntimeArray:
        type.element = &module.types.at(instruction.id(0));
        type.stride = decoration(instruction.result, spv::DecorationArrayStride);
        break;
      case spv::OpTypeStruct: take_members(instruction, type); break;
      case spv::OpTypePointer:
        type.storage = static_cast<spv::StorageClass>(instruction.id(0));
        type.element = &module.types.at(instruction.id(1));
        type.scalars = {{Number::pointer, 64, 0}};
        break;
      default: throw Unsupported(name_of(instruction.opcode));
    }
    module.types[instruction.result] = std::move(type);
  }

  void take_members(const Instruction& instruction, Type& type) {
    for (std::uint32_t i = 0; i < instruction.operands.size(); ++i) {
      const Type& member = module.types.at(instruction.id(i));
      const auto& decorations = module.decorations[instruction.result].members[i];
      const auto offset = decorations.find(spv::DecorationOffset);
      type.members.push_back(&member);
      type.offsets.push_back(offset == decorations.end() ? 0 : offset->second);
      append(type, member, 1, 0, type.offsets.back());
    }
  }

  static void append(Type& type, const Type& element, std::uint32_t count, std::uint32_t stride,
                     std::uint32_t offset = 0) {
    if (count * element.scalars.size() > kMaxScalars) {
      throw Unsupported(fmt::format("an array of {} elements", count));
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      for (Part part : element.scalars) {
        part.offset += offset + i * stride;
        type.scalars.push_back(part);
      }
    }
  }

  std::uint32_t decoration(std::uint32_t id, spv::Decoration which) const {
    const auto found = module.decorations.find(id);
    if (found == module.decorations.end() || !found->second.own.contains(which)) return 0;
    return found->second.own.at(which);
  }

  const std::vector<std::uint32_t>& specialised_;
  Function* function_ = nullptr;
};

struct Parse {
  Decoder decoder;
  std::uint32_t word = 5;  // after the header
  std::string unsupported = {};
};

spv_result_t take(void* user, const spv_parsed_instruction_t* parsed) {
  auto& parse = *static_cast<Parse*>(user);
  try {  // no exception may pass through the parser, which is C
    Instruction instruction = instruction_from(*parsed);
    instruction.word = parse.word;
    parse.word += parsed->num_words;
    parse.decoder.take(std::move(instruction));
    return SPV_SUCCESS;
  } catch (const std::exception& error) {
    parse.unsupported = error.what();
    return SPV_REQUESTED_TERMINATION;
  }
}

}  // namespace

std::string name_of(spv::Op opcode) {
  return std::string("Op") + spvOpcodeString(static_cast<std::uint32_t>(opcode));
}

std::string Module::name(std::uint32_t id) const {
  const auto found = names.find(id);
  return found == names.end() || found->second.empty() ? fmt::format("%{}", id) : found->second;
}

Module decode(const std::vector<std::uint32_t>& words,
              const std::vector<std::uint32_t>& specialised) {
  Parse parse{Decoder(specialised)};
  const spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
  spv_diagnostic diagnostic = nullptr;
  const spv_result_t result =
      spvBinaryParse(context, &parse, words.data(), words.size(), nullptr, &take, &diagnostic);
  std::string error = parse.unsupported;
  if (error.empty() && diagnostic != nullptr) error = diagnostic->error;
  spvDiagnosticDestroy(diagnostic);
  spvContextDestroy(context);
  if (result != SPV_SUCCESS) throw Unsupported(error.empty() ? "not a SPIR-V module" : error);
  return std::move(parse.decoder.module);
}

}  // namespace vkmoye::judge::spirv
