// SPDX-License-Identifier: MIT
// pack and apply: operands in fragment order, stored in a file and multiplied by plain arrays.

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/bench.hpp"
#include "support/effort.hpp"
#include "support/expect.hpp"
#include "support/npy.hpp"
#include "support/process.hpp"

namespace vkmoye::test {
namespace {

using nlohmann::json;

// Small whole numbers, whose sums are exact.
constexpr int kNumbers[] = {0, 1, -1, 2, -2};
std::size_t number_at(std::size_t i, unsigned seed) { return (i * 7 + i / 5 + seed * 3) % 5; }

std::string halves(std::size_t count, unsigned seed) {
  constexpr std::uint16_t kHalves[] = {0x0000, 0x3c00, 0xbc00, 0x4000, 0xc000};  // of kNumbers
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint16_t half = kHalves[number_at(i, seed)];
    bytes += static_cast<char>(half & 0xff);
    bytes += static_cast<char>(half >> 8);
  }
  return bytes;
}

// The file with alpha * A(m,k) * B(n,k)^T of halves with seeds 1 and 2; `turned`: the arrays are (k,m) and (k,n).
std::string product(std::size_t m, std::size_t n, std::size_t k, float alpha, bool turned) {
  const auto element = [&](std::size_t i, std::size_t at, std::size_t rows, unsigned seed) {
    return kNumbers[number_at(turned ? at * rows + i : i * k + at, seed)];
  };
  std::string bytes;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t at = 0; at < k; ++at) {
        sum += static_cast<float>(element(i, at, m, 1) * element(j, at, n, 2));
      }
      sum *= alpha;
      bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
    }
  }
  return npy("<f4", "(" + std::to_string(m) + ", " + std::to_string(n) + ")", bytes);
}

class PackCli : public testing::Test {
 protected:
  void SetUp() override {
    const json all = json::parse(bench({"devices", "--format", "json"}).out);
    for (const json& device : all["devices"]) {
      for (const json& row : device["fragments"]) {
        if (std::string(row["matrix"]).ends_with(" f16") && !row["layout"].is_null()) return;
      }
    }
    GTEST_SKIP() << "no device whose lanes hold f16 matrices in a layout";
  }

  std::string file(const std::string& name) const { return folder_.file(name); }
  void write_halves(const std::string& name, const std::string& shape, std::size_t count,
                    unsigned seed) {
    write_file(file(name), npy("<f2", shape, halves(count, seed)));
  }
  Outcome pack(const std::string& in, const std::string& out, std::vector<std::string> words = {}) {
    words.insert(words.begin(), {"pack", "gemm/packed", "--in", file(in), "--out", file(out)});
    return bench(words);
  }
  void packed(const std::string& in, const std::string& out, std::vector<std::string> words = {}) {
    const Outcome outcome = pack(in, out, std::move(words));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  // The file with the result; empty if the command fails.
  std::string applied(const std::vector<std::string>& in, std::vector<std::string> words,
                      const std::string& kernel = "gemm/packed") {
    std::vector<std::string> all = {"apply", kernel, "--out", file("c.npy"), "--in"};
    for (const std::string& name : in) all.push_back(file(name));
    all.insert(all.end(), words.begin(), words.end());
    std::filesystem::remove(file("c.npy"));
    last_ = bench(all);
    return read_file(file("c.npy"));
  }
  TemporaryFolder folder_;
  Outcome last_;
};

// Arrays of ml_dtypes.bfloat16 as written by numpy.save; on the host, which has matrix units for bf16.
TEST(PackOnHost, EveryMixtureOfBfloat16IsTheProductOfPlainArrays) {
  const TemporaryFolder folder;
  const std::size_t m = 37, n = 53, k = 45;
  const auto write = [&](const char* name, const char* descr, const char* shape, std::size_t count,
                         unsigned seed) {
    constexpr std::uint16_t kBits[] = {0x0000, 0x3f80, 0xbf80, 0x4000, 0xc000};  // of kNumbers
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint16_t bits = kBits[number_at(i, seed)];
      bytes += static_cast<char>(bits & 0xff);
      bytes += static_cast<char>(bits >> 8);
    }
    write_file(folder.file(name), npy(descr, shape, bytes));
  };
  const auto run = [&](std::vector<std::string> words, const std::vector<std::string>& in,
                       const char* out) {
    words.insert(words.end(),
                 {"--type", "bf16", "--device", "host", "--out", folder.file(out), "--in"});
    for (const std::string& name : in) words.push_back(folder.file(name));
    const Outcome outcome = bench(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return read_file(folder.file(out));
  };
  write("a.npy", "<V2", "(37, 45)", m * k, 1);
  write("b.npy", "|V2", "(53, 45)", n * k, 2);
  run({"pack", "gemm/packed", "--as", "a"}, {"a.npy"}, "a.packed");
  run({"pack", "gemm/packed"}, {"b.npy"}, "b.packed");
  const std::string expected = product(m, n, k, 1, false);
  for (const char* a : {"a.npy", "a.packed"}) {
    for (const char* b : {"b.npy", "b.packed"}) {
      EXPECT_EQ(run({"apply", "gemm/packed"}, {a, b}, "c.npy"), expected) << a << ' ' << b;
    }
  }
  write("bits.npy", "<u2", "(53, 45)", n * k, 2);
  expect_refused({"pack", "gemm/packed", "--type", "bf16", "--device", "host", "--in",
                  folder.file("bits.npy"), "--out", folder.file("bits.packed")},
                 "has type u16, but the product takes bf16 there");
}

TEST_F(PackCli, EveryMixtureIsTheProductOfPlainArrays) {
  const std::size_t m = 37, n = 53, k = 45;
  write_halves("a.npy", "(37, 45)", m * k, 1);
  write_halves("at.npy", "(45, 37)", m * k, 1);
  write_halves("b.npy", "(53, 45)", n * k, 2);
  write_halves("bt.npy", "(45, 53)", n * k, 2);
  for (const bool turned : {false, true}) {
    if (is_quick() && !turned) continue;  // the products with a bias below are not turned
    const std::string a = turned ? "at.npy" : "a.npy", b = turned ? "bt.npy" : "b.npy";
    std::vector<std::string> of_a, of_b, plain = {"--type", "f16,f32", "--alpha", "2"};
    if (turned) of_a = {"--a", "m"}, of_b = {"--b", "n"};
    const auto with = [&](const std::vector<std::string>& first,
                          const std::vector<std::string>& second = {}) {
      std::vector<std::string> all = plain;
      all.insert(all.end(), first.begin(), first.end());
      all.insert(all.end(), second.begin(), second.end());
      return all;
    };
    const std::string expected = product(m, n, k, 2, turned);
    std::vector<std::string> pack_a = {"--type", "f16,f32", "--as", "a"},
                             pack_b = {"--type", "f16,f32"};
    pack_a.insert(pack_a.end(), of_a.begin(), of_a.end());
    pack_b.insert(pack_b.end(), of_b.begin(), of_b.end());
    packed(a, "a.packed", pack_a);
    packed(b, "b.packed", pack_b);
    EXPECT_EQ(applied({a, "b.packed"}, with(of_a)), expected) << last_.err;
    EXPECT_EQ(applied({"a.packed", b}, with(of_b)), expected) << last_.err;
    EXPECT_EQ(applied({"a.packed", "b.packed"}, with({})), expected) << last_.err;
    EXPECT_EQ(applied({a, b}, with(of_a, of_b)), expected) << last_.err;
  }
  write_halves("bias.npy", "(53,)", n, 3);
  const std::vector<std::string> rounded = {"--type", "f16,f32,f16", "--epilogue", "bias,relu"};
  packed("b.npy", "b.packed", {"--type", "f16,f32,f16"});
  const std::string expected = applied({"a.npy", "b.npy", "bias.npy"}, rounded);
  ASSERT_EQ(last_.status, 0) << last_.err;
  EXPECT_EQ(applied({"a.npy", "b.packed", "bias.npy"}, rounded), expected) << last_.err;
  std::vector<std::string> beforehand = rounded;
  beforehand.insert(beforehand.end(), {"--packed", "ab"});
  EXPECT_EQ(applied({"a.npy", "b.npy", "bias.npy"}, beforehand), expected) << last_.err;
}

TEST_F(PackCli, BatchesAndOneForAllOfThem) {
  write_halves("a.npy", "(3, 9, 20)", std::size_t{3} * 9 * 20, 1);
  write_halves("b.npy", "(3, 11, 20)", std::size_t{3} * 11 * 20, 2);
  write_halves("one.npy", "(11, 20)", std::size_t{11} * 20, 2);
  const std::vector<std::string> type = {"--type", "f16,f32"};
  for (const std::string b : {"b", "one"}) {
    packed(b + ".npy", b + ".packed", type);
    const std::string expected = applied({"a.npy", b + ".npy"}, type);
    EXPECT_EQ(applied({"a.npy", b + ".packed"}, type), expected) << last_.err;
  }
  // Four matrices in the other operand: an error before anything runs.
  write_halves("four.npy", "(4, 9, 20)", std::size_t{4} * 9 * 20, 1);
  applied({"four.npy", "b.packed"}, type);
  expect_refused(last_, "has 4 matrices");
}

// Among these hard numbers, a minimum of q4_K is 69003, which is infinite in f16, and its weights are not.
TEST_F(PackCli, MinimaBeyondTheUnitsMayBeInfinite) {
  const Outcome outcome = bench({"run", "gemm/packed_weights", "--device", "host", "--size",
                                 "8x7x256", "--type", "f16*q4_K,f32", "--a", "m", "--batch", "2",
                                 "--init", "hard", "--seed", "1793", "--verify", "full"});
  EXPECT_EQ(outcome.status, 0) << outcome.out;
}

// If C has m contiguous, A and B are exchanged in the matrix units.
TEST_F(PackCli, TheOperandOfTheUnitsIsStated) {
  write_halves("a.npy", "(20, 12)", 240, 1);
  write_halves("b.npy", "(28, 12)", 336, 2);
  const std::vector<std::string> turned = {"--type", "f16,f32", "--c", "m"};
  packed("b.npy", "b.packed", turned);
  const std::string expected = applied({"a.npy", "b.npy"}, turned);
  EXPECT_EQ(applied({"a.npy", "b.packed"}, turned), expected) << last_.err;
  applied({"a.npy", "b.packed"}, {"--type", "f16,f32"});
  expect_refused(last_, "is packed as operand a of the matrix units, but b is needed there");
}

// The product uses the block sizes of the file, unless an option sets others.
TEST_F(PackCli, BlocksAreThoseOfTheFile) {
  write_halves("a.npy", "(20, 44)", 880, 1);
  write_halves("b.npy", "(28, 44)", 1232, 2);
  const std::vector<std::string> type = {"--type", "f16,f32"};
  const std::string expected = product(20, 28, 44, 1, false);
  packed("b.npy", "b.packed", {"--type", "f16,f32", "--steps", "4"});
  EXPECT_EQ(applied({"a.npy", "b.packed"}, type), expected) << last_.err;
  applied({"a.npy", "b.packed"}, {"--type", "f16,f32", "--steps", "2"});
  expect_refused(last_, AllOf(HasSubstr("packed B has blocks of f16 b"), HasSubstr("x4 in "),
                              HasSubstr("the product needs"), HasSubstr("x2 in ")));
}

// The header of a packed file.
json header_of(const std::string& bytes) {
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 12, sizeof length);
  return json::parse(bytes.substr(24, length));
}

TEST_F(PackCli, WhatWasNotWrittenByPackIsRefused) {
  write_halves("a.npy", "(9, 20)", 180, 1);
  write_halves("b.npy", "(11, 20)", 220, 2);
  packed("b.npy", "b.packed", {"--type", "f16,f32"});
  const std::string good = read_file(file("b.packed"));
  const auto refused = [&](const std::string& bytes, const std::string& text) {
    write_file(file("bad.packed"), bytes);
    EXPECT_EQ(applied({"a.npy", "bad.packed"}, {"--type", "f16,f32"}), "");
    expect_refused(last_, AllOf(HasSubstr("bad.packed: "), HasSubstr(text)));
  };
  const json header = header_of(good);
  EXPECT_EQ(header["operand"], "b");
  EXPECT_EQ(header["rows"], 11);
  EXPECT_EQ(header["k"], 20);
  EXPECT_FALSE(std::string(header["fragment"]).empty());
  EXPECT_FALSE(std::string(header["driver"]).empty());
  refused("", "is not a packed operand");
  refused("hello, this is no operand", "is not a packed operand");
  refused(good.substr(0, 20), "truncated within its header");
  refused(good.substr(0, 60), "truncated within its header");
  refused(good.substr(0, good.size() - 1), "bytes of blocks, but 11 rows of 20");
  refused(good + "x", "bytes of blocks, but 11 rows of 20");
  std::string bytes = good;
  bytes[8] = 2;
  refused(bytes, "has format version 2, this program reads version 1; pack it again");
  bytes = good;
  bytes[15] = 0x7f;
  refused(bytes, "has a header of 2130706");
  const std::size_t end = good.find("}\n", 24);
  for (std::size_t at = 16; at < end; at += 37) {  // of the checksum and of the header
    bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    refused(bytes, "is damaged: the checksum of its header is wrong");
  }
  bytes = good;
  bytes[good.size() - 100] = static_cast<char>(bytes[good.size() - 100] ^ 1);
  refused(bytes, "is damaged: the checksum of its blocks is wrong");
  // A packed file is recognised by its first bytes, whatever its name.
  write_file(file("b.npy"), good);
  EXPECT_NE(applied({"a.npy", "b.npy"}, {"--type", "f16,f32"}), "") << last_.err;
}

// Weights packed once multiply as those that a plan packs.
TEST_F(PackCli, WeightsArePackedInTheOrderOfLanes) {
  const std::vector<std::string> type = {"--type", "f16*q4_0,f32"};
  const auto with = [&](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return bench(words);
  };
  write_halves("x.npy", "(5, 96)", 480, 1);
  write_halves("w.npy", "(70, 96)", 6720, 2);
  const std::string w = file("w.npy"), blocks = file("blocks.npy"), lanes = file("w.packed");
  EXPECT_EQ(with({"pack", "gemm/auto", "--in", w, "--out", blocks}, type).status, 0);
  const Outcome packed = with({"pack", "gemm/packed_weights", "--in", w, "--out", lanes}, type);
  if (packed.err.find("does not multiply matrices") != std::string::npos) GTEST_SKIP();
  ASSERT_EQ(packed.status, 0) << packed.err;
  const auto product = [&](const std::string& b, const std::string& out) {
    const Outcome applied =
        with({"apply", "gemm/packed_weights", "--in", file("x.npy"), b, "--out", file(out)}, type);
    EXPECT_EQ(applied.status, 0) << applied.err;
    return read_file(file(out));
  };
  EXPECT_EQ(product(lanes, "one.npy"), product(blocks, "other.npy"));
  expect_refused(bench({"pack", "gemm/packed_weights", "--type", "f16", "--in", w, "--out", lanes}),
                 "takes weights in a format, such as f16*q4_0,f32");
  expect_refused(with({"pack", "gemm/auto", "--in", w, "--out", w}, type),
                 "it would be overwritten");
  expect_refused(with({"run", "gemm/packed_weights", "--size", "5x70x96", "--packed", "ab"}, type),
                 "takes A as it is");
  expect_refused(with({"apply", "gemm/packed_weights", "--in", file("x.npy"), lanes, "--out",
                       file("no.npy"), "--atom", "0x0x0"},
                      type),
                 "atom m = 0 is not a power of two");
  expect_refused(bench({"apply", "gemm/packed_weights", "--type", "f16*q8_0,f32", "--in",
                        file("x.npy"), lanes, "--out", file("no.npy")}),
                 "is packed in q4_0, but the product takes weights in q8_0");
}

TEST_F(PackCli, WhatDoesNotFitIsRefusedWithEveryReason) {
  write_halves("a.npy", "(9, 20)", 180, 1);
  write_halves("b.npy", "(11, 24)", 264, 2);
  write_halves("bias.npy", "(11,)", 11, 2);
  packed("b.npy", "b.packed", {"--type", "f16,f32"});
  applied({"b.packed", "a.npy"}, {"--type", "f32", "--a", "m"});
  expect_refused(last_, AllOf(HasSubstr("b.packed: has type f16, but the product takes f32 there"),
                              HasSubstr("--a: "), HasSubstr("is in fragment order"),
                              HasSubstr("operand b of the matrix units, but a is needed"),
                              HasSubstr("K is 24 in "), HasSubstr("20 in ")));
  write_halves("long.npy", "(9, 24)", 216, 1);
  applied({"long.npy", "b.npy", "b.packed"}, {"--type", "f16,f32,f16", "--epilogue", "bias"});
  EXPECT_THAT(last_.err, HasSubstr("is packed, but only A and B may be"));
  applied({"long.npy", "b.packed"}, {}, "gemm/simt");
  expect_refused(last_,
                 "is a packed operand; only gemm/packed and gemm/packed_weights "
                 "take one, gemm/simt does not");

  expect_refused(pack("b.packed", "c.packed"), "is already packed");
  expect_refused(pack("b.npy", "c.packed", {"--type", "f32"}),
                 "has type f16, but the product takes f32 there");
  expect_refused(pack("b.npy", "c.packed", {"--a", "m"}),
                 "is operand b, but --a belongs to the other one");
  expect_refused(pack("b.npy", "c.packed", {"--as", "c"}), "unknown operand 'c'");
  expect_refused(pack("b.npy", "c.packed", {"--steps", "3"}), "steps = 3 is not a power of two");
  expect_refused(pack("b.npy", "c.packed", {"--batch", "2"}), "unknown option '--batch'");
  expect_refused(pack("bias.npy", "c.packed"), "has 1 dimension");
  write_file(file("f.npy"), npy("<f4", "(2, 2)", std::string(16, 'x')));
  expect_refused(pack("f.npy", "c.packed"),
                 "the kernel does not support f32; it supports f16 bf16");
  expect_refused(bench({"pack", "gemm/simt", "--in", file("b.npy"), "--out", file("c.packed")}),
                 "gemm/simt has no packed operands");
  EXPECT_FALSE(std::filesystem::exists(file("c.packed")));
}

TEST_F(PackCli, AFileOfAnotherDeviceIsTakenThereAndRefusedHere) {
  write_halves("a.npy", "(9, 20)", 180, 1);
  write_halves("b.npy", "(11, 20)", 220, 2);
  // The order of the twin: its lanes hold other elements.
  packed("b.npy", "b.packed", {"--type", "f16,f32", "--device", "host"});
  const json header = header_of(read_file(file("b.packed")));
  EXPECT_EQ(header["device"], "host");
  std::vector<std::string> on_host = {"--type", "f16,f32", "--device", "host"};
  const std::string expected = product(9, 11, 20, 1, false);
  EXPECT_EQ(applied({"a.npy", "b.packed"}, on_host), expected) << last_.err;
  EXPECT_EQ(applied({"a.npy", "b.packed"}, {"--type", "f16,f32"}), "");
  expect_refused(last_, "packed B has ");
}

}  // namespace
}  // namespace vkmoye::test
