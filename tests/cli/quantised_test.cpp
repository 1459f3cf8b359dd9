// SPDX-License-Identifier: MIT
// Weights in blocks: pack quantises them into a file, apply multiplies by it, and run names the format as a type.

#include <tuple>

#include "cli/bench.hpp"
#include "support/expect.hpp"
#include "support/npy.hpp"
#include "support/process.hpp"

namespace vkmoye::test {
namespace {

constexpr std::size_t kRows = 3, kWeights = 5, kDepth = 96;

// Multiples of a half from -4 to 3.5, each block of 32 with -4: q4_0 represents them exactly, with the scale 0.5.
float weight(std::size_t row, std::size_t at) {
  return at % 32 == 7 ? -4.0f : 0.5f * static_cast<float>((row * 5 + at * 3) % 16) - 4.0f;
}
float element(std::size_t row, std::size_t at) {
  return static_cast<float>((row + at * 7) % 5) - 2.0f;
}

class QuantisedFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<float> a, w;
    for (std::size_t i = 0; i < kRows * kDepth; ++i) a.push_back(element(i / kDepth, i % kDepth));
    for (std::size_t i = 0; i < kWeights * kDepth; ++i) w.push_back(weight(i / kDepth, i % kDepth));
    write_file(file("a.npy"), npy("<f4", "(3, 96)", bytes_of(a)));
    write_file(file("w.npy"), npy("<f4", "(5, 96)", bytes_of(w)));
  }
  std::string file(const std::string& name) const { return folder_.file(name); }
  Outcome apply(const std::string& w, const std::string& type) {
    return bench({"apply", "gemm/auto", "--type", type, "--in", file("a.npy"), file(w), "--out",
                  file("c.npy"), "--device", "host"});
  }
  TemporaryFolder folder_;
};

TEST_F(QuantisedFiles, AreBlocksAsInGgufFilesAndAreMultiplied) {
  const Outcome packed = bench(
      {"pack", "gemm/auto", "--type", "f32*q4_0", "--in", file("w.npy"), "--out", file("q.npy")});
  ASSERT_EQ(packed.status, 0) << packed.err;
  std::string blocks;
  for (std::size_t row = 0; row < kWeights; ++row) {
    for (std::size_t block = 0; block < kDepth / 32; ++block) {
      blocks += std::string("\x00\x38", 2);  // 0.5 as f16
      for (std::size_t i = 0; i < 16; ++i) {
        const auto code = [&](std::size_t at) {
          return static_cast<int>(2 * weight(row, 32 * block + at)) + 8;
        };
        blocks += static_cast<char>(code(i) | code(i + 16) << 4);
      }
    }
  }
  EXPECT_EQ(read_file(file("q.npy")), npy("|u1", "(5, 54)", blocks));

  const Outcome applied = apply("q.npy", "f32*q4_0");
  ASSERT_EQ(applied.status, 0) << applied.err;
  std::vector<float> c;
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kWeights; ++j) {
      float sum = 0;
      for (std::size_t at = 0; at < kDepth; ++at) sum += element(i, at) * weight(j, at);
      c.push_back(sum);
    }
  }
  EXPECT_EQ(read_file(file("c.npy")), npy("<f4", "(3, 5)", bytes_of(c)));
}

TEST_F(QuantisedFiles, AreRefusedIfTheyAreNoBlocks) {
  EXPECT_THAT(apply("w.npy", "f32*q4_0").err,
              AllOf(HasSubstr("has type f32, but weights in q4_0 are bytes, u8"),
                    HasSubstr("has rows of 96 bytes, not a multiple of the 18 of a block")));
  write_file(file("q.npy"), npy("|u1", "(5, 36)", std::string(180, '\0')));
  EXPECT_THAT(apply("q.npy", "f32*q4_0").err, HasSubstr("K is 96 in"));
  write_file(file("odd.npy"), npy("<f4", "(2, 33)", std::string(264, '\0')));
  const Outcome packed = bench(
      {"pack", "gemm/auto", "--type", "f32*q8_0", "--in", file("odd.npy"), "--out", file("q.npy")});
  EXPECT_THAT(packed.err, HasSubstr("it must have rows of whole blocks of 32 elements"));
}

TEST_F(QuantisedFiles, WithInfiniteScalesAreNeitherWrittenNorRead) {
  std::vector<float> large(5 * 96, 1);
  large[2 * 96 + 40] = 6e5f;
  write_file(file("large.npy"), npy("<f4", "(5, 96)", bytes_of(large)));
  expect_refused({"pack", "gemm/auto", "--type", "f32*q4_0", "--in", file("large.npy"), "--out",
                  file("q.npy")},
                 "as q4_0: row 2, group 1: 600000 in column 40 needs a scale");
  EXPECT_EQ(read_file(file("q.npy")), "");
  std::string blocks(5 * 54, '\0');
  blocks[3 * 54 + 18 * 2 + 1] = 0x7c;
  write_file(file("q.npy"), npy("|u1", "(5, 54)", blocks));
  expect_refused(apply("q.npy", "f32*q4_0"), "q.npy: row 3, group 2: the scale is inf");
}

// The definition of the product with scales for n: C(m,n) = scale_n(n) * sum of A(m,k) * code(n,k).
TEST_F(QuantisedFiles, OfI8AreArraysWithScalesForEachRow) {
  std::vector<float> scales, c;
  std::string codes;
  const auto code = [](std::size_t row, std::size_t at) {
    return static_cast<int>((row * 31 + at * 7) % 255) - 127;
  };
  for (std::size_t j = 0; j < kWeights; ++j) {
    scales.push_back(0.25f * static_cast<float>(j + 1));
    for (std::size_t at = 0; at < kDepth; ++at) codes += static_cast<char>(code(j, at));
  }
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kWeights; ++j) {
      float sum = 0;
      for (std::size_t at = 0; at < kDepth; ++at) {
        sum += element(i, at) * static_cast<float>(code(j, at));
      }
      c.push_back(scales[j] * sum);
    }
  }
  write_file(file("codes.npy"), npy("|i1", "(5, 96)", codes));
  write_file(file("scales.npy"), npy("<f4", "(5,)", bytes_of(scales)));
  const Outcome applied = bench({"apply", "gemm/auto", "--type", "f32*i8", "--epilogue", "scale_n",
                                 "--in", file("a.npy"), file("codes.npy"), file("scales.npy"),
                                 "--out", file("c.npy"), "--device", "host"});
  ASSERT_EQ(applied.status, 0) << applied.err;
  EXPECT_EQ(read_file(file("c.npy")), npy("<f4", "(3, 5)", bytes_of(c)));

  const auto packed = [&](const char* from) {
    return bench(
        {"pack", "gemm/auto", "--type", "f32*i8", "--in", file(from), "--out", file("q.npy")});
  };
  EXPECT_THAT(packed("w.npy").err,
              HasSubstr("-2.5 in row 0, column 1 is not a whole number up to 127"));
  ASSERT_EQ(packed("a.npy").status, 0);  // of whole numbers
  std::string whole;
  for (std::size_t i = 0; i < kRows * kDepth; ++i) {
    whole += static_cast<char>(element(i / kDepth, i % kDepth));
  }
  EXPECT_EQ(read_file(file("q.npy")), npy("|i1", "(3, 96)", whole));
  EXPECT_THAT(apply("w.npy", "f32*i8").err, HasSubstr("has type f32, but weights in i8 are i8"));
}

// A safetensors file with arrays of these names, types, shapes and bytes.
std::string safetensors(
    const std::vector<std::tuple<std::string, std::string, std::string, std::string>>& arrays) {
  std::string header, data;
  for (const auto& [name, dtype, shape, bytes] : arrays) {
    header += (header.empty() ? "{\"" : ",\"") + name + R"(":{"dtype":")" + dtype +
              R"(","shape":)" + shape + R"(,"data_offsets":[)" + std::to_string(data.size()) + "," +
              std::to_string(data.size() + bytes.size()) + "]}";
    data += bytes;
  }
  header += "}";
  const auto length = static_cast<char>(header.size());
  return {std::string(1, length) + static_cast<char>(header.size() >> 8) + std::string(6, '\0') +
          header + data};
}

// (K,N) = (32,8): code (k,n) is k % 16, zero points are 8, scale n is 2^n.
TEST_F(QuantisedFiles, AreReadFromCheckpoints) {
  std::vector<std::uint32_t> codes;
  for (int i = 0; i < 4 * 8; ++i) codes.push_back(i / 8 % 2 == 0 ? 0x76543210 : 0xfedcba98);
  std::vector<std::uint16_t> scales, a_bits;
  for (std::uint16_t n = 0; n < 8; ++n)
    scales.push_back(static_cast<std::uint16_t>((15 + n) << 10));
  std::vector<float> c;
  for (int k = 0; k < 32; ++k) a_bits.push_back(k == 5 ? 0x3f80 : 0);  // bf16: 1 at k = 5
  for (int n = 0; n < 8; ++n) c.push_back(static_cast<float>(-3 * (1 << n)));
  write_file(file("m.safetensors"),
             safetensors({{"x", "BF16", "[1,32]", bytes_of(a_bits)},
                          {"l.up.qweight", "I32", "[4,8]", bytes_of(codes)},
                          {"l.up.scales", "F16", "[1,8]", bytes_of(scales)},
                          {"l.up.qzeros", "I32", "[1,1]", std::string(4, '\x77')},
                          {"l.up.bias", "F16", "[8]", bytes_of(scales)}}));
  const auto pack = [&](const std::vector<std::string>& in) {
    std::vector<std::string> words = {"pack", "gemm/auto", "--type",      "f32*i4z32", "--from",
                                      "gptq", "--out",     file("q.npy"), "--in"};
    words.insert(words.end(), in.begin(), in.end());
    return bench(words);
  };
  const std::string model = file("m.safetensors");
  EXPECT_EQ(output_of(pack({model + ":l.up"})),
            model + ":l.up: (8, 32) i4z32, a scale for 32 weights along k\n");
  const std::string blocks = read_file(file("q.npy"));
  const Outcome applied =
      bench({"apply", "gemm/auto", "--type", "bf16*i4z32,f32", "--in", model + ":x", file("q.npy"),
             "--out", file("c.npy"), "--device", "host"});
  ASSERT_EQ(applied.status, 0) << applied.err;
  EXPECT_EQ(read_file(file("c.npy")), npy("<f4", "(1, 8)", bytes_of(c)));

  // Arrays one by one, also of .npy files.
  write_file(file("scales.npy"), npy("<f2", "(1, 8)", bytes_of(scales)));
  std::vector<std::uint32_t> in_fortran_order;
  for (std::size_t i = 0; i < 32; ++i) in_fortran_order.push_back(codes[i % 4 * 8 + i / 4]);
  write_file(file("qweight.npy"), npy("<u4", "(4, 8)", bytes_of(in_fortran_order), "True"));
  output_of(pack({file("scales.npy"), model + ":l.up.qzeros", file("qweight.npy")}));
  EXPECT_EQ(read_file(file("q.npy")), blocks);
  EXPECT_THAT(
      pack({model + ":l.down"}).err,
      HasSubstr("has no arrays 'l.down' with one of qweight, scales, qzeros, g_idx behind it; "
                "it has 1 that end in qweight, such as 'l.up.qweight'"));
  expect_refused({"apply", "copy/auto", "--in", model + ":l.up.scale", "--out", file("s.npy")},
                 "has no array 'l.up.scale' among its 5; did you mean 'l.up.scales'?");
  expect_refused({"apply", "copy/auto", "--in", model + ":l.up.scales", "--out", model},
                 "has an array of --in; the others would be lost");
  EXPECT_THAT(pack({file("scales.npy")}).err, HasSubstr("there is no array qweight"));
  expect_refused({"pack", "gemm/auto", "--type", "f32*q4_0", "--in", file("w.npy"), file("a.npy"),
                  "--out", file("q.npy")},
                 "only --from takes several");
  expect_refused({"pack", "gemm/auto", "--type", "f32", "--from", "gptq", "--in", model + ":l.up",
                  "--out", file("q.npy")},
                 "needs a --type with a format, such as f16*i4z128,f32");
}

TEST(QuantisedTypes, AreRunAndRefused) {
  const Outcome run = bench({"run", "gemm/auto", "--type", "f16*q8_0,f32", "--size", "2x40x96",
                             "--device", "host", "--min-time", "0"});
  EXPECT_THAT(output_of(run), AllOf(HasSubstr("f16*q8_0,f32"), HasSubstr("ok")));
  for (const char* type : {"f16*nf4,f32", "f16*e4m3g128,f32", "f16*i4g32,f32", "f16*i4g64,f32"}) {
    EXPECT_THAT(
        output_of({"run", "gemm/auto", "--type", type, "--size", "2x40x128", "--device", "host"}),
        AllOf(HasSubstr(type), HasSubstr("ok")));
  }
  const auto error = [](const std::string& type, const std::string& size) {
    return bench({"run", "gemm/auto", "--type", type, "--size", size, "--device", "host"}).err;
  };
  EXPECT_THAT(error("f16*q4_0,f32", "2x40x100"),
              HasSubstr("B in q4_0 has rows of 100 elements, not a multiple of the 32 of a block"));
  EXPECT_THAT(error("f64*q4_0", "2x40x96"),
              HasSubstr("A of f64 and B in q4_0: A must have type f16, bf16 or f32"));
  EXPECT_THAT(error("q4_0", "2x40x96"), HasSubstr("q4_0"));
}

}  // namespace
}  // namespace vkmoye::test
