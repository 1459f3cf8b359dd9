// SPDX-License-Identifier: MIT
// --resident: kernels of several launches as one, on the host and on a device.

#include <nlohmann/json.hpp>

#include "cli/bench.hpp"
#include "cli/numpy_array.hpp"
#include "support/expect.hpp"

namespace vkmoye::test {
namespace {

using nlohmann::json;

// lavapipe runs as many workgroups at once as it has threads.
const std::vector<std::string> kFourThreads = {"LP_NUM_THREADS=4"};

TEST(Cli, ApplyWithResidentHasTheBitsOfSeveralLaunches) {
  const TemporaryFolder folder;
  const std::string in = folder.file("rows.npy");
  NumpyArray::some({1, 40000}, 3).write(in);
  const auto applied = [&](const std::string& device, const std::string& groups) {
    const std::string out = folder.file(device + groups + ".npy");
    const Outcome outcome = bench({"apply", "softmax/rows", "--device", device, "--in", in, "--out",
                                   out, "--resident", groups},
                                  kFourThreads);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return read_file(out);
  };
  EXPECT_EQ(applied("0", "3"), applied("0", "no"));
  EXPECT_EQ(applied("host", "2"), applied("host", "no"));
}

TEST(Cli, RunWithResidentIsChecked) {
  const std::string out =
      output_of({"run", "reduce/sum", "--size", "2x60000", "--resident", "4"}, kFourThreads);
  EXPECT_THAT(out, HasSubstr("reduce/sum"));
  expect_refused({"run", "copy/simple", "--resident", "4"}, "there is nothing to wait for");
  expect_refused({"run", "reduce/sum", "--resident", "many"},
                 "--resident many: needs yes, no, or a number of workgroups");
}

// Another size goes on.
TEST(Cli, ResidentIsSkippedAfterATrialThatFails) {
  const Outcome run = bench({"run", "reduce/sum", "--size", "2x60000,2x70000", "--min-time", "0",
                             "--format", "json", "--resident", "64"},
                            kFourThreads);
  const json results = json::parse(run.out)["results"];
  ASSERT_EQ(results.size(), 2u);
  for (const json& result : results) {
    EXPECT_EQ(result["skipped"],
              "64 workgroups must run at once; in a trial on this device, one timed out waiting "
              "for the others");
  }
}

}  // namespace
}  // namespace vkmoye::test
