// SPDX-License-Identifier: MIT
#pragma once
// A SPIR-V module as data: its types, constants, variables and functions.
//
//   %tile = OpVariable %_ptr_Workgroup__arr_float_1055 Workgroup
//     variables:  {tile, type: pointer to an array of 1055 f32, storage Workgroup}
//
// A value of any type is a sequence of scalars: a vec4 has four, an array of 3 vec2 has six. `Type::scalars` lists
// them, with their offsets in memory if the type has a memory layout.

#include <cstdint>
#include <map>
#include <spirv/unified1/spirv.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace vkmoye::judge::spirv {

/// The module uses something unsupported, which the message names. Tests skip such a kernel.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The bits of a number, zero-extended; a boolean is 0 or 1. Nothing may depend on an undefined value, see
/// operations.hpp.
struct Scalar {
  std::uint64_t bits = 0;
  bool defined = false;
};

enum class Number : std::uint8_t { boolean, integer, floating, pointer };

struct Part {
  Number number = Number::integer;
  std::uint32_t width = 32;  // bits
  std::uint32_t offset = 0;  // bytes from the start of the value, for types with a memory layout
};

struct Type {
  spv::Op kind = spv::OpTypeVoid;
  bool is_signed = false;         // of an integer
  const Type* element = nullptr;  // of a vector, an array, a pointer
  std::uint32_t count = 0;        // elements of a vector or an array; 0: of a runtime array
  std::uint32_t stride = 0;       // bytes, of an array with a layout
  std::vector<const Type*> members = {};
  std::vector<std::uint32_t> offsets = {};           // of members, in bytes
  spv::StorageClass storage = spv::StorageClassMax;  // of a pointer
  std::vector<Part> scalars = {};

  const Part& scalar() const {
    return scalars.at(0);
  }  // of each scalar; only for scalars and vectors
};

struct Operand {
  bool is_id = false;
  std::uint64_t value = 0;  // the id, or the number
};

struct Instruction {
  spv::Op opcode = spv::OpNop;
  std::uint32_t type = 0, result = 0;  // ids; 0: none
  std::vector<Operand> operands;       // without those two
  std::string text;                    // the first string among them
  std::uint32_t word = 0;              // its position in the module

  std::uint32_t id(std::size_t number) const {
    return static_cast<std::uint32_t>(operands.at(number).value);
  }
};

struct Decorations {
  std::map<spv::Decoration, std::uint32_t> own;  // and the first number of each
  std::map<std::uint32_t, std::map<spv::Decoration, std::uint32_t>> members;
};

struct Function {
  std::uint32_t id = 0;
  std::vector<std::uint32_t> parameters;
  std::vector<Instruction> body;  // labels among them
};

struct Module {
  std::map<std::uint32_t, std::string> names;
  std::map<std::uint32_t, Decorations> decorations;
  std::map<std::uint32_t, Type> types;
  std::map<std::uint32_t, std::uint32_t> type_of;  // of each value
  std::map<std::uint32_t, std::vector<Scalar>> constants;
  std::vector<Instruction> variables;  // of the module
  std::map<std::uint32_t, Function> functions;
  std::uint32_t entry = 0;
  std::uint32_t local_size[3] = {1, 1, 1};

  const Type& type(std::uint32_t value) const { return types.at(type_of.at(value)); }
  std::string name(std::uint32_t id) const;
};

/// "OpIAdd".
std::string name_of(spv::Op opcode);

/// `specialised`: the values of specialisation constants by their constant_id; others keep the value in the module.
/// Throws Unsupported for unknown instructions and for words that are not a module.
Module decode(const std::vector<std::uint32_t>& words,
              const std::vector<std::uint32_t>& specialised = {});

}  // namespace vkmoye::judge::spirv
