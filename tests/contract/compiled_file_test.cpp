// SPDX-License-Identifier: MIT
// Files of a kernel, of a plan, and of variants, of which a device takes one.

#include "vkmoye/contract/compiled_file.hpp"

#include "contract/made_kernel.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/kernel_file.hpp"
#include "vkmoye/contract/plan_file.hpp"

namespace vkmoye {
namespace {

CompiledKernel for_lanes(std::uint32_t lanes) {
  CompiledKernel kernel = kernel_of("rows", 1);
  kernel.interface.subgroup_size = lanes;
  if (lanes > 0) {
    kernel.interface.features = {Feature::subgroup_basic, Feature::subgroup_size_control};
  }
  return kernel;
}

DeviceCaps device_of(std::uint32_t lanes) {
  DeviceCaps caps = common_device();
  caps.name = "made up";
  caps.subgroup_size = caps.min_subgroup_size = caps.max_subgroup_size = lanes;
  return caps;
}

CompiledPlan plan_of(const CompiledKernel& kernel, std::uint64_t bytes = 64) {
  CompiledPlan plan;
  plan.name = kernel.interface.name;
  plan.arrays = {{"A", bytes}, {"C", 64}};
  plan.steps = {{kernel, {{"n", 16}, {"alpha", 1.0}}, {0, 1}}};
  return plan;
}

TEST(CompiledFile, OfAKernelOrAPlanIsItself) {
  const DeviceCaps none;  // it is loaded later, which has the reasons
  const std::string kernel = kernel_text(for_lanes(16)), plan = plan_text(plan_of(for_lanes(16)));
  EXPECT_EQ(kernel_text(std::get<CompiledKernel>(parse_compiled(kernel, none))), kernel);
  EXPECT_EQ(plan_text(std::get<CompiledPlan>(parse_compiled(plan, none))), plan);
  EXPECT_EQ(variants_text(parse_variants(kernel)), kernel);
  EXPECT_EQ(variants_text(parse_variants(plan)), plan);
  EXPECT_REFUSED(parse_plan(kernel), ArgumentError,
                 "but \"vkmoye kernel\"; read_compiled_file reads all kinds");
  EXPECT_REFUSED(parse_variants("{\"format\": 3}"), ArgumentError, "is none of");
  EXPECT_REFUSED(parse_variants(kernel.substr(0, 40)), ArgumentError, "it ends at byte 41");
}

TEST(CompiledFile, OfVariantsHasTheFirstThatTheDeviceCanRun) {
  const std::string text = variants_text({for_lanes(32), for_lanes(64), for_lanes(8)});
  const auto lanes_on = [&](std::uint32_t lanes) {
    return std::get<CompiledKernel>(parse_compiled(text, device_of(lanes))).interface.subgroup_size;
  };
  EXPECT_EQ(lanes_on(32), 32u);
  EXPECT_EQ(lanes_on(64), 64u);
  EXPECT_EQ(lanes_on(8), 8u);
  DeviceCaps any = device_of(64);
  any.min_subgroup_size = 32;  // as AMD's
  EXPECT_EQ(fitting_variant(parse_variants(text), any), 0u);
  EXPECT_REFUSED(parse_compiled(text, device_of(16)), KernelError,
                 AllOf(HasSubstr("rows: made up can run none of 3 variants"),
                       HasSubstr("variant 1: "), HasSubstr("variant 3: "), HasSubstr("16")));
  // One without operations of subgroups runs everywhere.
  const std::string with_plain = variants_text({for_lanes(32), for_lanes(0)});
  EXPECT_EQ(fitting_variant(parse_variants(with_plain), device_of(16)), 1u);
  EXPECT_REFUSED(parse_kernel(text), ArgumentError, "read_compiled_file reads all kinds");
}

TEST(CompiledFile, OfVariantsMayHoldPlans) {
  const std::vector<CompiledFile> plans = {plan_of(for_lanes(32)), plan_of(for_lanes(8))};
  const std::string text = variants_text(plans);
  EXPECT_EQ(variants_text(parse_variants(text)), text);
  const CompiledFile file = parse_compiled(text, device_of(8));
  EXPECT_EQ(plan_text(std::get<CompiledPlan>(file)), plan_text(plan_of(for_lanes(8))));
  EXPECT_EQ(kernels_of(file).front()->subgroup_size, 8u);
}

TEST(CompiledFile, OfVariantsThatAreNotCalledInTheSameWayIsRefused) {
  CompiledKernel other = for_lanes(8);
  other.interface.bindings[0].type = ScalarType::f16;
  EXPECT_REFUSED(
      variants_text({for_lanes(32), for_lanes(8), other}), ArgumentError,
      AllOf(HasSubstr("variants file: number 3 is called in another way"),
            HasSubstr("b0 read f16 (n)"), HasSubstr("b0 read f32 (n)"), HasSubstr("alpha f32")));
  other = for_lanes(8);
  other.interface.push_constants.pop_back();
  EXPECT_REFUSED(variants_text({for_lanes(32), other}), ArgumentError, "arguments n u32;");
  other = for_lanes(8);
  other.interface.push_constants.back().type = ScalarType::i32;
  EXPECT_REFUSED(variants_text({for_lanes(32), other}), ArgumentError, "alpha i32");
  other = for_lanes(8);
  other.interface.bindings[1].access = Access::read_write;
  EXPECT_REFUSED(variants_text({for_lanes(32), other}), ArgumentError, "b1 read_write f32 (n)");
  CompiledKernel halves = for_lanes(8);
  halves.interface.bindings[0].type = ScalarType::f16;
  EXPECT_REFUSED(variants_text({plan_of(for_lanes(32)), plan_of(halves)}), ArgumentError,
                 "A f16 of 64 bytes");
  EXPECT_REFUSED(variants_text({for_lanes(32), plan_of(for_lanes(8))}), ArgumentError,
                 "a plan with");
  EXPECT_REFUSED(variants_text({plan_of(for_lanes(32)), plan_of(for_lanes(8), 65)}), ArgumentError,
                 "A f32 of 65 bytes");
  EXPECT_REFUSED(variants_text({}), ArgumentError, "there are none");
  EXPECT_REFUSED(fitting_variant({}, device_of(8)), ArgumentError, "there are none");
}

TEST(CompiledFile, OfVariantsIsRefusedWhereItWasDamagedOrCutOff) {
  const std::string text = variants_text({for_lanes(32), for_lanes(8)});
  expect_damage_is_noticed(
      text, [](std::string_view damaged) { return variants_text(parse_variants(damaged)); });
}

}  // namespace
}  // namespace vkmoye
