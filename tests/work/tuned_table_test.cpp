// SPDX-License-Identifier: MIT
// The table of one device: read where it is whole and of this device and driver, else passed over.

#include "workloads/products/tuned_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "support/process.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class TunedTableTest : public testing::Test {
 protected:
  void SetUp() override {
    caps_ = common_device();
    caps_.name = "one GPU (of two)";
    caps_.driver = "driver 1.0";
  }
  void put(const std::string& text) const { std::ofstream(file_) << text; }
  std::string text() const {
    std::ostringstream out;
    out << std::ifstream(file_).rdbuf();
    return out.str();
  }
  std::string ignored() const {
    const TunedTable read = read_tuned_table(file_, caps_);
    EXPECT_THAT(read.table.rows, IsEmpty());
    return read.ignored;
  }

  DeviceCaps caps_;
  const test::TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_.file("tuned.table");
};

const std::string kRow = "* | f32,f32 | m=1 n=2 k=3 | gemm/simt --tile 64x64x8 | measured: 1 us";

TEST_F(TunedTableTest, IsReadAsItWasWritten) {
  EXPECT_EQ(ignored(), "");  // there is none
  ASSERT_EQ(write_tuned_rows(file_, caps_, {kRow}), "");
  const TunedTable read = read_tuned_table(file_, caps_);
  EXPECT_EQ(read.ignored, "");
  ASSERT_THAT(read.table.rows, SizeIs(1));
  EXPECT_EQ(read.table.rows[0].text, kRow);
  EXPECT_EQ(read.table.rows[0].options.at("tile"), "64x64x8");
}

// As any file that a program of the user makes; of one that is replaced, what it was.
TEST_F(TunedTableTest, HasTheModeThatTheUmaskSays) {
  const auto mode = [&] {
    return static_cast<unsigned>(std::filesystem::status(file_).permissions());
  };
  const mode_t before = umask(026);
  EXPECT_EQ(write_tuned_rows(file_, caps_, {kRow}), "");
  umask(before);
  EXPECT_EQ(mode(), 0640u);
  std::filesystem::permissions(file_, std::filesystem::perms(0604));
  EXPECT_EQ(write_tuned_rows(file_, caps_, {kRow}), "");
  EXPECT_EQ(mode(), 0604u);
}

TEST_F(TunedTableTest, WhatIsTunedAgainComesFirstAndReplacesTheSame) {
  const std::string other = "* | f32,f32 | m=9 | gemm/simt | mine";
  ASSERT_EQ(write_tuned_rows(file_, caps_, {other, kRow}), "");
  const std::string again = "* | f32,f32 | m=1 n=2 k=3 | gemm/thin | measured: 0.5 us";
  ASSERT_EQ(write_tuned_rows(file_, caps_, {again}), "");
  const TunedTable read = read_tuned_table(file_, caps_);
  ASSERT_THAT(read.table.rows, SizeIs(2));
  EXPECT_EQ(read.table.rows[0].text, again);
  EXPECT_EQ(read.table.rows[1].text, other);
}

TEST_F(TunedTableTest, OfAnotherDeviceOrDriverItIsIgnored) {
  ASSERT_EQ(write_tuned_rows(file_, caps_, {kRow}), "");
  caps_.driver = "driver 1.1";
  EXPECT_THAT(ignored(), HasSubstr("was not tuned on one GPU (of two), driver driver 1.1"));
  // And written over.
  ASSERT_EQ(write_tuned_rows(file_, caps_, {kRow}), "");
  EXPECT_EQ(read_tuned_table(file_, caps_).ignored, "");
  caps_.name = "another GPU";
  EXPECT_THAT(ignored(), HasSubstr("was not tuned on another GPU"));
}

TEST_F(TunedTableTest, WhatIsNoTableIsIgnoredInOneLine) {
  put("");
  EXPECT_THAT(ignored(), HasSubstr("it is empty"));
  put("\x7f"
      "ELF\n\n\0");
  EXPECT_THAT(ignored(), HasSubstr("it is no table of gemm/auto"));
  std::filesystem::remove(file_);
  std::filesystem::create_directory(file_);
  EXPECT_THAT(ignored(), HasSubstr("not a regular file"));
}

TEST_F(TunedTableTest, OfAnOlderFormatItIsIgnoredAndWrittenOver) {
  put("# vkmoye: kernels of gemm/auto, found by tune; format 1\n# device: one GPU (of two)\n"
      "# driver: driver 1.0\n* | f32,f32 | - | gemm/thin | tuned for one epilogue, used for all\n");
  EXPECT_THAT(ignored(),
              AllOf(HasSubstr("its format is 1, here it is 2; tune again"), Not(HasSubstr("\n"))));
  EXPECT_EQ(reason_against_writing(file_), "");
  ASSERT_EQ(write_tuned_rows(file_, caps_, {kRow}), "");
  EXPECT_THAT(read_tuned_table(file_, caps_).table.rows, SizeIs(1));
}

// Each in a line that says why, when the table is read; the others are used.
TEST_F(TunedTableTest, WrongRowsArePassedOverWithAReason) {
  ASSERT_EQ(write_tuned_rows(file_, caps_, {kRow}), "");
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"* | f32,f32 | m=1 | gem", "4 columns where a row has 5"},
      {"\xff\xfe\t\x01", "1 columns"},
      {"* | * | - | gemm/simt --tiles 8x8 | x", "no option '--tiles'"},
      {"* | * | - | gemm/simt --tile big | x", "gemm/simt: tile 'big' is not"},
      {"* | * | - | gemm/simt --tile 64x64x8 --values 3x | x", "values '3x' is not"},
      {"* | * | - | gemm/simt --split-k none | x", "split-k 'none' is not"},
      {"* | f32,f32 | - | gemm/simt --tile 7x7x7 | x", "gemm/simt: "},
      {"* | f32,f32 | - | gemm/coopmat | x", "gemm/coopmat: there is no such kernel"},
      {"* | f16,f23 | - | gemm/simt | x", "'f23' of 'f16,f23' is no type"},
      {"* | f32,f32 | epilogue=relo | gemm/simt | x", "there are epilogue=none epilogue=bias "},
      {"* | f32,f32 | a=k a=m | gemm/simt | x", "conditions exclude each other"},
  };
  const std::string whole = text();
  std::string more;
  for (const auto& row : wrong) more += row.first + '\n';
  put(whole + more + "* | f32,f32 | m>=9 | gemm/thin | good\n");
  const TunedTable read = read_tuned_table(file_, caps_);
  EXPECT_EQ(read.ignored, "");
  ASSERT_THAT(read.table.rows, SizeIs(2));
  EXPECT_EQ(read.table.rows[1].why, "good");
  ASSERT_THAT(read.wrong, SizeIs(wrong.size()));
  const std::string all = join(read.wrong, "\n");
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    EXPECT_THAT(read.wrong, Contains(AllOf(HasSubstr(", line " + std::to_string(6 + i) + ": "),
                                           HasSubstr(wrong[i].second), Not(HasSubstr("\n")))))
        << wrong[i].first << '\n'
        << all;
  }
}

TEST_F(TunedTableTest, WhatElseStandsInTheFileStays) {
  ASSERT_EQ(write_tuned_rows(file_, caps_, {kRow}), "");
  const std::string mine = "# mine\n* | f32,f32 | m>=9 | gemm/simt --tile big | mistaken\n";
  put(text() + mine);
  ASSERT_EQ(write_tuned_rows(file_, caps_, {kRow}), "");
  EXPECT_THAT(text(), testing::EndsWith("\n" + kRow + "\n" + mine));
}

TEST_F(TunedTableTest, WhatSeveralWriteAtOnceIsThere) {
  constexpr int kWriters = 8, kRows = 10;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0; i < kRows; ++i) {
        const std::string where = "m=" + std::to_string(writer) + " n=" + std::to_string(i);
        EXPECT_EQ(
            write_tuned_rows(file_, caps_, {"* | f32,f32 | " + where + " | gemm/simt | mine"}), "");
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_THAT(read_tuned_table(file_, caps_).table.rows, SizeIs(kWriters * kRows));
}

TEST_F(TunedTableTest, AFileBesideOneIsNamedFromTheRoot) {
  setenv("VKMOYE_GEMM_TABLE", "mine.table", 1);
  EXPECT_EQ(tuned_table_file(caps_), std::filesystem::current_path() / "mine.table");
  unsetenv("VKMOYE_GEMM_TABLE");
}

TEST_F(TunedTableTest, WhatHoldsSomethingElseIsNotWritten) {
  EXPECT_EQ(reason_against_writing(file_), "");
  put("");
  EXPECT_EQ(reason_against_writing(file_), "");
  ASSERT_EQ(write_tuned_rows(file_, caps_, {kRow}), "");
  EXPECT_EQ(reason_against_writing(file_), "");
  put("data");
  EXPECT_THAT(reason_against_writing(file_), HasSubstr("holds something else"));
}

// However a file is cut or changed, it is read or ignored, and nothing else happens.
TEST_F(TunedTableTest, DamageIsReadOrIgnored) {
  ASSERT_EQ(write_tuned_rows(file_, caps_, {kRow, "* | * | a=k | gemm/thin --split-k 4 | x"}), "");
  const std::string whole = text();
  for (std::size_t end = 0; end <= whole.size(); ++end) {
    put(whole.substr(0, end));
    EXPECT_NO_THROW(read_tuned_table(file_, caps_)) << end;
    std::string changed = whole;
    if (end < whole.size()) changed[end] = static_cast<char>(changed[end] ^ (1 + end % 255));
    put(changed);
    EXPECT_NO_THROW(read_tuned_table(file_, caps_)) << end;
  }
}

}  // namespace
}  // namespace vkmoye::bench
