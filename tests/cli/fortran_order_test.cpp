// SPDX-License-Identifier: MIT
// Every kernel treats arrays in Fortran order as NumPy does.

#include <algorithm>
#include <cmath>

#include "cli/bench.hpp"
#include "cli/numpy_array.hpp"
#include "support/expect.hpp"

namespace vkmoye::test {
namespace {

// The results of a kernel on arrays in C order, and on the same arrays in Fortran order.
void expect_same_of_both_orders(const std::vector<std::string>& kernel,
                                const std::vector<Shape>& shapes, const Shape& result,
                                bool fortran_result = false) {
  const TemporaryFolder folder;
  std::vector<float> values[2];
  for (const bool fortran : {false, true}) {
    std::vector<std::string> words = {"apply"};
    words.insert(words.end(), kernel.begin(), kernel.end());
    words.insert(words.end(), {"--device", "host", "--out", folder.file("out.npy"), "--in"});
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      words.push_back(folder.file(std::to_string(i) + ".npy"));
      NumpyArray::some(shapes[i], static_cast<std::uint32_t>(i)).write(words.back(), fortran);
    }
    const Outcome outcome = bench(words);
    ASSERT_EQ(outcome.status, 0) << kernel[0] << outcome.err;
    values[fortran] =
        NumpyArray::read(folder.file("out.npy"), result, fortran && fortran_result).values;
  }
  EXPECT_EQ(values[0], values[1]) << kernel[0] << " of " << NumpyArray::shape_text(shapes[0]);
  EXPECT_FALSE(std::all_of(values[0].begin(), values[0].end(), [](float x) { return x == 0; }));
}

TEST(Cli, ApplyTakesFortransOrderToEveryKernel) {
  expect_same_of_both_orders({"copy/auto"}, {{3, 5}}, {3, 5}, true);
  expect_same_of_both_orders({"copy/simple"}, {{2, 3, 5}}, {2, 3, 5}, true);
  expect_same_of_both_orders({"transpose/auto"}, {{3, 5}}, {5, 3}, true);
  expect_same_of_both_orders({"transpose/padded"}, {{3, 5}}, {5, 3}, true);
  expect_same_of_both_orders({"relayout"}, {{3, 4, 5}}, {5, 4, 3});
  expect_same_of_both_orders({"relayout", "--permute", "2,0,1"}, {{3, 4, 5}}, {5, 3, 4});
  expect_same_of_both_orders({"reduce/sum"}, {{3, 5}}, {3});
  expect_same_of_both_orders({"reduce/sum", "--axis", "0"}, {{3, 5}}, {5});
  expect_same_of_both_orders({"reduce/max", "--axis", "1"}, {{3, 5}}, {3});
  expect_same_of_both_orders({"softmax/rows"}, {{3, 5}}, {3, 5});
  expect_same_of_both_orders({"norm/rms"}, {{3, 5}, {5}}, {3, 5});
  expect_same_of_both_orders({"gemm/simt"}, {{3, 5}, {4, 5}}, {3, 4});
  expect_same_of_both_orders({"gemm/auto", "--a", "m", "--b", "n"}, {{5, 3}, {5, 4}}, {3, 4});
  expect_same_of_both_orders({"gemm/simt", "--beta", "2", "--epilogue", "bias,residual"},
                             {{2, 3, 5}, {4, 5}, {2, 3, 4}, {4}, {2, 3, 4}}, {2, 3, 4});
}

TEST(Cli, ApplyTakesLargerArraysInFortransOrderOnADevice) {
  const TemporaryFolder folder;
  const NumpyArray a = NumpyArray::some({67, 129}, 1);
  a.write(folder.file("a.npy"), true);
  const Outcome outcome = bench(
      {"apply", "transpose/auto", "--in", folder.file("a.npy"), "--out", folder.file("b.npy")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const NumpyArray b = NumpyArray::read(folder.file("b.npy"), {129, 67}, true);
  for (std::size_t row = 0; row < 67; ++row) {
    for (std::size_t col = 0; col < 129; ++col) {
      ASSERT_EQ(b.values[col * 67 + row], a.values[row * 129 + col]);
    }
  }
}

TEST(Cli, PackTakesFortransOrder) {
  const TemporaryFolder folder;
  std::string by_rows, by_columns;  // f16 of (8,16): element (i, j) has the bits 16 i + j
  for (char i = 0; i < 8; ++i) {
    for (char j = 0; j < 16; ++j) by_rows += {static_cast<char>(16 * i + j), '\0'};
  }
  for (char j = 0; j < 16; ++j) {
    for (char i = 0; i < 8; ++i) by_columns += {static_cast<char>(16 * i + j), '\0'};
  }
  write_file(folder.file("c.npy"), npy("<f2", "(8, 16)", by_rows));
  write_file(folder.file("f.npy"), npy("<f2", "(8, 16)", by_columns, "True"));
  for (const char* name : {"c", "f"}) {
    const Outcome outcome = bench({"pack", "gemm/packed", "--type", "f16,f32", "--in",
                                   folder.file(std::string(name) + ".npy"), "--out",
                                   folder.file(std::string(name) + ".packed")});
    if (outcome.status == 3) GTEST_SKIP() << outcome.err;
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  EXPECT_EQ(read_file(folder.file("c.packed")), read_file(folder.file("f.packed")));
}

TEST(Cli, ApplySaysWhatItDidInOneLine) {
  const TemporaryFolder folder;
  NumpyArray::some({2, 3}, 1).write(folder.file("a.npy"));
  const Outcome outcome = bench({"apply", "transpose/padded", "--device", "host", "--in",
                                 folder.file("a.npy"), "--out", folder.file("b.npy")});
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1);
  EXPECT_THAT(outcome.out,
              HasSubstr("transpose/padded: " + folder.file("a.npy") + " (2, 3) f32 -> " +
                        folder.file("b.npy") + " (3, 2) f32 on host, "));
  // If the array goes to stdout, nothing else does.
  const Outcome piped = bench({"apply", "transpose/padded", "--device", "host", "--in",
                               folder.file("a.npy"), "--out", "-"});
  EXPECT_EQ(piped.out, read_file(folder.file("b.npy")));
  EXPECT_THAT(piped.err, HasSubstr("-> - (3, 2) f32 on host, "));
}

}  // namespace
}  // namespace vkmoye::test
