// SPDX-License-Identifier: MIT
// The descriptions of devices that come with the program, by their names. tests/workloads asks each of them about every
// kernel.

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/bench.hpp"
#include "support/expect.hpp"
#include "support/process.hpp"

namespace vkmoye::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path folder_of_descriptions() { return fs::path(bench_program()).parent_path() / "devices"; }

class ShippedDescriptionsCli : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(folder_of_descriptions())) GTEST_SKIP() << "no descriptions beside the program";
  }
};

std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_of_descriptions())) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Without Vulkan, so that the name cannot be that of a device.
Outcome without_vulkan(const std::vector<std::string>& arguments) {
  return bench(arguments, {"VK_DRIVER_FILES=/absent.json", "VK_ICD_FILENAMES=/absent.json"});
}

TEST_F(ShippedDescriptionsCli, EachSaysWhereItsFactsComeFrom) {
  EXPECT_GE(shipped_names().size(), 9u);
  for (const std::string& name : shipped_names()) {
    const json all = json::parse(read_file(folder_of_descriptions() / (name + ".json")));
    EXPECT_GT(all.value("facts", "").size(), 40u) << name;
    EXPECT_EQ(all["devices"].size(), 1u) << name;
  }
}

TEST_F(ShippedDescriptionsCli, NamesStandForTheirFiles) {
  for (const std::string& name : shipped_names()) {
    SCOPED_TRACE(name);
    for (const char* kernel : {"transpose/padded", "softmax/rows", "gemm/moye_simple"}) {
      SCOPED_TRACE(kernel);
      EXPECT_THAT(output_of(without_vulkan({"emit", kernel, "--device", name})),
                  HasSubstr("#version 460"));
      EXPECT_THAT(output_of(without_vulkan({"explain", kernel, "--device", name})),
                  HasSubstr(kernel));
    }
    const std::string file = folder_of_descriptions() / (name + ".json");
    EXPECT_EQ(without_vulkan({"emit", "copy/auto", "--device", name}).out,
              without_vulkan({"emit", "copy/auto", "--device", file}).out);
  }
}

TEST_F(ShippedDescriptionsCli, ARefusalNamesTheDevice) {
  const Outcome refused =
      without_vulkan({"emit", "gemm/coopmat", "--type", "f16,f32", "--device", "vega20"});
  EXPECT_NE(refused.status, 0);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("gemm/coopmat"), HasSubstr("matri")));
  const Outcome list =
      without_vulkan({"list", "gemm/simt", "--format", "json", "--device", "Vega20"});
  EXPECT_EQ(list.status, 0) << list.err;
}

TEST_F(ShippedDescriptionsCli, AnUnknownNameGetsTheList) {
  const std::vector<std::string> arguments = {"emit", "copy/simple", "--device", "navi3"};
  for (const Outcome& outcome : {bench(arguments), without_vulkan(arguments)}) {
    EXPECT_NE(outcome.status, 0);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("and these are described without being there: ampere"),
                                   HasSubstr(" navi31 "), HasSubstr("did you mean 'navi3")));
  }
}

TEST_F(ShippedDescriptionsCli, ADeviceThatIsThereComesFirst) {
  if (!has_lavapipe()) GTEST_SKIP() << "no llvmpipe";
  const TemporaryFolder folder;
  fs::create_directory(folder.file("devices"));
  fs::copy_file(bench_program(), folder.file("vkmoye-bench"));
  fs::copy_file(folder_of_descriptions() / "rtx4090.json", folder.file("devices/llvmpipe.json"));
  fs::copy_file(folder_of_descriptions() / "rtx4090.json", folder.file("devices/other.json"));
  const auto explained = [&](const std::string& device) {
    return run({folder.file("vkmoye-bench"), "explain", "transpose/padded", "--device", device})
        .out;
  };
  EXPECT_THAT(explained("llvmpipe"), Not(HasSubstr("RTX 4090")));
  EXPECT_EQ(explained("llvmpipe"),
            bench({"explain", "transpose/padded", "--device", "llvmpipe"}).out);
  EXPECT_NE(explained("llvmpipe"), explained("other"));
}

TEST_F(ShippedDescriptionsCli, RunsNothing) {
  expect_refused({"run", "copy/simple", "--device", "navi31"},
                 "a saved description cannot run kernels");
}

}  // namespace
}  // namespace vkmoye::test
