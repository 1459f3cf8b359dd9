// SPDX-License-Identifier: MIT
#include "vkmoye/contract/spirv_module.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

#include "vkmoye/base/error.hpp"

namespace vkmoye {
namespace {

using Id = std::uint32_t;
// The words of an instruction after the first.
using Operands = std::span<const std::uint32_t>;

// The opcodes and enumerants of the SPIR-V specification, 3.x, that are read.
enum Opcode : std::uint32_t {
  kOpName = 5,
  kOpMemberName = 6,
  kOpEntryPoint = 15,
  kOpExecutionMode = 16,
  kOpCapability = 17,
  kOpTypeInt = 21,
  kOpTypeFloat = 22,
  kOpTypeVector = 23,
  kOpTypeArray = 28,
  kOpTypeRuntimeArray = 29,
  kOpTypeStruct = 30,
  kOpTypePointer = 32,
  kOpConstant = 43,
  kOpSpecConstantTrue = 48,
  kOpSpecConstantFalse = 49,
  kOpSpecConstant = 50,
  kOpFunctionEnd = 56,
  kOpVariable = 59,
  kOpDecorate = 71,
  kOpMemberDecorate = 72,
  kOpTypeCooperativeMatrix = 4456,
  kOpCooperativeMatrixMulAdd = 4459,
};
constexpr std::uint32_t kMagic = 0x07230203, kGlCompute = 5, kLocalSize = 17;
enum Decoration : std::uint32_t {
  kSpecId = 1,
  kArrayStride = 6,
  kNonWritable = 24,
  kNonReadable = 25,
  kBinding = 33,
  kDescriptorSet = 34,
  kOffset = 35,
};
enum StorageClass : std::uint32_t { kUniform = 2, kWorkgroup = 4, kPush = 9, kStorageBuffer = 12 };
constexpr std::uint32_t kSaturating = 0x10;
// Larger sizes are not distinguished: no device supports them.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40;

struct SpirvType {
  Opcode kind = kOpTypeStruct;
  std::uint32_t bits = 0;
  bool is_signed = false, is_brain = false;
  std::uint64_t bytes = 0;
  Id of = 0;                // the elements of an array or a vector, what a pointer points to
  std::vector<Id> members;  // for a struct; for a matrix: scope, rows, columns, use
};

// An id, or a member of one (its number + 1): what a decoration or a name belongs to.
using Place = std::pair<Id, std::uint32_t>;

class ModuleReader {
 public:
  explicit ModuleReader(const std::vector<std::uint32_t>& words) {
    constexpr std::size_t kHeader = 5;
    if (words.size() < kHeader || words.front() != kMagic) {
      throw ArgumentError(fmt::format("its {} words are not SPIR-V", words.size()));
    }
    std::uint32_t last = 0;
    for (std::size_t at = kHeader; at < words.size();) {
      const std::size_t length = words[at] >> 16;
      if (length == 0 || length > words.size() - at) {
        throw ArgumentError(
            fmt::format("its SPIR-V is cut off in word {} of {}", at, words.size()));
      }
      last = words[at] & 0xffff;
      read(last, Operands(words).subspan(at + 1, length - 1));
      at += length;
    }
    if (last != kOpFunctionEnd) throw ArgumentError("its SPIR-V does not end with a function");
  }

  SpirvModule take() && { return std::move(module_); }

 private:
  void read(std::uint32_t opcode, Operands o) {
    const auto has = [&](std::size_t count) { return o.size() >= count; };
    switch (opcode) {
      case kOpCapability:
        if (has(1)) module_.capabilities.push_back(o[0]);
        return;
      case kOpEntryPoint:
        // "main" and its end, as little-endian words.
        if (has(4) && o[0] == kGlCompute && o[2] == 0x6e69616d && o[3] == 0) {
          main_ = o[1];
          module_.has_main = true;
        }
        return;
      case kOpExecutionMode:
        if (has(5) && o[0] == main_ && o[1] == kLocalSize) {
          module_.workgroup_size = {o[2], o[3], o[4]};
        }
        return;
      case kOpName:
        if (has(2)) names_[{o[0], 0}] = text_of(o.subspan(1));
        return;
      case kOpMemberName:
        if (has(3)) names_[{o[0], o[1] + 1}] = text_of(o.subspan(2));
        return;
      case kOpDecorate:
        if (has(2)) decorations_[{o[0], 0}][o[1]] = has(3) ? o[2] : 0;
        return;
      case kOpMemberDecorate:
        if (has(3)) decorations_[{o[0], o[1] + 1}][o[2]] = has(4) ? o[3] : 0;
        return;
      case kOpConstant:
        if (has(3)) constants_[o[1]] = o[2];
        return;
      case kOpSpecConstantTrue:
      case kOpSpecConstantFalse:
      case kOpSpecConstant:
        if (has(2)) add_specialised(o[0], o[1]);
        return;
      case kOpVariable:
        if (has(3)) add_variable(o[0], o[1], o[2]);
        return;
      case kOpCooperativeMatrixMulAdd:
        if (has(5)) add_product(o);
        break;  // its result is a matrix, too
      default: add_type(opcode, o); break;
    }
    // Other instructions with a matrix as result; names and decorations of its type are read above.
    if (!has(2)) return;
    const SpirvType* type = type_of(o[0]);
    if (type != nullptr && type->kind == kOpTypeCooperativeMatrix) matrix_of_[o[1]] = o[0];
  }

  static std::string text_of(Operands words) {
    std::string text;
    for (const std::uint32_t word : words) {
      for (int shift = 0; shift < 32; shift += 8) {
        const char letter = static_cast<char>(word >> shift & 0xff);
        if (letter == 0) return text;
        text += letter;
      }
    }
    return text;
  }

  // A type is declared after the types that it contains.
  void add_type(std::uint32_t opcode, Operands o) {
    if (o.empty()) return;
    SpirvType type;
    type.kind = static_cast<Opcode>(opcode);
    switch (opcode) {
      case kOpTypeInt:
      case kOpTypeFloat:
        if (o.size() < 2) return;
        type.bits = o[1];
        type.bytes = type.bits / 8;
        type.is_signed = opcode == kOpTypeInt && o.size() > 2 && o[2] != 0;
        type.is_brain = opcode == kOpTypeFloat && o.size() > 2;  // has its own encoding
        break;
      case kOpTypeVector:
      case kOpTypeArray: {
        if (o.size() < 3) return;
        type.of = o[1];
        const std::uint64_t count = opcode == kOpTypeVector ? o[2] : constant(o[2]);
        const std::uint64_t element = bytes_of(o[1]);
        type.bytes = element > 0 && count > kMaxBytes / element ? kMaxBytes : count * element;
        break;
      }
      case kOpTypeRuntimeArray:
        if (o.size() < 2) return;
        type.of = o[1];
        break;
      case kOpTypePointer:
        if (o.size() < 3) return;
        type.of = o[2];
        break;
      case kOpTypeStruct:
      case kOpTypeCooperativeMatrix:
        type.members.assign(o.begin() + 1, o.end());
        if (opcode == kOpTypeCooperativeMatrix) {
          if (type.members.size() < 5) return;
          type.of = type.members.front();
          break;
        }
        for (const Id member : type.members) {
          type.bytes = std::min(kMaxBytes, type.bytes + bytes_of(member));
        }
        break;
      default: return;
    }
    types_.insert_or_assign(o[0], std::move(type));
  }

  const SpirvType* type_of(Id id) const {
    const auto found = types_.find(id);
    return found == types_.end() ? nullptr : &found->second;
  }
  std::uint64_t bytes_of(Id id) const {
    const SpirvType* type = type_of(id);
    return type == nullptr ? 0 : type->bytes;
  }
  std::uint32_t constant(Id id) const {
    const auto found = constants_.find(id);
    return found == constants_.end() ? 0 : found->second;
  }
  std::optional<std::uint32_t> decoration(Id id, std::uint32_t member, Decoration which) const {
    const auto place = decorations_.find({id, member});
    if (place == decorations_.end()) return std::nullopt;
    const auto found = place->second.find(which);
    return found == place->second.end() ? std::nullopt : std::optional(found->second);
  }

  void add_variable(Id pointer, Id id, std::uint32_t storage) {
    const SpirvType* points = type_of(pointer);
    if (points == nullptr) return;
    const SpirvType* type = type_of(points->of);
    if (storage == kWorkgroup) {
      module_.shared_bytes = std::min(kMaxBytes, module_.shared_bytes + bytes_of(points->of));
    }
    const auto binding = decoration(id, 0, kBinding);
    if (binding || storage == kStorageBuffer || storage == kUniform) {
      add_buffer(id, points->of, binding.value_or(0));
    }
    if (storage == kPush && type != nullptr && type->kind == kOpTypeStruct) {
      for (std::uint32_t m = 0; m < type->members.size(); ++m) add_constant(points->of, m);
    }
  }

  void add_buffer(Id id, Id block, std::uint32_t binding) {
    SpirvModule::Buffer buffer;
    buffer.binding = binding;
    buffer.set = decoration(id, 0, kDescriptorSet).value_or(0);
    const auto says = [&](Decoration which) {
      return decoration(id, 0, which) || decoration(block, 1, which);
    };
    buffer.is_read = !says(kNonReadable);
    buffer.is_written = !says(kNonWritable);
    const SpirvType* type = type_of(block);
    if (type != nullptr && !type->members.empty()) {
      buffer.stride = decoration(type->members.front(), 0, kArrayStride).value_or(0);
    }
    module_.buffers.push_back(buffer);
  }

  void add_constant(Id block, std::uint32_t member) {
    module_.push_constants.push_back({name_of({block, member + 1}),
                                      number_type_of(types_.at(block).members[member]),
                                      decoration(block, member + 1, kOffset).value_or(0)});
  }

  // One without a constant_id cannot be given a value.
  void add_specialised(Id type, Id id) {
    const auto constant_id = decoration(id, 0, kSpecId);
    if (!constant_id) return;
    module_.specialised.push_back({name_of({id, 0}), number_type_of(type), *constant_id});
  }

  // "": it was stripped.
  std::string name_of(const Place& place) const {
    const auto name = names_.find(place);
    return name == names_.end() ? "" : name->second;
  }

  std::optional<ScalarType> number_type_of(Id id) const {
    const SpirvType* type = type_of(id);
    for (const ScalarType candidate :
         {ScalarType::u32, ScalarType::i32, ScalarType::f32, ScalarType::f64, ScalarType::u64}) {
      const bool is_float = candidate == ScalarType::f32 || candidate == ScalarType::f64;
      if (type != nullptr && type->kind == (is_float ? kOpTypeFloat : kOpTypeInt) &&
          type->bytes == size_of(candidate) && type->is_signed == (candidate == ScalarType::i32)) {
        return candidate;
      }
    }
    return std::nullopt;
  }

  std::string component_of(const SpirvType& matrix) const {
    const SpirvType* type = type_of(matrix.of);
    if (type == nullptr) return "?";
    const char* kind = type->kind == kOpTypeInt ? (type->is_signed ? "s" : "u")
                       : type->is_brain         ? "bf"
                                                : "f";
    return kind + std::to_string(type->bits);
  }

  // D = A * B + C: type of D, D, A, B, C, how.
  void add_product(Operands o) {
    std::array<const SpirvType*, 4> matrices = {};  // A, B, C, D
    for (std::size_t i = 0; i < 4; ++i) {
      Id type = o[0];
      if (i < 3) {
        const auto operand = matrix_of_.find(o[2 + i]);
        if (operand == matrix_of_.end()) return;
        type = operand->second;
      }
      matrices[i] = type_of(type);
      if (matrices[i] == nullptr || matrices[i]->kind != kOpTypeCooperativeMatrix) return;
    }
    const auto size = [&](const SpirvType& matrix, std::size_t which) {  // 0: rows, 1: columns
      return constant(matrix.members[which + 2]);
    };
    MatrixShape shape;
    shape.m = size(*matrices[3], 0);
    shape.n = size(*matrices[3], 1);
    shape.k = size(*matrices[0], 1);
    shape.a = component_of(*matrices[0]);
    shape.b = component_of(*matrices[1]);
    shape.c = component_of(*matrices[2]);
    shape.result = component_of(*matrices[3]);
    shape.scope = constant(matrices[3]->members[1]) == 2 ? "workgroup" : "subgroup";
    shape.saturating = o.size() > 5 && (o[5] & kSaturating) != 0;
    auto& products = module_.products;
    if (std::find(products.begin(), products.end(), shape) == products.end()) {
      products.push_back(std::move(shape));
    }
  }

  SpirvModule module_;
  Id main_ = 0;
  std::unordered_map<Id, SpirvType> types_;
  std::unordered_map<Id, std::uint32_t> constants_;
  std::unordered_map<Id, Id> matrix_of_;  // the type of each matrix
  std::map<Place, std::string> names_;
  std::map<Place, std::map<std::uint32_t, std::uint32_t>> decorations_;
};

}  // namespace

SpirvModule read_spirv(const std::vector<std::uint32_t>& words) {
  return ModuleReader(words).take();
}

}  // namespace vkmoye
