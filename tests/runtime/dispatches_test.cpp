// SPDX-License-Identifier: MIT
// What is dispatched: each grid is covered exactly once; push constants, addresses and ranges follow from arguments.

#include <cstring>
#include <random>

#include "runtime/dispatches_support.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye::test {
namespace {

TEST(Dispatches, SpecialisedArgumentsMayBeMissingOrHaveTheirValue) {
  KernelInterface kernel = transpose_interface();
  kernel.push_constants.erase(kernel.push_constants.begin());
  kernel.specialised = {{"cols", 64}};
  const auto prepared = [&](const Arguments& arguments) {
    return prepare_dispatches(kernel, caps_with(100, 100), two_buffers(4096 * 4), arguments);
  };
  EXPECT_THAT(argument_names(kernel), ElementsAre("rows"));
  const Dispatches without = prepared({{"rows", 40}}),
                   with = prepared({{"rows", 40}, {"cols", 64}});
  EXPECT_THAT(words_of(without), ElementsAre(40, 0, 0));
  EXPECT_THAT(without.pieces, ElementsAre(GridPiece{{}, {2, 2, 1}}));
  EXPECT_EQ(without.needed_bytes[0], 4u * 64 * 40);
  EXPECT_EQ(words_of(with), words_of(without));
  EXPECT_EQ(with.pieces, without.pieces);
  EXPECT_REFUSED(prepared({{"cols", 65}, {"colls", 64}}), ArgumentError,
                 AllOf(HasSubstr("argument cols = 65, but the kernel was loaded for cols = 64"),
                       HasSubstr("argument 'rows' is missing"),
                       HasSubstr("unknown argument 'colls', did you mean 'cols'?")));
  EXPECT_REFUSED(prepared({{"rows", 1}, {"cols", 64.0}}), ArgumentError,
                 "argument cols is a floating-point number");
}

TEST(Dispatches, AddressesOfWhatPointersReachAreFilledIn) {
  KernelInterface kernel = transpose_interface();
  for (Binding& binding : kernel.bindings) {
    binding.addressing = Addressing::pointer;
    binding.alignment = 8;
  }
  kernel.push_constants.insert(kernel.push_constants.begin(),
                               {PushConstant(address_name("src"), ScalarType::u64),
                                PushConstant(address_name("dst"), ScalarType::u64)});
  const std::uint64_t first = 0x700000010, second = 0xffff00000000;
  const auto dispatches = [&](std::uint64_t offset, std::uint64_t rows, DeviceCaps caps) {
    const std::uint64_t bytes = std::uint64_t{1} << 39;
    const std::vector<BoundRange> ranges = {{&memory_a, bytes, offset, bytes - offset, first},
                                            {&memory_b, bytes, 0, bytes, second}};
    return prepare_dispatches(kernel, caps, ranges, {{"cols", 100}, {"rows", rows}});
  };
  DeviceCaps caps = caps_with(1 << 30, 1 << 30);
  // At an offset of 16 bytes, which descriptors cannot have on this device.
  const auto words = words_of(dispatches(24, 50, caps));
  EXPECT_THAT(words, ElementsAre(0x28, 7, 0, 0xffff, 100, 50, 0, 0));
  EXPECT_REFUSED(dispatches(4, 50, caps), ArgumentError,
                 "src: offset 4 is not a multiple of the 8");
  // More elements than a 32-bit index can address, and more bytes than a descriptor.
  caps.max_storage_buffer_bytes = 4;
  EXPECT_NO_THROW(dispatches(0, 0x40000000, caps));
  kernel.bindings[0].addressing = Addressing::descriptor;
  EXPECT_REFUSED(dispatches(0, 0x40000000, caps), ArgumentError,
                 "exceed the 2^32 that a 32-bit index reaches");
  EXPECT_REFUSED(dispatches(0, 50, caps), ArgumentError, "the device binds at most 4");
}

TEST(Dispatches, SpansReachToTheLastElementOfStridesThatAreProducts) {
  // (10 - 1) + 2 * 10 + 1 * 12 * 10 + 1 elements of src.
  const auto dispatches = [](std::uint64_t bytes) {
    return prepare_dispatches(strided_interface(), caps_with(1, 1), two_buffers(bytes),
                              {{"n", 10}, {"step", 12}});
  };
  EXPECT_NO_THROW(dispatches(4 * 150));
  EXPECT_REFUSED(dispatches(4 * 149), ArgumentError, "src: needs 150 elements of 4 bytes = 600");
}

TEST(Dispatches, OfAGridThatFitsIsOnePiece) {
  const Dispatches dispatches =
      prepare_dispatches(transpose_interface(), caps_with(100, 100), two_buffers(4 * 33 * 65),
                         {{"cols", 33}, {"rows", 65}});
  EXPECT_THAT(dispatches.pieces, ElementsAre(GridPiece{{0, 0, 0}, {2, 3, 1}}));
  EXPECT_THAT(words_of(dispatches), ElementsAre(33, 65, 0, 0));
  EXPECT_THAT(dispatches.first_group, ElementsAre(8, 12, -1));
}

TEST(Dispatches, CoversEveryGroupOnce) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t cols = 1 + random() % 1000, rows = 1 + random() % 1000;
    const std::uint32_t limit_x = 1 + random() % 12, limit_y = 1 + random() % 12;
    SCOPED_TRACE(testing::Message()
                 << cols << " x " << rows << " on " << limit_x << " x " << limit_y);
    const Dispatches dispatches = prepare_dispatches(
        transpose_interface(), caps_with(limit_x, limit_y),
        two_buffers(std::uint64_t{4} * cols * rows), {{"cols", cols}, {"rows", rows}});
    const std::uint32_t groups_x = (cols + 31) / 32, groups_y = (rows + 31) / 32;
    std::vector<int> covered(groups_x * groups_y);
    for (const GridPiece& piece : dispatches.pieces) {
      ASSERT_TRUE(piece.count[0] >= 1 && piece.count[0] <= limit_x);
      ASSERT_TRUE(piece.count[1] >= 1 && piece.count[1] <= limit_y);
      for (std::uint32_t y = 0; y < piece.count[1]; ++y) {
        for (std::uint32_t x = 0; x < piece.count[0]; ++x) {
          ++covered.at((piece.first[1] + y) * groups_x + piece.first[0] + x);
        }
      }
    }
    ASSERT_THAT(covered, Each(1));
  }
}

TEST(Dispatches, SplitsInZ) {
  KernelInterface kernel = transpose_interface();
  kernel.push_constants.emplace_back(kFirstGroup[2]);
  kernel.push_constants.emplace_back("batch");
  kernel.grid[2] = {"batch", 1};
  const Dispatches dispatches =
      prepare_dispatches(kernel,
                         [] {
                           DeviceCaps caps = caps_with(9, 9);
                           caps.max_group_count[2] = 2;
                           return caps;
                         }(),
                         two_buffers(4 * 33 * 65), {{"cols", 33}, {"rows", 65}, {"batch", 5}});
  EXPECT_THAT(dispatches.pieces,
              ElementsAre(GridPiece{{0, 0, 0}, {2, 3, 2}}, GridPiece{{0, 0, 2}, {2, 3, 2}},
                          GridPiece{{0, 0, 4}, {2, 3, 1}}));
}

TEST(Dispatches, LaysOutPushConstantsOfSeveralTypes) {
  KernelInterface kernel;
  kernel.name = "scale";
  kernel.push_constants = {
      "n", {"alpha", ScalarType::f64}, {"beta", ScalarType::f32}, {"shift", ScalarType::i32}};
  EXPECT_THAT(push_constant_offsets(kernel), ElementsAre(0, 8, 16, 20));
  EXPECT_EQ(push_constant_bytes(kernel), 24u);
  const Dispatches dispatches = prepare_dispatches(
      kernel, caps_with(1, 1), {}, {{"n", 7}, {"alpha", 0.5}, {"beta", 3}, {"shift", -2}});
  double alpha = 0;
  std::memcpy(&alpha, dispatches.push_constants.data() + 8, sizeof alpha);
  EXPECT_EQ(alpha, 0.5);
  EXPECT_THAT(words_of(dispatches), ElementsAre(7, 0, 0, 0x3fe00000, 0x40400000, 0xfffffffe));
  EXPECT_REFUSED(
      prepare_dispatches(kernel, caps_with(1, 1), {},
                         {{"n", 0.5}, {"alpha", 1}, {"beta", 1}, {"shift", std::int64_t{1} << 31}}),
      ArgumentError,
      AllOf(HasSubstr("argument n = 0.5 is not a whole number"),
            HasSubstr("shift = 2147483648 is outside -2147483648..2147483647")));
}

TEST(Dispatches, BindsNoMoreThanTheDeviceBinds) {
  DeviceCaps caps = caps_with(9, 9);
  caps.max_storage_buffer_bytes = 64;
  const Arguments sizes = {{"cols", 4}, {"rows", 4}};
  EXPECT_THAT(prepare_dispatches(transpose_interface(), caps, two_buffers(100), sizes).bound_bytes,
              ElementsAre(64, 64));
  EXPECT_REFUSED(
      prepare_dispatches(transpose_interface(), caps, two_buffers(100), {{"cols", 5}, {"rows", 4}}),
      ArgumentError, "= 80 bytes, the device binds at most 64");
}

}  // namespace
}  // namespace vkmoye::test
