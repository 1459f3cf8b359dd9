// The table of one device: read where it is whole and of this device and driver, else passed over.

#include "workloads/tuned_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace vkmoye::bench {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class TunedTableTest : public testing::Test {
 protected:
  void SetUp() override {
    caps_.name = "one GPU (of two)";
    caps_.driver = "driver 1.0";
    std::filesystem::remove(file_);
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
  std::filesystem::path file_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".table");
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
  ASSERT_EQ(write_tuned_rows(file_, caps_, {kRow}), "");
  const std::string whole = text();
  for (const std::string& more :
       {std::string("* | f32,f32 | m=1 | gem"), std::string("\xff\xfe\n\x01"),
        std::string("* | * | - | x | y")}) {
    put(whole + more);
    EXPECT_THAT(ignored(), HasSubstr(", line 6: "));
    EXPECT_EQ(ignored().find('\n'), std::string::npos);
  }
  std::filesystem::remove(file_);
  std::filesystem::create_directory(file_);
  EXPECT_THAT(ignored(), HasSubstr("not a regular file"));
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
