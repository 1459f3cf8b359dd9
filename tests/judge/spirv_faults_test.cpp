// SPDX-License-Identifier: MIT
// The SPIR-V interpreter on handwritten kernels, each with one fault that it must find, or with none.
//
// Eight threads in subgroups of four; a workgroup has eight elements of src and of dst. n = 16.

#include <fmt/format.h>

#include <cstring>

#include "judge/spirv/launch.hpp"
#include "support/expect.hpp"
#include "vkmoye/gen/spirv/assemble.hpp"

namespace vkmoye::judge {
namespace {

using spirv::Faults;

constexpr const char* kHeader = R"(#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer Src { uint src[]; };
layout(std430, binding = 0) readonly buffer Src_x4 { uvec4 src_x4[]; };
layout(std430, binding = 1) buffer Dst { uint dst[]; };
layout(std430, binding = 1) buffer Dst_x4 { uvec4 dst_x4[]; };
layout(push_constant) uniform Arguments { uint n; };
shared uint tile[8];
uint twice(uint x) { return 2u * x; }
void main() {
  uint thread = gl_LocalInvocationIndex, lane = gl_SubgroupInvocationID;
  uint at = 8u * gl_WorkGroupID.x + thread;
)";

CompiledKernel kernel_of(const std::string& name, const std::string& body) {
  CompiledKernel out;
  out.interface.name = name;
  out.interface.bindings = {{"src", ScalarType::u32, Access::read, {"n"}},
                            {"dst", ScalarType::u32, Access::write, {"n"}}};
  out.interface.push_constants = {"n"};
  out.interface.grid[0] = {"n", 8};
  out.interface.workgroup_size = {8, 1, 1};
  out.interface.subgroup_size = 4;
  out.glsl = kHeader + body + "\n}\n";
  out.spirv = gen::spirv::assemble(name, out.glsl);
  return out;
}

struct Result {
  spirv::Report report;
  std::vector<std::uint32_t> dst;
};

// A launch on src = 0, 1, 2, ..
Result run(const std::string& name, const std::string& body, std::uint32_t n = 16) {
  std::vector<std::vector<std::byte>> buffers(2, std::vector<std::byte>(std::size_t{4} * n));
  for (std::uint32_t i = 0; i < n; ++i) std::memcpy(&buffers[0][std::size_t{4} * i], &i, 4);
  Result out{spirv::launch(kernel_of(name, body), buffers, {{"n", n}}), {}};
  out.dst.resize(n);
  if (n != 0) std::memcpy(out.dst.data(), buffers[1].data(), buffers[1].size());
  return out;
}

struct Wrong {
  const char* name;
  Faults::Kind kind;
  const char* text;  // part of the fault's message
  const char* body;
};
void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.name; }

using enum Faults::Kind;

constexpr Wrong kWrong[] = {
    {"NoBarrier", race, "race in tile", "tile[thread] = src[at]; dst[at] = tile[7u - thread];"},
    {"NoBarrierBeforeTheNextRound", race, "race in tile",
     "for (uint i = 0u; i < 2u; ++i) { tile[thread] = i; barrier(); dst[at] = tile[7u - thread]; "
     "}"},
    {"TwoWriteOneValue", race, "race in tile", "tile[0] = 1u; dst[at] = 1u;"},
    {"AtomicAndPlain", race, "race in tile",
     "if (thread == 0u) tile[0] = 0u; atomicAdd(tile[0], 1u); dst[at] = 1u;"},
    {"TwoThreadsWriteAnElement", race, "race in dst", "dst[at] = 1u; dst[at ^ 1u] = 1u;"},
    {"BarrierOrdersNoBuffer", race, "race in dst",
     "dst[at] = 1u; barrier(); uint there = dst[at ^ 1u]; dst[at] = there;"},
    {"TwoWorkgroupsWriteAnElement", race, "race in dst",
     "dst[at] = 1u; if (thread == 0u) dst[0] = 1u;"},
    {"VectorOverAnElement", race, "race in dst",
     "dst[at] = 1u; if (thread == 1u) dst_x4[at / 4u] = uvec4(1u);"},
    {"OnePastTheBuffer", range, "touches src up to byte 68", "dst[at] = src[at + 1u];"},
    {"VectorPastTheBuffer", range, "touches src", "dst[at] = src_x4[at].x;"},
    {"OnePastTheArray", range, "takes index 8 of an array of 8",
     "tile[thread + 1u] = 1u; dst[at] = 1u;"},
    {"OnePastTheRegisters", range, "takes index 4 of an array of 4",
     "uint x[4]; for (uint i = 0u; i <= 4u; ++i) x[i] = i; dst[at] = x[0];"},
    {"UnwrittenShared", undefined, "stores into dst what is undefined",
     "if (thread != 3u) tile[thread] = 1u; barrier(); dst[at] = tile[thread] + 1u;"},
    {"SharedOfTheGroupBefore", undefined, "stores into dst what is undefined",
     "if (at < 8u) tile[thread] = 1u; barrier(); dst[at] = tile[thread];"},
    {"UnwrittenRegister", undefined, "stores into tile what is undefined",
     "uint x[2]; x[0] = 1u; tile[thread] = x[thread & 1u]; dst[at] = 1u;"},
    {"UnwrittenResult", undefined, "stores into dst what is undefined", "dst[at] = dst[at] + 1u;"},
    {"UndefinedBranch", undefined, "a branch depends on what is undefined",
     "uint x; if (x == 1u) dst[at] = 1u; else dst[at] = 2u;"},
    {"UndefinedPlace", undefined, "the place of an access depends on what is undefined",
     "uint x; dst[at] = src[x];"},
    {"DividedByZero", undefined, "stores into dst what is undefined",
     "dst[at] = 5u / (src[at] - 3u);"},
    {"ShiftedBy32", undefined, "stores into dst what is undefined",
     "dst[at] = 1u << (src[at] + 20u);"},
    {"LaneThatIsNotThere", undefined, "stores into dst what is undefined",
     "dst[at] = subgroupShuffle(src[at], lane + 1u);"},
    {"LaneXorThatIsNotThere", undefined, "stores into dst what is undefined",
     "dst[at] = subgroupShuffleXor(src[at], 4u);"},
    {"LanesBroadcastFromDifferentOnes", subgroup, "lanes broadcast from different lanes",
     "dst[at] = subgroupBroadcast(src[at], lane);"},
    {"BarrierInABranch", barrier, "waits at a barrier",
     "if (thread < 4u) barrier(); dst[at] = 1u;"},
    {"DifferentBarriers", barrier, "waits at a barrier",
     "if (thread < 4u) { tile[thread] = 1u; barrier(); } else { barrier(); } dst[at] = 1u;"},
    {"BarrierInDifferentRounds", barrier, "waits at a barrier",
     "for (uint i = 0u; i < 2u; ++i) { if (i == (thread & 1u)) barrier(); } dst[at] = 1u;"},
    {"BarrierAfterReturn", barrier, "waits at a barrier",
     "dst[at] = 1u; if (thread == 5u) return; barrier();"},
    {"ReduceInABranch", subgroup, "waits at a subgroup operation",
     "dst[at] = 1u; if (lane < 2u) dst[at] = subgroupAdd(src[at]);"},
    {"ReduceInDifferentRounds", subgroup, "waits at a subgroup operation",
     "uint sum = 0u; for (uint i = 0u; i < lane; ++i) sum += subgroupAdd(src[at]); dst[at] = sum;"},
    {"NotAllWritten", uncovered, "nothing writes dst(3)", "if (at != 3u) dst[at] = 1u;"},
};

class SpirvFaults : public testing::TestWithParam<Wrong> {};

TEST_P(SpirvFaults, AreFound) {
  const auto& [name, kind, text, body] = GetParam();
  const spirv::Report report = run(name, body).report;
  ASSERT_EQ(report.unsupported, "");
  std::string found;  // a read without a barrier is a race, and may read an unwritten value
  bool is_found = false;
  for (const Faults::Fault& fault : report.faults) {
    found += fmt::format("{}: {}\n", to_string(fault.kind), fault.text);
    is_found = is_found || (fault.kind == kind && fault.text.find(text) != std::string::npos);
  }
  EXPECT_TRUE(is_found) << "found is: " << found;
}

INSTANTIATE_TEST_SUITE_P(ByHand, SpirvFaults, testing::ValuesIn(kWrong),
                         [](const auto& row) { return std::string(row.param.name); });

struct Right {
  const char* name;
  const char* body;
  std::vector<std::uint32_t> dst;  // of 16
};
void PrintTo(const Right& right, std::ostream* out) { *out << right.name; }

const Right kRight[] = {
    {"Turned",
     "tile[thread] = src[at]; barrier(); dst[at] = tile[7u - thread];",
     {7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8}},
    {"TurnedTwice",
     "for (uint i = 0u; i < 3u; ++i) { tile[thread] = src[at] + i; barrier(); dst[at] = tile[7u - "
     "thread]; "
     "barrier(); }",
     {9, 8, 7, 6, 5, 4, 3, 2, 17, 16, 15, 14, 13, 12, 11, 10}},
    {"UndefinedAndNotUsed",  // no thread selects x or 1 / 0
     "uint x; uint y = src[at] == 0u ? 7u : 100u / src[at]; dst[at] = thread < 8u ? y : x;",
     {7, 100, 50, 33, 25, 20, 16, 14, 12, 11, 10, 9, 8, 7, 7, 6}},
    {"Vectors",
     "if ((thread & 3u) == 0u) dst_x4[at / 4u] = src_x4[at / 4u].wzyx + uvec4(1u);",
     {4, 3, 2, 1, 8, 7, 6, 5, 12, 11, 10, 9, 16, 15, 14, 13}},
    {"Atomics",
     "if (thread == 0u) tile[0] = 0u; barrier(); atomicAdd(tile[0], src[at]); barrier(); dst[at] = "
     "tile[0];",
     {28, 28, 28, 28, 28, 28, 28, 28, 92, 92, 92, 92, 92, 92, 92, 92}},
    {"CallsAndLogic",
     "dst[at] = (at < 4u || src[at] / (at - 3u) > 4u) && at != 1u ? twice(src[at]) : src[at];",
     {0, 1, 4, 6, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
    {"Reduced",
     "dst[at] = subgroupAdd(src[at]);",
     {6, 6, 6, 6, 22, 22, 22, 22, 38, 38, 38, 38, 54, 54, 54, 54}},
    {"Scanned",
     "dst[at] = subgroupInclusiveMax(src[at] ^ 1u) + 100u * subgroupExclusiveAdd(1u);",
     {1, 101, 203, 303, 5, 105, 207, 307, 9, 109, 211, 311, 13, 113, 215, 315}},
    {"Shuffled",
     "dst[at] = subgroupShuffle(src[at], 3u - lane) + subgroupBroadcast(src[at], 2u);",
     {5, 4, 3, 2, 13, 12, 11, 10, 21, 20, 19, 18, 29, 28, 27, 26}},
    {"ShuffledXor",
     "dst[at] = subgroupShuffleXor(src[at], 2u);",
     {2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13}},
    {"Ballots",
     "uvec4 votes = subgroupBallot(src[at] % 3u == 0u); dst[at] = subgroupElect() ? 100u : "
     "votes.x;",
     {100, 9, 9, 9, 100, 4, 4, 4, 100, 2, 2, 2, 100, 9, 9, 9}},
    {"SubgroupsOfDifferentCourse",  // each subgroup alone: the others need not reach it
     "uint sum = 0u; for (uint i = 0u; i <= gl_SubgroupID; ++i) sum += subgroupAdd(1u); dst[at] = "
     "sum;",
     {4, 4, 4, 4, 8, 8, 8, 8, 4, 4, 4, 4, 8, 8, 8, 8}},
    {"Numbers",
     "float x = float(src[at]) * 0.5 - 1.0; int y = int(floor(x)); dst[at] = uint(y + 1) + "
     "(floatBitsToUint(abs(x)) >> 31u) + uint(min(max(x, 0.0), 1.0));",
     {0, 0, 1, 1, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8}},
};

class SpirvSound : public testing::TestWithParam<Right> {};

TEST_P(SpirvSound, HasNoFaultAndIsRight) {
  const auto& [name, body, dst] = GetParam();
  const Result result = run(name, body);
  ASSERT_EQ(result.report.unsupported, "");
  EXPECT_TRUE(result.report.finished);
  for (const Faults::Fault& fault : result.report.faults) ADD_FAILURE() << fault.text;
  EXPECT_EQ(result.dst, dst);
}

INSTANTIATE_TEST_SUITE_P(ByHand, SpirvSound, testing::ValuesIn(kRight),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(SpirvLaunch, OfNothingHasNoFault) {
  const Result result = run("nothing", "dst[at] = src[at];", 0);
  EXPECT_TRUE(result.report.finished && result.report.faults.empty());
  EXPECT_EQ(result.report.invocations, 0u);
}

TEST(SpirvLaunch, EndsAfterTooManySteps) {
  std::vector<std::vector<std::byte>> buffers(2, std::vector<std::byte>(64));
  const CompiledKernel kernel =
      kernel_of("endless", "while (src[0] == 0u) tile[thread] = 1u; dst[at] = 1u;");
  const spirv::Report report = spirv::launch(kernel, buffers, {{"n", 16}}, {4, 10000});
  EXPECT_FALSE(report.finished);
  EXPECT_TRUE(report.faults.empty());
}

TEST(SpirvLaunch, SaysWhatItDoesNotKnow) {
  EXPECT_THAT(run("atan", "dst[at] = uint(atan(float(at)));").report.unsupported,
              HasSubstr("GLSL.std.450"));
  EXPECT_THAT(run("order", "memoryBarrier(); dst[at] = 1u;").report.unsupported,
              HasSubstr("OpMemoryBarrier"));
}

}  // namespace
}  // namespace vkmoye::judge
