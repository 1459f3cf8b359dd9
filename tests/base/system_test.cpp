// SPDX-License-Identifier: MIT
// What src/vkmoye/system promises on every system.

#include <optional>
#include <random>

#include "support/expect.hpp"
#include "vkmoye/system/environment.hpp"
#include "vkmoye/system/folder_lock.hpp"
#include "vkmoye/system/library.hpp"
#include "vkmoye/system/signal_handler.hpp"
#include "vkmoye/system/terminal.hpp"

namespace vkmoye::system {
namespace {

namespace fs = std::filesystem;

TEST(System, LocksAFolderForOne) {
  const fs::path folder =
      fs::temp_directory_path() / ("lock_test_" + std::to_string(std::random_device{}()));
  using enum LockableFolder::Outcome;
  EXPECT_EQ(LockableFolder(folder).try_lock(), impossible) << "it does not exist";
  fs::create_directory(folder);
  {
    std::optional<LockableFolder> first(folder);
    LockableFolder second(folder);
    EXPECT_EQ(first->try_lock(), locked);
    EXPECT_EQ(second.try_lock(), busy);
    first.reset();
    EXPECT_EQ(second.try_lock(), locked);
  }
  fs::remove_all(folder);
}

TEST(System, SaysWhichLibraryIsAbsent) {
  std::string why;
  EXPECT_EQ(open_library("no-such-library", why), nullptr);
  EXPECT_THAT(why, HasSubstr("no-such-library"));
}

TEST(System, AnAbsentVariableIsEmpty) {
  EXPECT_TRUE(path_variable("VKMOYE_NO_SUCH_VARIABLE").empty());
  EXPECT_FALSE(path_variable("PATH").empty());
}

TEST(System, AStreamThatLeadsToNoTerminalHasNoColumns) {
  for (const Stream stream : {Stream::input, Stream::output, Stream::error}) {
    if (!is_terminal(stream)) {
      EXPECT_EQ(terminal_columns(stream), 0u);
    }
  }
}

TEST(System, ASignalThatDoesNotComeCallsNothing) {
  for (int i = 0; i < 3; ++i) {
    const SignalHandler none([] { FAIL() << "there was no signal"; });
  }
}

}  // namespace
}  // namespace vkmoye::system
