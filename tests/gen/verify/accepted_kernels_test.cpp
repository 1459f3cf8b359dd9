// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/accepted_kernels.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "support/expect.hpp"
#include "support/temporary_folder.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/verify/verify.hpp"

namespace vkmoye::gen {
namespace {

namespace fs = std::filesystem;

// Not verified before: nothing else has this name.
ir::Kernel named(const std::string& name) {
  ir::Kernel kernel = find_kernel("copy/simple")->describe({ScalarType::f32});
  kernel.name = name;
  return kernel;
}

std::vector<fs::path> files_in(const test::TemporaryFolder& folder) {
  return {fs::directory_iterator(folder.path()), fs::directory_iterator()};
}

TEST(Accepted, KernelsAreKeptInAFileOfThisVersion) {
  const test::TemporaryFolder folder;
  test::write_file(folder.file("verified-0123"), "of another version");
  test::write_file(folder.file("verified-4567"), "of an old one");
  fs::last_write_time(folder.file("verified-4567"),
                      fs::file_time_type::clock::now() - std::chrono::days(31));
  test::write_file(folder.file("facts.json"), "{}");
  fs::last_write_time(folder.file("facts.json"),
                      fs::file_time_type::clock::now() - std::chrono::days(31));
  AcceptedKernels accepted;
  accepted.keep_in(folder.path());
  EXPECT_FALSE(accepted.contains(named("kept")));
  accepted.add(named("kept"));
  accepted.add(named("kept"));
  EXPECT_TRUE(accepted.contains(named("kept")));
  std::map<std::string, std::uintmax_t> sizes;
  for (const fs::path& file : files_in(folder)) {
    sizes[file.filename().string().substr(0, 13)] = fs::file_size(file);
  }
  EXPECT_EQ(sizes.size(), 3u) << "the old file is deleted";
  EXPECT_EQ(sizes["facts.json"], 2u);
  sizes.erase("facts.json");
  sizes.erase("verified-0123");
  ASSERT_EQ(sizes.size(), 1u);
  EXPECT_EQ(sizes.begin()->second, sizeof(ir::Fingerprint));
}

TEST(Accepted, KernelsOfAnotherProcessAreFound) {
  const test::TemporaryFolder folder;
  AcceptedKernels mine, others;
  mine.keep_in(folder.path());
  others.keep_in(folder.path());
  EXPECT_FALSE(mine.contains(named("later")));
  others.add(named("later"));
  EXPECT_TRUE(mine.contains(named("later")));
  EXPECT_FALSE(mine.contains(named("other")));
}

TEST(Accepted, KernelsInADamagedFileAreVerifiedAgain) {
  const test::TemporaryFolder folder;
  {
    AcceptedKernels accepted;
    accepted.keep_in(folder.path());
    accepted.add(named("kept"));
  }
  const fs::path file = files_in(folder).at(0);
  const auto starts_with = [&](const std::string& bytes) {
    test::write_file(file.string(), bytes);
    AcceptedKernels accepted;
    accepted.keep_in(folder.path());
    const bool is_kept = accepted.contains(named("kept"));
    accepted.add(named("next"));
    AcceptedKernels later;
    later.keep_in(folder.path());
    EXPECT_TRUE(later.contains(named("next")));
    return is_kept;
  };
  const std::string whole = test::read_file(file.string());
  EXPECT_TRUE(starts_with(whole));
  EXPECT_FALSE(starts_with(whole.substr(1)));
  EXPECT_FALSE(starts_with(std::string(whole.size(), '\0')));
  EXPECT_FALSE(starts_with(whole + whole.substr(3)));

  // A folder that cannot be made is not used.
  AcceptedKernels accepted;
  accepted.keep_in(file / "below a file");
  accepted.add(named("third"));
  EXPECT_TRUE(accepted.contains(named("third")));
}

TEST(Accepted, KernelsAreRightOnes) {
  ir::Kernel wrong = named("wrong");
  wrong.body.emplace_back(ir::Barrier{});
  wrong.body.emplace_back(ir::Let{"unused", ir::variable("nothing has this name")});
  for (int time = 0; time < 2; ++time) {
    EXPECT_THAT(verify(wrong), Not(IsEmpty()));
    EXPECT_FALSE(accepted_kernels().contains(wrong));
  }
}

}  // namespace
}  // namespace vkmoye::gen
