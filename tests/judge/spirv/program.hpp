// SPDX-License-Identifier: MIT
#pragma once
// A module prepared for execution: every value has slots in each invocation, and every access an address.
//
//   %5 = OpAccessChain %ptr %tile %i          operation {result: slot 40, operands: {slot of i}, steps: {i * 1 slot}}
//   %6 = OpLoad %float %5                      operation {result: slot 41, operands: {slot 40}, moved: float}
//
// Shaders have no recursion, so each function has fixed slots for the whole launch. Variables without a memory layout
// (function variables, shared arrays, inputs) are addressed by slots; buffers and push constants by bytes.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "judge/spirv/module.hpp"

namespace vkmoye::judge::spirv {

/// A part of an access chain: the index in a slot, below `length`, times `stride`.
struct Step {
  std::uint32_t slot, width;
  bool is_signed;
  std::uint64_t length, stride;
};

struct Operation {
  spv::Op opcode = spv::OpNop;
  std::uint32_t result = 0, count = 0;  // slots
  Part from, to;                        // a scalar of the first operand, and of the result
  std::uint32_t from_count = 0;         // scalars of the first operand
  std::vector<std::uint32_t> operands;  // slots, numbers, blocks or functions
  const Type* moved = nullptr;          // the type of a load, a store or an atomic operation
  spv::StorageClass storage = spv::StorageClassMax;  // of the pointer
  std::uint64_t offset = 0;                          // of an access chain: its constant part
  std::vector<Step> steps;                           // and its variable part
  std::uint32_t alignment = 1;                       // bytes, required of the pointer
  std::uint32_t word = 0;                            // in the module
};

struct Block {
  std::size_t first = 0;  // operation
  bool is_loop_header = false;
  /// The block number of the loop header whose merge block it is, + 1; 0: none.
  std::uint32_t merges = 0;
};

struct Callable {
  struct Slots {
    std::uint32_t first, count;
  };
  std::size_t first = 0;  // operation
  std::vector<Slots> parameters;
};

/// A shared array, or a binding with all names that the module has for it.
struct SharedArray {
  std::string name;
  std::uint32_t first, count;  // slots
};
struct BufferUse {
  bool is_written = false;     // some name for it is not NonWritable
  std::uint32_t granule = 16;  // bytes of the smallest scalar that any name has
};

struct Program {
  Module module;
  std::vector<Operation> operations;
  std::vector<Block> blocks;
  std::vector<Callable> functions;
  std::size_t entry = 0;        // function
  std::vector<Scalar> initial;  // slots of an invocation before it begins
  std::vector<SharedArray> shared;
  std::uint32_t shared_slots = 0;
  std::map<std::uint32_t, BufferUse> buffers;      // by binding
  std::map<spv::BuiltIn, std::uint32_t> builtins;  // slots
};

/// The address of the first byte of a binding: pointers to buffers are addresses.
constexpr std::uint64_t address_of_binding(std::uint64_t binding) { return (binding + 1) << 40; }

/// Throws Unsupported like decode.
Program program_from(Module module);

}  // namespace vkmoye::judge::spirv
