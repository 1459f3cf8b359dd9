// SPDX-License-Identifier: MIT
// gemm/auto and tune on the command line: the choices, and that their results are right.

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "cli/bench.hpp"
#include "support/expect.hpp"
#include "support/npy.hpp"
#include "support/process.hpp"
#include "vkmoye/contract/kernel_interface.hpp"

namespace vkmoye::test {
namespace {

using nlohmann::json;

const std::string kHeader = "{\n  \"table\": \"gemm/auto\",\n  \"format\": 3,\n";

// The result of `run gemm/auto`; it is skipped with a reason if the device lacks something.
json row_of(std::vector<std::string> words, const std::vector<std::string>& environment = {}) {
  words.insert(words.begin(), {"run", "gemm/auto", "--min-time", "0", "--format", "json"});
  const Outcome outcome = bench(words, environment);
  const json row = json::parse(outcome.out)["results"][0];
  if (outcome.status != 3 ||
      row.value("skipped", "").find("device lacks it") == std::string::npos) {
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  }
  return row;
}

TEST(AutoCli, RunSaysWhichKernelItWas) {
  const json thin = row_of({"--size", "3x70x64"});
  EXPECT_EQ(thin["kernel"], "gemm/auto");
  EXPECT_EQ(thin["config"]["kernel"], "gemm/thin");
  EXPECT_EQ(thin["config"]["rows"], "3");
  EXPECT_EQ(thin["verified"], true);
  EXPECT_THAT(std::string(thin["command"]), HasSubstr(" run gemm/auto --size 3x70x64 "));
  const json whole =
      row_of({"--size", "33x65x40", "--type", "f64", "--a", "m", "--b", "n", "--c", "m", "--beta",
              "2", "--batch", "2", "--epilogue", "relu", "--device", "host"});
  EXPECT_EQ(whole["config"]["kernel"], "gemm/simt");
  EXPECT_EQ(whole["verified"], true);
  const json on_host = row_of({"--size", "9x17x20", "--device", "host"});
  EXPECT_EQ(on_host["verified"], true);
}

TEST(AutoCli, ABatchOfDeepProductsIsCutIntoSlices) {
  if (!has_lavapipe()) GTEST_SKIP() << "the choice is that for lavapipe";
  const json row = row_of({"--size", "16x24x4096", "--type", "i8", "--batch", "3", "--beta", "1"});
  EXPECT_EQ(row["config"]["kernel"], "gemm/coopmat");
  EXPECT_EQ(row["config"]["split-k"], "16");
  if (row["verified"].is_null()) GTEST_SKIP() << row["skipped"];
  EXPECT_EQ(row["verified"], true);
}

TEST(AutoCli, ApplyMultipliesArrays) {
  const TemporaryFolder folder;
  const std::string a = folder.file("a.npy"), b = folder.file("b.npy"), c = folder.file("c.npy");
  const auto floats = [](std::initializer_list<float> values) {
    return std::string(reinterpret_cast<const char*>(values.begin()), 4 * values.size());
  };
  write_file(a, npy("<f4", "(1, 2)", floats({2, 3})));
  write_file(b, npy("<f4", "(3, 2)", floats({1, 0, 0, 1, 1, 1})));
  const Outcome outcome = bench({"apply", "gemm/auto", "--in", a, b, "--out", c});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read_file(c), npy("<f4", "(1, 3)", floats({2, 3, 5})));
}

TEST(AutoCli, EmitPrintsTheKernelThatWasChosen) {
  const Outcome chosen = bench({"emit", "gemm/auto", "--size", "3x4096x64"});
  EXPECT_THAT(output_of(chosen), StartsWith("// generated: gemm/thin "));
  EXPECT_EQ(chosen.out, bench({"emit", "gemm/thin", "--size", "3x4096x64"}).out);
}

// The GLSL of all kernels, each with its first line.
std::vector<std::string> kernels_in(const std::string& text) {
  const std::string head = "// generated: ";
  std::vector<std::string> names;
  for (std::size_t at = text.find(head); at != std::string::npos; at = text.find(head, at)) {
    at += head.size();
    names.push_back(text.substr(at, text.find(' ', at) - at));
  }
  return names;
}

TEST(AutoCli, EmitPrintsEveryKernelOfAPlan) {
  const TemporaryFolder folder;
  const std::vector<std::string> words = {"emit",       "gemm/simt",  "--split-k", "4",
                                          "--size",     "64x96x1000", "--batch",   "2",
                                          "--epilogue", "bias,relu"};
  const auto emitted = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    return bench(all);
  };
  const Outcome text = emitted({"--spirv", folder.file("k.spv")});
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(kernels_in(text.out), ElementsAre("gemm/simt", "gemm/combine"));
  EXPECT_THAT(text.out, HasSubstr("\n\n// generated: gemm/combine"));
  for (const char* name : {"k.1.spv", "k.2.spv"}) {
    EXPECT_EQ(read_file(folder.file(name)).substr(0, 4), std::string("\x03\x02\x23\x07", 4))
        << name;
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("k.spv")));

  const json plan = json::parse(emitted({"--interface", "-"}).out);
  EXPECT_EQ(plan["kernel"], "gemm/simt");
  EXPECT_EQ(plan["size"], json({64, 96, 1000}));
  EXPECT_EQ(plan["left_out"], json::array());
  ASSERT_EQ(plan["steps"].size(), 2u);
  const json &slices = plan["steps"][0], &whole = plan["steps"][1];
  EXPECT_EQ(whole["kernel"], "gemm/combine");
  EXPECT_EQ(slices["arguments"]["slices"], 4);
  EXPECT_EQ(slices["spirv"], nullptr);
  // The second kernel reads what the first writes; its last array is the result.
  EXPECT_EQ(slices["arrays"].back(), whole["arrays"][0]);
  EXPECT_EQ(plan["arrays"][std::size_t{whole["arrays"][0]}]["bytes"], 4 * 4 * 2 * 64 * 96);
  EXPECT_EQ(whole["arrays"].back(), plan["result"]);
  for (const json& step : plan["steps"]) {
    EXPECT_EQ(step["arrays"].size(), step["bindings"].size());
    for (const json& constant : step["push_constants"]) {
      const std::string name = constant["name"];
      const bool is_given = step["arguments"].contains(name);
      EXPECT_EQ(is_given, !is_first_group(name)) << name;
    }
  }
  const auto refused = [&](const std::vector<std::string>& more, const std::string& why) {
    expect_refused(emitted(more), why);
  };
  refused({"--spirv", "-"}, "--spirv -: the plan has 2 kernels");
  refused({"--spirv", "/dev/null"}, "--spirv /dev/null: the plan has 2 kernels");
  refused({"--spirv", folder.file("x.spv"), "--interface", folder.file("x.2.spv")},
          "the same file");
  EXPECT_FALSE(std::filesystem::exists(folder.file("x.1.spv")));
}

TEST(AutoCli, EmitPrintsTheKernelsThatPackToo) {
  const std::vector<std::string> product = {"emit", "gemm/packed", "--type", "f16,f32"};
  const Outcome unknown = bench(product);
  EXPECT_EQ(unknown.status, 0);
  EXPECT_THAT(kernels_in(unknown.out), ElementsAre("gemm/packed"));
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("left out: the kernels that pack A and B: A 16x16 f16"),
                                 HasSubstr("its fragment order has not been probed")));
  const json sliced = json::parse(
      bench({"emit", "gemm/packed", "--type", "f16,f32", "--split-k", "2", "--interface", "-"})
          .out);
  EXPECT_EQ(sliced["left_out"].size(), 1u);
  ASSERT_EQ(sliced["steps"].size(), 2u);
  EXPECT_EQ(sliced["steps"][1]["kernel"], "gemm/combine");
  const TemporaryFolder folder;
  const std::string device = folder.file("here.json");
  write_file(device, bench({"devices", "--format", "json"}).out);
  const Outcome known = [&] {
    std::vector<std::string> words = product;
    words.insert(words.end(), {"--device", device});
    return bench(words);
  }();
  if (known.status != 0 || !known.err.empty()) GTEST_SKIP() << known.err;
  EXPECT_THAT(kernels_in(known.out), ElementsAre("gemm/pack", "gemm/pack", "gemm/packed"));
}

// The same as `run`: the choice may be a plan of several kernels.
TEST(AutoCli, EmitPrintsEveryKernelThatWasChosen) {
  EXPECT_THAT(
      kernels_in(output_of({"emit", "gemm/auto", "--size", "32x24x4096", "--a", "m", "--b", "n"})),
      ElementsAre("gemm/simt", "gemm/combine"));
}

TEST(AutoCli, ExplainSaysWhichAndWhy) {
  const Outcome table = bench({"explain", "gemm/auto", "--size", "512x512x4096"});
  EXPECT_THAT(output_of(table),
              AllOf(StartsWith("chosen: gemm/simt (the general table, row "),
                    HasSubstr("): supports every size, order and type"),
                    HasSubstr("gemm/thin: needs min(m,n)<=16, but min(m,n) is 512\n"),
                    HasSubstr("\ngemm/simt  form=f32,f32,f32 a=k b=k tile=128x128x8")));
  const json report = json::parse(
      bench({"explain", "gemm/auto", "--size", "512x512x4096", "--format", "json"}).out);
  EXPECT_EQ(report["kernel"], "gemm/simt");
  EXPECT_THAT(std::string(report["choice"][0]), StartsWith("chosen: gemm/simt "));
}

TEST(AutoCli, OptionsOfTheKernelAreRefusedWithItsName) {
  for (const char* command : {"run", "emit", "explain"}) {
    const Outcome outcome = bench({command, "gemm/auto", "--tile", "64x64x8"});
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_THAT(
        outcome.err,
        AllOf(HasSubstr("--tile is an option of the kernel that gemm/auto chooses, here gemm/"),
              HasSubstr("name that kernel to change it")));
  }
}

// --- the user's tables ---

class TableCli : public testing::Test {
 protected:
  std::vector<std::string> environment() const { return {"VKMOYE_GEMM_TABLE=" + table_}; }

  void add_rows(const std::vector<json>& rows) const {
    json table = json::parse(read_file(table_));
    for (const json& row : rows) table["rows"].push_back(row);
    write_file(table_, table.dump());
  }

  TemporaryFolder folder_;
  std::string table_ = folder_.file("mine.json");
};

TEST_F(TableCli, TuneWritesWhatLaterRunsRead) {
  const Outcome tuned = bench({"tune", "gemm", "--size", "64x64x64", "--budget", "1", "--table",
                               table_, "--format", "json"});
  ASSERT_EQ(tuned.status, 0) << tuned.err;
  const json rows = json::parse(tuned.out)["results"];
  ASSERT_GE(rows.size(), 1u);
  EXPECT_GE(double{rows[0]["ratio"]["auto"]}, 1);
  for (const json& row : rows) EXPECT_EQ(row["verified"], true);
  EXPECT_THAT(tuned.err, HasSubstr("gemm/auto reads " + table_));
  const std::string text = read_file(table_);
  EXPECT_THAT(text, AllOf(StartsWith(kHeader + "  \"device\": "),
                          HasSubstr("\n    {\"types\":[\"f32,f32,f32\"],\"where\":{\"m\":64,"
                                    "\"n\":64,\"k\":64,\"batch\":1,\"a\":\"k\",\"b\":\"k\","
                                    "\"beta\":false,\"epilogue\":[]},\"kernel\":\"gemm/")));
  const Outcome again = run({"sh", "-c", std::string(rows[0]["command"]) + " --min-time 0"});
  EXPECT_EQ(again.status, 0) << again.err;

  const json row = row_of({"--size", "64"}, environment());
  EXPECT_EQ(row["config"]["kernel"], rows[0]["kernel"]);
  const std::string device = std::string(json::parse(tuned.out)["device"]["name"]).substr(0, 8);
  const Outcome why = run({"env", environment()[0], bench_program(), "explain", "gemm/auto",
                           "--size", "64", "--device", device});
  EXPECT_THAT(why.out,
              AllOf(StartsWith("chosen: "), HasSubstr(" (" + table_ + ", row 1): measured: ")));
}

TEST_F(TableCli, ARowOfTheUsersIsTakenFirst) {
  ASSERT_EQ(bench({"tune", "gemm", "--size", "8x8x8", "--budget", "0", "--table", table_}).status,
            0);
  add_rows({{{"types", {"f32,f32"}},
             {"where", {{"m", {20, nullptr}}}},
             {"kernel", "gemm/simt"},
             {"options", {{"tile", "7x7x7"}}}},
            {{"types", {"f32,f32"}},
             {"where", {{"m", {20, nullptr}}}},
             {"kernel", "gemm/moye_simple"},
             {"options", {{"split-k", "2"}}}}});
  const json row = row_of({"--size", "24x24x24"}, environment());
  EXPECT_EQ(row["config"]["kernel"], "gemm/moye_simple");
  EXPECT_EQ(row["config"]["split-k"], "2");
  EXPECT_EQ(row["verified"], true);
  const json batch = row_of(
      {"--size", "24x25x26", "--batch", "3", "--epilogue", "bias,relu", "--c", "m"}, environment());
  EXPECT_EQ(batch["config"]["kernel"], "gemm/moye_simple");
  EXPECT_EQ(batch["config"]["split-k"], "2");
  EXPECT_EQ(batch["verified"], true);
}

// Tuned for plain products, and used for those with an epilogue that no candidate had.
TEST_F(TableCli, WhatWasTunedForOneEpilogueIsUsedForNoOther) {
  if (!has_lavapipe()) GTEST_SKIP() << "no lavapipe to describe the choice for";
  ASSERT_EQ(
      bench({"tune", "gemm", "--size", "24x25x26", "--budget", "0", "--table", table_}).status, 0);
  const auto choice = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"explain",  "gemm/auto", "--size",   "24x25x26",
                                      "--format", "json",      "--device", "llvmpipe"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = bench(words, environment());
    return outcome.status == 0 ? std::string(json::parse(outcome.out)["choice"][0]) : outcome.err;
  };
  EXPECT_THAT(choice({}), HasSubstr(table_));
  for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{
           {"--epilogue", "relu"}, {"--beta", "1"}, {"--c", "m"}, {"--type", "f16,f32,f16"}}) {
    EXPECT_THAT(choice({option, value}), Not(HasSubstr(table_))) << option;
  }
}

TEST_F(TableCli, AWrongRowIsPassedOverInOneLine) {
  ASSERT_EQ(bench({"tune", "gemm", "--size", "8x8x8", "--budget", "0", "--table", table_}).status,
            0);
  add_rows(std::vector<json>(20, {{"kernel", "gemm/simt"}, {"options", {{"tile", "big"}}}}));
  const Outcome outcome =
      bench({"run", "gemm/auto", "--size", "8", "--min-time", "0"}, environment());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(StartsWith("vkmoye-bench: passed over: " + table_ +
                                            ", row 2: gemm/simt: tile 'big': expected"),
                                 EndsWith("passed over: 12 more rows\n")));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 9) << outcome.err;
}

// As for every command, --output is the report.
TEST_F(TableCli, TuneWritesItsReportIntoAFile) {
  const std::string report = folder_.file("report.json");
  std::vector<std::string> words = {"tune", "gemm",    "--size", "8",        "--budget",
                                    "0",    "--table", table_,   "--format", "json"};
  const auto tuned = [&](const std::string& output) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--output", output});
    return bench(all);
  };
  EXPECT_EQ(output_of(tuned(report)), "");
  EXPECT_GE(json::parse(read_file(report))["results"].size(), 1u);
  EXPECT_THAT(read_file(table_), StartsWith(kHeader));
  const std::string before = read_file(table_);
  const auto refused = [&](const std::string& file) {
    expect_refused(tuned(file), "--table that of the table");
  };
  refused(table_);
  EXPECT_EQ(read_file(table_), before);
  words[7] = folder_.file("both");
  refused(folder_.file("./both"));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("both")));
}

TEST_F(TableCli, WhatCannotBeReadIsIgnoredInOneLine) {
  for (const char* text : {"",
                           "\x7f"
                           "ELF",
                           R"({"table": "gemm/auto", "format": 2, "rows": []})",
                           R"({"table": "gemm/auto", "format": 3, "device": "another"})"}) {
    write_file(table_, text);
    const Outcome outcome =
        bench({"run", "gemm/auto", "--size", "8", "--min-time", "0"}, environment());
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, StartsWith("vkmoye-bench: " + table_ + " is ignored: "));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

TEST_F(TableCli, WhatCannotBeTunedIsRefused) {
  const auto refused = [&](std::vector<std::string> words, const std::string& why) {
    words.insert(words.begin(), "tune");
    words.insert(words.end(), {"--table", table_});
    expect_refused(words, why);
    EXPECT_FALSE(std::filesystem::exists(table_));
  };
  refused({"copy/auto", "--size", "8"}, "only gemm can be tuned");
  refused({"gemm"}, "--size");
  refused({"gemm", "--size", "0x4x4"}, "has no work to time");
  refused({"gemm", "--size", "4x4"}, "has 2 extents");
  refused({"gemm", "--size", "8", "--budget", "-1"}, "--budget '-1': expected a number of seconds");
  refused({"gemm", "--size", "8", "--split-k", "2"}, "--split-k: tune searches its values itself");
  refused({"gemm", "--size", "8", "--device", "host"}, "kernels cannot be timed on the host");
  refused({"--size", "8", "--device", "host"}, "kernels cannot be timed on the host");
}

TEST_F(TableCli, WhereNothingRunsNothingIsWritten) {
  // C alone has 720 GB.
  expect_refused({"tune", "gemm", "--size", "300000x300000x8", "--type", "f64", "--budget", "1",
                  "--table", table_},
                 "its arrays have 720038400000 bytes", 3);
  EXPECT_FALSE(std::filesystem::exists(table_));
}

}  // namespace
}  // namespace vkmoye::test
