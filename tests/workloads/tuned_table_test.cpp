// SPDX-License-Identifier: MIT
// The table of a device: used if it is valid and for this device and driver, else ignored.

#include "workloads/tuned_table.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "support/expect.hpp"
#include "support/temporary_folder.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

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
    EXPECT_THAT(read.table.entries, IsEmpty());
    return read.ignored;
  }

  DeviceCaps caps_;
  const test::TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_.file("tuned.json");
};

// An f32 entry with a condition on m only.
gen::GemmTableEntry entry_of_m(std::int64_t m, const std::string& kernel = "gemm/simt") {
  gen::GemmTableEntry entry;
  entry.types = {{ScalarType::f32, ScalarType::f32, ScalarType::f32}};
  entry.where.ranges = {{gen::GemmQuantity::m, m, m}};
  entry.kernel = kernel;
  entry.why = "measured: 1 us";
  return entry;
}

gen::GemmTableEntry tiled_entry() {
  gen::GemmTableEntry entry = entry_of_m(1);
  entry.options = {{"tile", "64x64x8"}};
  return entry;
}

TEST_F(TunedTableTest, IsReadAsItWasWritten) {
  EXPECT_EQ(ignored(), "");  // there is none
  gen::GemmTableEntry entry = tiled_entry();
  entry.devices = {"one", "two"};
  entry.types.push_back({ScalarType::f32, ScalarType::f16, ScalarType::f32, ScalarType::f16});
  entry.where = {.ranges = {{gen::GemmQuantity::m, 1, 1},
                            gen::GemmQuantity::n >= 2,
                            gen::GemmQuantity::area <= 9000000000,
                            {gen::GemmQuantity::k, 3, 4}},
                 .a = 'm',
                 .b = 'n',
                 .beta = true,
                 .epilogue = std::vector<std::string>{"bias", "relu"}};
  ASSERT_EQ(write_tuned_entries(file_, caps_, {entry}), "");
  const TunedTable read = read_tuned_table(file_, caps_);
  EXPECT_EQ(read.ignored, "");
  EXPECT_THAT(read.wrong, IsEmpty());
  ASSERT_THAT(read.table.entries, SizeIs(1));
  const gen::GemmTableEntry& found = read.table.entries[0];
  EXPECT_TRUE(is_for_the_same(found, entry)) << text();
  EXPECT_EQ(found.kernel, entry.kernel);
  EXPECT_EQ(found.options, entry.options);
  EXPECT_EQ(found.why, entry.why);
  EXPECT_EQ(found.number, 1);
}

// A new file has the mode of any file that the user creates; a replaced one keeps its mode.
TEST_F(TunedTableTest, HasTheModeThatTheUmaskSays) {
  const auto mode = [&] {
    return static_cast<unsigned>(std::filesystem::status(file_).permissions());
  };
  const mode_t before = umask(026);
  EXPECT_EQ(write_tuned_entries(file_, caps_, {tiled_entry()}), "");
  umask(before);
  EXPECT_EQ(mode(), 0640u);
  std::filesystem::permissions(file_, std::filesystem::perms(0604));
  EXPECT_EQ(write_tuned_entries(file_, caps_, {tiled_entry()}), "");
  EXPECT_EQ(mode(), 0604u);
}

TEST_F(TunedTableTest, WhatIsTunedAgainComesFirstAndReplacesTheSame) {
  ASSERT_EQ(write_tuned_entries(file_, caps_, {entry_of_m(9), tiled_entry()}), "");
  ASSERT_EQ(write_tuned_entries(file_, caps_, {entry_of_m(1, "gemm/thin")}), "");
  const TunedTable read = read_tuned_table(file_, caps_);
  ASSERT_THAT(read.table.entries, SizeIs(2));
  EXPECT_EQ(read.table.entries[0].kernel, "gemm/thin");
  EXPECT_EQ(read.table.entries[1].where, entry_of_m(9).where);
}

TEST_F(TunedTableTest, OfAnotherDeviceOrDriverItIsIgnored) {
  ASSERT_EQ(write_tuned_entries(file_, caps_, {tiled_entry()}), "");
  caps_.driver = "driver 1.1";
  EXPECT_THAT(ignored(), HasSubstr("was not tuned on one GPU (of two), driver driver 1.1"));
  // And it is overwritten.
  ASSERT_EQ(write_tuned_entries(file_, caps_, {tiled_entry()}), "");
  EXPECT_EQ(read_tuned_table(file_, caps_).ignored, "");
  caps_.name = "another GPU";
  EXPECT_THAT(ignored(), HasSubstr("was not tuned on another GPU"));
}

TEST_F(TunedTableTest, WhatIsNoTableIsIgnoredInOneLine) {
  put("");
  EXPECT_THAT(ignored(), HasSubstr("it is empty"));
  put("\x7f"
      "ELF\n\n\0");
  EXPECT_THAT(ignored(), HasSubstr("JSON: the character \\x7f at byte 1 "));
  put(R"({"table": "gemm/simt"})");
  EXPECT_THAT(ignored(), HasSubstr("it is not a table of gemm/auto"));
  std::filesystem::remove(file_);
  std::filesystem::create_directory(file_);
  EXPECT_THAT(ignored(), HasSubstr("not a regular file"));
}

TEST_F(TunedTableTest, OfAnotherFormatItIsIgnoredAndWrittenOver) {
  put(R"({"table": "gemm/auto", "format": 4, "rows": []})");
  EXPECT_THAT(ignored(), AllOf(HasSubstr("its format is 4, this program reads 3; tune again"),
                               Not(HasSubstr("\n"))));
  EXPECT_EQ(reason_against_writing(file_), "");
  ASSERT_EQ(write_tuned_entries(file_, caps_, {tiled_entry()}), "");
  EXPECT_THAT(read_tuned_table(file_, caps_).table.entries, SizeIs(1));
}

// The table with `rows` (JSON) after its own entries.
std::string with_rows(std::string table, const std::vector<std::string>& rows) {
  const std::string end = "\n  ]\n}\n";
  EXPECT_THAT(table, EndsWith(end));
  table.resize(table.size() - end.size());
  for (const std::string& row : rows) table += ",\n    " + row;
  return table + end;
}

// Each wrong entry is reported on one line when the table is read; the others are used.
TEST_F(TunedTableTest, WrongRowsArePassedOverWithAReason) {
  ASSERT_EQ(write_tuned_entries(file_, caps_, {tiled_entry()}), "");
  const auto simt = [](const std::string& member) {
    return fmt::format(R"({{"kernel": "gemm/simt", {}}})", member);
  };
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"7", "is not an object"},
      {"{}", "'' is not a product kernel"},
      {R"({"kernel": 3})", "kernel is not a string"},
      {R"({"kernel": "gemm/coopmat", "types": ["f32,f32"]})",
       "gemm/coopmat: the kernel does not support"},
      {simt(R"("kernels": 1)"), "there is no 'kernels'; known: devices, types, where, kernel"},
      {simt(R"("options": [])"), "options is not an object"},
      {simt(R"("options": {"tiles": "8x8"})"), "no option 'tiles'"},
      {simt(R"("options": {"tile": 8})"), "options.tile is not a string"},
      {simt(R"("options": {"tile": "big"})"), "gemm/simt: tile 'big': expected"},
      {simt(R"("options": {"tile": "64x64x8", "values": "3x"})"), "values '3x': expected"},
      {simt(R"("options": {"split-k": "none"})"), "split-k 'none': expected"},
      {simt(R"("types": ["f32,f32"], "options": {"tile": "7x7x7"})"), "gemm/simt: "},
      {simt(R"("types": ["f16,f23"])"), "'f23'"},
      {simt(R"("types": ["f16"])"), "'f16' is neither operands,accumulator nor"},
      {simt(R"("types": "f16,f32")"), "types is not an array of strings"},
      {simt(R"("devices": [7])"), "devices is not an array of strings"},
      {simt(R"("where": 1)"), "where is not an object"},
      {simt(R"("where": {"q": 1})"),
       "where: there is no 'q'; known: m, n, k, batch, least, area, elements, k_alignment, lanes, "
       "shared, a, b, beta, epilogue"},
      {simt(R"("where": {"m": 1.5})"), "where.m is neither a whole number nor [least, most]"},
      {simt(R"("where": {"m": [1]})"), "where.m is neither"},
      {simt(R"("where": {"m": [1, "2"]})"), "where.m is neither"},
      {simt(R"("where": {"a": "n"})"), R"(where.a is neither "k" nor "m")"},
      {simt(R"("where": {"b": 1})"), R"(where.b is neither "k" nor "n")"},
      {simt(R"("where": {"beta": 0})"), "where.beta is neither true nor false"},
      {simt(R"("where": {"epilogue": ["relo"]})"), "there is no step 'relo'; known: bias"},
      {simt(R"("where": {"epilogue": "relu"})"), "where.epilogue is not an array of strings"},
      {simt(R"("why": [], "where": {"m": []})"), "why is not a string; where.m is neither"},
  };
  std::vector<std::string> rows;
  for (const auto& one : wrong) rows.push_back(one.first);
  rows.emplace_back(R"({"where": {"m": [9, null]}, "kernel": "gemm/thin", "why": "good"})");
  put(with_rows(text(), rows));
  const TunedTable read = read_tuned_table(file_, caps_);
  EXPECT_EQ(read.ignored, "");
  ASSERT_THAT(read.table.entries, SizeIs(2)) << join(read.wrong, "\n");
  EXPECT_EQ(read.table.entries[1].why, "good");
  EXPECT_EQ(read.table.entries[1].number, static_cast<int>(wrong.size()) + 2);
  ASSERT_THAT(read.wrong, SizeIs(wrong.size()));
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    EXPECT_THAT(read.wrong[i], AllOf(HasSubstr(fmt::format(", row {}: ", i + 2)),
                                     HasSubstr(wrong[i].second), Not(HasSubstr("\n"))))
        << wrong[i].first;
  }
}

TEST_F(TunedTableTest, WhatElseStandsInTheFileStays) {
  ASSERT_EQ(write_tuned_entries(file_, caps_, {tiled_entry()}), "");
  const std::string before = with_rows(
      text(), {R"({"kernel":"gemm/simt","options":{"tile":"big"},"why":"mistaken"})", "7"});
  put(before);
  ASSERT_EQ(write_tuned_entries(file_, caps_, {tiled_entry()}), "");
  EXPECT_EQ(text(), before);
}

TEST_F(TunedTableTest, WhatSeveralWriteAtOnceIsThere) {
  constexpr int kWriters = 8, kEntries = 10;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0; i < kEntries; ++i) {
        EXPECT_EQ(write_tuned_entries(file_, caps_, {entry_of_m(writer * kEntries + i)}), "");
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_THAT(read_tuned_table(file_, caps_).table.entries, SizeIs(kWriters * kEntries));
}

TEST_F(TunedTableTest, AFileBesideOneIsNamedFromTheRoot) {
  setenv("VKMOYE_GEMM_TABLE", "mine.json", 1);
  EXPECT_EQ(tuned_table_file(caps_), std::filesystem::current_path() / "mine.json");
  unsetenv("VKMOYE_GEMM_TABLE");
}

TEST_F(TunedTableTest, WhatHoldsSomethingElseIsNotWritten) {
  EXPECT_EQ(reason_against_writing(file_), "");
  put("");
  EXPECT_EQ(reason_against_writing(file_), "");
  ASSERT_EQ(write_tuned_entries(file_, caps_, {tiled_entry()}), "");
  EXPECT_EQ(reason_against_writing(file_), "");
  put(R"({"data": 1})");
  EXPECT_THAT(reason_against_writing(file_), HasSubstr("is not a table of gemm/auto"));
  // A table that a user is still editing is not overwritten.
  put("{\"table\": \"gemm/auto\",\n  \"rows\": [}");
  EXPECT_THAT(reason_against_writing(file_),
              AllOf(HasSubstr("line 2"), HasSubstr("correct or remove the file")));
}

// Any truncated or changed file is either read or ignored.
TEST_F(TunedTableTest, DamageIsReadOrIgnored) {
  ASSERT_EQ(write_tuned_entries(file_, caps_, {tiled_entry(), entry_of_m(2)}), "");
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
