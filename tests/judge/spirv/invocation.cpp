// SPDX-License-Identifier: MIT
#include "judge/spirv/invocation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "judge/spirv/operations.hpp"

namespace vkmoye::judge::spirv {
namespace {

bool is_of_subgroup(spv::Op opcode) {
  return opcode >= spv::OpGroupNonUniformElect && opcode <= spv::OpGroupNonUniformQuadSwap;
}

class Runner {
 public:
  Runner(World& world, Invocation& self) : world_(world), self_(self) {}

  void run() {
    while (self_.state == Invocation::State::runs) {
      if (++world_.steps > world_.max_steps) return lose();
      const Operation& operation = world_.program.operations[self_.next];
      if (operation.opcode == spv::OpControlBarrier) {
        self_.state = Invocation::State::at_barrier;
      } else if (is_of_subgroup(operation.opcode)) {
        self_.state = Invocation::State::at_subgroup;
      } else if (operation.opcode == spv::OpAtomicLoad && !self_.has_waited) {
        self_.has_waited = true;
        self_.state = Invocation::State::at_load;
      } else {
        self_.has_waited = false;
        ++self_.next;
        self_.who.word = operation.word;
        execute(operation);
      }
    }
  }

 private:
  void lose() { self_.state = Invocation::State::lost; }

  const Scalar& in(const Operation& of, std::size_t operand, std::size_t part = 0) const {
    return self_.values[of.operands[operand] + part];
  }
  Scalar* out(const Operation& of) { return &self_.values[of.result]; }

  void execute(const Operation& o) {
    switch (o.opcode) {
      case spv::OpVariable: return begin_variable(o);
      case spv::OpLoad: return load(o);
      case spv::OpStore: return store(o);
      case spv::OpAccessChain:
      case spv::OpInBoundsAccessChain: return chain(o);
      case spv::OpBranch: return jump(o.operands[0], o.operands[1]);
      case spv::OpBranchConditional: {
        if (!decides(in(o, 0), "a branch")) return;
        return jump(o.operands[in(o, 0).bits != 0 ? 1 : 2], o.operands.back());
      }
      case spv::OpSwitch: return choose(o);
      case spv::OpPhi: return phi();
      case spv::OpFunctionCall: return call(o);
      case spv::OpReturn:
      case spv::OpReturnValue: return give_back(o);
      case spv::OpUnreachable:
        world_.faults.add(Faults::Kind::other, "unreachable",
                          fmt::format("{} comes to OpUnreachable", to_string(self_.who)));
        return lose();
      case spv::OpSelect: return select(o);
      case spv::OpCompositeConstruct:
        for (std::size_t i = 0; i < o.count; ++i) out(o)[i] = in(o, i);
        return;
      case spv::OpCompositeExtract:
        for (std::size_t i = 0; i < o.count; ++i) out(o)[i] = in(o, 0, o.operands[1] + i);
        return;
      case spv::OpCompositeInsert:
        for (std::size_t i = 0; i < o.count; ++i) out(o)[i] = in(o, 1, i);
        for (std::size_t i = 0; i < o.from_count; ++i) out(o)[o.operands[2] + i] = in(o, 0, i);
        return;
      case spv::OpVectorExtractDynamic: {
        const Scalar index = in(o, 1);
        *out(o) = index.defined && index.bits < o.from_count ? in(o, 0, index.bits) : Scalar{};
        return;
      }
      case spv::OpVectorShuffle: {
        for (std::size_t i = 0; i < o.count; ++i) {
          const std::uint32_t number = o.operands[2 + i];
          out(o)[i] = number == ~0u           ? Scalar{}
                      : number < o.from_count ? in(o, 0, number)
                                              : in(o, 1, number - o.from_count);
        }
        return;
      }
      case spv::OpCopyObject:
        for (std::size_t i = 0; i < o.count; ++i) out(o)[i] = in(o, 0, i);
        return;
      case spv::OpBitcast:
      case spv::OpConvertUToPtr:
      case spv::OpConvertPtrToU: return recast(o, 0);
      case spv::OpExtInst: return extended(o);
      case spv::OpAny:
      case spv::OpAll: return combine(o);
      case spv::OpVectorTimesScalar:
        for (std::size_t i = 0; i < o.count; ++i) {
          out(o)[i] = compute(spv::OpFMul, o.from.width, o.to.width, in(o, 0, i), in(o, 1));
        }
        return;
      default: break;
    }
    if (is_atomic(o.opcode)) return atomic(o);
    if (o.count == 0) throw Unsupported(name_of(o.opcode));
    for (std::size_t i = 0; i < o.count; ++i) {
      const Scalar& a = in(o, 0, i);
      const bool is_binary = o.operands.size() > 1;
      out(o)[i] = compute(o.opcode, o.from.width, o.to.width, a, is_binary ? in(o, 1, i) : a);
    }
  }

  // A branch or switch on an undefined value ends the invocation, since its target is unknown.
  bool decides(const Scalar& value, const char* what) {
    if (value.defined) return true;
    world_.faults.add(
        Faults::Kind::undefined, what,
        fmt::format("{}: {} depends on what is undefined", to_string(self_.who), what));
    lose();
    return false;
  }

  void jump(std::uint32_t to, std::uint32_t from) {
    const Block& block = world_.program.blocks[to];
    auto& rounds = self_.rounds;
    const std::size_t outside = self_.calls.empty() ? 0 : self_.calls.back().rounds;
    const bool is_inside = rounds.size() > outside;
    if (block.is_loop_header) {
      if (is_inside && rounds.back().header == to) {
        ++rounds.back().round;
      } else {
        rounds.push_back({to, 0});
      }
    } else if (block.merges != 0 && is_inside && rounds.back().header == block.merges - 1) {
      rounds.pop_back();
    }
    self_.previous = from;
    self_.next = block.first;
  }

  void choose(const Operation& o) {
    if (!decides(in(o, 0), "a switch")) return;
    std::uint32_t to = o.operands[1];
    for (std::size_t i = 2; i + 2 < o.operands.size(); i += 2) {
      if (o.operands[i] == in(o, 0).bits) to = o.operands[i + 1];
    }
    jump(to, o.operands.back());
  }

  // All phis of a block at once: one may read the old value of another.
  void phi() {
    --self_.next;
    std::vector<std::pair<const Operation*, std::vector<Scalar>>> taken;
    for (const auto* o = &world_.program.operations[self_.next]; o->opcode == spv::OpPhi; ++o) {
      for (std::size_t i = 0; i < o->operands.size(); i += 2) {
        if (o->operands[i + 1] != self_.previous) continue;
        const Scalar* from = &self_.values[o->operands[i]];
        taken.emplace_back(o, std::vector<Scalar>(from, from + o->count));
      }
      ++self_.next;
    }
    for (const auto& [o, values] : taken) {
      std::copy(values.begin(), values.end(), &self_.values[o->result]);
    }
  }

  void call(const Operation& o) {
    const Callable& function = world_.program.functions[o.operands[0]];
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      const auto [slot, count] = function.parameters[i];
      for (std::size_t s = 0; s < count; ++s) self_.values[slot + s] = in(o, 1 + i, s);
    }
    self_.calls.push_back({self_.next, o.result, o.count, self_.rounds.size()});
    self_.next = function.first;
  }

  void give_back(const Operation& o) {
    if (self_.calls.empty()) {
      self_.state = Invocation::State::finished;
      return;
    }
    const Invocation::Call call = self_.calls.back();
    self_.calls.pop_back();
    if (o.opcode == spv::OpReturnValue) {
      for (std::size_t i = 0; i < call.count; ++i) self_.values[call.result + i] = in(o, 0, i);
    }
    self_.rounds.resize(call.rounds);
    self_.next = call.next;
  }

  void select(const Operation& o) {
    for (std::size_t i = 0; i < o.count; ++i) {
      const Scalar& condition = in(o, 0, o.from_count == 1 ? 0 : i);
      out(o)[i] = condition.defined ? in(o, condition.bits != 0 ? 1 : 2, i) : Scalar{};
    }
  }

  // The bits of `operand`, lowest first, reinterpreted as the type of the result.
  void recast(const Operation& o, std::size_t operand) {
    std::array<std::uint64_t, 4> bytes = {};
    const std::size_t from = o.from.width / 8, to = o.to.width / 8;
    auto* raw = reinterpret_cast<std::byte*>(bytes.data());
    bool defined = true;
    for (std::size_t i = 0; i < o.from_count; ++i) {
      const Scalar& part = in(o, operand, i);
      defined = defined && part.defined;
      std::memcpy(raw + i * from, &part.bits, from);
    }
    for (std::size_t i = 0; i < o.count; ++i) {
      Scalar part{0, from == to ? in(o, operand, i).defined : defined};
      std::memcpy(&part.bits, raw + i * to, to);
      out(o)[i] = part;
    }
  }

  void extended(const Operation& o) {
    const auto operation = static_cast<GLSLstd450>(o.operands[1]);
    if (operation == GLSLstd450PackDouble2x32 || operation == GLSLstd450UnpackDouble2x32) {
      return recast(o, 2);
    }
    if (operation == GLSLstd450UnpackHalf2x16) {
      const Scalar word = in(o, 2, 0);
      for (std::size_t i = 0; i < 2; ++i) {
        const double half = number_of(word.bits >> (16 * i) & 0xffff, 16);
        out(o)[i] = {bits_of(half, 32), word.defined};
      }
      return;
    }
    static constexpr Scalar kNone{0, true};
    for (std::size_t i = 0; i < o.count; ++i) {
      out(o)[i] =
          compute(operation, o.from.width, in(o, 2, i), o.operands.size() > 3 ? in(o, 3, i) : kNone,
                  o.operands.size() > 4 ? in(o, 4, i) : kNone);
    }
  }

  void combine(const Operation& o) {
    Scalar all = in(o, 0);
    for (std::size_t i = 1; i < o.from_count; ++i) {
      all = compute(o.opcode == spv::OpAny ? spv::OpLogicalOr : spv::OpLogicalAnd, 1, 1, all,
                    in(o, 0, i));
    }
    *out(o) = all;
  }

  // --- memory ---

  void begin_variable(const Operation& o) {
    Scalar* first = &self_.values[o.operands[0]];
    for (std::size_t i = 0; i < o.moved->scalars.size(); ++i) {
      first[i] = o.operands.size() > 2 ? in(o, 2, i) : Scalar{};
    }
  }

  void chain(const Operation& o) {
    Scalar pointer = in(o, 0);
    pointer.bits += o.offset;
    for (const Step& step : o.steps) {
      const Scalar index = self_.values[step.slot];
      if (!index.defined) pointer.defined = false;
      const bool is_negative = step.is_signed && with_sign(index.bits, step.width) < 0;
      if (index.defined && (is_negative || index.bits >= step.length)) {
        world_.faults.add(Faults::Kind::range, fmt::format("index at {}", o.word),
                          fmt::format("{} takes index {} of an array of {}", to_string(self_.who),
                                      with_sign(index.bits, step.width), step.length));
        return lose();
      }
      pointer.bits += index.bits * step.stride;
    }
    *out(o) = pointer;
  }

  void load(const Operation& o) {
    if (!decides(in(o, 0), "the place of an access")) return;
    load(o, in(o, 0).bits, out(o), Touch::read);
  }
  void store(const Operation& o) {
    if (!decides(in(o, 0), "the place of an access")) return;
    store(o, in(o, 0).bits, &in(o, 1), Touch::write);
  }

  void load(const Operation& o, std::uint64_t at, Scalar* to, Touch touch) {
    const std::span<Scalar> values(to, o.moved->scalars.size());
    switch (o.storage) {
      case spv::StorageClassFunction:
      case spv::StorageClassPrivate:
      case spv::StorageClassInput:
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = self_.values[at + i];
        return;
      case spv::StorageClassPushConstant:
        for (std::size_t i = 0; i < values.size(); ++i) {
          const Part& part = o.moved->scalars[i];
          const std::size_t from = at + part.offset, bytes = part.width / 8;
          values[i] = {0, from + bytes <= world_.push_constants.size()};
          if (values[i].defined) {
            std::memcpy(&values[i].bits, world_.push_constants.data() + from, bytes);
          }
        }
        return;
      case spv::StorageClassWorkgroup:
        ++world_.accesses;
        return world_.shared.load(self_.who, *o.moved, at, values, touch);
      case spv::StorageClassStorageBuffer:
      case spv::StorageClassPhysicalStorageBuffer:
        ++world_.accesses;
        return world_.buffers.load(self_.who, *o.moved, at, o.alignment, values, touch);
      default: throw Unsupported("a load from another storage class");
    }
  }

  void store(const Operation& o, std::uint64_t at, const Scalar* from, Touch touch) {
    const std::span<const Scalar> values(from, o.moved->scalars.size());
    switch (o.storage) {
      case spv::StorageClassFunction:
      case spv::StorageClassPrivate:
        for (std::size_t i = 0; i < values.size(); ++i) self_.values[at + i] = values[i];
        return;
      case spv::StorageClassWorkgroup:
        ++world_.accesses;
        return world_.shared.store(self_.who, *o.moved, at, values, touch);
      case spv::StorageClassStorageBuffer:
      case spv::StorageClassPhysicalStorageBuffer:
        ++world_.accesses;
        return world_.buffers.store(self_.who, *o.moved, at, o.alignment, values, touch);
      default: throw Unsupported("a store to another storage class");
    }
  }

  static bool is_atomic(spv::Op opcode) {
    return (opcode >= spv::OpAtomicLoad && opcode <= spv::OpAtomicXor) ||
           opcode == spv::OpAtomicFAddEXT;
  }

  // Operands: pointer, scope, semantics, value. The result is the old value.
  void atomic(const Operation& o) {
    if (!decides(in(o, 0), "the place of an access")) return;
    const std::uint64_t at = in(o, 0).bits;
    Scalar before;
    load(o, at, &before, Touch::atomic);
    *out(o) = before;
    if (o.opcode == spv::OpAtomicLoad) return;
    const Scalar value = in(o, 3);
    const auto combined = [&]() -> Scalar {
      const std::uint32_t width = o.from.width;
      const Scalar none{0, true};
      switch (o.opcode) {
        case spv::OpAtomicIAdd: return compute(spv::OpIAdd, width, width, before, value);
        case spv::OpAtomicISub: return compute(spv::OpISub, width, width, before, value);
        case spv::OpAtomicUMin: return compute(GLSLstd450UMin, width, before, value, none);
        case spv::OpAtomicUMax: return compute(GLSLstd450UMax, width, before, value, none);
        case spv::OpAtomicSMin: return compute(GLSLstd450SMin, width, before, value, none);
        case spv::OpAtomicSMax: return compute(GLSLstd450SMax, width, before, value, none);
        case spv::OpAtomicAnd: return compute(spv::OpBitwiseAnd, width, width, before, value);
        case spv::OpAtomicOr: return compute(spv::OpBitwiseOr, width, width, before, value);
        case spv::OpAtomicXor: return compute(spv::OpBitwiseXor, width, width, before, value);
        case spv::OpAtomicFAddEXT: return compute(spv::OpFAdd, width, width, before, value);
        case spv::OpAtomicExchange: return value;
        default: throw Unsupported(name_of(o.opcode));
      }
    };
    const Scalar after = combined();
    store(o, at, &after, Touch::atomic);
  }

  World& world_;
  Invocation& self_;
};

}  // namespace

void run(World& world, Invocation& invocation) { Runner(world, invocation).run(); }

}  // namespace vkmoye::judge::spirv
