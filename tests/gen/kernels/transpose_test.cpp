// SPDX-License-Identifier: MIT

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/analysis/access_report.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/dsl/view.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/moves/ladder.hpp"
#include "vkmoye/gen/kernels/moves/transpose/auto.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/verify/verify.hpp"
#include "vkmoye/layout/search.hpp"
#include "vkmoye/layout/text.hpp"
#include "vkmoye/tensor/partition.hpp"

namespace vkmoye::gen {
namespace {

// All is proved but for the ragged sectors of dst: with shuffles, by pointers, and what passes through shared memory.
TEST(Transpose, AssumesThatRaggedSectorsCoverDstAndNothingElse) {
  for (const ScalarType type : {ScalarType::i8, ScalarType::f16, ScalarType::f64}) {
    for (const TileOrder order : {TileOrder::dst, TileOrder::both}) {
      const auto assumptions = [&](TransposeAutoConfig config, AddressChoice address) {
        config.order = order;
        config.address = address;
        return interface_of(transpose_auto(config, "transpose")).assumptions;
      };
      const auto shared = transpose_auto_config(type, 1024, 49152);
      EXPECT_THAT(assumptions(shared, AddressChoice::descriptor),
                  ElementsAre(HasSubstr("each element of dst is written by one invocation alone: "
                                        "sectors of ragged rows")));
      if (type == ScalarType::i8) continue;  // the others take long
      EXPECT_THAT(assumptions(shared, AddressChoice::pointer), IsEmpty());
      const auto shuffles = transpose_shuffle_config(type, 32, 1024);
      EXPECT_THAT(assumptions(shuffles, AddressChoice::descriptor), IsEmpty());
    }
  }
}

TEST(TransposeAuto, RefusesBadValuesWithEveryReason) {
  TransposeAutoConfig config = transpose_auto_config(ScalarType::f16);
  config.rows = 48;
  config.load = 32;
  config.threads = 2000;
  EXPECT_THAT(reasons_against(config),
              ElementsAre("tile = 48 is not a power of two up to 4096",
                          "threads = 2000 is not a power of two up to 1024",
                          "vector 32: an access of f16 has a power of two from 2 to 16 bytes"));
  config = transpose_auto_config(ScalarType::f16);
  config.store = 2;  // half a word
  EXPECT_THAT(reasons_against(config), ElementsAre("vector 2: an access has at least 4 bytes"));
  config = transpose_auto_config(ScalarType::f32);
  config.rows = 4;
  EXPECT_THAT(reasons_against(config),
              Contains("elements of a sector: 8 does not divide the tile's rows, 4"));
  config = transpose_auto_config(ScalarType::f32);
  config.rows = config.cols = 512;
  EXPECT_THAT(reasons_against(config),
              Contains("1024 elements for each thread, but at most 256 are possible"));
  config = transpose_auto_config(ScalarType::c64);
  config.store = 16;
  EXPECT_THAT(reasons_against(config),
              ElementsAre(HasSubstr("an access to several c64 is packed")));
}

// A device may have no more than 16 KiB of shared memory; the more is taken, the fewer workgroups are at work.
TEST(TransposeAuto, HasAConfigForEveryTypeThatFitsTheSharedMemoryOfTheDevice) {
  for (const ScalarTypeInfo& type : scalar_types()) {
    for (const std::int64_t max_threads : {256, 1024}) {
      const TransposeAutoConfig config = transpose_auto_config(type.type, max_threads);
      EXPECT_THAT(reasons_against(config), IsEmpty()) << type.name;
      EXPECT_LE(config.threads, max_threads) << type.name;
    }
    const TransposeAutoConfig small = transpose_auto_config(type.type, 1024, 16384);
    EXPECT_LE(transpose_auto(small).shared_bytes(), 16384u) << type.name;
    const TransposeAutoConfig config = transpose_auto_config(type.type);
    const std::uint64_t bytes = transpose_auto(config).shared_bytes();
    EXPECT_LE(bytes, 22u * 1024) << type.name;
    if (config.together() == 1) {
      EXPECT_EQ(bytes, config.rows * config.cols * config.bytes());
    }
  }
  EXPECT_GT(transpose_auto(transpose_auto_config(ScalarType::i8)).shared_bytes(), 16384u);
  KernelRequest request = request_of(ScalarType::i8);
  request.device.max_shared_bytes = 16384;
  EXPECT_LE(find_kernel("transpose/auto")->describe(request).shared_bytes(), 16384u);
}

TEST(TransposeAuto, NamesTheRuleThatATileBreaks) {
  TransposeAutoConfig config = transpose_auto_config(ScalarType::f32);
  config.rows = 8;
  config.cols = 8;
  EXPECT_THAT(reasons_against(config),
              Contains("rows moved at once of an array of few rows: 32 does not divide the tile's "
                       "rows, 8"));
}

// Whatever the sizes, no request of 32 threads writes a sector that another one writes as well, but at
// the two ends of a column.
TEST(TransposeAuto, WritesSectorsWhole) {
  for (const ScalarType type : {ScalarType::f16, ScalarType::f32, ScalarType::f64}) {
    AccessModel model;
    model.sizes = {{"rows", 1023}, {"cols", 1021}};
    for (const AccessReport& access :
         analyse(transpose_auto(transpose_auto_config(type)), model).accesses) {
      if (access.source_text != "sectors of dst") continue;
      ASSERT_TRUE(access.sectors);
      EXPECT_LE(access.sectors->found, access.sectors->ideal) << to_string(type);
    }
  }
}

// Of a single row, a workgroup has 128 elements to move: 4 requests of 32 threads on each side, not
// those of all its 128 x 128.
TEST(TransposeAuto, LeavesOutWhatAThinArrayDoesNotHave) {
  const ir::Kernel kernel = transpose_auto(transpose_auto_config(ScalarType::i8));
  EXPECT_EQ(group_count(ir::interface_of(kernel), {{"rows", 1}, {"cols", 2000000}}),
            (std::array<std::uint64_t, 3>{1, 15625, 1}));
  for (const auto& [rows, cols] : {std::pair{1u, 2000000u}, std::pair{2000000u, 1u}}) {
    AccessModel model;
    model.sizes = {{"rows", rows}, {"cols", cols}};
    std::uint64_t requests = 0;
    for (const AccessReport& access : analyse(kernel, model).accesses) requests += access.requests;
    EXPECT_EQ(requests, 8u) << rows << 'x' << cols;
  }
}

TEST(Transpose, HoldsExactlyCosizeElementsInSharedMemory) {
  TileConfig config;
  EXPECT_EQ(transpose(config).shared_bytes(), 1024u * 4);
  config.pad = 1;
  EXPECT_EQ(transpose(config).shared_bytes(), 1055u * 4);  // (32,32):(1,33)
  config.type = ScalarType::f64;
  EXPECT_EQ(transpose(config).shared_bytes(), 1055u * 8);
}

TEST(Transpose, RefusesTheOverlappingLayoutNamingTwoCoordinates) {
  TileConfig config;
  config.shared = parse_composed_layout("(32,32):(1,31)");
  EXPECT_THAT(reasons_against(config, TileMove::transpose),
              ElementsAre("shared layout (32,32):(1,31) overlaps itself: coordinates (0,1) and "
                          "(31,0) share address 31"));
  EXPECT_THROW(transpose(config), KernelError);
}

// What the search finds for the accesses of this kernel verifies, and the report finds no problem.
TEST(Transpose, TakesTheSwizzleThatTheSearchFinds) {
  const Layout tile = make_layout({32, 32}), threads = make_layout({32, 8});
  const TileAccess accesses[] = {
      {thread_value_layout(thread_split(tile, threads), threads)},
      {thread_value_layout(thread_split(transpose(tile), threads), threads)}};
  for (const ScalarType type : {ScalarType::f32, ScalarType::f64, ScalarType::f16}) {
    const auto found = search_swizzle(tile, accesses, static_cast<std::int64_t>(size_of(type)));
    ASSERT_TRUE(found) << to_string(type);
    TileConfig config;
    config.type = type;
    config.shared = found->storage;
    const ir::Kernel kernel = transpose(config);
    EXPECT_EQ(kernel.shared_bytes(), 1024 * size_of(type));  // no padding
    for (const AccessReport& access : analyse(kernel).accesses) {
      if (access.banks) {
        EXPECT_EQ(verdict(access), "conflict-free") << to_string(type);
      }
    }
  }
}

TEST(Transpose, ReadsLayoutsWithAndWithoutASwizzle) {
  EXPECT_EQ(parse_composed_layout("(32,32):(1,33)"),
            (ComposedLayout{{}, 0, "(32,32):(1,33)"_layout}));
  const ComposedLayout swizzled{Swizzle(5, 0, 5), 0, "(32,32):(1,32)"_layout};
  EXPECT_EQ(parse_composed_layout("Swizzle<5,0,5> o (32,32):(1,32)"), swizzled);
  EXPECT_EQ(parse_composed_layout(text_of(swizzled)), swizzled);
  EXPECT_EQ(parse_composed_layout("Swizzle<2,0,3> o 24 o (8):(1)"),
            (ComposedLayout{Swizzle(2, 0, 3), 24, "(8):(1)"_layout}));
  for (const char* wrong :
       {"Swizzle<99999999999,0,5> o 8:1", "Swizzle<5,0,5> o",
        "Swizzle<5,0,5> o 99999999999999999999 o 8:1", "Swizzle<5,0>", "Swizzle<5,0,5>(32,32)",
        "Swizzle<5,0,3> o (32,32)", "Swizzle<5,0,5> o -1 o (32,32)", "Swizzle<5,0,5> o x"}) {
    EXPECT_THROW(parse_composed_layout(wrong), LayoutError) << wrong;
  }
}

TEST(Transpose, GivesEveryReasonAgainstAConfig) {
  TileConfig config;
  config.tile_cols = 48;
  config.tile_rows = 20;
  config.shared = parse_composed_layout("(32,32):(1,33)");
  EXPECT_THAT(reasons_against(config, TileMove::transpose),
              ElementsAre(HasSubstr("32 does not divide the extent of mode 0 of the src tile, 48"),
                          HasSubstr("8 does not divide the extent of mode 1 of the src tile, 20"),
                          HasSubstr("32 does not divide the extent of mode 0 of the dst tile, 20"),
                          HasSubstr("does not have the tile's shape (48,20)")));
}

TEST(Transpose, RefusesThreadLayoutsThatAreNoNumbering) {
  TileConfig config;
  config.threads = Layout({32, 8}, {1, 16});
  EXPECT_THAT(reasons_against(config, TileMove::transpose), ElementsAre(HasSubstr("each once")));
  config.threads = Layout({32, 8}, {1, 64});
  EXPECT_THAT(reasons_against(config, TileMove::transpose), ElementsAre(HasSubstr("each once")));
  config.threads = Layout({32, 8}, {8, 1});  // row-major: unusual, but every thread has its place
  EXPECT_THAT(reasons_against(config, TileMove::transpose), IsEmpty());
}

TEST(Transpose, RefusesADeviceThatLacksSomethingWithEveryReason) {
  DeviceCaps poor;
  poor.max_shared_bytes = 1024;
  poor.max_push_constant_bytes = 128;
  poor.max_storage_buffers = 4;
  poor.max_workgroup_size = {128, 128, 64};
  poor.max_workgroup_invocations = 128;
  TileConfig config;
  config.type = ScalarType::f64;
  try {
    compile(transpose(config), poor);
    FAIL() << "accepted";
  } catch (const KernelError& error) {
    EXPECT_THAT(error.reasons,
                ElementsAre("needs the feature f64, the device lacks it",
                            "needs 8192 bytes of shared memory, the device has 1024",
                            "needs 256 threads in dimension 0 of a workgroup, the device has 128",
                            "needs 256 threads in a workgroup, the device has 128"));
  }
}

TEST(Transpose, IsByteIdenticalForEqualInput) {
  EXPECT_EQ(glsl::print(transpose()), glsl::print(transpose()));
}

}  // namespace
}  // namespace vkmoye::gen
