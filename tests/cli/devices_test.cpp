// SPDX-License-Identifier: MIT
// devices: the facts about each device, the results of probes, and descriptions of devices of other machines.

#include <nlohmann/json.hpp>

#include "cli/bench.hpp"
#include "support/expect.hpp"
#include "support/process.hpp"

namespace vkmoye::test {
namespace {

using nlohmann::json;

json described(const std::vector<std::string>& environment = {}) {
  return json::parse(output_of({"devices", "--format", "json"}, environment));
}

// The first device with matrix units; null: there is none.
json device_with_matrices(const json& all) {
  for (const json& device : all["devices"]) {
    if (!device["matrix_shapes"].empty()) return device;
  }
  return {};
}

TEST(DevicesCli, EveryOperandHasALayoutOrAReason) {
  const json device = device_with_matrices(described());
  if (device.is_null()) GTEST_SKIP() << "no device with matrices";
  ASSERT_FALSE(device["fragments"].empty());
  for (const json& shape : device["matrix_shapes"]) EXPECT_TRUE(shape["verdicts"].is_array());
  const std::string text = bench({"devices"}).out;
  for (const json& row : device["fragments"]) {
    EXPECT_THAT(text, HasSubstr(std::string(row["matrix"])));
    EXPECT_THAT(text,
                HasSubstr(std::string(row["layout"].is_null() ? row["reason"] : row["layout"])));
  }
}

// The second run needs no probe; a damaged file is replaced.
TEST(DevicesCli, OrdersAreKeptBesideThePipelineCache) {
  const TemporaryFolder folder;
  const std::vector<std::string> environment = {"VKMOYE_CACHE_DIR=" + folder.path()};
  const json first = described(environment);
  if (device_with_matrices(first).is_null()) GTEST_SKIP() << "no device with matrices";
  const std::string file = folder.file("matrices.tsv"), kept = read_file(file);
  EXPECT_THAT(kept, AllOf(HasSubstr("order of A "), HasSubstr("order of B ")));
  EXPECT_EQ(described(environment), first);
  EXPECT_EQ(read_file(file), kept);

  std::string damaged = kept;
  damaged.replace(damaged.find("order of A "), 9, "order of ");
  damaged.resize(damaged.size() - 7);
  write_file(file, damaged);
  EXPECT_EQ(described(environment), first);
  EXPECT_EQ(read_file(file).size(), kept.size());
  write_file(file, std::string(1000, '\xff'));
  EXPECT_EQ(described(environment), first);
  EXPECT_EQ(read_file(file), kept);
}

TEST(DevicesCli, ADescriptionStandsForItsDevice) {
  const TemporaryFolder folder;
  json device = device_with_matrices(described());
  if (device.is_null()) GTEST_SKIP() << "no device with matrices";
  const std::string file = folder.file("there.json");
  const auto emit = [&](const json& all) {
    write_file(file, all.dump());
    return bench({"emit", "gemm/coopmat", "--type", "f16,f32", "--device", file});
  };
  EXPECT_EQ(
      output_of(emit({{"schema", 1}, {"devices", {device}}})),
      bench({"emit", "gemm/coopmat", "--type", "f16,f32", "--device", std::string(device["name"])})
          .out);

  const auto refused = [&](const json& all, const std::string& text) {
    expect_refused(emit(all), AllOf(HasSubstr(file), HasSubstr(text)));
  };
  refused({{"schema", 1}, {"devices", {device, device}}}, "describes 2 devices");
  refused({{"schema", 2}, {"devices", {device}}}, "is not a description");
  refused("text", "is not a description");
  json wrong = device;
  wrong["subgroup_size"] = -1;
  wrong["type"] = "toaster";
  wrong.erase("driver");
  wrong["matrix_shapes"][0]["m"] = 1e10;
  wrong["fragment_orders"][0]["places"] = "0 1 1 2";
  wrong["fragment_orders"][1]["rows"] = 4294967295u;
  refused({{"schema", 1}, {"devices", {wrong}}}, "subgroup_size is -1");
  for (const char* reason :
       {"driver is missing", "type 'toaster' is unknown", "m is 10000000000.0",
        "fragment_orders[0] does not give", "fragment_orders[1] does not give"}) {
    refused({{"schema", 1}, {"devices", {wrong}}}, reason);
  }
  write_file(file, R"({"schema": 1, "devices": [)");
  EXPECT_THAT(bench({"emit", "copy/simple", "--device", file}).err,
              HasSubstr("is not a description"));
  EXPECT_THAT(bench({"emit", "copy/simple", "--device", folder.file("none.json")}).err,
              HasSubstr("cannot be read: No such file"));
  const Outcome run = bench({"run", "copy/simple", "--device", file});
  expect_refused(run, "a saved description cannot run kernels");
}

}  // namespace
}  // namespace vkmoye::test
