// SPDX-License-Identifier: MIT
// What is dispatched: each grid is covered exactly once; errors name the mistake and its numbers.

#include "vkmoye/runtime/values/dispatches.hpp"

#include <gmock/gmock.h>

#include <cstring>
#include <random>

#include "vkmoye/base/error.hpp"

namespace vkmoye::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

KernelInterface transpose_interface() {
  KernelInterface kernel;
  kernel.name = "transpose";
  kernel.bindings = {{"src", ScalarType::f32, Access::read, {"cols", "rows"}},
                     {"dst", ScalarType::f32, Access::write, {"rows", "cols"}}};
  kernel.push_constants = {"cols", "rows", kFirstGroup[0], kFirstGroup[1]};
  kernel.grid = {GridDimension{"cols", 32}, GridDimension{"rows", 32}};
  return kernel;
}

DeviceCaps caps_with(std::uint32_t groups_x, std::uint32_t groups_y) {
  DeviceCaps caps;
  caps.name = "fake";
  caps.max_group_count = {groups_x, groups_y, 1};
  caps.max_storage_buffer_bytes = std::uint64_t{1} << 32;
  caps.max_buffer_bytes = caps.max_allocation_bytes = std::uint64_t{1} << 40;
  caps.storage_buffer_alignment = 16;
  return caps;
}

// The push constants as 32-bit words.
std::vector<std::uint32_t> words_of(const Dispatches& dispatches) {
  std::vector<std::uint32_t> words(dispatches.push_constants.size() / 4);
  std::memcpy(words.data(), dispatches.push_constants.data(), 4 * words.size());
  return words;
}

const int memory_a = 0, memory_b = 0;

std::vector<BoundRange> two_buffers(std::uint64_t bytes) {
  return {{&memory_a, bytes, 0, bytes}, {&memory_b, bytes, 0, bytes}};
}

// An n x 3 array with row stride `step`, and an n x 3 x 2 array with layer stride `step` x n.
KernelInterface strided_interface() {
  KernelInterface kernel;
  kernel.name = "strided";
  kernel.bindings = {{"src", ScalarType::f32, Access::read, {"n", 3, 2}, {1, "n", {"step", "n"}}},
                     {"dst", ScalarType::f32, Access::write, {"n", 3}, {1, "step"}}};
  kernel.push_constants = {"n", "step"};
  kernel.grid[0] = {"n", 32};
  return kernel;
}

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
  EXPECT_THAT(
      [&] {
        prepared({{"cols", 65}, {"colls", 64}});
      },
      ThrowsMessage<ArgumentError>(
          AllOf(HasSubstr("argument cols = 65, but the kernel was loaded for cols = 64"),
                HasSubstr("argument 'rows' is missing"),
                HasSubstr("unknown argument 'colls', did you mean 'cols'?"))));
  EXPECT_THAT(
      [&] {
        prepared({{"rows", 1}, {"cols", 64.0}});
      },
      ThrowsMessage<ArgumentError>(HasSubstr("argument cols is a floating-point number")));
}

TEST(Dispatches, AWrittenArrayOfMoreCoordinatesThan64BitsCountIsRefused) {
  KernelInterface kernel = strided_interface();
  kernel.bindings[1].extents = {"n", "n", "n"};
  kernel.bindings[1].strides = {1, "step", "step"};
  EXPECT_THAT(
      [&] {
        prepare_dispatches(kernel, caps_with(1, 1), two_buffers(64), {{"n", 1 << 30}, {"step", 0}});
      },
      ThrowsMessage<ArgumentError>(HasSubstr("does not fit 64 bits")));
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
  EXPECT_THAT([&] { dispatches(4, 50, caps); },
              ThrowsMessage<ArgumentError>(HasSubstr("src: offset 4 is not a multiple of the 8")));
  // More elements than a 32-bit index can address, and more bytes than a descriptor.
  caps.max_storage_buffer_bytes = 4;
  EXPECT_NO_THROW(dispatches(0, 0x40000000, caps));
  kernel.bindings[0].addressing = Addressing::descriptor;
  EXPECT_THAT(
      [&] { dispatches(0, 0x40000000, caps); },
      ThrowsMessage<ArgumentError>(HasSubstr("exceed the 2^32 that a 32-bit index reaches")));
  EXPECT_THAT([&] { dispatches(0, 50, caps); },
              ThrowsMessage<ArgumentError>(HasSubstr("the device binds at most 4")));
}

TEST(Dispatches, SpansReachToTheLastElementOfStridesThatAreProducts) {
  // (10 - 1) + 2 * 10 + 1 * 12 * 10 + 1 elements of src.
  const auto dispatches = [](std::uint64_t bytes) {
    return prepare_dispatches(strided_interface(), caps_with(1, 1), two_buffers(bytes),
                              {{"n", 10}, {"step", 12}});
  };
  EXPECT_NO_THROW(dispatches(4 * 150));
  EXPECT_THAT([&] { dispatches(4 * 149); },
              ThrowsMessage<ArgumentError>(HasSubstr("src: needs 150 elements of 4 bytes = 600")));
}

TEST(Dispatches, RefusesRowsOfAResultThatOverlap) {
  const auto dispatches = [](std::int64_t step) {
    return prepare_dispatches(strided_interface(), caps_with(1, 1), two_buffers(4096),
                              {{"n", 10}, {"step", step}});
  };
  EXPECT_NO_THROW(dispatches(10));
  EXPECT_THAT([&] { dispatches(9); },
              ThrowsMessage<ArgumentError>(HasSubstr(
                  "dst: (10,3):(1,9) with strides (1,step) overlaps: the elements (0,1) and (9,0) "
                  "are both at 9, and it is written")));
  EXPECT_THAT([&] { dispatches(0); }, ThrowsMessage<ArgumentError>(HasSubstr("overlaps")));
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
    ASSERT_THAT(covered, testing::Each(1));
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
  EXPECT_THAT(
      [&] {
        prepare_dispatches(
            kernel, caps_with(1, 1), {},
            {{"n", 0.5}, {"alpha", 1}, {"beta", 1}, {"shift", std::int64_t{1} << 31}});
      },
      ThrowsMessage<ArgumentError>(
          AllOf(HasSubstr("n = 0.5 is outside 0..4294967295"),
                HasSubstr("shift = 2147483648 is outside -2147483648..2147483647"))));
}

TEST(Dispatches, CountsWhatStridesSpan) {
  Binding binding{"a", ScalarType::f32, Access::read, {"k", "m", "batch"}, {1, "lda", "stride"}};
  const auto count = [&](std::int64_t lda, std::int64_t stride) {
    return element_count(binding,
                         {{"k", 5}, {"m", 4}, {"batch", 3}, {"lda", lda}, {"stride", stride}});
  };
  EXPECT_EQ(count(5, 20), 60u);
  EXPECT_EQ(count(8, 0), 4u + 3 * 8 + 1);
  EXPECT_THAT([&] { count(std::int64_t{1} << 31, 0); },
              ThrowsMessage<ArgumentError>(
                  HasSubstr("a: 1 + 4 x 1 + 3 x 2147483648 + 2 x 0 elements exceed the 2^32")));
  EXPECT_THAT([&] { count(-1, 0); },
              ThrowsMessage<ArgumentError>(HasSubstr("lda = -1 is outside 0..4294967295")));
}

TEST(Dispatches, RefusesToSplitAKernelThatCannotBe) {
  KernelInterface kernel = transpose_interface();
  kernel.push_constants = {"cols", "rows", kFirstGroup[0]};
  EXPECT_THAT(
      [&] {
        prepare_dispatches(kernel, caps_with(2, 2), two_buffers(4 * 128 * 128),
                           {{"cols", 128}, {"rows", 128}});
      },
      ThrowsMessage<ArgumentError>(
          "transpose: the grid has 4 groups in y, the device dispatches at most "
          "2, and the kernel cannot be split (it has no first_group_y)"));
}

TEST(Dispatches, RefusesGridsThatNobodyWouldWaitFor) {
  KernelInterface kernel = transpose_interface();
  const auto refused = [&](std::int64_t groups, const char* why) {
    kernel.grid[0] = GridDimension{groups, 1};
    EXPECT_THAT(
        [&] {
          prepare_dispatches(kernel, caps_with(2, 2), two_buffers(64), {{"cols", 4}, {"rows", 4}});
        },
        ThrowsMessage<ArgumentError>(HasSubstr(why)));
  };
  refused(std::int64_t{1} << 62, "groups in x, more than the 4294967295 that can be numbered");
  refused(std::int64_t{1} << 31, "needs more than 1048576 dispatches");
}

TEST(Dispatches, RefusesAPlaceThatTheKernelsVectorsDoNotFit) {
  KernelInterface kernel = transpose_interface();
  kernel.bindings[0].alignment = 32;
  auto ranges = two_buffers(4 * 16 + 16);
  ranges[0].offset = 16;
  ranges[0].bytes = 4 * 16;
  EXPECT_THAT(
      [&] {
        prepare_dispatches(kernel, caps_with(9, 9), ranges, {{"cols", 4}, {"rows", 4}});
      },
      ThrowsMessage<ArgumentError>(
          "transpose: src: offset 16 is not a multiple of the 32 bytes that "
          "the kernel accesses at once"));
}

TEST(Dispatches, NamesEveryMistakeAtOnce) {
  const BoundRange one = {&memory_a, 64, 8, 100};
  EXPECT_THAT(
      [&] {
        prepare_dispatches(transpose_interface(), caps_with(9, 9), std::vector{one},
                           {{"cols", -3}, {"row", 2}});
      },
      ThrowsMessage<ArgumentError>(AllOf(HasSubstr("transpose:\n  - "),
                                         HasSubstr("argument 'rows' is missing"),
                                         HasSubstr("unknown argument 'row', did you mean 'rows'?"),
                                         HasSubstr("argument cols = -3 is outside"),
                                         HasSubstr("takes 2 buffers (src, dst), got 1"))));
}

TEST(Dispatches, RefusesRanges) {
  const Arguments sizes = {{"cols", 4}, {"rows", 4}};  // 64 bytes each
  struct Case {
    const char* what;
    BoundRange dst;
    const char* message;
  };
  const Case cases[] = {
      {"short",
       {&memory_b, 63, 0, 63},
       "transpose: dst: needs 16 elements of 4 bytes = 64 bytes, got 63"},
      {"outside",
       {&memory_b, 80, 32, 64},
       "transpose: dst: 64 bytes at offset 32 reach beyond a buffer of 80 bytes"},
      {"outside, wrapping",
       {&memory_b, 80, 16, ~std::uint64_t{0}},
       "transpose: dst: 18446744073709551615 bytes at offset 16 reach beyond a buffer of 80 bytes"},
      {"misaligned",
       {&memory_b, 80, 8, 72},
       "transpose: dst: offset 8 is not a multiple of the device's 16 bytes"},
      {"overlapping",
       {&memory_a, 128, 48, 80},
       "transpose: src (bytes 0 to 64) and dst (bytes 48 to 128) overlap in one buffer, and dst "
       "is written"},
  };
  for (const Case& c : cases) {
    const std::vector<BoundRange> ranges = {{&memory_a, 128, 0, 64}, c.dst};
    EXPECT_THAT([&] { prepare_dispatches(transpose_interface(), caps_with(9, 9), ranges, sizes); },
                ThrowsMessage<ArgumentError>(c.message))
        << c.what;
  }
  // Valid: adjacent ranges of one buffer, and two reads of the same range.
  prepare_dispatches(transpose_interface(), caps_with(9, 9),
                     std::vector<BoundRange>{{&memory_a, 128, 0, 64}, {&memory_a, 128, 64, 64}},
                     sizes);
}

TEST(Dispatches, BindsNoMoreThanTheDeviceBinds) {
  DeviceCaps caps = caps_with(9, 9);
  caps.max_storage_buffer_bytes = 64;
  const Arguments sizes = {{"cols", 4}, {"rows", 4}};
  EXPECT_THAT(prepare_dispatches(transpose_interface(), caps, two_buffers(100), sizes).bound_bytes,
              ElementsAre(64, 64));
  EXPECT_THAT(
      [&] {
        prepare_dispatches(transpose_interface(), caps, two_buffers(100),
                           {{"cols", 5}, {"rows", 4}});
      },
      ThrowsMessage<ArgumentError>(HasSubstr("= 80 bytes, the device binds at most 64")));
}

TEST(Dispatches, RefusesArraysThatNoBufferOfTheDeviceHolds) {
  DeviceCaps caps = caps_with(9, 9);
  caps.max_allocation_bytes = 64;
  EXPECT_THAT(
      [&] {
        prepare_dispatches(transpose_interface(), caps, two_buffers(100),
                           {{"cols", 5}, {"rows", 4}});
      },
      ThrowsMessage<ArgumentError>(
          AllOf(HasSubstr("src: a buffer of 80 bytes: the device allows 64 in one allocation of "
                          "memory (maxMemoryAllocationSize)"),
                HasSubstr("dst: a buffer of 80 bytes"))));
}

TEST(Dispatches, RefusesArgumentsThatWeFill) {
  EXPECT_THAT(
      [&] {
        prepare_dispatches(transpose_interface(), caps_with(9, 9), two_buffers(64),
                           {{"cols", 4}, {"rows", 4}, {kFirstGroup[0], 1}});
      },
      ThrowsMessage<ArgumentError>(HasSubstr("unknown argument 'first_group_x'")));
}

TEST(Dispatches, RefusesSizesBeyond32Bits) {
  for (const std::int64_t cols : {std::int64_t{-1}, std::int64_t{1} << 32}) {
    EXPECT_THAT(
        [&] {
          prepare_dispatches(transpose_interface(), caps_with(9, 9), two_buffers(64),
                             {{"cols", cols}, {"rows", 4}});
        },
        ThrowsMessage<ArgumentError>(AllOf(HasSubstr("cols"), Not(HasSubstr("overlap")))))
        << cols;
  }
}

TEST(Interface, AnExtentMayBeTheProductOfTwoArguments) {
  KernelInterface kernel;
  kernel.bindings = {{"src", ScalarType::u8, Access::read, {Extent("cols", "rows")}}};
  kernel.grid[0] = {Extent("cols", "rows"), 100};
  EXPECT_EQ(to_string(kernel.bindings[0].extents[0]), "cols*rows");
  const Arguments arguments = {{"cols", 30}, {"rows", 7}};
  EXPECT_EQ(element_count(kernel.bindings[0], arguments), 210u);
  EXPECT_EQ(group_count(kernel, arguments)[0], 3u);
  kernel.grid[0].max_groups = 2;
  EXPECT_EQ(group_count(kernel, arguments)[0], 2u);
  kernel.grid[0].max_groups = 8;
  EXPECT_EQ(group_count(kernel, arguments)[0], 3u);
  EXPECT_THAT(
      [&] {
        group_count(kernel, {{"cols", 65536}, {"rows", 65536}});
      },
      ThrowsMessage<ArgumentError>(HasSubstr("65536 x 65536 exceeds the 2^32-1")));
  EXPECT_THAT(
      [&] {
        group_count(kernel, {{"cols", 30}});
      },
      ThrowsMessage<ArgumentError>(HasSubstr("'rows' is missing")));
}

}  // namespace
}  // namespace vkmoye::test
