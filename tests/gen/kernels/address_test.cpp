// SPDX-License-Identifier: MIT
// Arrays beyond what a descriptor and a 32-bit index reach, without having them.

#include <sys/mman.h>

#include <cstring>
#include <span>

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/analysis/access_report.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/common/addressing.hpp"
#include "vkmoye/gen/kernels/moves/relayout/relayout.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/passes/access_pattern.hpp"
#include "vkmoye/gen/passes/fixed_sizes.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"
#include "vkmoye/gen/verify/verify.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

TEST(AddressChoice, IsAPointerWhereADescriptorDoesNotReach) {
  const auto by = [](std::uint64_t elements, std::uint64_t max_bytes) {
    return chosen_addressing(AddressChoice::automatic, elements, ScalarType::f32, max_bytes);
  };
  EXPECT_EQ(by(0, 400), AddressChoice::descriptor);
  EXPECT_EQ(by(100, 400), AddressChoice::descriptor);
  EXPECT_EQ(by(100, 403), AddressChoice::descriptor);
  EXPECT_EQ(by(101, 403), AddressChoice::pointer);
  EXPECT_EQ(by(std::uint64_t{1} << 30, 0xffffffff), AddressChoice::pointer);
  const std::uint64_t all = std::uint64_t{1} << 32;
  EXPECT_EQ(chosen_addressing(AddressChoice::automatic, all, ScalarType::i8, all),
            AddressChoice::descriptor);
  EXPECT_EQ(chosen_addressing(AddressChoice::automatic, all + 1, ScalarType::i8, 2 * all),
            AddressChoice::pointer);
  EXPECT_EQ(chosen_addressing(AddressChoice::descriptor, all, ScalarType::f32, 4),
            AddressChoice::descriptor);
  EXPECT_EQ(chosen_addressing(AddressChoice::pointer, 1, ScalarType::f32, all),
            AddressChoice::pointer);
}

TEST(AddressChoice, IsAPushConstantBeforeTheOthers) {
  const ir::Kernel kernel = find_kernel("transpose/auto")
                                ->describe(request_of(ScalarType::f32, {{"address", "pointer"}}));
  const KernelInterface interface = interface_of(kernel);
  EXPECT_THAT(interface.push_constants,
              ElementsAre(PushConstant("src_address", ScalarType::u64),
                          PushConstant("dst_address", ScalarType::u64), PushConstant("cols"),
                          PushConstant("rows"), PushConstant(kFirstGroup[0]),
                          PushConstant(kFirstGroup[1])));
  EXPECT_THAT(push_constant_offsets(interface), ElementsAre(0, 8, 16, 20, 24, 28));
  EXPECT_EQ(descriptor_count(interface), 0u);
  EXPECT_TRUE(interface.features.has(Feature::buffer_address));
  EXPECT_TRUE(interface.features.has(Feature::i64));
  EXPECT_EQ(access_pattern(kernel).arrays[0].addressing, Addressing::pointer);
}

// 32 bits where they suffice, 64 where an offset may lie beyond.
TEST(AddressChoice, OffsetsAreAsWideAsTheyMustBe) {
  const auto text_of = [](const Layout& src, const Layout& dst) {
    RelayoutConfig config;
    config.address = AddressChoice::pointer;
    return glsl::print(relayout(src, dst, config));
  };
  const std::string near = text_of("(64,64):(1,64)"_layout, "(64,64):(64,1)"_layout);
  EXPECT_THAT(near, AllOf(HasSubstr("src_address + 4ul * uint64_t("), Not(HasSubstr("ul * ("))));
  // The last element lies at 63 + 63 * 68174083 = 2^32 - 4, and then beyond.
  EXPECT_THAT(text_of("(64,64):(1,68174083)"_layout, "(64,64):(64,1)"_layout),
              Not(HasSubstr("ul * (")));
  EXPECT_THAT(text_of("(64,64):(1,68174084)"_layout, "(64,64):(64,1)"_layout),
              HasSubstr("4ul * (uint64_t("));
  const std::string far = text_of("(64,64):(1,8589934593)"_layout, "(64,64):(64,1)"_layout);
  EXPECT_THAT(far, HasSubstr(" + 8589934593ul * uint64_t("));
  // Sizes that are not known may be any; numbers are looked at.
  const ir::Kernel transpose =
      find_kernel("transpose/auto")
          ->describe(request_of(ScalarType::f32, {{"address", "pointer"}}));
  EXPECT_THAT(glsl::print(transpose), HasSubstr(" + uint64_t(cols) * uint64_t(src_row"));
  EXPECT_THAT(glsl::print(bake(transpose, {{"rows", 32768}, {"cols", 32768}})),
              Not(HasSubstr("ul * (")));
}

// Such a step is no index: a descriptor takes none.
TEST(AddressChoice, StepsBeyond32BitsNeedAPointer) {
  const Layout far = "(64,64):(1,8589934593)"_layout, dense = "(64,64):(64,1)"_layout;
  RelayoutConfig config;
  config.address = AddressChoice::descriptor;
  EXPECT_REFUSED(relayout(far, dense, config), KernelError,
                 "by 8589934593, which only a pointer reaches");
  config.address = AddressChoice::automatic;
  const ir::Kernel kernel = relayout(far, dense, config);
  EXPECT_THAT(verify(kernel), IsEmpty());
  EXPECT_EQ(kernel.config.back(), (std::pair<std::string, std::string>{"address", "pointer"}));
  for (const AccessReport& access : analyse(kernel).accesses) {
    EXPECT_NE(grade(access), Grade::bad) << access.array << verdict(access);
  }
  EXPECT_REFUSED(relayout(Layout(std::int64_t{1} << 33), Layout(std::int64_t{1} << 33)),
                 KernelError, "8589934592 elements are too many for a copy without shared memory");
}

// 8 GiB of addresses, of which a few pages are touched.
TEST(AddressChoice, ElementsBeyond32BitsArriveWhereTheirLayoutsSay) {
  const Layout far = "(8,8):(1,1073741827)"_layout, dense = "(8,8):(8,1)"_layout;
  const auto bytes = static_cast<std::size_t>(cosize(far));
  ASSERT_GT(bytes, std::size_t{1} << 32);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no room for " << bytes << " bytes of addresses";
  const std::span<std::byte> array(static_cast<std::byte*>(memory), bytes);
  std::vector<std::byte> other(64);
  RelayoutConfig config;
  config.type = ScalarType::u8;
  for (int i = 0; i < 64; ++i)
    array[static_cast<std::size_t>(far(i))] = static_cast<std::byte>(i + 1);
  EXPECT_THAT(run_on_host(relayout(far, dense, config), {array, other}, {}).reasons, IsEmpty());
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(other[static_cast<std::size_t>(dense(i))], static_cast<std::byte>(i + 1)) << i;
  }
  for (std::byte& byte : other) byte ^= std::byte{0x80};
  EXPECT_THAT(run_on_host(relayout(dense, far, config), {other, array}, {}).reasons, IsEmpty());
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(array[static_cast<std::size_t>(far(i))], static_cast<std::byte>((i + 1) ^ 0x80)) << i;
  }
  munmap(memory, bytes);
}

}  // namespace
}  // namespace vkmoye::gen
