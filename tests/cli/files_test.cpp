// SPDX-License-Identifier: MIT
// The output files of the commands.

#include <sys/stat.h>

#include <filesystem>
#include <set>

#include "cli/bench.hpp"
#include "support/expect.hpp"
#include "support/npy.hpp"
#include "support/process.hpp"

namespace vkmoye::test {
namespace {

// Half a file could be taken for a complete one.
TEST(Cli, FilesAreWholeOrUntouched) {
  const TemporaryFolder folder;
  const std::string in = folder.file("a.npy"), out = folder.file("out");
  write_file(in, npy("<f4", "(64, 64)", std::string(64 * 64 * 4, 'x')));
  const std::vector<std::string> commands[] = {
      {"emit", "copy/simple", "--spirv", out},
      {"emit", "copy/simple", "--interface", out},
      {"apply", "copy/simple", "--in", in, "--out", out},
      {"run", "copy/simple", "--size", "33x65", "--min-time", "0", "--output", out}};
  const auto files = [&] {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      names.insert(entry.path().filename());
    }
    return names;
  };
  for (const auto& words : commands) {
    write_file(out, "kept");
    chmod(out.c_str(), 0444);
    expect_refused(words, out + ": cannot be written: ");
    EXPECT_EQ(read_file(out), "kept") << words[0];
    std::filesystem::remove(out);

    std::filesystem::create_directory(folder.file("real"));
    write_file(folder.file("real/file"), "old");
    chmod(folder.file("real/file").c_str(), 0600);
    std::filesystem::create_symlink("real/file", out);
    EXPECT_EQ(bench(words).status, 0) << words[0];
    EXPECT_TRUE(std::filesystem::is_symlink(out)) << words[0];
    EXPECT_NE(read_file(folder.file("real/file")), "old") << words[0];
    EXPECT_EQ(std::filesystem::status(out).permissions(), std::filesystem::perms(0600)) << words[0];
    std::filesystem::remove_all(folder.file("real"));
    std::filesystem::remove(out);

    std::vector<std::string> to_device = words;
    to_device.back() = "/dev/full";
    expect_refused(to_device, "/dev/full: c");
    to_device.back() = "/dev/null";
    EXPECT_EQ(bench(to_device).status, 0) << words[0];
    to_device.back() = folder.path();
    EXPECT_EQ(bench(to_device).status, 2) << words[0];
    to_device.back() = folder.file("no/where");
    EXPECT_EQ(bench(to_device).status, 2) << words[0];
  }
  // A file size limit of 512 bytes simulates a full disk. (Drivers end with a signal then.)
  for (const char* option : {"--spirv", "--interface"}) {
    expect_refused(run({"sh", "-c", "ulimit -f 1; exec \"$0\" \"$@\"", bench_program(), "emit",
                        "copy/simple", option, out}),
                   out + ": cannot be written: ");
    EXPECT_FALSE(std::filesystem::exists(out)) << option;
  }
  EXPECT_THAT(files(), Contains("a.npy"));
  for (const std::string& name : files()) EXPECT_FALSE(name.starts_with(".vkmoye")) << name;
}

// Whatever ends the program, including signals that cannot be handled.
TEST(Cli, AKilledProgramLeavesNoTemporaryFile) {
  const TemporaryFolder folder;
  const std::string in = folder.file("a.npy");
  write_file(in, npy("|u1", "(4096, 4096)", std::string(4096 * 4096, 'x')));
  for (int i = 0; i < 12; ++i) {
    const std::string seconds = "0." + std::to_string(100 + 37 * i);
    run({"timeout", "-s", "KILL", seconds, bench_program(), "apply", "copy/auto", "--in", in,
         "--out", folder.file("out")});
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      EXPECT_THAT(entry.path().filename().string(), AnyOf("a.npy", "out"));
    }
    std::filesystem::remove(folder.file("out"));
  }
}

// glslang holds a lock while it runs out of memory.
TEST(Cli, WithoutMemoryItFailsAndDoesNotHang) {
  for (int kilobytes = 20000; kilobytes <= 80000; kilobytes += 4000) {
    const Outcome outcome =
        run({"sh", "-c", "ulimit -v " + std::to_string(kilobytes) + "; exec timeout 60 \"$@\"",
             "sh", bench_program(), "emit", "gemm/simt"});
    EXPECT_NE(outcome.status, 124) << kilobytes;
    if (outcome.status == 3) {
      EXPECT_THAT(outcome.err, HasSubstr("not enough host memory"));
    }
  }
}

}  // namespace
}  // namespace vkmoye::test
