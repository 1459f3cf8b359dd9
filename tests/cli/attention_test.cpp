// SPDX-License-Identifier: MIT
// Attention on the command line: sizes and options, users' arrays, refusals.

#include <cmath>
#include <cstring>
#include <limits>

#include "cli/bench.hpp"
#include "support/expect.hpp"
#include "support/npy.hpp"
#include "support/process.hpp"

namespace vkmoye::test {
namespace {

// Writes an array into a folder. Returns the name of the file.
struct NpyFiles {
  const TemporaryFolder& folder;

  std::string operator()(const char* name, const char* type, const char* shape,
                         const std::string& bytes) const {
    write_file(folder.file(name), npy(type, shape, bytes));
    return folder.file(name);
  }
};

void expect_every_kernel(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* kernel : {"auto", "simt", "coopmat", "decode"}) {
    EXPECT_THAT(outcome.out, HasSubstr(std::string("attention/") + kernel));
  }
}

TEST(AttentionCli, RunsProblemsWithOptions) {
  const Outcome outcome =
      bench({"run", "attention/*", "--size", "5x300", "--heads", "4", "--kv-heads", "2", "--causal",
             "--window", "40", "--soft-cap", "9", "--type", "f16", "--device", "host"});
  expect_every_kernel(outcome);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("5x300x64"), HasSubstr("ok")));
}

// Weights of queries that are 0 are equal: each row is the mean of the values that it sees.
TEST(AttentionCli, AppliesToArrays) {
  const TemporaryFolder folder;
  const auto file = [&](const char* name, const char* shape, const std::vector<float>& values) {
    write_file(folder.file(name), npy("<f4", shape, bytes_of(values)));
    return folder.file(name);
  };
  std::vector<float> v;
  for (int key = 0; key < 4; ++key) v.insert(v.end(), 32, static_cast<float>(4 * key));
  const std::string q = file("q.npy", "(1, 2, 2, 32)", std::vector<float>(128, 0)),
                    k = file("k.npy", "(1, 1, 4, 32)", std::vector<float>(128, 1)),
                    values = file("v.npy", "(1, 1, 4, 32)", v);
  for (const char* kernel : {"attention/auto", "attention/simt", "attention/decode"}) {
    const Outcome outcome = bench({"apply", kernel, "--in", q, k, values, "--out",
                                   folder.file("o.npy"), "--causal", "--device", "host"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    std::vector<float> rows;
    for (int head = 0; head < 2; ++head) {
      rows.insert(rows.end(), 32, 4.0f);  // (0 + 4 + 8) / 3: the queries are the last of the keys
      rows.insert(rows.end(), 32, 6.0f);
    }
    EXPECT_EQ(read_file(folder.file("o.npy")), npy("<f4", "(1, 2, 2, 32)", bytes_of(rows)))
        << kernel;
  }
  // Values are the first elements of the keys: o is 1.
  const Outcome in_keys =
      bench({"apply", "attention/auto", "--in", q, k, "--out", folder.file("o.npy"),
             "--values-in-keys", "8", "--device", "host"});
  ASSERT_EQ(in_keys.status, 0) << in_keys.err;
  EXPECT_EQ(read_file(folder.file("o.npy")),
            npy("<f4", "(1, 2, 2, 8)", bytes_of(std::vector<float>(32, 1))));
  const Outcome outcome =
      bench({"apply", "attention/auto", "--in", q, k, values, "--out", folder.file("o.npy"),
             folder.file("log_sums.npy"), "--causal", "--log-sums", "--device", "host"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::vector<float> log_sums(4);
  const std::string found = read_file(folder.file("log_sums.npy"));
  std::memcpy(log_sums.data(), found.data() + found.size() - 16, 16);
  EXPECT_EQ(found, npy("<f4", "(1, 2, 2)", bytes_of(log_sums)));
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(log_sums[i], std::log(i % 2 == 0 ? 3.0 : 4.0), 1e-5);
}

TEST(AttentionCli, RunsProblemsWithMoreArrays) {
  const Outcome outcome = bench({"run",        "attention/*", "--size",
                                 "5x300",      "--heads",     "4",
                                 "--kv-heads", "2",           "--batch",
                                 "2",          "--causal",    "--lengths",
                                 "--mask",     "f16",         "--mask-heads",
                                 "4",          "--slopes",    "--sinks",
                                 "--log-sums", "--axes",      "bshd,bhsd,bhsd,bshd",
                                 "--type",     "f16",         "--device",
                                 "host"});
  expect_every_kernel(outcome);
}

TEST(AttentionCli, RunsProblemsInPagesOfBlocks) {
  const Outcome outcome =
      bench({"run", "attention/*", "--size", "5x300", "--heads", "4", "--kv-heads", "2", "--batch",
             "2", "--lengths", "--page", "16", "--type", "f16*q5_1*i8", "--device", "host"});
  expect_every_kernel(outcome);
}

// Entries of 2 and 3 keys; the mask hides the first key; heads are the third axis.
TEST(AttentionCli, AppliesToArraysOfLengthsAndMasks) {
  const TemporaryFolder folder;
  const NpyFiles file = {folder};
  const auto rows = [](const std::vector<float>& numbers) {
    std::vector<float> out;
    for (const float number : numbers) out.insert(out.end(), 32, number);
    return bytes_of(out);
  };
  const float hidden = -std::numeric_limits<float>::infinity();
  const std::string q = file("q.npy", "<f4", "(2, 1, 2, 32)", rows({0, 0, 0, 0})),
                    k = file("k.npy", "<f4", "(2, 3, 1, 32)", rows({1, 1, 1, 1, 1, 1})),
                    v = file("v.npy", "<f4", "(2, 3, 1, 32)", rows({1, 2, 9, 3, 4, 6})),
                    lengths = file("l.npy", "<i4", "(2,)", bytes_of(std::vector<int>{2, 3})),
                    mask =
                        file("m.npy", "<f4", "(1, 3)", bytes_of(std::vector<float>{hidden, 0, 0}));
  for (const char* kernel : {"attention/auto", "attention/simt", "attention/decode"}) {
    const Outcome outcome =
        bench({"apply", kernel, "--in", q, k, v, lengths, mask, "--out", folder.file("o.npy"),
               "--axes", "bshd", "--lengths", "--mask", "f32", "--device", "host"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(read_file(folder.file("o.npy")), npy("<f4", "(2, 1, 2, 32)", rows({2, 2, 5, 5})))
        << kernel;
  }
  const auto refused = [&](const std::vector<std::string>& words, const std::string& reason) {
    std::vector<std::string> all = {"apply",    "attention/simt", "--out",  folder.file("o.npy"),
                                    "--device", "host",           "--axes", "bshd"};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_THAT(bench(all).err, HasSubstr(reason));
  };
  refused({"--in", q, k, v, "--lengths"}, "takes 4 arrays, q k v lengths, got 3");
  refused({"--in", q, k, v, mask, "--lengths"}, "has type f32, attention/simt takes i32 there");
  refused({"--in", q, k, v, lengths, "--mask", "f32"}, "has type i32, attention/simt takes f32");
  const std::string wrong = file("w.npy", "<i4", "(2,)", bytes_of(std::vector<int>{-1, 4}));
  refused({"--in", q, k, v, wrong, "--lengths"},
          "w.npy: length 0 is -1, but there are 3 keys\n  - ");
  refused({"--in", q, k, v, wrong, "--lengths"}, "w.npy: length 1 is 4, but there are 3 keys");
  refused({"--in", q, k, v, k, "--mask", "f32"}, "but a mask of 1 queries and 3 keys is");
}

// Values of one key, in blocks of q8_0: 34 bytes with scale 2 and codes 3. They are the result.
TEST(AttentionCli, AppliesToKeysAndValuesInBlocks) {
  const TemporaryFolder folder;
  const NpyFiles file = {folder};
  const std::string q = file("q.npy", "<f4", "(1, 1, 1, 32)", bytes_of(std::vector<float>(32, 1))),
                    k = file("k.npy", "<f4", "(1, 1, 1, 32)", bytes_of(std::vector<float>(32, 1))),
                    block = std::string("\x00\x40", 2) + std::string(32, '\3'),
                    v = file("v.npy", "|u1", "(1, 1, 1, 34)", block);
  for (const char* kernel : {"attention/auto", "attention/simt", "attention/decode"}) {
    const Outcome outcome = bench({"apply", kernel, "--type", "f32*f32*q8_0", "--in", q, k, v,
                                   "--out", folder.file("o.npy"), "--device", "host"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(read_file(folder.file("o.npy")),
              npy("<f4", "(1, 1, 1, 32)", bytes_of(std::vector<float>(32, 6))))
        << kernel;
  }
  const auto refused = [&](const std::string& type, const std::string& values,
                           const std::string& reason) {
    expect_refused({"apply", "attention/simt", "--type", type, "--in", q, k, values, "--out",
                    folder.file("o.npy"), "--device", "host"},
                   reason);
  };
  refused("f32*f32*q8_0", k, "has type f32, attention/simt takes u8 there");
  refused("f32*f32*q4_0", v, "rows of 34 bytes are not whole blocks of q4_0, of 18 bytes");
  refused("f32*q8_0*q8_0*q8_0", v, "has 4 parts; attention has up to three: Q and O, K, V");
  refused("f32*f16", v, "has type f32, attention/simt takes f16 there");
  EXPECT_THAT(bench({"run", "attention/simt", "--type", "f32*u8", "--device", "host"}).err,
              HasSubstr("keys have type f32, f16 or bf16, not u8"));
  EXPECT_THAT(bench({"emit", "attention/simt", "--type", "f16*q8_0*q4_0"}).out,
              HasSubstr("vkmoye-bench emit attention/simt --type 'f16*q8_0*q4_0'"));
}

// The 2 keys of the entry are in the second page.
TEST(AttentionCli, AppliesToPages) {
  const TemporaryFolder folder;
  const NpyFiles file = {folder};
  std::vector<float> rows(2 * 16 * 32, 9);
  for (std::size_t i = 0; i < 64; ++i) rows[16 * 32 + i] = i < 32 ? 2.0f : 4.0f;
  const std::string q = file("q.npy", "<f4", "(1, 1, 1, 32)", bytes_of(std::vector<float>(32, 0))),
                    k = file("k.npy", "<f4", "(2, 16, 1, 32)", bytes_of(rows)),
                    pages = file("p.npy", "<i4", "(1, 1)", bytes_of(std::vector<int>{1})),
                    lengths = file("l.npy", "<i4", "(1,)", bytes_of(std::vector<int>{2}));
  const auto apply = [&](const std::string& page, const std::vector<std::string>& arrays) {
    std::vector<std::string> words = {
        "apply", "attention/auto", "--out", folder.file("o.npy"), "--device", "host", "--axes",
        "bshd",  "--page",         page,    "--lengths",          "--in"};
    words.insert(words.end(), arrays.begin(), arrays.end());
    return bench(words);
  };
  const Outcome outcome = apply("16", {q, k, k, pages, lengths});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read_file(folder.file("o.npy")),
            npy("<f4", "(1, 1, 1, 32)", bytes_of(std::vector<float>(32, 3))));
  EXPECT_THAT(apply("16", {q, k, k, lengths}).err,
              HasSubstr("takes 5 arrays, q k v pages lengths"));
  EXPECT_THAT(apply("32", {q, k, k, pages, lengths}).err,
              HasSubstr("has pages of 16 keys, but --page is 32"));
  EXPECT_THAT(apply("16", {q, k, k, lengths, lengths}).err,
              HasSubstr("has shape (1,), but pages are (1, pages of an entry)"));
}

TEST(AttentionCli, RefusesWhatIsNoProblem) {
  const auto refused = [](const std::vector<std::string>& options, const std::string& reason) {
    std::vector<std::string> words = {"run", "attention/simt", "--device", "host"};
    words.insert(words.end(), options.begin(), options.end());
    expect_refused(words, reason);
  };
  refused({"--heads", "3", "--kv-heads", "2"}, "3 heads are not a multiple of 2 heads of K and V");
  refused({"--size", "4x4x33"}, "width 33 is not a multiple of 8 from 8 to 1024");
  refused({"--values-in-keys", "72"}, "values of 72 elements in rows of keys of 64");
  refused({"--values-in-keys", "8", "--type", "f32*f16*f32", "--axes", "bshd,bhsd,bshd,bshd"},
          "values in rows of keys have their type and their order of axes");
  refused({"--values-in-keys", "8", "--value-width", "8"},
          "both --value-width and --values-in-keys are given");
  refused({"--scale", "-1"}, "scale -1 is outside");
  refused({"--heads", "0"}, "heads '0': expected a whole number from 1");
  refused({"--axes", "sbhd"}, "axes 'sbhd': expected bhsd or bshd, or four of them for q,k,v,o");
  refused({"--mask", "f64"}, "mask 'f64': expected no, f32, f16 or bf16");
  refused({"--mask", "f16", "--heads", "4", "--mask-heads", "2"},
          "a mask of 2 heads is neither of 1 nor of 4");
  refused({"--size", "4x4x64x2"}, "has 4 extents, QUERIESxKEYSxWIDTH has 3");
}

}  // namespace
}  // namespace vkmoye::test
