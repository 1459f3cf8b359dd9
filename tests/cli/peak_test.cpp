// SPDX-License-Identifier: MIT
// peak: the ceilings of a device, and the file that keeps them.

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/bench.hpp"
#include "support/expect.hpp"
#include "support/process.hpp"

namespace vkmoye::test {
namespace {

using nlohmann::json;

// In a cache folder of its own.
class PeakCli : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_lavapipe()) GTEST_SKIP() << "lavapipe is not installed";
  }
  Outcome peak(std::vector<std::string> words) const {
    words.insert(words.begin(), {"peak", "--device", "llvmpipe"});
    return bench(words, {"VKMOYE_CACHE_DIR=" + folder_.path()});
  }
  Outcome explain(std::vector<std::string> words) const {
    words.insert(words.begin(), {"explain", "gemm/simt", "--size", "256", "--device", "llvmpipe"});
    return bench(words, {"VKMOYE_CACHE_DIR=" + folder_.path()});
  }
  // The shortest time of a product follows from the ceilings of `measured`.
  void expect_time_by(const json& measured) const {
    double copy = 0, multiply_adds = 0;
    for (const json& one : measured["ceilings"]) {
      if (one["ceiling"] == "copy") copy = one["median"];
      if (one["ceiling"] == "multiply-add" && one["type"] == "f32") multiply_adds = one["median"];
    }
    const json report = json::parse(explain({"--format", "json"}).out);
    const double bytes = 3 * 256 * 256 * 4, flops = 2.0 * 256 * 256 * 256;
    EXPECT_EQ(report["work"]["bytes"], bytes);
    EXPECT_EQ(report["work"]["flops"], flops);
    EXPECT_DOUBLE_EQ(report["work"]["flops_per_byte"], flops / bytes);
    const json& time = report["shortest_time"];
    ASSERT_EQ(time["units"].size(), 2u) << time;
    EXPECT_DOUBLE_EQ(time["units"][0]["time_us"], bytes / (copy * 1e3));
    EXPECT_DOUBLE_EQ(time["units"][1]["time_us"], flops / (multiply_adds * 1e6));
    EXPECT_DOUBLE_EQ(time["time_us"],
                     std::max(bytes / (copy * 1e3), flops / (multiply_adds * 1e6)));
    EXPECT_EQ(time["not_counted"], nullptr);
    EXPECT_EQ(time["why_none"], nullptr);
    EXPECT_THAT(explain({}).out, AllOf(HasSubstr("\nshortest time: "), HasSubstr("limited by ")));
    EXPECT_THAT(explain({"--format", "markdown"}).out, HasSubstr("\n- shortest time: "));
  }
  // The file that a run has kept; "": there is none.
  std::string kept_file() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      if (entry.path().filename().string().starts_with("peak-llvmpipe")) return entry.path();
    }
    return "";
  }
  TemporaryFolder folder_;
};

TEST_F(PeakCli, MeasuresOnceAndKeepsWhatItFound) {
  const json measured = json::parse(output_of(peak({"--min-time", "0", "--format", "json"})));
  EXPECT_EQ(measured["schema"], 1);
  EXPECT_EQ(measured["measured_now"], true);
  EXPECT_THAT(std::string(measured["device"]["name"]), HasSubstr("llvmpipe"));
  EXPECT_EQ(measured["file"], kept_file());
  std::set<std::string> names;
  for (const json& one : measured["ceilings"]) {
    names.insert(std::string(one["ceiling"]) +
                 (one["type"].is_null() ? "" : " " + std::string(one["type"])));
    ASSERT_EQ(one["skipped"], nullptr) << one;
    EXPECT_GT(one["p5"], 0);
    EXPECT_LE(one["p5"], one["median"]);
    EXPECT_LE(one["median"], one["p95"]);
    EXPECT_GE(one["samples"], 1);
    const bool is_of_bytes = one["type"].is_null();
    EXPECT_EQ(one["unit"] == "GB/s", is_of_bytes) << one;
  }
  for (const char* name : {"copy", "l2", "shared", "multiply-add f32", "multiply-add f16",
                           "multiply-add f64", "multiply-add i32", "matrix f16,f32"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }

  const json read = json::parse(peak({"--format", "json"}).out);
  EXPECT_EQ(read["measured_now"], false);
  EXPECT_EQ(read["ceilings"], measured["ceilings"]);
  EXPECT_EQ(read["measured"], measured["measured"]);
  EXPECT_THAT(output_of(peak({})),
              AllOf(HasSubstr("--again"), HasSubstr("\nshared memory "),
                    HasSubstr("\nmatrix units f16,f32 "), HasSubstr(" TFLOP/s "),
                    HasSubstr("This device is a CPU")));

  expect_time_by(measured);

  // A digit that was changed, the file of another driver, half a file, another file.
  const std::string text = read_file(kept_file());
  std::string changed = text, foreign = text;
  changed.insert(changed.find("\"median\": ") + 10, "9");
  foreign.replace(foreign.find("llvmpipe Mesa"), 8, "lavapipe");
  const std::string kDamaged = " is ignored: it is damaged: its checksum does not agree";
  const std::pair<std::string, std::string> contents[] = {
      {changed, kDamaged},
      {foreign, kDamaged},
      {text.substr(0, text.size() / 2), " is ignored: "},
      {"", " is ignored: it is empty"},
      {"{}", " is ignored: it is not a file of ceilings"}};
  for (const auto& [content, why] : contents) {
    write_file(kept_file(), content);
    const Outcome explained = explain({});
    EXPECT_EQ(explained.status, 0);
    EXPECT_THAT(explained.err, HasSubstr(why));
    EXPECT_THAT(explained.out, HasSubstr("peak --device llvmpipe' measures what"));
  }
  write_file(kept_file(), changed);
  const Outcome again = peak({"--min-time", "0", "--format", "json"});
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.err, HasSubstr(kDamaged + "; it is replaced\n"));
  EXPECT_EQ(json::parse(again.out)["measured_now"], true);
  EXPECT_EQ(json::parse(peak({"--format", "json"}).out)["measured_now"], false);
}

TEST(Peak, IsOfARealDevice) {
  const auto refused = [](const char* device, const char* why) {
    expect_refused({"peak", "--device", device}, AllOf(HasSubstr(why), Not(HasSubstr("Usage"))));
  };
  refused("host", "peak: kernels cannot be timed on the host");
  refused("some.json", "a saved description cannot run kernels");
  refused("llvmpie", "did you mean 'llvmpipe'?");
  EXPECT_EQ(bench({"peak"}, {"VK_DRIVER_FILES=/nowhere"}).status, 3);
  EXPECT_EQ(bench({"peak", "--format", "xml"}).status, 2);
}

}  // namespace
}  // namespace vkmoye::test
