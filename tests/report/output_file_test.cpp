// SPDX-License-Identifier: MIT
// Output files while they are written: complete or absent.

#include "io/output_file.hpp"

#include "support/expect.hpp"
#include "support/temporary_folder.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye::bench {
namespace {

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

TEST(OutputFile, HasNoNameBeforeItIsWhole) {
  const test::TemporaryFolder folder;
  for (const std::string text : {"first", "second, over the first"}) {
    const auto before = names_in(folder.path());
    OutputFile file(folder.file("out"));
    file.write(text);
    // If the program is killed now, the old file stays.
    EXPECT_EQ(names_in(folder.path()), before);
    file.commit();
    EXPECT_THAT(names_in(folder.path()), ElementsAre("out"));
    EXPECT_EQ(test::read_file(folder.file("out")), text);
  }
}

TEST(OutputFile, ThatIsNotCommittedWasNeverThere) {
  const test::TemporaryFolder folder;
  { OutputFile(folder.file("out")).write("text"); }
  EXPECT_THAT(names_in(folder.path()), IsEmpty());
}

}  // namespace
}  // namespace vkmoye::bench
