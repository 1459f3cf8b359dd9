// SPDX-License-Identifier: MIT
#include "judge/spirv/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace vkmoye::judge::spirv {
namespace {

bool has_layout(spv::StorageClass storage) {
  return storage == spv::StorageClassStorageBuffer || storage == spv::StorageClassUniform ||
         storage == spv::StorageClassPushConstant ||
         storage == spv::StorageClassPhysicalStorageBuffer;
}

class Assembler {
 public:
  explicit Assembler(Module module) { out_.module = std::move(module); }

  Program assemble() {
    for (const auto& [id, value] : module().constants) {
      slots_[id] = allocate(value);
    }
    for (const Instruction& variable : module().variables) add_variable(variable);
    for (const auto& [id, function] : module().functions) {
      functions_[id] = static_cast<std::uint32_t>(functions_.size());
      out_.functions.emplace_back();
      number(function);
    }
    for (const auto& [id, function] : module().functions) add(function);
    if (!functions_.contains(module().entry)) throw Unsupported("a module without an entry point");
    out_.entry = functions_.at(module().entry);
    return std::move(out_);
  }

 private:
  const Module& module() const { return out_.module; }

  std::uint32_t allocate(const std::vector<Scalar>& value) {
    const auto first = static_cast<std::uint32_t>(out_.initial.size());
    out_.initial.insert(out_.initial.end(), value.begin(), value.end());
    return first;
  }
  std::uint32_t allocate(std::size_t count) { return allocate(std::vector<Scalar>(count)); }

  std::uint32_t decoration(const Decorations& of, spv::Decoration which, std::uint32_t otherwise) {
    const auto found = of.own.find(which);
    return found == of.own.end() ? otherwise : found->second;
  }

  void add_variable(const Instruction& variable) {
    const Type& type = *module().type(variable.result).element;
    const Decorations& decorations = out_.module.decorations[variable.result];
    std::uint64_t pointer = 0;
    switch (static_cast<spv::StorageClass>(variable.id(0))) {
      case spv::StorageClassInput: {
        pointer = allocate(type.scalars.size());
        const std::uint32_t builtin = decoration(decorations, spv::DecorationBuiltIn, ~0u);
        if (builtin == ~0u) throw Unsupported("an input that is no built-in");
        out_.builtins[static_cast<spv::BuiltIn>(builtin)] = static_cast<std::uint32_t>(pointer);
        break;
      }
      case spv::StorageClassPrivate: pointer = allocate(type.scalars.size()); break;
      case spv::StorageClassWorkgroup: {
        const auto count = static_cast<std::uint32_t>(type.scalars.size());
        pointer = out_.shared_slots;
        out_.shared.push_back({module().name(variable.result), out_.shared_slots, count});
        out_.shared_slots += count;
        break;
      }
      case spv::StorageClassStorageBuffer: {
        const std::uint32_t binding = decoration(decorations, spv::DecorationBinding, 0);
        if (decoration(decorations, spv::DecorationDescriptorSet, 0) != 0) {
          throw Unsupported("a descriptor set other than 0");
        }
        pointer = address_of_binding(binding);
        add_use(out_.buffers[binding], type, decorations);
        break;
      }
      case spv::StorageClassPushConstant: break;
      default: throw Unsupported(fmt::format("storage class {}", variable.id(0)));
    }
    if (variable.operands.size() > 1) throw Unsupported("a variable with an initial value");
    slots_[variable.result] = allocate(std::vector<Scalar>{{pointer, true}});
  }

  void add_use(BufferUse& use, const Type& block, const Decorations& variable) {
    bool only_read = variable.own.contains(spv::DecorationNonWritable);
    for (const auto& [id, type] : module().types) {
      if (&type != &block) continue;
      const auto& members = out_.module.decorations[id].members;
      only_read =
          only_read || (members.contains(0) && members.at(0).contains(spv::DecorationNonWritable));
    }
    use.is_written = use.is_written || !only_read;
    for (const Type* member : block.members) {
      const Type* of = member->kind == spv::OpTypeRuntimeArray ? member->element : member;
      for (const Part& part : of->scalars) use.granule = std::min(use.granule, part.width / 8);
    }
  }

  // Gives each label its block and each result its slots.
  void number(const Function& function) {
    Callable& callable = out_.functions.back();
    for (const std::uint32_t id : function.parameters) {
      const std::size_t count = module().type(id).scalars.size();
      slots_[id] = allocate(count);
      callable.parameters.push_back({slots_[id], static_cast<std::uint32_t>(count)});
    }
    for (const Instruction& instruction : function.body) {
      if (instruction.opcode == spv::OpLabel) {
        blocks_[instruction.result] = static_cast<std::uint32_t>(out_.blocks.size());
        out_.blocks.emplace_back();
      } else if (instruction.result != 0 && !slots_.contains(instruction.result)) {
        slots_[instruction.result] = allocate(module().type(instruction.result).scalars.size());
      }
    }
  }

  void add(const Function& function) {
    out_.functions[functions_.at(function.id)].first = out_.operations.size();
    std::uint32_t block = 0;
    for (const Instruction& instruction : function.body) {
      if (instruction.opcode == spv::OpLabel) {
        block = blocks_.at(instruction.result);
        out_.blocks[block].first = out_.operations.size();
      } else if (instruction.opcode == spv::OpLoopMerge) {
        out_.blocks[block].is_loop_header = true;
        out_.blocks[blocks_.at(instruction.id(0))].merges = block + 1;
      } else if (instruction.opcode != spv::OpSelectionMerge) {
        out_.operations.push_back(operation_from(instruction, block));
      }
    }
  }

  Operation operation_from(const Instruction& from, std::uint32_t block) {
    Operation out;
    out.opcode = from.opcode;
    out.word = from.word;
    if (from.result != 0) {
      const Type& type = module().types.at(from.type);
      out.result = slots_.at(from.result);
      out.count = static_cast<std::uint32_t>(type.scalars.size());
      if (!type.scalars.empty()) out.to = type.scalars[0];
    }
    for (const Operand& operand : from.operands) {
      out.operands.push_back(operand.is_id ? place_of(static_cast<std::uint32_t>(operand.value))
                                           : static_cast<std::uint32_t>(operand.value));
    }
    set_first(from, out);
    switch (from.opcode) {
      case spv::OpVariable: {
        const Type& type = *module().types.at(from.type).element;
        const std::uint32_t first = allocate(type.scalars.size());
        out_.initial[out.result] = {first, true};
        out.moved = &type;
        out.operands.insert(out.operands.begin(), first);
        break;
      }
      case spv::OpLoad:
      case spv::OpStore: set_access(from, out, from.opcode == spv::OpLoad ? 1 : 2); break;
      case spv::OpAccessChain:
      case spv::OpInBoundsAccessChain: set_steps(from, out); break;
      case spv::OpBranch:
      case spv::OpBranchConditional:
      case spv::OpSwitch: out.operands.push_back(block); break;
      case spv::OpCompositeExtract:
        out.operands = {out.operands[0], flat_index(module().type(from.id(0)), from, 1)};
        break;
      case spv::OpCompositeInsert:
        out.operands = {out.operands[0], out.operands[1],
                        flat_index(module().types.at(from.type), from, 2)};
        out.from_count = static_cast<std::uint32_t>(module().type(from.id(0)).scalars.size());
        break;
      case spv::OpCompositeConstruct: set_parts(from, out); break;
      default: break;
    }
    if (from.opcode >= spv::OpAtomicLoad && from.opcode <= spv::OpAtomicXor) set_atomic(from, out);
    if (from.opcode == spv::OpAtomicFAddEXT) set_atomic(from, out);
    return out;
  }

  // The first operand that is a value, which gives the width of the operation.
  void set_first(const Instruction& from, Operation& out) {
    for (const Operand& operand : from.operands) {
      const auto found = module().type_of.find(static_cast<std::uint32_t>(operand.value));
      if (!operand.is_id || found == module().type_of.end()) continue;
      const Type& type = module().types.at(found->second);
      if (type.scalars.empty()) continue;
      out.from = type.scalars[0];
      out.from_count = static_cast<std::uint32_t>(type.scalars.size());
      const bool is_select = from.opcode == spv::OpSelect;
      const bool is_group = from.opcode >= spv::OpGroupNonUniformElect &&
                            from.opcode <= spv::OpGroupNonUniformQuadSwap;
      if (is_select || !is_group || &operand != &from.operands[0])
        return;  // not the scope of a group
    }
  }

  void set_access(const Instruction& from, Operation& out, std::size_t memory_operands) {
    const Type& pointer = module().type(from.id(0));
    out.moved = pointer.element;
    out.storage = pointer.storage;
    if (from.operands.size() <= memory_operands) return;
    const std::uint32_t mask = from.id(memory_operands);
    const std::uint32_t kKnown = spv::MemoryAccessAlignedMask | spv::MemoryAccessNontemporalMask |
                                 spv::MemoryAccessNonPrivatePointerMask |
                                 spv::MemoryAccessMakePointerAvailableMask |
                                 spv::MemoryAccessMakePointerVisibleMask;
    if ((mask & ~kKnown) != 0) throw Unsupported("memory operands of the Vulkan memory model");
    if ((mask & spv::MemoryAccessAlignedMask) != 0) out.alignment = from.id(memory_operands + 1);
  }

  void set_atomic(const Instruction& from, Operation& out) {
    const bool is_store = from.opcode == spv::OpAtomicStore;
    const Type& pointer = module().type(from.id(0));
    out.moved = pointer.element;
    out.storage = pointer.storage;
    out.from = pointer.element->scalar();
    if (is_store) throw Unsupported("OpAtomicStore");
  }

  void set_steps(const Instruction& from, Operation& out) {
    const Type* type = &module().type(from.id(0));
    out.storage = type->storage;
    const bool in_bytes = has_layout(out.storage);
    type = type->element;
    for (std::size_t i = 1; i < from.operands.size(); ++i) {
      const std::uint32_t index = from.id(i);
      const auto constant = module().constants.find(index);
      if (type->kind == spv::OpTypeStruct) {
        const auto member = static_cast<std::size_t>(constant->second.at(0).bits);
        std::uint64_t before = 0;
        for (std::size_t m = 0; m < member; ++m) before += type->members[m]->scalars.size();
        out.offset += in_bytes ? type->offsets.at(member) : before;
        type = type->members.at(member);
        continue;
      }
      if (type->element == nullptr) throw Unsupported("an index into a scalar");
      const Type& index_type = module().type(index);
      const bool is_open = type->kind == spv::OpTypeRuntimeArray;
      const std::uint64_t length =
          is_open ? std::numeric_limits<std::uint32_t>::max() + std::uint64_t{1} : type->count;
      const std::uint64_t stride = in_bytes ? type->stride : type->element->scalars.size();
      if (constant != module().constants.end() && constant->second[0].bits < length) {
        out.offset += constant->second[0].bits * stride;
      } else {
        out.steps.push_back(
            {slots_.at(index), index_type.scalar().width, index_type.is_signed, length, stride});
      }
      type = type->element;
    }
  }

  void set_parts(const Instruction& from, Operation& out) {
    std::vector<std::uint32_t> scalars;  // slot by slot
    for (const Operand& part : from.operands) {
      const auto id = static_cast<std::uint32_t>(part.value);
      for (std::uint32_t i = 0; i < module().type(id).scalars.size(); ++i) {
        scalars.push_back(slots_.at(id) + i);
      }
    }
    out.operands = std::move(scalars);
  }

  // The scalars before the member that the literals of `from`, starting at literal `first`, select.
  static std::uint32_t flat_index(const Type& of, const Instruction& from, std::size_t first) {
    const Type* type = &of;
    std::size_t index = 0;
    for (std::size_t i = first; i < from.operands.size(); ++i) {
      const std::uint32_t number = from.id(i);
      if (type->kind == spv::OpTypeStruct) {
        for (std::uint32_t m = 0; m < number; ++m) index += type->members[m]->scalars.size();
        type = type->members.at(number);
      } else {
        type = type->element;
        index += number * type->scalars.size();
      }
    }
    return static_cast<std::uint32_t>(index);
  }

  std::uint32_t place_of(std::uint32_t id) const {
    if (const auto found = slots_.find(id); found != slots_.end()) return found->second;
    if (const auto found = blocks_.find(id); found != blocks_.end()) return found->second;
    if (const auto found = functions_.find(id); found != functions_.end()) return found->second;
    return 0;  // a set of extended instructions: there is only one
  }

  Program out_;
  std::map<std::uint32_t, std::uint32_t> slots_, blocks_, functions_;
};

}  // namespace

Program program_from(Module module) { return Assembler(std::move(module)).assemble(); }

}  // namespace vkmoye::judge::spirv
