// SPDX-License-Identifier: MIT
// What is not dispatched: errors name every mistake and its numbers.

#include "runtime/dispatches_support.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye::test {
namespace {

TEST(Dispatches, AWrittenArrayOfMoreCoordinatesThan64BitsCountIsRefused) {
  KernelInterface kernel = strided_interface();
  kernel.bindings[1].extents = {"n", "n", "n"};
  kernel.bindings[1].strides = {1, "step", "step"};
  EXPECT_REFUSED(
      prepare_dispatches(kernel, caps_with(1, 1), two_buffers(64), {{"n", 1 << 30}, {"step", 0}}),
      ArgumentError, "does not fit 64 bits");
}

TEST(Dispatches, RefusesRowsOfAResultThatOverlap) {
  const auto dispatches = [](std::int64_t step) {
    return prepare_dispatches(strided_interface(), caps_with(1, 1), two_buffers(4096),
                              {{"n", 10}, {"step", step}});
  };
  EXPECT_NO_THROW(dispatches(10));
  EXPECT_REFUSED(dispatches(9), ArgumentError,
                 "dst: (10,3):(1,9) with strides (1,step) overlaps: the elements (0,1) and (9,0) "
                 "are both at 9, and it is written");
  EXPECT_REFUSED(dispatches(0), ArgumentError, "overlaps");
}

TEST(Dispatches, RefusesToSplitAKernelThatCannotBe) {
  KernelInterface kernel = transpose_interface();
  kernel.push_constants = {"cols", "rows", kFirstGroup[0]};
  EXPECT_REFUSED(prepare_dispatches(kernel, caps_with(2, 2), two_buffers(4 * 128 * 128),
                                    {{"cols", 128}, {"rows", 128}}),
                 ArgumentError,
                 StrEq("transpose: the grid has 4 groups in y, the device dispatches at most "
                       "2, and the kernel cannot be split (it has no first_group_y)"));
}

TEST(Dispatches, RefusesGridsThatNobodyWouldWaitFor) {
  KernelInterface kernel = transpose_interface();
  const auto refused = [&](std::int64_t groups, const char* why) {
    kernel.grid[0] = GridDimension{groups, 1};
    EXPECT_REFUSED(
        prepare_dispatches(kernel, caps_with(2, 2), two_buffers(64), {{"cols", 4}, {"rows", 4}}),
        ArgumentError, why);
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
  EXPECT_REFUSED(prepare_dispatches(kernel, caps_with(9, 9), ranges, {{"cols", 4}, {"rows", 4}}),
                 ArgumentError,
                 StrEq("transpose: src: offset 16 is not a multiple of the 32 bytes that "
                       "the kernel accesses at once"));
}

TEST(Dispatches, NamesEveryMistakeAtOnce) {
  const BoundRange one = {&memory_a, 64, 8, 100};
  EXPECT_REFUSED(prepare_dispatches(transpose_interface(), caps_with(9, 9), std::vector{one},
                                    {{"cols", -3}, {"row", 2}}),
                 ArgumentError,
                 AllOf(HasSubstr("transpose:\n  - "), HasSubstr("argument 'rows' is missing"),
                       HasSubstr("unknown argument 'row', did you mean 'rows'?"),
                       HasSubstr("argument cols = -3 is outside"),
                       HasSubstr("takes 2 buffers (src, dst), got 1")));
}

// The same reason of both arrays, the grid and the push constants is given once.
TEST(Dispatches, NamesANumberOutsideOnce) {
  const BoundRange src = {&memory_a, 64, 0, 64}, dst = {&memory_b, 64, 0, 64};
  const auto refused = [&](const Argument& rows, const char* why) {
    EXPECT_REFUSED(prepare_dispatches(transpose_interface(), caps_with(9, 9), std::vector{src, dst},
                                      {{"cols", 4}, {"rows", rows}}),
                   ArgumentError, StrEq(std::string("transpose: argument rows = ") + why));
  };
  refused(-2, "-2 is outside 0..4294967295");
  refused(2.5, "2.5 is not a whole number");
  refused(4.0, "4 is a floating-point number, and must be an integer");
  refused(std::int64_t{1} << 40, "1099511627776 is outside 0..4294967295");
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
    EXPECT_REFUSED(prepare_dispatches(transpose_interface(), caps_with(9, 9), ranges, sizes),
                   ArgumentError, StrEq(c.message))
        << c.what;
  }
  // Valid: adjacent ranges of one buffer, and two reads of the same range.
  prepare_dispatches(transpose_interface(), caps_with(9, 9),
                     std::vector<BoundRange>{{&memory_a, 128, 0, 64}, {&memory_a, 128, 64, 64}},
                     sizes);
}

TEST(Dispatches, RefusesArraysThatNoBufferOfTheDeviceHolds) {
  DeviceCaps caps = caps_with(9, 9);
  caps.max_allocation_bytes = 64;
  EXPECT_REFUSED(
      prepare_dispatches(transpose_interface(), caps, two_buffers(100), {{"cols", 5}, {"rows", 4}}),
      ArgumentError,
      AllOf(HasSubstr("src: a buffer of 80 bytes: the device allows 64 in one allocation of "
                      "memory (maxMemoryAllocationSize)"),
            HasSubstr("dst: a buffer of 80 bytes")));
}

TEST(Dispatches, RefusesArgumentsThatWeFill) {
  EXPECT_REFUSED(prepare_dispatches(transpose_interface(), caps_with(9, 9), two_buffers(64),
                                    {{"cols", 4}, {"rows", 4}, {kFirstGroup[0], 1}}),
                 ArgumentError, "unknown argument 'first_group_x'");
}

TEST(Dispatches, RefusesSizesBeyond32Bits) {
  for (const std::int64_t cols : {std::int64_t{-1}, std::int64_t{1} << 32}) {
    EXPECT_REFUSED(prepare_dispatches(transpose_interface(), caps_with(9, 9), two_buffers(64),
                                      {{"cols", cols}, {"rows", 4}}),
                   ArgumentError, AllOf(HasSubstr("cols"), Not(HasSubstr("overlap"))))
        << cols;
  }
}

}  // namespace
}  // namespace vkmoye::test
