// SPDX-License-Identifier: MIT
// Writing replaces a file completely or not at all, also with concurrent readers and writers, and after an error.

#include "vkmoye/system/file.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <random>
#include <thread>

#include "support/expect.hpp"

namespace vkmoye {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  FileTest() { fs::create_directory(folder_); }
  ~FileTest() override { fs::remove_all(folder_); }

  static std::string read(const fs::path& path) {
    std::string error;
    const std::vector<std::byte> bytes = system::read_file(path, error);
    EXPECT_EQ(error, "") << path;
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  static std::string replace(const fs::path& path, const std::string& text,
                             system::Permissions permissions = system::Permissions::preserved) {
    return system::replace_file(path, std::as_bytes(std::span(text)), permissions);
  }
  static unsigned mode(const fs::path& path) {
    struct stat found = {};
    EXPECT_EQ(stat(path.c_str(), &found), 0) << path;
    return found.st_mode & 07777u;
  }
  // The number of files in the folder, including temporary files that were not removed.
  std::ptrdiff_t names() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  const fs::path folder_ =
      fs::temp_directory_path() / ("file_test_" + std::to_string(std::random_device{}()));
  const fs::path file_ = folder_ / "file";
};

TEST_F(FileTest, IsReadAsItWasWritten) {
  for (const std::string& text :
       {std::string(), std::string("a\r\n\0b", 5), std::string(100000, 'x')}) {
    EXPECT_EQ(replace(file_, text), "");
    EXPECT_EQ(read(file_), text);
    EXPECT_EQ(names(), 1);
  }
  // The temporary file must not need a longer name than the target.
  EXPECT_EQ(replace(folder_ / std::string(255, 'n'), "long"), "");
}

TEST_F(FileTest, IsReplacedWholeWhoeverWrites) {
  ASSERT_EQ(replace(file_, std::string(100000, 'a')), "");
  std::vector<std::thread> writers;
  for (int t = 0; t < 4; ++t) {
    writers.emplace_back([&, t] {
      const std::string text(100000, static_cast<char>('a' + t));
      for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(replace(file_, text), "");
        const std::string found = read(file_);
        ASSERT_EQ(found.size(), text.size());
        EXPECT_EQ(found, std::string(text.size(), found.front()));
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(names(), 1) << "temporary files are left";
}

TEST_F(FileTest, KeepsItsModeOrIsItsOwnersAlone) {
  ASSERT_EQ(replace(file_, "old"), "");
  for (const unsigned kept : {0640u, 0666u, 0600u}) {
    fs::permissions(file_, static_cast<fs::perms>(kept));
    EXPECT_EQ(replace(file_, "new"), "");
    EXPECT_EQ(mode(file_), kept);
  }
  fs::permissions(file_, static_cast<fs::perms>(0644));
  EXPECT_EQ(replace(file_, "ours", system::Permissions::owner_only), "");
  EXPECT_EQ(mode(file_), 0600u);
  EXPECT_EQ(replace(folder_ / "another", "ours", system::Permissions::owner_only), "");
  EXPECT_EQ(mode(folder_ / "another"), 0600u);
}

TEST_F(FileTest, IsReplacedWhereLinksLead) {
  fs::create_directory(folder_ / "real");
  fs::create_symlink("real/target", folder_ / "second");
  fs::create_symlink(folder_ / "second", file_);
  for (const std::string text : {"made", "replaced"}) {
    EXPECT_EQ(replace(file_, text), "");
    EXPECT_TRUE(fs::is_symlink(file_) && fs::is_symlink(folder_ / "second"));
    EXPECT_FALSE(fs::is_symlink(folder_ / "real" / "target"));
    EXPECT_EQ(read(folder_ / "real" / "target"), text);
  }
  fs::create_symlink("circle", folder_ / "circle");
  EXPECT_NE(replace(folder_ / "circle", "text"), "");
  EXPECT_TRUE(fs::is_symlink(folder_ / "circle"));
}

TEST_F(FileTest, IsAsBeforeWhereItIsRefused) {
  EXPECT_THAT(replace(folder_ / "missing" / "file", "text"), HasSubstr("No such file"));
  EXPECT_THAT(replace(folder_, "text"), HasSubstr("directory"));
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(replace(folder_ / "pipe", "text"), "not a regular file");
  EXPECT_TRUE(fs::is_fifo(folder_ / "pipe"));
  ASSERT_EQ(replace(file_, "old"), "");
  fs::permissions(file_, static_cast<fs::perms>(0444));
  EXPECT_NE(replace(file_, "new"), "");
  EXPECT_EQ(read(file_), "old");
  EXPECT_EQ(mode(file_), 0444u);
  EXPECT_EQ(names(), 2);
}

// Simulates a full disk with a limit on file sizes.
TEST_F(FileTest, IsAsBeforeWhereNotAllCanBeWritten) {
  ASSERT_EQ(replace(file_, "old"), "");
  struct rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit small = before;
  small.rlim_cur = 1000;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string reason = replace(file_, std::string(5000, 'x'));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(reason, HasSubstr("too large"));
  EXPECT_EQ(read(file_), "old");
  EXPECT_EQ(names(), 1);
}

TEST_F(FileTest, ThatIsNoFileIsNotRead) {
  std::string error;
  EXPECT_TRUE(system::read_file(folder_, error).empty());
  EXPECT_THAT(error, HasSubstr("not a regular file"));
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(system::read_file(folder_ / "pipe", error).empty());  // must not block
  EXPECT_THAT(error, HasSubstr("not a regular file"));
  EXPECT_TRUE(system::read_file(folder_ / "absent", error).empty());
  EXPECT_EQ(error, "");
}

}  // namespace
}  // namespace vkmoye
