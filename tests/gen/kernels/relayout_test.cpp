// SPDX-License-Identifier: MIT
// What the schedule of a relayout says, and what is refused, without a device.

#include "vkmoye/gen/kernels/moves/relayout/relayout.hpp"

#include <fmt/format.h>

#include <random>

#include "support/effort.hpp"
#include "support/expect.hpp"
#include "support/random_moves.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/analysis/access_report.hpp"
#include "vkmoye/gen/dsl/unverified.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"
#include "vkmoye/layout/injective.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kParts = 16;  // of the random moves, tests of their own

std::vector<std::string> reasons(const char* src, const char* dst) {
  return reasons_against_relayout(parse_layout(src), parse_layout(dst));
}

TEST(Relayout, JoinsModesThatStayTogether) {
  // NHWC -> NCHW: rows and columns are one mode.
  const Permutation p = permuted({8, 20, 30, 64}, {0, 3, 1, 2});
  EXPECT_THAT(joint_modes(p.src, p.dst), ElementsAre(JointMode{600, 64, 1}, JointMode{64, 1, 600},
                                                     JointMode{8, 38400, 38400}));
  // Nothing moves: one mode is left.
  const Permutation none = permuted({8, 20, 30}, {0, 1, 2});
  EXPECT_THAT(joint_modes(none.src, none.dst), ElementsAre(JointMode{4800, 1, 1}));
}

TEST(Relayout, GoesStraightAcrossWhereBothRunAlongOneMode) {
  const Permutation p = permuted({8, 20, 64}, {1, 0, 2});
  const RelayoutSchedule schedule = schedule_relayout(p.src, p.dst, {});
  EXPECT_TRUE(schedule.straight);
  EXPECT_EQ(schedule.vector, 4);
  EXPECT_FALSE(schedule_relayout(permuted({64, 64}, {1, 0}).src, permuted({64, 64}, {1, 0}).dst, {})
                   .straight);
}

TEST(Relayout, WorkgroupsGoAlongBothSidesWhereRowsBeginInsideSectors) {
  const auto walk = [](std::int64_t rows, std::int64_t cols, TileOrder order) {
    const Permutation p = permuted({rows, cols}, {1, 0});
    RelayoutConfig config;
    config.order = order;
    return schedule_relayout(p.src, p.dst, config).walk;
  };
  const TileOrder automatic = RelayoutConfig().order;
  EXPECT_EQ(walk(4096, 2048, automatic), walk(4096, 2048, TileOrder::dst));
  EXPECT_NE(walk(4096, 2048, automatic), walk(4096, 2048, TileOrder::both));
  EXPECT_EQ(walk(4096, 2050, automatic), walk(4096, 2050, TileOrder::both));  // rows of src
  EXPECT_EQ(walk(4098, 2048, automatic), walk(4098, 2048, TileOrder::both));  // rows of dst
}

TEST(Relayout, TilesCoverRunsOnBothSidesAndMeetNoBankTwice) {
  const Permutation p = permuted({64, 128, 256}, {2, 1, 0});
  const RelayoutSchedule schedule = schedule_relayout(p.src, p.dst, {});
  EXPECT_FALSE(schedule.straight);
  EXPECT_THAT(schedule.tile, ElementsAre(64, 1, 64));
  // Words of 4 along dst; the threads of a quarter of a subgroup write 4 rows of src apart.
  EXPECT_EQ(schedule.shared.swizzle, Swizzle(3, 2, 6));
  EXPECT_EQ(schedule.written, 4);
  EXPECT_EQ(schedule.read, 4);
  for (const TiledCopy* copy : {&schedule.load, &schedule.store}) {
    EXPECT_EQ(copy->layout_tv.size(), 64 * 64);  // each element has one owner
    EXPECT_TRUE(is_injective(copy->layout_tv));
  }
  // A thread has a block of 4x4, which it loads along src (mode 2) and stores along dst (mode 0).
  for (int v = 0; v < 16; ++v) {
    EXPECT_EQ(schedule.load.layout_tv(0, v), 64 * (v % 4) + v / 4);
    EXPECT_EQ(schedule.store.layout_tv(0, v) % 64, v % 4);
  }
}

TEST(Relayout, SmallModesMoveWithTheRunThatTheyLieIn) {
  RelayoutConfig config;
  config.type = ScalarType::u8;
  // Pixels of 3 bytes to planes: rows and columns are one mode.
  const Permutation planes = permuted({512, 512, 3}, {2, 0, 1});
  const RelayoutSchedule schedule = schedule_relayout(planes.src, planes.dst, config);
  EXPECT_EQ(schedule.joined, 2U);
  EXPECT_THAT(schedule.modes, ElementsAre(JointMode{3, 1, 512 * 512}, JointMode{512 * 512, 3, 1}));
  EXPECT_THAT(schedule.tile, ElementsAre(3, 4096));
  EXPECT_EQ(schedule.threads, 256);
  EXPECT_EQ(to_string(schedule.shared.layout), "(12288):(1)");
  EXPECT_EQ(schedule.shared.swizzle, Swizzle());
  for (int v = 0; v < 16; ++v) EXPECT_EQ(schedule.load.layout_tv(1, v), 16 + v);  // 16 bytes of src
  for (int v = 0; v < 16; ++v) EXPECT_EQ(schedule.store.layout_tv(1, v), 48 + 3 * v);  // of a plane
  // And back: the sides change places.
  const Permutation pixels = permuted({3, 512, 512}, {1, 2, 0});
  const RelayoutSchedule back = schedule_relayout(pixels.src, pixels.dst, config);
  EXPECT_EQ(back.load.layout_tv, schedule.store.layout_tv);
  EXPECT_EQ(back.store.layout_tv, schedule.load.layout_tv);
}

// Of 1 to 40 elements innermost, of every size. Of 4095 rows one side is touched element by element:
// bytes and halves at a stride lie in more words than there are banks.
TEST(Relayout, SmallInnermostModesMeetNoBankTwice) {
  for (const ScalarType type :
       {ScalarType::u8, ScalarType::f16, ScalarType::f32, ScalarType::f64, ScalarType::c128}) {
    RelayoutConfig config;
    config.type = type;
    for (const std::int64_t small : {1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 31, 40}) {
      for (const std::int64_t rows : {4096, 4095}) {
        const bool back = small % 2 == 0;
        const Permutation p = back ? permuted({small, rows}, {}) : permuted({rows, small}, {});
        SCOPED_TRACE(fmt::format("{} {}x{}", to_string(type), rows, small));
        const KernelReport report = analyse(relayout(p.src, p.dst, config));
        EXPECT_THAT(report.reasons, IsEmpty());
        for (const AccessReport& access : report.accesses) {
          const bool is_judged =
              access.banks ? rows == 4096 || size_of(type) >= 4 : rows == 4096 && small <= 31;
          if (access.requests == 0 || !is_judged) continue;
          EXPECT_EQ(access.efficiency, 1) << access.source_text << ": " << verdict(access);
        }
      }
    }
  }
}

// Pixels of a picture that is turned: rows of 3 elements of a run, which are no power of two, move 16
// bytes at once on both sides.
TEST(Relayout, SmallModesOfATurnedRunStayWhole) {
  for (const bool back : {false, true}) {
    const Permutation p = back ? permuted({3, 256, 512}, {}) : permuted({512, 256, 3}, {});
    const RelayoutSchedule schedule = schedule_relayout(p.src, p.dst, {});
    EXPECT_EQ(schedule.joined, 2U);
    EXPECT_THAT(schedule.tile, ElementsAre(3, 32, 64));
    for (const AccessReport& access : analyse(relayout(p.src, p.dst)).accesses) {
      EXPECT_EQ(access.width, 4U) << access.source_text;
      EXPECT_EQ(access.efficiency, 1) << access.source_text << ": " << verdict(access);
    }
  }
}

// 3,000 (see support/effort.hpp) on the twin, which watches each access: see support/random_moves.hpp.
class RandomRelayouts : public testing::TestWithParam<std::int64_t> {};

TEST_P(RandomRelayouts, AreAsTheirLayoutsSay) {
  constexpr std::int64_t kMoves = 3000;
  for (std::int64_t i = GetParam(); i < test::often(kMoves); i += kParts) {
    const test::RandomMove move = test::random_move(2, i);
    SCOPED_TRACE(std::to_string(i) + ": " + move.text());
    std::mt19937_64 random(static_cast<std::uint64_t>(i));
    std::vector<std::byte> a(move.src_bytes()), b(move.dst_bytes()), expected = b;
    for (std::byte& byte : a) byte = static_cast<std::byte>(random());
    move.apply(a, expected);
    const TwinReport report = run_on_host(relayout(move.src, move.dst, move.config), {a, b}, {});
    EXPECT_THAT(report.reasons, IsEmpty());
    ASSERT_TRUE(b == expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, RandomRelayouts, testing::Range<std::int64_t>(0, kParts));

TEST(Relayout, RefusesMoreElementsThanCanBeCounted) {
  constexpr std::int64_t kMax = 0xffffffff;
  EXPECT_REFUSED(permuted({kMax, kMax, kMax}, {}), LayoutError,
                 "product of 4294967295 and 4294967295: does not fit 64 bits");
  EXPECT_THAT(
      reasons("(2,2):(1,4611686018427387904)", "(2,2):(1,2)"),
      ElementsAre("src spans 4611686018427387906 elements, but at most 2^48 can be addressed"));
}

TEST(Relayout, DescribesSmallShapesOfEveryType) {
  const std::vector<std::int64_t> extents = {1, 2, 3, 4, 6, 8, 12, 16, 32};
  std::size_t row = 0, number = 0;
  for (const ScalarTypeInfo& type : scalar_types()) {
    ++row;
    RelayoutConfig config;
    config.type = type.type;
    for (const std::int64_t a : extents) {
      for (const std::int64_t b : extents) {
        if (!test::takes(row, number++, extents.size())) continue;
        const Permutation flat = permuted({a, b}, {1, 0});
        EXPECT_NO_THROW(relayout(flat.src, flat.dst, config)) << type.name << a << 'x' << b;
        const Permutation deep = permuted({2, a, 8, b}, {0, 3, 1, 2});
        EXPECT_NO_THROW(relayout(deep.src, deep.dst, config)) << type.name << a << 'x' << b;
      }
    }
  }
}

// Rows of dst are 124 long and 128 apart: 16 bytes begin at multiples of 8 wherever they are whole.
TEST(Relayout, MovesVectorsWhereOnlyTheStepBetweenRowsIsAMultiple) {
  RelayoutConfig config;
  config.type = ScalarType::u16;
  EXPECT_NO_THROW(
      relayout("(31,32,5,4):(640,1,32,160)"_layout, "(31,32,5,4):(4,128,4096,1)"_layout, config));
}

TEST(Relayout, RefusesWithEveryReason) {
  EXPECT_THAT(reasons("(4,8)", "(8,4)"), ElementsAre(HasSubstr("shape")));
  EXPECT_THAT(reasons("(6)", "((4,2)):((1,4))"), ElementsAre(HasSubstr("shape")));
  EXPECT_THAT(reasons("((4,3),2)", "((6,2),2)"),
              ElementsAre(HasSubstr("mode 0: (4,3) and (6,2) have no common refinement")));
  EXPECT_THAT(reasons("(4,8)", "(4,8):(1,3)"), ElementsAre(HasSubstr("overlaps itself")));
  EXPECT_THAT(reasons("(16777216,16777217)", "(16777216,16777217)"),
              ElementsAre(HasSubstr("src spans 281474993487872 elements"), HasSubstr("dst spans")));
  EXPECT_THAT(reasons("(4,8)", "(4,9):(1,0)"),
              ElementsAre(HasSubstr("shape"), HasSubstr("overlaps")));
  EXPECT_THAT(reasons("(4,8):(0,0)", "(4,8):(8,1)"), IsEmpty());
  RelayoutConfig config;
  config.threads = 100;
  config.run = 1024;
  EXPECT_REFUSED(relayout(Layout(4), Layout(4), config), KernelError,
                 AllOf(HasSubstr("threads = 100"), HasSubstr("run = 1024 is not a power")));
}

TEST(Relayout, PermutationsAreNumPys) {
  const Permutation p = permuted({2, 3, 4}, {2, 0, 1});
  EXPECT_EQ(p.src, "(4,2,3):(1,12,4)"_layout);
  EXPECT_EQ(p.dst, "(4,2,3):(6,3,1)"_layout);
  EXPECT_EQ(permuted({2, 3}, {}).src, "(3,2):(1,3)"_layout);
  EXPECT_THROW(permuted({2, 3}, {0, 0}), LayoutError);
  EXPECT_THROW(permuted({2, 3}, {0}), LayoutError);
  EXPECT_THROW(permuted({2, 0}, {0, 1}), LayoutError);
}

// NumPy's arrays have up to 32 axes, or 64 since version 2.
TEST(Relayout, MovesAnyNumberOfAxes) {
  const KernelEntry& entry = *find_kernel("relayout");
  const auto described = [&](const std::vector<std::int64_t>& shape, const std::string& permute) {
    KernelRequest request = request_of(ScalarType::f32);
    request.elements().shape = shape;
    if (!permute.empty()) request.options["permute"] = permute;
    return entry.describe(request);
  };
  const std::vector<std::int64_t> twos(16, 2);
  const ir::Kernel reversed = described(twos, "");
  std::vector<float> src(1 << 16), dst(src.size());
  for (std::size_t i = 0; i < src.size(); ++i) src[i] = static_cast<float>(i);
  const auto report = run_on_host(reversed, {src, dst}, {});
  EXPECT_THAT(report.reasons, IsEmpty());
  for (std::size_t i = 0; i < dst.size(); ++i) {
    std::size_t from = 0;  // the bits of i in reverse
    for (std::size_t bit = 0; bit < 16; ++bit) from |= (i >> bit & 1) << (15 - bit);
    ASSERT_EQ(dst[i], src[from]) << i;
  }
  const UnverifiedDescriptions scope;
  for (const ScalarType type : entry.types) {
    KernelRequest request = request_of(type);
    request.elements().shape = std::vector<std::int64_t>(25, 2);
    EXPECT_NO_THROW(entry.describe(request)) << to_string(type);
  }
  EXPECT_REFUSED(described(std::vector<std::int64_t>(26, 2), ""), KernelError,
                 "has 26 axes that cannot be merged with a neighbour; "
                 "at most 25 can move");
  // Two halves that change places: two modes.
  std::vector<std::int64_t> shape(64, 1);
  std::string halves;
  for (std::size_t axis = 0; axis < 64; ++axis) {
    if (axis % 3 == 0) shape[axis] = 2;
    halves += (axis > 0 ? "," : "") + std::to_string((axis + 32) % 64);
  }
  const auto interface = ir::interface_of(described(shape, halves));
  EXPECT_EQ(interface.bindings[0].extents.size(), 2u);
}

TEST(Relayout, RefusesTooFewThreadsForATile) {
  RelayoutConfig config;
  config.type = ScalarType::i8;
  config.threads = 8;
  try {
    relayout("(64,64)"_layout, "(64,64):(64,1)"_layout, config);
    FAIL() << "accepted";
  } catch (const KernelError& error) {
    EXPECT_THAT(error.reasons, ElementsAre(HasSubstr("threads are too few for a tile")));
    EXPECT_THAT(error.reasons[0], EndsWith("; use 16 threads or a run of 32"));
  }
  config.threads = 16;
  EXPECT_NO_THROW(relayout("(64,64)"_layout, "(64,64):(64,1)"_layout, config));
  config.threads = 8;
  config.run = 32;
  EXPECT_NO_THROW(relayout("(64,64)"_layout, "(64,64):(64,1)"_layout, config));
}

// Pixels of 3 to 13 numbers, blocks, a transpose: in as little shared memory as Vulkan allows.
TEST(Relayout, FitsTheSharedMemoryOfTheDevice) {
  const std::vector<std::vector<std::int64_t>> shapes = {
      {480, 640, 3}, {100, 100, 13}, {64, 128, 256}, {3, 4096},
      {4096, 5},     {31, 1000},     {1023, 2047}};
  for (const ScalarType type :
       {ScalarType::i8, ScalarType::f16, ScalarType::f32, ScalarType::f64, ScalarType::c128}) {
    for (const auto& shape : shapes) {
      for (const std::uint32_t bytes : {16384u, 32768u}) {
        KernelRequest request = request_of(type);
        request.elements().shape = shape;
        request.device.max_shared_bytes = bytes;
        EXPECT_LE(find_kernel("relayout")->describe(request).shared_bytes(), bytes)
            << to_string(type) << ' ' << shape.front() << ' ' << shape.back();
      }
    }
  }
}

}  // namespace
}  // namespace vkmoye::gen
