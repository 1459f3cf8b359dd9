// SPDX-License-Identifier: MIT
// Files that are written step by step, and the arguments of the program, on Windows.

#include "vkmoye/system/staged_file.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <random>

#include "vkmoye/system/arguments.hpp"
#include "vkmoye/system/file.hpp"

namespace vkmoye {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class WindowsStagedFileTest : public testing::Test {
 protected:
  WindowsStagedFileTest() { fs::create_directory(folder_); }
  ~WindowsStagedFileTest() override { fs::remove_all(folder_); }

  static std::span<const std::byte> bytes(std::string_view text) {
    return std::as_bytes(std::span(text));
  }
  std::string text() const {
    std::string error;
    const std::vector<std::byte> read = system::read_file(file_, error);
    EXPECT_EQ(error, "");
    return {reinterpret_cast<const char*>(read.data()), read.size()};
  }
  static std::string refusal(const fs::path& path) {
    std::string why;
    const system::StagedFile file(path, why);
    return why;
  }
  std::ptrdiff_t names() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  const fs::path folder_ =
      fs::temp_directory_path() / ("staged_file_test_" + std::to_string(std::random_device{}()));
  const fs::path file_ = folder_ / u8"gr\u00f6\u00dfe";
};

TEST_F(WindowsStagedFileTest, IsThereOnceItIsWhole) {
  for (const std::string before : {"", "first part, second"}) {
    std::string why;
    system::StagedFile file(file_, why);
    EXPECT_EQ(why, "");
    EXPECT_EQ(file.write(bytes("first part, ")), "");
    EXPECT_EQ(text(), before);
    EXPECT_EQ(file.write(bytes("second")), "");
    EXPECT_EQ(file.commit(), "");
    EXPECT_EQ(text(), "first part, second");
    EXPECT_EQ(names(), 1);
  }
}

TEST_F(WindowsStagedFileTest, ThatIsNotCommittedWasNeverThere) {
  {
    std::string why;
    system::StagedFile file(file_, why);
    EXPECT_EQ(file.write(bytes("text")), "");
  }
  EXPECT_EQ(names(), 0);
}

TEST_F(WindowsStagedFileTest, IsRefusedBeforeAnyWork) {
  EXPECT_EQ(refusal(folder_), "Is a directory");
  EXPECT_EQ(refusal(folder_ / "absent" / "file"), "No such file or directory");
  EXPECT_EQ(refusal(file_), "");
  EXPECT_EQ(names(), 0);
  std::string why;
  {
    system::StagedFile file(file_, why);
    EXPECT_EQ(file.write(bytes("before")), "");
    EXPECT_EQ(file.commit(), "");
  }
  fs::permissions(file_, fs::perms::owner_read, fs::perm_options::replace);
  EXPECT_THAT(refusal(file_), HasSubstr("read-only"));
  fs::permissions(file_, fs::perms::owner_all, fs::perm_options::replace);
  EXPECT_EQ(text(), "before");
}

TEST_F(WindowsStagedFileTest, IsADeviceInPlace) {
  std::string why;
  system::StagedFile file("NUL", why);
  EXPECT_EQ(why, "");
  EXPECT_EQ(file.write(bytes("text")), "");
  EXPECT_EQ(file.commit(), "");
}

TEST_F(WindowsStagedFileTest, TargetsAreNamed) {
  EXPECT_FALSE(system::write_target(file_).exists);
  EXPECT_TRUE(system::write_target(folder_).exists);
  EXPECT_EQ(system::write_target(folder_).refusal, "Is a directory");
}

TEST(WindowsArguments, OfAnotherProgramStayAsTheyAre) {
  const char* const words[] = {"program", "gr\xc3\xb6\xc3\x9f.npy"};
  EXPECT_EQ(system::arguments_of_main(2, words), (std::vector<std::string>{words[0], words[1]}));
}

TEST(WindowsArguments, AreThoseOfTheCommandLine) {
  const std::vector<std::string> words = system::arguments_of_main(__argc, __argv);
  ASSERT_FALSE(words.empty());
  EXPECT_THAT(words[0], testing::EndsWith("test_windows.exe"));
}

}  // namespace
}  // namespace vkmoye
