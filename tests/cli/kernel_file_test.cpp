// SPDX-License-Identifier: MIT
// Kernels as files: emit --kernel writes them, run --kernel checks them against a reference.

#include "vkmoye/contract/kernel_file.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/bench.hpp"
#include "support/expect.hpp"
#include "support/process.hpp"
#include "vkmoye/contract/compiled_file.hpp"

namespace vkmoye::test {
namespace {

using nlohmann::json;

class KernelFileCli : public testing::Test {
 protected:
  std::string emitted(std::vector<std::string> words, const std::string& name = "k.json") {
    const std::string file = folder.file(name);
    words.insert(words.begin(), "emit");
    words.insert(words.end(), {"--kernel", file});
    const Outcome outcome = bench(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return file;
  }
  static Outcome run_file(const std::string& file, std::vector<std::string> words) {
    words.insert(words.begin(), {"run", "--kernel", file, "--min-time", "0", "--format", "json"});
    return bench(words);
  }
  static void expect_verified(const std::string& file, const std::vector<std::string>& words,
                              std::size_t rows) {
    const json report = json::parse(output_of(run_file(file, words)));
    ASSERT_EQ(report["results"].size(), rows);
    for (const json& row : report["results"]) {
      EXPECT_EQ(row["verified"], true) << row;
      EXPECT_GT(row["time_us"]["median"], 0.0);
      EXPECT_THAT(
          std::string(row["command"]),
          AllOf(HasSubstr(" run --kernel " + file + " --reference "), HasSubstr(" --size ")));
    }
  }
  TemporaryFolder folder;
};

// If C has m contiguous, A and B are exchanged in the kernel, and nowhere else.
TEST_F(KernelFileCli, TakesOperandsThatChangePlaces) {
  expect_verified(emitted({"gemm/simt", "--c", "m", "--b", "n"}),
                  {"--reference", "gemm", "--c", "m", "--a", "k", "--b", "n", "--size", "33x20x17"},
                  1);
}

TEST_F(KernelFileCli, OfSeveralKernelsIsAPlan) {
  const std::string file =
      emitted({"gemm/simt", "--split-k", "4", "--size", "40x24x130", "--alpha", "0.5"}, "p.json");
  const json whole = json::parse(read_file(file)), plan = whole["plan"];
  EXPECT_EQ(whole["format"], "vkmoye plan");
  EXPECT_EQ(plan["name"], "gemm/simt");
  EXPECT_EQ(plan["arrays"], json::parse(R"([{"name": "A", "bytes": 20800},
      {"name": "B", "bytes": 12480}, {"name": "C", "bytes": 3840}])"));
  EXPECT_EQ(plan["scratch"], json::parse(R"([{"name": "sums of slices", "bytes": 15360}])"));
  ASSERT_EQ(plan["steps"].size(), 2u);
  EXPECT_EQ(plan["steps"][0]["arrays"], json({0, 1, 3}));
  EXPECT_EQ(plan["steps"][1]["arguments"]["alpha"], "0.5");
  expect_refused({"run", "--kernel", file, "--reference", "gemm"}, "is a plan of 2 kernels");
  expect_refused({"emit", "gemm/packed", "--type", "f16,f32", "--kernel", folder.file("q.json")},
                 "emit --kernel: a file needs every step, and some are missing");
}

// Arrays in the order of the command line, for the maxima, then the sizes and the status.
TEST_F(KernelFileCli, TakesSizesFromABuffer) {
  const std::string file = emitted(
      {"gemm/moye_simple", "--size", "40x24x130", "--sizes-from-buffer", "m,k", "--alpha", "0.5"});
  const json plan = json::parse(read_file(file))["plan"];
  EXPECT_EQ(plan["name"], "gemm/moye_simple");
  EXPECT_EQ(plan["arrays"], json::parse(R"([{"name": "A", "bytes": 20800},
      {"name": "B", "bytes": 12480}, {"name": "C", "bytes": 3840}, {"name": "sizes", "bytes": 8},
      {"name": "status", "bytes": 4}])"));
  EXPECT_EQ(plan["scratch"], json::parse(R"([{"name": "command", "bytes": 12},
      {"name": "checked", "bytes": 8}])"));
  ASSERT_EQ(plan["steps"].size(), 2u);
  EXPECT_EQ(plan["steps"][0]["kernel"]["interface"]["kernel"], "sizes/check");
  EXPECT_EQ(plan["steps"][0]["arrays"], json({3, 4, 5, 6}));
  EXPECT_FALSE(plan["steps"][0].contains("indirect"));
  EXPECT_EQ(plan["steps"][1]["arrays"], json({0, 1, 2, 6}));
  EXPECT_EQ(plan["steps"][1]["indirect"], 5);
  EXPECT_EQ(plan["steps"][1]["arguments"]["m"], 40);
  EXPECT_EQ(plan["steps"][1]["arguments"]["lda"], 130);
  EXPECT_THAT(std::string(plan["steps"][1]["kernel"]["glsl"]),
              AllOf(HasSubstr("--size 40x24x130"), HasSubstr("--sizes-from-buffer m,k")));
  const std::string interface = folder.file("i.json");
  EXPECT_THAT(output_of({"emit", "copy/simple", "--size", "4x8", "--sizes-from-buffer", "rows",
                         "--interface", interface}),
              AllOf(HasSubstr("// generated: sizes/check  max_rows=4"),
                    HasSubstr("buffer Checked { uint rows; }")));
  EXPECT_EQ(json::parse(read_file(interface))["steps"][1]["indirect"], 4);
  expect_refused({"run", "--kernel", file, "--reference", "gemm"}, "is a plan of 2 kernels");
}

TEST_F(KernelFileCli, RefusesSizesFromABufferWithEveryReason) {
  const auto refused = [](std::vector<std::string> words, const auto& why) {
    words.insert(words.begin(), "emit");
    expect_refused(words, why);
  };
  refused({"copy/simple", "--sizes-from-buffer", "rows"},
          HasSubstr("--sizes-from-buffer: --size is missing"));
  refused({"copy/simple", "--size", "4x8", "--sizes-from-buffer", "cols,height"},
          AllOf(HasSubstr("cols is part of a stride (src along row, dst along row)"),
                HasSubstr("'height' is not an extent of its arrays or its grid (cols, rows)")));
  refused({"gemm/simt", "--split-k", "4", "--size", "40x24x130", "--sizes-from-buffer", "m"},
          HasSubstr("gemm/simt takes 2 kernels at this size"));
  refused({"gemm/simt", "--bake", "--size", "40x24x130", "--sizes-from-buffer", "m"},
          HasSubstr("--bake"));
  refused({"copy/simple", "--size", "4x8"}, HasSubstr("takes these sizes at run time"));
}

TEST_F(KernelFileCli, IsVerifiedAndTimed) {
  expect_verified(emitted({"transpose/padded", "--type", "f16"}),
                  {"--reference", "transpose", "--size", "33x65,1x1"}, 2);
  expect_verified(emitted({"copy/auto", "--type", "i8"}), {"--reference", "copy", "--size", "31x7"},
                  1);
  // The file determines the type that src is converted to.
  expect_verified(emitted({"copy/auto", "--type", "f32*e4m3"}),
                  {"--reference", "copy", "--size", "31x700"}, 1);
  const std::string device = has_lavapipe() ? "llvmpipe" : "0";  // described for its subgroups
  expect_verified(emitted({"softmax/rows", "--device", device}),
                  {"--reference", "softmax", "--size", "5x70"}, 1);
  expect_verified(emitted({"reduce/sum", "--axis", "0", "--device", device}),
                  {"--reference", "sum", "--axis", "0", "--size", "33x65"}, 1);
  // A kernel that is made for one shape.
  expect_verified(emitted({"relayout", "--permute", "2,0,1", "--size", "5x33x65"}),
                  {"--reference", "relayout", "--permute", "2,0,1", "--size", "5x33x65"}, 1);
  // The file determines types and orders.
  expect_verified(emitted({"gemm/simt", "--type", "f16,f32", "--a", "m"}),
                  {"--reference", "gemm", "--size", "33x65x17"}, 1);
  expect_verified(emitted({"gemm/simt", "--beta", "0.5"}),
                  {"--reference", "gemm", "--size", "33x65x17", "--beta", "2"}, 1);
}

TEST_F(KernelFileCli, OfVariantsHasOneForTheDevice) {
  if (!has_lavapipe()) GTEST_SKIP() << "lavapipe is not installed";
  const std::vector<std::string> norm = {"norm/rms", "--type", "f16", "--subgroup-size"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.begin(), norm.begin(), norm.end());
    return emitted(words);
  };
  const std::vector<std::string> reference = {"--reference", "rms_norm", "--size", "5x70,1x1"};
  expect_verified(with({"128,4,8,1"}), reference, 2);
  expect_verified(with({"64,1"}), reference, 2);
  const Outcome none = run_file(with({"128,64"}), reference);
  EXPECT_EQ(none.status, 3);
  EXPECT_THAT(none.err, AllOf(HasSubstr("variant 1: needs subgroups of 128 lanes"),
                              HasSubstr("variant 2: needs subgroups of 64 lanes")));
}

TEST_F(KernelFileCli, OfSeveralDevicesHasAVariantForEach) {
  const std::string file = folder.file("k.json");
  const auto emit = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "emit");
    return bench(words);
  };
  Outcome outcome = emit({"gemm/thin", "--device", "navi31", "--device", "h100", "--kernel", file});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("2 variants, each a kernel with the arguments alpha, k, "));
  EXPECT_EQ(json::parse(read_file(file))["variants"].size(), 2u);
  // vega20 has 64 lanes alone, an H100 32.
  outcome = emit({"softmax/rows", "--device", "h100", "--device", "vega20", "--subgroup-size",
                  "32,64", "--kernel", file});
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("2 variants"),
                    HasSubstr("left out: --device h100 --subgroup-size 64: needs subgroups of 64"),
                    HasSubstr("left out: --device vega20 --subgroup-size 32: ")));
  outcome = emit({"softmax/rows", "--device", "h100", "--subgroup-size", "16,8", "--kernel", file});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("no variant is left"));
  expect_refused(emit({"softmax/rows", "--subgroup-size", "32,64"}), "so they need --kernel");
  expect_refused(emit({"softmax/rows", "--subgroup-size", "32,8,32", "--kernel", file}),
                 "emit --subgroup-size: 32 is given twice");
  expect_refused(emit({"softmax/rows", "--subgroup-size", "32,3", "--kernel", file}),
                 "emit --subgroup-size 3: subgroup-size = 3 is not a power of two");
}

// Also of the kernel that combines what the first one left.
TEST_F(KernelFileCli, OfPlansHasSubgroupsOfOneSize) {
  for (std::vector<std::string> words :
       {std::vector<std::string>{"reduce/sum", "--size", "1x2000000"},
        {"reduce/max", "--axis", "0", "--size", "2000000x3"},
        {"softmax/rows", "--size", "2x4000000"},
        {"gemm/thin", "--split-k", "4", "--size", "3x64x512"},
        {"attention/decode", "--size", "1x4096x64", "--type", "f16"}}) {
    const bool is_attention = words.front() == "attention/decode";  // its threads exchange values
    words.insert(words.end(), {"--subgroup-size", is_attention ? "64,16" : "16,1"});
    const std::vector<CompiledFile> variants = read_variants(emitted(words));
    ASSERT_EQ(variants.size(), 2u) << words.front();
    for (std::size_t i = 0; i < 2; ++i) {
      const std::uint32_t lanes = is_attention ? (i == 0 ? 64 : 16) : (i == 0 ? 16 : 0);
      const auto kernels = kernels_of(variants[i]);
      EXPECT_EQ(kernels.size(), 2u) << words.front();
      for (const KernelInterface* kernel : kernels) {
        EXPECT_THAT(kernel->subgroup_size, AnyOf(0u, lanes)) << kernel->name;
      }
    }
  }
}

TEST_F(KernelFileCli, FailsWhereItComputesSomethingElse) {
  const Outcome outcome =
      run_file(emitted({"copy/simple"}), {"--reference", "transpose", "--size", "8x16"});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["results"][0]["verified"], false);
}

TEST_F(KernelFileCli, IsRefusedWithTheReason) {
  const std::string file = emitted({"copy/simple"});
  expect_refused(run_file(file, {}), "--kernel FILE needs --reference OPERATION, and no KERNEL");
  expect_refused(run_file(file, {"copy/simple", "--reference", "copy"}),
                 "needs --reference OPERATION");
  expect_refused({"run"}, "needs a KERNEL, or --kernel FILE");
  expect_refused(run_file(file, {"--reference", "trnspose"}), "transpose");
  expect_refused(run_file(file, {"--reference", "copy", "--bake"}), "--bake");
  expect_refused(run_file(file, {"--reference", "copy", "--tile", "8x8"}), "--tile is for kernels");
  expect_refused(run_file(file, {"--reference", "copy", "--type", "i32"}), "takes f32");
  expect_refused(run_file(file, {"--reference", "gemm"}),
                 AllOf(HasSubstr("gemm has 3 arrays (A, B, C), the kernel binds 2"),
                       HasSubstr("gemm has no argument 'cols'")));
  expect_refused(run_file(folder.file("none.json"), {"--reference", "copy"}), "No such file");
  std::string text = read_file(file);
  text.replace(text.find("\"tile\": "), 9, "\"tile\": 7");
  write_file(file, text);
  expect_refused(run_file(file, {"--reference", "copy"}),
                 AllOf(HasSubstr("k.json"), HasSubstr("damaged")));
}

// Drivers crash on some of these: checksum and interface are right, but the code is not valid SPIR-V.
TEST_F(KernelFileCli, IsRefusedWhereItsModuleBreaksTheRules) {
  const std::string file = emitted({"copy/simple"});
  CompiledKernel kernel = read_kernel_file(file);
  constexpr std::uint32_t kOpStore = 62;
  std::size_t at = 5;
  while ((kernel.spirv[at] & 0xFFFF) != kOpStore) at += kernel.spirv[at] >> 16;
  kernel.spirv[at + 2] = kernel.spirv[3] - 1;  // an id that nothing defines
  write_kernel_file(file, kernel);
  expect_refused(run_file(file, {"--reference", "copy"}),
                 AllOf(HasSubstr(file), HasSubstr("spirv-val: word ")));
}

TEST_F(KernelFileCli, GoesToStdoutAlone) {
  const Outcome same = bench({"emit", "copy/simple", "--kernel", "-", "--spirv", "-"});
  expect_refused(same, "--spirv and --kernel name the same stdout");
  EXPECT_EQ(json::parse(bench({"emit", "copy/simple", "--kernel", "-"}).out)["version"], 1);
}

// Sizes that are given are not lost: they are the arguments of a plan, also of one kernel.
TEST(KernelFilesCli, OfAKernelForOneSizeIsAPlanWithItsArguments) {
  if (!has_lavapipe()) GTEST_SKIP() << "lavapipe is not installed";
  const TemporaryFolder folder;
  const std::string file = folder.file("k.json");
  const Outcome sized =
      bench({"emit", "softmax/rows", "--size", "5x33", "--device", "llvmpipe", "--kernel", file});
  EXPECT_EQ(sized.status, 0);
  EXPECT_EQ(sized.err, file + ": a plan of 1 kernel for 5x33\n");
  const json plan = json::parse(read_file(file))["plan"];
  EXPECT_EQ(plan["steps"][0]["arguments"]["rows"], 5);
  EXPECT_EQ(plan["steps"][0]["arguments"]["cols"], 33);
  const Outcome run = bench(
      {"run", "--kernel", file, "--reference", "softmax", "--size", "7x33", "--min-time", "0"});
  EXPECT_EQ(run.status, 0) << run.err;

  const Outcome any = bench({"emit", "copy/simple", "--kernel", file});
  EXPECT_THAT(any.err, HasSubstr(file + ": a kernel with the arguments "));
  EXPECT_EQ(json::parse(read_file(file))["format"], "vkmoye kernel");
  EXPECT_EQ(bench({"emit", "relayout", "--size", "4x6", "--kernel", file}).err,
            file + ": a kernel without arguments\n");
  write_file(file, read_file(file).substr(0, 100));
  expect_refused({"run", "--kernel", file, "--reference", "relayout"},
                 "k.json: JSON: it ends at byte 101 ");
}

}  // namespace
}  // namespace vkmoye::test
