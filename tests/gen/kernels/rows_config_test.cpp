// SPDX-License-Identifier: MIT
// How many threads share a row whose length is known.

#include <gtest/gtest.h>

#include "vkmoye/gen/kernels/rows/argmax.hpp"
#include "vkmoye/gen/kernels/rows/reduce.hpp"

namespace vkmoye::gen {
namespace {

using enum ScalarType;

ThreadsConfig of_rows(ScalarType type, std::int64_t cols, RowUse use) {
  ThreadsConfig config;
  config.type = type;
  return fitted_to_rows(config, cols, use);
}

TEST(RowsConfig, FewThreadsShareAShortRow) {
  struct Case {
    ScalarType type;
    std::int64_t cols;
    RowUse use;
    std::int64_t columns, rounds;
  };
  // Most were the fastest on an H200, see threads_config.cpp; the others are what is chosen.
  const Case cases[] = {
      {f32, 3, RowUse::read, 1, 3},      {f16, 12, RowUse::read, 1, 3},
      {u8, 30, RowUse::read, 2, 8},      {f32, 32, RowUse::read, 8, 1},
      {f16, 63, RowUse::read, 8, 8},     {f32, 3, RowUse::written, 1, 3},
      {f32, 7, RowUse::written, 2, 4},   {f16, 20, RowUse::written, 2, 3},
      {bf16, 15, RowUse::written, 4, 4}, {f32, 16, RowUse::written, 2, 2},
      {f32, 32, RowUse::written, 4, 2},  {f32, 7, RowUse::searched, 8, 1},
  };
  for (const Case& one : cases) {
    const ThreadsConfig config = of_rows(one.type, one.cols, one.use);
    SCOPED_TRACE(testing::Message() << to_string(one.type) << ' ' << one.cols);
    EXPECT_EQ(config.columns, one.columns);
    EXPECT_EQ(config.rounds, one.rounds);
    EXPECT_TRUE(reasons_against(config).empty());
  }
}

TEST(RowsConfig, BlocksHaveAsManyRoundsAsARowNeeds) {
  struct Case {
    ScalarType type;
    std::int64_t cols, columns, rounds;
  };
  // 5101 columns are two blocks of 2560, not of 4096.
  const Case cases[] = {{bf16, 711, 64, 12},
                        {f16, 5101, 256, 10},
                        {f16, 5120, 256, 3},
                        {f16, 305, 32, 10},
                        {f32, 1024, 32, 8}};
  for (const Case& one : cases) {
    const ThreadsConfig config = of_rows(one.type, one.cols, RowUse::written);
    EXPECT_EQ(config.columns, one.columns) << one.cols;
    EXPECT_EQ(config.rounds, one.rounds) << one.cols;
    EXPECT_TRUE(reasons_against(config).empty()) << one.cols;
  }
  for (const std::int64_t rounds : {-1, 17}) {
    ThreadsConfig config = of_rows(f32, 64, RowUse::read);
    config.rounds = rounds;
    EXPECT_EQ(reasons_against(config).size(), 1u) << rounds;
  }
}

TEST(RowsConfig, LongRowsOfNarrowElementsAreCut) {
  struct Case {
    ScalarType type;
    std::int64_t cols;
    RowUse use;
    std::int64_t threads, columns, rounds;
  };
  // See threads_config.cpp.
  const Case cases[] = {
      {bf16, 14336, RowUse::weighted, 256, 256, 2}, {bf16, 51776, RowUse::written, 512, 512, 2},
      {f16, 10000, RowUse::written, 256, 256, 2},   {f16, 16384, RowUse::written, 512, 512, 4},
      {e5m2, 19008, RowUse::written, 256, 256, 1},  {f32, 30000, RowUse::written, 1024, 1024, 8},
      {f16, 20000, RowUse::searched, 512, 512, 2},  {f16, 32000, RowUse::searched, 1024, 1024, 4}};
  for (const Case& one : cases) {
    const ThreadsConfig config = of_rows(one.type, one.cols, one.use);
    SCOPED_TRACE(testing::Message() << to_string(one.type) << ' ' << one.cols);
    EXPECT_EQ(config.threads, one.threads);
    EXPECT_EQ(config.columns, one.columns);
    EXPECT_EQ(config.rounds, one.rounds);
    EXPECT_TRUE(reasons_against(config).empty());
  }
}

TEST(RowsConfig, ReadAndSearchedRowsAreAlikeUnlessTheyAreCut) {
  for (const ScalarType type : {f32, f16, e4m3}) {
    for (const std::int64_t cols : {128, 1000, 1001, 4096, 100000}) {
      if (cols == 100000 && type != f32) continue;
      const ThreadsConfig read = of_rows(type, cols, RowUse::read);
      const ThreadsConfig searched = of_rows(type, cols, RowUse::searched);
      SCOPED_TRACE(testing::Message() << to_string(type) << ' ' << cols);
      EXPECT_EQ(read.columns, searched.columns);
      EXPECT_EQ(read.rounds, searched.rounds);
    }
  }
}

TEST(RowsConfig, WhatIsSetStays) {
  ThreadsConfig config;
  config.columns = 8;
  EXPECT_EQ(fitted_to_rows(config, 3).columns, 8);
  EXPECT_EQ(fitted_to_argmax(ThreadsConfig{}, 3).columns, 1);
  EXPECT_EQ(fitted(ReduceConfig{}, 3).columns, 1);
}

}  // namespace
}  // namespace vkmoye::gen
