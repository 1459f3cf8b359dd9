// SPDX-License-Identifier: MIT

#include <cstring>
#include <random>

#include "support/effort.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/analysis/access_report.hpp"
#include "vkmoye/gen/dsl/exchange.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/moves/transpose/auto.hpp"
#include "vkmoye/gen/kernels/moves/transpose/shuffle.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

void expect_right(const TransposeAutoConfig& config, std::int64_t rows, std::int64_t cols) {
  std::mt19937_64 random(static_cast<std::uint64_t>(rows * 1000 + cols));
  const auto width = static_cast<std::size_t>(config.bytes());
  const auto count = static_cast<std::size_t>(rows * cols);
  std::vector<std::byte> a(count * width), b(count * width);
  for (std::byte& byte : a) byte = static_cast<std::byte>(random());
  const TwinReport report =
      run_on_host(transpose_auto(config), {a, b}, {{"rows", rows}, {"cols", cols}});
  EXPECT_THAT(report.reasons, IsEmpty());
  bool right = true;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t r = i % static_cast<std::size_t>(rows),
                      c = i / static_cast<std::size_t>(rows);
    const std::size_t from = r * static_cast<std::size_t>(cols) + c;
    right = right && std::memcmp(&b[i * width], &a[from * width], width) == 0;
  }
  EXPECT_TRUE(right) << to_string(config.type) << ' ' << rows << 'x' << cols << ", subgroups of "
                     << config.subgroup_size;
}

TEST(TransposeByShuffles, MovesEverySizeOfElementInSubgroupsOf8And32And64) {
  std::size_t row = 0, number = 0;
  for (const ScalarType type :
       {ScalarType::u8, ScalarType::bf16, ScalarType::f32, ScalarType::i64, ScalarType::c128}) {
    ++row;
    for (const std::int64_t lanes : {8, 32, 64}) {
      if (!test::takes(row, number++, 3)) continue;
      const TransposeAutoConfig config = transpose_shuffle_config(type, lanes);
      ASSERT_THAT(reasons_against(config), IsEmpty()) << to_string(type) << ' ' << lanes;
      expect_right(config, config.rows, 2 * config.cols);
      expect_right(config, config.rows + 1, config.cols + 3);
      expect_right(config, 7, 33);
    }
  }
}

// Tiles of which bits of columns, bits of rows, several and none change places with bits of lanes.
TEST(TransposeByShuffles, MovesTilesOfEveryShape) {
  struct Form {
    std::int64_t lanes, rows, cols, load, store;
    std::size_t rounds;
  };
  const Form forms[] = {{32, 32, 32, 16, 16, 1}, {32, 16, 16, 16, 16, 1}, {32, 64, 32, 16, 16, 2},
                        {32, 32, 16, 16, 16, 0}, {32, 32, 32, 4, 4, 5},   {32, 32, 16, 8, 16, 1},
                        {64, 64, 64, 16, 16, 2}, {64, 64, 64, 4, 4, 6},   {64, 16, 32, 16, 16, 1},
                        {8, 16, 16, 8, 8, 3},    {8, 32, 32, 16, 16, 3}};
  for (const Form& form : forms) {
    TransposeAutoConfig config = transpose_shuffle_config(ScalarType::u32, form.lanes);
    config.rows = form.rows;
    config.cols = form.cols;
    config.load = form.load;
    config.store = form.store;
    config.threads = form.lanes;
    const SubgroupTile tile(config, form.lanes);
    const LaneExchange how =
        exchange_of(tile.loaded(), tile.stored(), static_cast<std::uint32_t>(form.lanes));
    EXPECT_EQ(how.rounds.size(), form.rounds) << form.rows << 'x' << form.cols;
    EXPECT_FALSE(how.moves_lanes());
    ASSERT_THAT(reasons_against(config), IsEmpty()) << form.rows << 'x' << form.cols;
    expect_right(config, 2 * form.rows, form.cols);
    expect_right(config, form.rows - 1, form.cols + 1);
  }
}

// Neither shared memory nor a barrier, and of memory no more than is used.
TEST(TransposeByShuffles, TakesWholeSectorsAndNoSharedMemory) {
  for (const std::int64_t lanes : {8, 32, 64}) {
    const ir::Kernel kernel = transpose_auto(transpose_shuffle_config(ScalarType::f32, lanes));
    EXPECT_EQ(kernel.shared_bytes(), 0u);
    EXPECT_EQ(kernel.subgroup_size, lanes);
    EXPECT_THAT(glsl::print(kernel), Not(HasSubstr("barrier")));
    AccessModel model;
    model.sizes = {{"rows", 1024}, {"cols", 1024}};
    int whole = 0;
    for (const AccessReport& access : analyse(kernel, model).accesses) {
      if (access.source_text.find("whole words") == std::string::npos) continue;
      ASSERT_TRUE(access.sectors);
      EXPECT_LE(access.sectors->found, access.sectors->ideal) << access.source_text << lanes;
      ++whole;
    }
    EXPECT_EQ(whole, 2);
  }
}

TEST(TransposeByShuffles, IsReachedByAnOption) {
  const auto text = [](Options options) {
    return glsl::print(
        find_kernel("transpose/auto")->describe(request_of(ScalarType::f32, std::move(options))));
  };
  EXPECT_THAT(text({}), Not(HasSubstr("exchange")));
  EXPECT_THAT(
      text({{"exchange", "shuffle"}}),
      AllOf(HasSubstr("tile=128x32  threads=128  vector=16x16  order=dst  exchange=shuffle"),
            HasSubstr("  subgroup-size=32")));
  EXPECT_THAT(text({{"exchange", "shuffle"}, {"subgroup-size", "64"}}),
              HasSubstr("tile=128x32  threads=256"));
}

TEST(TransposeByShuffles, RefusesBadValuesWithEveryReason) {
  TransposeAutoConfig config = transpose_auto_config(ScalarType::f32);
  config.subgroup_size = 32;
  EXPECT_THAT(reasons_against(config),
              ElementsAre(HasSubstr("subgroup-size 32: only --exchange shuffle")));
  config = transpose_shuffle_config(ScalarType::f32, 32);
  config.subgroup_size = 24;
  EXPECT_THAT(reasons_against(config),
              ElementsAre("subgroup-size = 24 is not a power of two up to 128"));
  config = transpose_shuffle_config(ScalarType::f32, 32);
  config.subgroup_size = 128;
  config.threads = 64;
  EXPECT_THAT(reasons_against(config),
              Contains("subgroups of 128 lanes are larger than workgroups of 64 threads"));
  config = transpose_shuffle_config(ScalarType::f32, 32);
  config.cols = 256;
  config.rows = 1024;
  EXPECT_THAT(
      reasons_against(config),
      ElementsAre("tile 1024x256, vector 16x16, threads 128, subgroup-size 32: loads side by "
                  "side in a row: 64 does not divide the lanes of a subgroup, 32",
                  "tile 1024x256, vector 16x16, threads 128, subgroup-size 32: stores side by "
                  "side in a column: 64 does not divide the lanes of a subgroup, 32"));
  config = transpose_shuffle_config(ScalarType::f32, 32);
  config.cols = 128;
  EXPECT_THAT(reasons_against(config), IsEmpty());
  config.rows = 256;
  EXPECT_THAT(reasons_against(config),
              ElementsAre("tile 256x128, vector 16x16, threads 128, subgroup-size 32: each lane "
                          "exchanges 256 words, but at most 128 are possible"));
}

}  // namespace
}  // namespace vkmoye::gen
