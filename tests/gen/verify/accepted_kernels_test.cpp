// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/accepted_kernels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/temporary_folder.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {
namespace {

namespace fs = std::filesystem;

class AcceptedKernels : public testing::Test {
 protected:
  ~AcceptedKernels() override {
    const char* usual = std::getenv("VKMOYE_VERIFIED_DIR");
    keep_accepted_kernels(usual == nullptr ? "" : usual);
  }
  // Not verified before: nothing else has this name.
  ir::Kernel named(const std::string& name) const {
    ir::Kernel kernel = described_;
    kernel.name = name;
    return kernel;
  }
  std::vector<fs::path> files() const {
    return {fs::directory_iterator(folder_.path()), fs::directory_iterator()};
  }

  test::TemporaryFolder folder_;
  const ir::Kernel described_ = find_kernel("copy/simple")->describe({ScalarType::f32});
};

TEST_F(AcceptedKernels, AreKeptInAFileOfThisVersion) {
  test::write_file(folder_.file("verified-0123"), "of another version");
  test::write_file(folder_.file("facts.json"), "{}");
  keep_accepted_kernels(folder_.path());
  EXPECT_FALSE(is_accepted(named("kept")));
  add_accepted(named("kept"));
  add_accepted(named("kept"));
  EXPECT_TRUE(is_accepted(named("kept")));
  ASSERT_EQ(files().size(), 2u) << "the file of the other version is deleted";
  for (const fs::path& file : files()) {
    EXPECT_EQ(fs::file_size(file), file.filename() == "facts.json" ? 2u : 16u) << file;
  }
}

TEST_F(AcceptedKernels, OfAnotherProcessAreFoundAndDamageIsNot) {
  keep_accepted_kernels(folder_.path());
  add_accepted(named("first"));
  const fs::path file = files().at(0);
  const std::string bytes = test::read_file(file.string());
  ASSERT_EQ(bytes.size(), 16u);

  // What another process appends: a kernel that this one does not know. Then half of one.
  std::string other = bytes;
  other[3] = static_cast<char>(other[3] ^ 1);
  std::ofstream(file, std::ios::binary | std::ios::app) << other << bytes.substr(8);
  EXPECT_FALSE(is_accepted(named("second")));
  EXPECT_TRUE(is_accepted(named("first")));

  // A folder that cannot be made is not used.
  keep_accepted_kernels(file / "below a file");
  add_accepted(named("third"));
  EXPECT_TRUE(is_accepted(named("third")));
}

}  // namespace
}  // namespace vkmoye::gen
