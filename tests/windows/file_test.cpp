// SPDX-License-Identifier: MIT
// Files on Windows, as tests/base/file_test.cpp has them for POSIX.

#include "vkmoye/system/file.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "vkmoye/base/cache_folder.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/require_readable.hpp"
#include "vkmoye/system/library.hpp"

namespace vkmoye {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class WindowsFileTest : public testing::Test {
 protected:
  WindowsFileTest() { fs::create_directory(folder_); }
  ~WindowsFileTest() override { fs::remove_all(folder_); }

  static std::string read(const fs::path& path) {
    std::string error;
    const std::vector<std::byte> bytes = system::read_file(path, error);
    EXPECT_EQ(error, "") << path;
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  static std::string replace(const fs::path& path, const std::string& text) {
    return system::replace_file(path, std::as_bytes(std::span(text)),
                                system::Permissions::preserved);
  }
  std::ptrdiff_t names() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  const fs::path folder_ =
      fs::temp_directory_path() / ("file_test_" + std::to_string(std::random_device{}()));
  const fs::path file_ = folder_ / u8"f\u00fcr";
};

TEST_F(WindowsFileTest, IsReadAsItWasWritten) {
  for (const std::string& text :
       {std::string(), std::string("a\r\n\0b", 5), std::string(100000, 'x')}) {
    EXPECT_EQ(replace(file_, text), "");
    EXPECT_EQ(read(file_), text);
    EXPECT_EQ(names(), 1);
  }
}

TEST_F(WindowsFileTest, IsReplacedWholeWhileOthersRead) {
  ASSERT_EQ(replace(file_, std::string(5000, 'a')), "");
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  std::thread reader([&] {
    while (!done) {
      const std::string text = read(file_);
      if (text.size() != 5000 || text != std::string(5000, text[0])) ++wrong;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  // While another has it open, Windows may refuse: then the file is as it was.
  constexpr int kReplacements = 50;
  int replaced = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (replaced < kReplacements && std::chrono::steady_clock::now() < end) {
    if (replace(file_, std::string(5000, static_cast<char>('a' + replaced % 26))).empty())
      ++replaced;
  }
  done = true;
  reader.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(replaced, kReplacements);
  EXPECT_EQ(names(), 1);
}

TEST_F(WindowsFileTest, IsAsBeforeWhereItIsRefused) {
  ASSERT_EQ(replace(file_, "before"), "");
  fs::permissions(file_, fs::perms::owner_read, fs::perm_options::replace);
  EXPECT_THAT(replace(file_, "after"), HasSubstr("read-only"));
  EXPECT_EQ(read(file_), "before");
  fs::permissions(file_, fs::perms::owner_all, fs::perm_options::replace);
  EXPECT_THAT(replace(folder_, "after"), HasSubstr("Is a directory"));
  EXPECT_NE(replace(folder_ / "absent" / "file", "after"), "");
  EXPECT_EQ(names(), 1);
}

TEST_F(WindowsFileTest, ThatIsNoFileIsNotRead) {
  std::string error;
  EXPECT_TRUE(system::read_file(folder_ / "absent", error).empty());
  EXPECT_EQ(error, "");
  EXPECT_TRUE(system::read_file(folder_, error).empty());
  EXPECT_NE(error, "");
  EXPECT_EQ(system::reason_against_reading(folder_), "Is a directory");
  EXPECT_THROW(require_readable(folder_ / "absent"), ArgumentError);
}

TEST(Windows, OpensLibraries) {
  std::string why;
  EXPECT_EQ(system::open_library("no-such-library.dll", why), nullptr);
  EXPECT_THAT(why, HasSubstr("no-such-library.dll: "));
  const system::LibraryHandle kernel = system::open_library("kernel32.dll", why);
  ASSERT_NE(kernel, nullptr);
  EXPECT_NE(system::symbol_in(kernel, "GetCurrentProcessId"), nullptr);
  EXPECT_EQ(system::symbol_in(kernel, "no_such_function"), nullptr);
  system::close_library(kernel);
}

TEST(Windows, KeepsCachesWhereItsProgramsDo) {
  EXPECT_EQ(default_cache_folder().filename(), "vkmoye");
  EXPECT_TRUE(default_cache_folder().is_absolute());
}

}  // namespace
}  // namespace vkmoye
