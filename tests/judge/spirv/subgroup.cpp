// SPDX-License-Identifier: MIT
#include "judge/spirv/subgroup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "judge/spirv/operations.hpp"

namespace vkmoye::judge::spirv {
namespace {

constexpr Scalar kNone{0, true};

Scalar combined(spv::Op opcode, std::uint32_t width, const Scalar& a, const Scalar& b) {
  switch (opcode) {
    case spv::OpGroupNonUniformIAdd: return compute(spv::OpIAdd, width, width, a, b);
    case spv::OpGroupNonUniformFAdd: return compute(spv::OpFAdd, width, width, a, b);
    case spv::OpGroupNonUniformIMul: return compute(spv::OpIMul, width, width, a, b);
    case spv::OpGroupNonUniformFMul: return compute(spv::OpFMul, width, width, a, b);
    case spv::OpGroupNonUniformUMin: return compute(GLSLstd450UMin, width, a, b, kNone);
    case spv::OpGroupNonUniformUMax: return compute(GLSLstd450UMax, width, a, b, kNone);
    case spv::OpGroupNonUniformSMin: return compute(GLSLstd450SMin, width, a, b, kNone);
    case spv::OpGroupNonUniformSMax: return compute(GLSLstd450SMax, width, a, b, kNone);
    case spv::OpGroupNonUniformFMin: return compute(GLSLstd450FMin, width, a, b, kNone);
    case spv::OpGroupNonUniformFMax: return compute(GLSLstd450FMax, width, a, b, kNone);
    default: throw Unsupported(name_of(opcode));
  }
}

// The neutral element.
Scalar neutral(spv::Op opcode, std::uint32_t width) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::uint64_t ones = masked(~std::uint64_t{0}, width),
                      top = std::uint64_t{1} << (width - 1);
  switch (opcode) {
    case spv::OpGroupNonUniformIMul: return {1, true};
    case spv::OpGroupNonUniformFMul: return {bits_of(1, width), true};
    case spv::OpGroupNonUniformUMin: return {ones, true};
    case spv::OpGroupNonUniformSMin: return {ones ^ top, true};
    case spv::OpGroupNonUniformSMax: return {top, true};
    case spv::OpGroupNonUniformFMin: return {bits_of(infinity, width), true};
    case spv::OpGroupNonUniformFMax: return {bits_of(-infinity, width), true};
    default: return {0, true};
  }
}

class Together {
 public:
  Together(World& world, std::span<Invocation> lanes)
      : world_(world), lanes_(lanes), o_(world.program.operations[lanes[0].next]) {}

  void execute() {
    switch (o_.opcode) {  // operand 0 is the scope
      case spv::OpGroupNonUniformElect:
        for (std::size_t i = 0; i < lanes_.size(); ++i) out(i)[0] = {i == 0 ? 1u : 0u, true};
        break;
      case spv::OpGroupNonUniformBallot: ballot(); break;
      case spv::OpGroupNonUniformBroadcast: broadcast(); break;
      case spv::OpGroupNonUniformBroadcastFirst:
        move([](std::size_t, const Scalar&) { return Scalar{0, true}; });
        break;
      case spv::OpGroupNonUniformShuffle:
        move([](std::size_t, const Scalar& given) { return given; });
        break;
      case spv::OpGroupNonUniformShuffleXor:
        move([](std::size_t lane, const Scalar& given) {
          return Scalar{lane ^ given.bits, given.defined};
        });
        break;
      case spv::OpGroupNonUniformShuffleUp:
        move([](std::size_t lane, const Scalar& given) {
          return Scalar{lane - given.bits, given.defined};
        });
        break;
      case spv::OpGroupNonUniformShuffleDown:
        move([](std::size_t lane, const Scalar& given) {
          return Scalar{lane + given.bits, given.defined};
        });
        break;
      case spv::OpGroupNonUniformAll:
      case spv::OpGroupNonUniformAny: vote(); break;
      default: scan(); break;
    }
    for (Invocation& lane : lanes_) {
      ++lane.next;
      lane.state = Invocation::State::runs;
    }
  }

 private:
  const Scalar& in(std::size_t lane, std::size_t operand, std::size_t part = 0) const {
    return lanes_[lane].values[o_.operands[operand] + part];
  }
  Scalar* out(std::size_t lane) { return &lanes_[lane].values[o_.result]; }

  // Each lane gets operand 1 of the lane `from`; undefined if there is no such lane.
  template <class From>
  void move(From from) {
    std::vector<Scalar> all;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      for (std::size_t part = 0; part < o_.count; ++part) all.push_back(in(i, 1, part));
    }
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const Scalar source = from(i, o_.operands.size() > 2 ? in(i, 2) : kNone);
      const bool exists = source.defined && source.bits < lanes_.size();
      for (std::size_t part = 0; part < o_.count; ++part) {
        out(i)[part] = exists ? all[source.bits * o_.count + part] : Scalar{};
      }
    }
  }

  // Its lane number must be the same in all lanes (SPIR-V specification, 3.52.24).
  void broadcast() {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const Scalar &first = in(0, 2), &own = in(i, 2);
      if (first.defined && own.defined && first.bits == own.bits) continue;
      world_.faults.add(
          Faults::Kind::subgroup, "broadcast",
          fmt::format("{}: lanes broadcast from different lanes", to_string(lanes_[i].who)));
    }
    move([](std::size_t, const Scalar& given) { return given; });
  }

  void ballot() {
    std::uint64_t words[4] = {};
    bool defined = true;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      defined = defined && in(i, 1).defined;
      words[i / 32] |= (in(i, 1).bits & 1) << i % 32;
    }
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      for (std::size_t word = 0; word < 4; ++word) out(i)[word] = {words[word], defined};
    }
  }

  void vote() {
    const bool is_any = o_.opcode == spv::OpGroupNonUniformAny;
    Scalar all = in(0, 1);
    for (std::size_t i = 1; i < lanes_.size(); ++i) {
      all = compute(is_any ? spv::OpLogicalOr : spv::OpLogicalAnd, 1, 1, all, in(i, 1));
    }
    for (std::size_t i = 0; i < lanes_.size(); ++i) out(i)[0] = all;
  }

  // Operands: scope, which of the three, value.
  void scan() {
    const std::uint32_t width = o_.to.width;
    for (std::size_t part = 0; part < o_.count; ++part) {
      std::vector<Scalar> sums = {neutral(o_.opcode, width)};
      for (std::size_t i = 0; i < lanes_.size(); ++i) {
        const Scalar value = in(i, 2, part);
        sums.push_back(i == 0 ? value : combined(o_.opcode, width, sums.back(), value));
      }
      for (std::size_t i = 0; i < lanes_.size(); ++i) {
        switch (o_.operands[1]) {
          case spv::GroupOperationReduce: out(i)[part] = sums.back(); break;
          case spv::GroupOperationInclusiveScan: out(i)[part] = sums[i + 1]; break;
          case spv::GroupOperationExclusiveScan: out(i)[part] = sums[i]; break;
          default: throw Unsupported("clustered operations of subgroups");
        }
      }
    }
  }

  World& world_;
  std::span<Invocation> lanes_;
  const Operation& o_;
};

}  // namespace

void execute_together(World& world, std::span<Invocation> lanes) {
  Together(world, lanes).execute();
}

}  // namespace vkmoye::judge::spirv
