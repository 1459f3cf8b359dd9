// SPDX-License-Identifier: MIT
// matmul: A @ B, compared with the definition in NumPy's documentation.

#include <algorithm>

#include "cli/bench.hpp"
#include "cli/numpy_array.hpp"
#include "support/expect.hpp"
#include "support/npy.hpp"

namespace vkmoye::test {
namespace {

// Vectors become a row and a column, batches get leading axes of length 1, and each matrix of the result is the
// product of the matrices at its broadcast index.
NumpyArray product_of(NumpyArray a, NumpyArray b) {
  const bool row = a.shape.size() == 1, column = b.shape.size() == 1;
  if (row) a.shape.insert(a.shape.begin(), 1);
  if (column) b.shape.push_back(1);
  const std::size_t rank = std::max(a.shape.size(), b.shape.size());
  a.shape.insert(a.shape.begin(), rank - a.shape.size(), 1);
  b.shape.insert(b.shape.begin(), rank - b.shape.size(), 1);
  const std::int64_t m = a.shape[rank - 2], k = a.shape[rank - 1], n = b.shape[rank - 1];
  Shape batch;
  for (std::size_t i = 0; i + 2 < rank; ++i) {
    batch.push_back(a.shape[i] == 1 ? b.shape[i] : a.shape[i]);
  }
  const auto matrix = [&](const NumpyArray& of, std::size_t number) {
    std::int64_t at = 0, step = 1;
    for (std::size_t axis = batch.size(); axis-- > 0;) {
      const auto extent = static_cast<std::size_t>(batch[axis]);
      if (of.shape[axis] != 1) at += step * static_cast<std::int64_t>(number % extent);
      step *= of.shape[axis];
      number /= extent;
    }
    return at;
  };
  NumpyArray c{batch, {}};
  if (!row) c.shape.push_back(m);
  if (!column) c.shape.push_back(n);
  for (std::size_t number = 0; number < NumpyArray::count(batch); ++number) {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (std::int64_t l = 0; l < k; ++l) {
          sum += a.values[static_cast<std::size_t>((matrix(a, number) * m + i) * k + l)] *
                 b.values[static_cast<std::size_t>((matrix(b, number) * k + l) * n + j)];
        }
        c.values.push_back(sum);
      }
    }
  }
  return c;
}

void expect_product(const TemporaryFolder& folder, const Shape& a, const Shape& b,
                    bool fortran_a = false, bool fortran_b = false,
                    const std::string& device = "host") {
  const NumpyArray x = NumpyArray::some(a, 1), y = NumpyArray::some(b, 2);
  x.write(folder.file("a.npy"), fortran_a);
  y.write(folder.file("b.npy"), fortran_b);
  const Outcome outcome = bench({"matmul", folder.file("a.npy"), folder.file("b.npy"), "--out",
                                 folder.file("c.npy"), "--device", device});
  const std::string what = NumpyArray::shape_text(a) + " @ " + NumpyArray::shape_text(b);
  ASSERT_EQ(outcome.status, 0) << what << outcome.err;
  const NumpyArray c = product_of(x, y);
  EXPECT_EQ(NumpyArray::read(folder.file("c.npy"), c.shape).values, c.values) << what;
  EXPECT_THAT(outcome.out, HasSubstr("c.npy " + NumpyArray::shape_text(c.shape) + " f32 on "));
}

TEST(Cli, MatmulIsNumPys) {
  const TemporaryFolder folder;
  const std::pair<Shape, Shape> cases[] = {
      {{3, 5}, {5, 4}},
      {{5}, {5, 4}},
      {{3, 5}, {5}},
      {{5}, {5}},
      {{1, 1}, {1, 1}},
      {{2, 3, 5}, {5, 4}},
      {{3, 5}, {2, 5, 4}},
      {{2, 3, 5}, {2, 5, 4}},
      {{1, 3, 5}, {2, 5, 4}},
      {{2, 1, 3, 5}, {3, 5, 4}},
      {{3, 5}, {1, 1, 5, 4}},
      {{2, 3, 2, 5}, {2, 3, 5, 3}},
      {{5}, {2, 3, 5, 4}},
      {{2, 3, 4, 5}, {5}},
      {{2, 1, 2, 2, 5}, {3, 1, 5, 2}},
      {{1, 3, 2, 5}, {4, 1, 5, 2}},
  };
  for (const auto& [a, b] : cases) expect_product(folder, a, b);
  expect_product(folder, {2, 3, 5}, {2, 5, 4}, /*fortran_a=*/true, /*fortran_b=*/true);
}

TEST(Cli, MatmulOfNoElementsIsNumPys) {
  const TemporaryFolder folder;
  expect_product(folder, {0, 5}, {5, 4});
  expect_product(folder, {3, 0}, {0, 4});  // empty sums: zeros
  expect_product(folder, {0}, {0});
  expect_product(folder, {0, 3, 5}, {5, 4});
  expect_product(folder, {2, 0, 3, 5}, {1, 5, 4});
}

// More matrices than a launch can have, but without elements: nothing is launched.
TEST(Cli, MatmulOfManyEmptyMatricesIsEmpty) {
  const TemporaryFolder folder;
  const std::int64_t many = std::int64_t{1} << 40;
  NumpyArray{{many, 0, 3}, {}}.write(folder.file("a.npy"));
  for (const Shape& b : {Shape{3, 4}, Shape{many, 1, 3, 0}}) {
    const bool has_elements = b.size() == 2;
    NumpyArray{b, std::vector<float>(has_elements ? 12 : 0)}.write(folder.file("b.npy"));
    const Outcome outcome = bench({"matmul", folder.file("a.npy"), folder.file("b.npy"), "--out",
                                   folder.file("c.npy"), "--device", "host"});
    EXPECT_THAT(output_of(outcome), HasSubstr("matmul by no kernel"));
    const Shape wanted = has_elements ? Shape{many, 0, 4} : Shape{many, many, 0, 0};
    EXPECT_THAT(outcome.out, HasSubstr("c.npy " + NumpyArray::shape_text(wanted) + " f32 on "));
  }
}

TEST(Cli, MatmulOfOtherTypesNamesThoseThatThereAre) {
  const TemporaryFolder folder;
  write_file(folder.file("a.npy"), npy("<u4", "(1, 1)", "abcd"));
  expect_refused({"matmul", folder.file("a.npy"), folder.file("a.npy"), "--out",
                  folder.file("c.npy"), "--device", "host"},
                 "gemm/auto: the kernel does not support u32; it supports f16 f32 "
                 "f64 i32 bf16 i8 u8");
}

TEST(Cli, MatmulOnADevice) {
  const TemporaryFolder folder;
  expect_product(folder, {2, 1, 33, 17}, {3, 17, 65}, false, true, "0");
}

TEST(Cli, MatmulWithAnEpilogue) {
  const TemporaryFolder folder;
  const NumpyArray a = NumpyArray::some({2, 1, 3, 5}, 1), b = NumpyArray::some({2, 5, 4}, 2);
  const NumpyArray bias = NumpyArray::some({4}, 3), residual = NumpyArray::some({2, 2, 3, 4}, 4);
  a.write(folder.file("a.npy"));
  b.write(folder.file("b.npy"), true);
  bias.write(folder.file("bias.npy"));
  residual.write(folder.file("residual.npy"), true);
  const std::vector<std::string> plain = {"matmul", folder.file("a.npy"), folder.file("b.npy"),
                                          "--out",  folder.file("c.npy"), "--device",
                                          "host"};
  std::vector<std::string> words = plain;
  words.insert(words.end(), {"--epilogue", "bias,relu,residual", "--bias", folder.file("bias.npy"),
                             "--residual", folder.file("residual.npy")});
  const Outcome outcome = bench(words);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  NumpyArray c = product_of(a, b);
  for (std::size_t i = 0; i < c.values.size(); ++i) {
    c.values[i] = std::max(0.0f, c.values[i] + bias.values[i % 4]) + residual.values[i];
  }
  EXPECT_EQ(NumpyArray::read(folder.file("c.npy"), c.shape).values, c.values);

  // A name with an underscore can be written with a hyphen.
  NumpyArray::some({3}, 5).write(folder.file("bias_m.npy"));
  for (const char* option : {"--bias_m", "--bias-m"}) {
    words = plain;
    words.insert(words.end(), {"--epilogue", "bias_m", option, folder.file("bias_m.npy")});
    EXPECT_EQ(bench(words).status, 0) << option;
  }

  words = plain;
  words.insert(words.end(), {"--epilogue", "bias_m", "--bias", folder.file("bias.npy")});
  expect_refused(words, AllOf(HasSubstr("reads --bias_m FILE.npy, which is not given"),
                              HasSubstr("no step of the epilogue reads it")));
}

TEST(Cli, MatmulRefusesWhatNumPyRefusesWithEveryReason) {
  const TemporaryFolder folder;
  const auto refused = [&](const Shape& a, const Shape& b) {
    NumpyArray::some(a, 1).write(folder.file("a.npy"));
    NumpyArray::some(b, 2).write(folder.file("b.npy"));
    const Outcome outcome = bench({"matmul", folder.file("a.npy"), folder.file("b.npy"), "--out",
                                   folder.file("c.npy"), "--device", "host"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(read_file(folder.file("c.npy")), "");
    return outcome.err;
  };
  EXPECT_THAT(refused({2, 3, 5}, {3, 6, 4}),
              AllOf(HasSubstr("the inner sizes differ: 5 in "), HasSubstr("with shape (2, 3, 5)"),
                    HasSubstr("and 6 in "), HasSubstr("with shape (3, 6, 4)"),
                    HasSubstr("do not broadcast: one axis has 2 and 3 matrices")));
  EXPECT_THAT(refused({5}, {4}), HasSubstr("the inner sizes differ: 5 in "));
  EXPECT_THAT(refused({}, {4}), HasSubstr("is a scalar"));
  NumpyArray::some({2, 3}, 1).write(folder.file("a.npy"));
  write_file(folder.file("b.npy"), npy("<f8", "(3, 1)", std::string(24, '\0')));
  expect_refused({"matmul", folder.file("a.npy"), folder.file("b.npy"), "--out",
                  folder.file("c.npy"), "--device", "host"},
                 AllOf(HasSubstr("a.npy has type f32"), HasSubstr("b.npy has type f64"),
                       HasSubstr("a.astype(b.dtype)")));
  expect_refused({"matmul", folder.file("a.npy"), "--out", folder.file("c.npy")},
                 "takes two arrays, A and B, got 1");
}

// A packed file replaces the array: NumPy's B (K,N) is packed with --b n.
TEST(Cli, MatmulTakesPackedOperands) {
  const TemporaryFolder folder;
  write_file(folder.file("a.npy"), npy("<f2", "(2, 16)", std::string(64, '\0')));
  std::string halves;
  for (int i = 0; i < 16 * 8; ++i) halves += std::string("\0\x3c", 2);  // 1.0
  write_file(folder.file("b.npy"), npy("<f2", "(16, 8)", halves));
  std::string ones;
  for (int i = 0; i < 32; ++i) ones += std::string("\0\x3c", 2);
  write_file(folder.file("a.npy"), npy("<f2", "(2, 16)", ones));
  const Outcome packed = bench({"pack", "gemm/packed", "--type", "f16,f32", "--b", "n", "--in",
                                folder.file("b.npy"), "--out", folder.file("b.packed")});
  if (packed.status == 3) GTEST_SKIP() << packed.err;
  ASSERT_EQ(packed.status, 0) << packed.err;
  const Outcome outcome = bench({"matmul", folder.file("a.npy"), folder.file("b.packed"), "--type",
                                 "f16,f32", "--out", folder.file("c.npy")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(NumpyArray::read(folder.file("c.npy"), {2, 8}).values, std::vector<float>(16, 16.0f));
}

}  // namespace
}  // namespace vkmoye::test
