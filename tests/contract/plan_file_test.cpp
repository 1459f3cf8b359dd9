// SPDX-License-Identifier: MIT
// Plan files, and invalid plans.

#include "vkmoye/contract/plan_file.hpp"

#include <limits>

#include "contract/made_kernel.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/compiled_plan.hpp"
#include "vkmoye/contract/kernel_file.hpp"

namespace vkmoye {
namespace {

CompiledPlan some_plan() {
  CompiledPlan plan;
  plan.name = "some";
  plan.arrays = {{"A", 1024}, {"C", 64}};
  plan.scratch = {{"one", 100}, {"two", 40}};
  plan.steps = {{kernel_of("first", 1), {{"n", 16}, {"alpha", 1.0}}, {0, 2}},
                {kernel_of("second", 2), {{"n", -1}, {"alpha", 0.1}}, {0, 2, 3}},
                {kernel_of("third", 1),
                 {{"n", 7}, {"alpha", -std::numeric_limits<double>::infinity()}},
                 {3, 1}}};
  return plan;
}

// The first step writes the groups of the third into scratch "one".
CompiledPlan indirect_plan() {
  CompiledPlan plan = some_plan();
  plan.steps[2].indirect = 2;
  return plan;
}

TEST(CompiledPlan, ScratchLiesWhereTheDeviceTakesIt) {
  EXPECT_THAT(reasons_against(some_plan()), IsEmpty());
  DeviceCaps caps = common_device();
  caps.storage_buffer_alignment = 4;
  EXPECT_THAT(scratch_places(some_plan(), caps).offsets, ElementsAre(0, 112));
  EXPECT_EQ(scratch_places(some_plan(), caps).bytes, 152u);
  caps.storage_buffer_alignment = 64;
  EXPECT_THAT(scratch_places(some_plan(), caps).offsets, ElementsAre(0, 128));
  EXPECT_EQ(kernels_of(some_plan()).size(), 3u);
}

TEST(CompiledPlan, WhatIsNoneIsRefusedWithEveryReason) {
  CompiledPlan plan = some_plan();
  plan.steps[0].arrays = {0};
  plan.steps[1].arrays = {0, 2, 9};
  plan.steps[2].arrays = {3, 1};
  EXPECT_THAT(reasons_against(plan),
              ElementsAre("step 0, first: has 2 bindings, but 1 arrays",
                          "step 1, second: reads one, which no earlier step writes",
                          "step 1, second: b2 is array 9, but the plan has 4 arrays",
                          "step 2, third: reads two, which no earlier step writes"));
  EXPECT_THAT(reasons_against(CompiledPlan()), ElementsAre("it has no steps"));
}

TEST(CompiledPlan, TakesGroupsFromScratchThatWasWritten) {
  EXPECT_THAT(reasons_against(indirect_plan()), IsEmpty());
  CompiledPlan plan = indirect_plan();
  plan.steps[2].indirect = 1;
  EXPECT_THAT(reasons_against(plan),
              ElementsAre("step 2, third: its groups are in array 1, which is not scratch: the "
                          "plan has 2 arrays of the caller, then 2 of scratch"));
  plan.steps[2].indirect = 4;
  EXPECT_THAT(reasons_against(plan),
              ElementsAre(HasSubstr("are in array 4, which is not scratch")));
  plan = indirect_plan();
  plan.scratch[0].bytes = kCommandBytes - 1;
  EXPECT_THAT(reasons_against(plan), ElementsAre("step 2, third: its groups are in one, which has "
                                                 "11 bytes instead of 12"));
  plan = some_plan();
  plan.steps[0].indirect = 3;
  EXPECT_THAT(reasons_against(plan),
              ElementsAre("step 0, first: its groups are in two, which no earlier step writes"));
  plan = some_plan();
  plan.steps[1].indirect = 3;
  EXPECT_THAT(reasons_against(plan),
              ElementsAre("step 1, second: its groups are in two, which no earlier step writes",
                          "step 1, second: writes two, which has its own groups"));
}

// Otherwise offsets would wrap, and two arrays would overlap.
TEST(CompiledPlan, ScratchHasNoMoreBytesThanCanBePlaced) {
  constexpr std::uint64_t kMax = std::uint64_t{1} << 62;
  CompiledPlan plan = some_plan();
  plan.scratch = {{"one", kMax - 40}, {"two", 40}};
  EXPECT_THAT(reasons_against(plan), IsEmpty());
  EXPECT_GE(scratch_places(plan, common_device()).bytes, kMax);
  const std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
  plan.scratch = {{"one", largest}, {"two", largest}, {"three", 64}};
  EXPECT_THAT(
      reasons_against(plan),
      ElementsAre("scratch one of 9223372036854775807 bytes: all of them have at most 2^62",
                  "scratch two of 9223372036854775807 bytes: all of them have at most 2^62"));
  EXPECT_REFUSED(parse_plan(plan_text(plan)), ArgumentError,
                 "scratch two of 9223372036854775807 bytes");
}

TEST(PlanFile, IsReadAsItWasWritten) {
  const CompiledPlan plan = some_plan();
  const std::string text = plan_text(plan);
  const CompiledPlan back = parse_plan(text);
  EXPECT_EQ(plan_text(back), text);
  EXPECT_EQ(back.name, "some");
  EXPECT_EQ(back.array(0).bytes, 1024u);
  EXPECT_EQ(back.array(3).name, "two");
  ASSERT_EQ(back.steps.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(back.steps[i].arguments, plan.steps[i].arguments);
    EXPECT_EQ(back.steps[i].arrays, plan.steps[i].arrays);
    EXPECT_EQ(back.steps[i].kernel.spirv, plan.steps[i].kernel.spirv);
  }
}

// The second step has n as a specialisation constant.
CompiledPlan specialised_plan() {
  CompiledPlan plan = indirect_plan();
  KernelInterface& interface = plan.steps[1].kernel.interface;
  interface.push_constants.erase(interface.push_constants.begin());
  interface.specialised = {{"n"}};
  plan.steps[1].arguments["n"] = 5;
  return plan;
}

TEST(PlanFile, HasSpecialisationConstants) {
  const std::string text = plan_text(specialised_plan());
  EXPECT_THAT(text, HasSubstr("\"version\": 3"));
  const CompiledPlan back = parse_plan(text);
  EXPECT_EQ(plan_text(back), text);
  ASSERT_EQ(back.steps[1].kernel.interface.specialised.size(), 1u);
  CompiledPlan plan = specialised_plan();
  plan.steps[1].arguments.erase("n");
  EXPECT_THAT(reasons_against(plan),
              ElementsAre("step 1, second: 'n' is a specialisation constant, and has no value to "
                          "load it with"));
  plan.steps[1].arguments["n"] = 0;
  EXPECT_THAT(reasons_against(plan), ElementsAre("step 1, second: the specialisation constant n = "
                                                 "0 is outside 1..2^32-1"));
}

TEST(PlanFile, HasIndirectSteps) {
  const std::string text = plan_text(indirect_plan());
  const CompiledPlan back = parse_plan(text);
  EXPECT_EQ(plan_text(back), text);
  EXPECT_EQ(back.steps[1].indirect, std::nullopt);
  EXPECT_EQ(back.steps[2].indirect, 2u);
  CompiledPlan plan = indirect_plan();
  plan.steps[2].indirect = 0;
  EXPECT_REFUSED(parse_plan(plan_text(plan)), ArgumentError, "its groups are in array 0");
}

// Version 1 is for plans that have nothing of the later ones, so that earlier runtimes read these.
TEST(PlanFile, IsReadInEachVersion) {
  EXPECT_THAT(plan_text(indirect_plan()), HasSubstr("\"version\": 2"));
  const std::string text = plan_text(some_plan()), version = "\"version\": 1";
  const std::size_t at = text.find(version);
  ASSERT_NE(at, text.npos);
  const auto in_version = [&](char digit) {
    std::string other = text;
    other[at + version.size() - 1] = digit;
    return other;
  };
  EXPECT_EQ(plan_text(parse_plan(in_version('2'))), text);
  EXPECT_EQ(plan_text(parse_plan(in_version('3'))), text);
  for (const char digit : {'0', '5'}) {
    EXPECT_REFUSED(parse_plan(in_version(digit)), ArgumentError,
                   std::string("plan file: it has version ") + digit +
                       ", but this vkmoye reads versions 1 to 4");
  }
}

TEST(PlanFile, IsRefusedWhereItWasDamagedOrCutOff) {
  const std::string text = plan_text(indirect_plan());
  expect_damage_is_noticed(text,
                           [](std::string_view damaged) { return plan_text(parse_plan(damaged)); });
}

TEST(PlanFile, IsRefusedWithEveryReason) {
  CompiledPlan plan = some_plan();
  plan.steps[0].arrays = {0, 5};
  plan.steps[2].arrays = {3};
  EXPECT_REFUSED(
      parse_plan(plan_text(plan)), ArgumentError,
      AllOf(HasSubstr("plan file:\n  - step 0, first: b1 is array 5, but the plan has 4 arrays\n"),
            HasSubstr("step 2, third: has 2 bindings, but 1 arrays")));
  plan = some_plan();
  plan.steps[1].kernel.spirv.clear();
  EXPECT_REFUSED(parse_plan(plan_text(plan)), ArgumentError, "plan file: step 1: ");
  const CompiledKernel kernel = kernel_of("alone", 1);
  EXPECT_REFUSED(parse_plan(kernel_text(kernel)), ArgumentError,
                 "\"format\" is not \"vkmoye plan\"");
}

}  // namespace
}  // namespace vkmoye
