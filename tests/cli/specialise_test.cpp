// SPDX-License-Identifier: MIT
// --specialise: sizes as specialisation constants, in kernels that emit writes and in those that run measures.

#include <nlohmann/json.hpp>

#include "cli/bench.hpp"
#include "support/expect.hpp"
#include "support/process.hpp"

namespace vkmoye::test {
namespace {

using nlohmann::json;

const std::vector<std::string> kWithoutVulkan = {"VK_DRIVER_FILES=/nonexistent"};

TEST(SpecialiseCli, EmitPrintsConstants) {
  EXPECT_THAT(output_of({"emit", "copy/simple", "--specialise", "cols"}),
              AllOf(HasSubstr("layout(constant_id = 0) const uint cols = 1u;"),
                    HasSubstr("uniform Arguments { uint rows,"),
                    HasSubstr("emit copy/simple --type f32 --specialise cols")));
  const Outcome all = bench({"emit", "copy/simple", "--specialise", "all"});
  EXPECT_THAT(all.out, HasSubstr("layout(constant_id = 1) const uint rows = 1u;"));
  EXPECT_THAT(output_of({"emit", "copy/simple", "--size", "4x8", "--sizes-from-buffer", "rows",
                         "--specialise", "all"}),
              AllOf(HasSubstr("const uint cols = 1u;"), Not(HasSubstr("uint rows = 1u")),
                    HasSubstr("buffer Checked { uint rows; }")));
}

// One file, so one SPIR-V, for all sizes.
TEST(SpecialiseCli, AFileIsVerifiedAtEachSize) {
  const TemporaryFolder folder;
  const std::string file = folder.file("k.json");
  const Outcome emitted =
      bench({"emit", "gemm/moye_simple", "--specialise", "n,k,lda", "--kernel", file});
  ASSERT_EQ(emitted.status, 0) << emitted.err;
  const json whole = json::parse(read_file(file));
  EXPECT_EQ(whole["version"], 2);
  EXPECT_EQ(whole["kernel"]["interface"]["specialised"][2]["name"], "lda");
  const json report =
      json::parse(output_of({"run", "--kernel", file, "--reference", "gemm", "--size",
                             "33x65x17,1x1x1,64x32x8", "--min-time", "0", "--format", "json"}));
  ASSERT_EQ(report["results"].size(), 3u);
  for (const json& row : report["results"]) EXPECT_EQ(row["verified"], true) << row;
}

// A plan is for one size, whose values are among the arguments of its steps.
TEST(SpecialiseCli, APlanHasTheValues) {
  const TemporaryFolder folder;
  const std::string file = folder.file("p.json");
  const Outcome emitted = bench({"emit", "gemm/simt", "--split-k", "4", "--size", "40x24x130",
                                 "--specialise", "k,n", "--kernel", file});
  ASSERT_EQ(emitted.status, 0) << emitted.err;
  const json whole = json::parse(read_file(file));
  EXPECT_EQ(whole["version"], 3);
  const json& step = whole["plan"]["steps"][0];
  EXPECT_EQ(step["kernel"]["interface"]["specialised"].size(), 2u);
  EXPECT_EQ(step["arguments"]["k"], 130);
}

// Arguments that a size of 0 makes 0 stay push constants.
TEST(SpecialiseCli, RunVerifiesAndSaysHowToRepeatIt) {
  const json results = json::parse(output_of(
      {"run", "transpose/padded", "--specialise", "all", "--size", "33x65,0x5", "--baseline",
       "transpose/simple,pattern", "--min-time", "0", "--format", "json"}))["results"];
  ASSERT_EQ(results.size(), 2u);
  for (const json& row : results) {
    EXPECT_EQ(row["verified"], true) << row;
    EXPECT_THAT(std::string(row["command"]), HasSubstr(" --specialise all"));
  }
  EXPECT_EQ(results[0]["config"]["specialised"], "cols,rows") << results[0];
  EXPECT_EQ(results[1]["config"]["specialised"], "cols") << results[1];
  EXPECT_TRUE(results[0]["ratio"].contains("transpose/simple")) << results[0];
  EXPECT_TRUE(results[0]["ratio"].contains("pattern")) << results[0];
}

TEST(SpecialiseCli, RunsOnTheHost) {
  for (const char* size : {"33x20x17", "1x1x1"}) {
    EXPECT_EQ(json::parse(output_of({"run", "gemm/moye_simple", "--device", "host", "--specialise",
                                     "m,k", "--size", size, "--format", "json"},
                                    kWithoutVulkan))["results"][0]["verified"],
              true);
  }
}

// A size that cannot be a constant is skipped; the others run.
TEST(SpecialiseCli, SkipsASizeOf0) {
  for (const bool on_host : {false, true}) {
    std::vector<std::string> words = {"run",  "copy/simple", "--size", "0x5,4x5",  "--specialise",
                                      "rows", "--min-time",  "0",      "--format", "json"};
    if (on_host) words.insert(words.end(), {"--device", "host"});
    const Outcome outcome = bench(words);
    const json results = json::parse(outcome.out)["results"];
    ASSERT_EQ(results.size(), 2u) << outcome.err;
    EXPECT_THAT(std::string(results[0]["skipped"]), HasSubstr("rows = 0 is outside 1..2^32-1"));
    EXPECT_EQ(results[1]["verified"], true) << outcome.out;
  }
}

TEST(SpecialiseCli, RefusesWithTheReason) {
  expect_refused({"emit", "copy/simple", "--specialise", "cols,height"},
                 AllOf(HasSubstr("--specialise: copy/simple"),
                       HasSubstr("'height' is not a size of the kernel (cols, rows)")));
  expect_refused({"emit", "copy/simple", "--specialise", "cols,cols,height"},
                 AllOf(HasSubstr("cols is named twice"), HasSubstr("'height' is not a size")));
  expect_refused({"run", "transpose/auto", "--size", "20001x7", "--specialise", "rows"},
                 "(it has none that is an argument)");
  expect_refused({"emit", "copy/simple", "--specialise", ""}, "--specialise has an empty value");
  expect_refused({"run", "copy/simple", "--bake", "--specialise", "all"},
                 "--bake and --specialise are two ways");
  const TemporaryFolder folder;
  const std::string file = folder.file("k.json");
  ASSERT_EQ(bench({"emit", "copy/simple", "--kernel", file}).status, 0);
  expect_refused({"run", "--kernel", file, "--reference", "copy", "--specialise", "all"},
                 "emit --specialise writes a file of such a kernel");
}

}  // namespace
}  // namespace vkmoye::test
