// SPDX-License-Identifier: MIT
// Tests the check of products with right and wrong results computed on the host.

#include <cmath>
#include <limits>

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/numbers/number.hpp"
#include "vkmoye/gen/problems/products/check.hpp"
#include "vkmoye/gen/problems/products/gemm_problem.hpp"

namespace vkmoye::bench {
namespace {

constexpr std::uint64_t kSeed = 5;

// A product, its inputs, and a result in which each sum is rounded once.
struct Case {
  Case(gen::GemmOptions p, Extents s) : problem(p), size(std::move(s)), data(problem, size, kSeed) {
    const std::vector<std::byte> a = data.bytes(0), b = data.bytes(1);
    result = data.bytes(2);
    for (std::int64_t batch = 0; batch < problem.batch; ++batch) {
      for (std::int64_t i = 0; i < size[0]; ++i) {
        for (std::int64_t j = 0; j < size[1]; ++j) {
          double sum = 0;
          for (std::int64_t k = 0; k < size[2]; ++k) {
            sum += number(0, a, batch, i, k) * number(1, b, batch, j, k);
          }
          sum *= problem.alpha;
          if (problem.beta != 0) sum += problem.beta * number(2, result, batch, i, j);
          gen::store_number(problem.result, sum, element(batch, i, j));
        }
      }
    }
  }

  double number(std::size_t which, const std::vector<std::byte>& bytes, std::int64_t batch,
                std::int64_t i, std::int64_t j) const {
    const gen::GemmArray& matrix = data.matrices()[which];
    return gen::load_number(matrix.type, &bytes[matrix.at(batch, i, j) * size_of(matrix.type)]);
  }
  std::byte* element(std::int64_t batch, std::int64_t i, std::int64_t j) {
    return &result[data.matrices()[2].at(batch, i, j) * size_of(problem.result)];
  }
  double get(std::int64_t i, std::int64_t j) {
    return gen::load_number(problem.result, element(0, i, j));
  }
  void set(std::int64_t batch, std::int64_t i, std::int64_t j, double value) {
    gen::store_number(problem.result, value, element(batch, i, j));
  }
  // The wider operand rounded to the type of the other, as matrix units do.
  gen::CheckResult check_of_units() const {
    return gen::check_gemm(data, problem, size, result, gen::Verify::full, kSeed,
                           gen::WiderOperand::rounded);
  }
  gen::CheckResult check(gen::Verify verify = gen::Verify::full) const {
    return gen::check_gemm(data, problem, size, result, verify, kSeed);
  }

  gen::GemmOptions problem;
  Extents size;
  gen::GemmData data;
  std::vector<std::byte> result;
};

gen::GemmOptions plain(const std::string& type = "f32") { return gen::parse_gemm_type(type); }

// A few problems that cover all members of a problem.
std::vector<gen::GemmOptions> problems() {
  std::vector<gen::GemmOptions> out;
  for (const char* type : {"f32", "f64", "f16", "f16,f32", "f16,f16", "i32"}) {
    for (int bits = 0; bits < 8; ++bits) {
      gen::GemmOptions p = plain(type);
      p.a_k_contiguous = bits & 1;
      p.b_k_contiguous = bits & 2;
      p.c_n_contiguous = bits & 4;
      p.batch = 1 + bits % 3;
      p.alpha = bits & 1 ? 1 : -2;
      p.beta = bits & 2 ? 3 : 0;
      p.c.offset = bits;
      if (bits > 3) p.a.leading = p.b.leading = p.c.leading = 40;
      p.init = bits & 4 ? gen::Init::integers : gen::Init::random;
      out.push_back(p);
    }
  }
  return out;
}

std::string words_of(const gen::GemmOptions& problem) {
  return join(gen::GemmProblem(problem, {9, 13, 17}).command_words, " ");
}

TEST(GemmCheck, WhatIsRightIsRight) {
  for (const gen::GemmOptions& problem : problems()) {
    Case c(problem, {9, 13, 17});
    for (const gen::Verify verify : {gen::Verify::full, gen::Verify::sample}) {
      const gen::CheckResult checked = c.check(verify);
      EXPECT_EQ(checked.mismatches, 0u) << words_of(problem) << checked.first;
      if (c.data.is_exact()) {
        EXPECT_EQ(checked.max_error, 0);
      }
    }
  }
}

TEST(GemmCheck, OneWrongElementIsFoundWhereverItLies) {
  for (const gen::GemmOptions& problem : problems()) {
    Case c(problem, {9, 13, 17});
    const std::int64_t batch = problem.batch - 1;
    for (const auto& [i, j] : {std::pair{0, 0}, {8, 12}, {4, 7}}) {
      Case wrong = c;
      // The bound for f16 sums is wide: it allows 17 + 3 roundings of 1 in 1024.
      const double before = gen::load_number(problem.result, wrong.element(batch, i, j));
      wrong.set(batch, i, j, before + 3);
      const gen::CheckResult checked = wrong.check();
      EXPECT_EQ(checked.mismatches, 1u) << words_of(problem);
      EXPECT_THAT(checked.first, HasSubstr(std::to_string(i) + "," + std::to_string(j) + "] is"));
    }
  }
}

TEST(GemmCheck, TheBoundIsThatOfTheHeader) {
  gen::GemmOptions problem = plain();
  problem.alpha = 0.5;
  Case c(problem, {3, 3, 100});
  const std::vector<std::byte> a = c.data.bytes(0), b = c.data.bytes(1);
  double magnitude = 0;
  for (std::int64_t k = 0; k < 100; ++k) {
    magnitude += 0.5 * std::fabs(c.number(0, a, 0, 1, k) * c.number(1, b, 0, 2, k));
  }
  const double bound = (8 * 10 + 3) * 0x1p-23 * magnitude;
  const double right = c.get(1, 2);
  c.set(0, 1, 2, right + 0.98 * bound);
  EXPECT_EQ(c.check().mismatches, 0u);
  EXPECT_NEAR(c.check().max_error, 0.98 * bound, 0.02 * bound);
  c.set(0, 1, 2, right + 1.02 * bound);
  EXPECT_EQ(c.check().mismatches, 1u);
  EXPECT_THAT(c.check().first, AllOf(HasSubstr("C[1,2] is "), HasSubstr(" within ")));
}

TEST(GemmCheck, WholeNumbersMustBeEqual) {
  gen::GemmOptions problem = plain();
  problem.init = gen::Init::integers;
  Case c(problem, {5, 5, 1000});
  ASSERT_TRUE(c.data.is_exact());
  c.set(0, 2, 2, c.get(2, 2) + 1);
  EXPECT_EQ(c.check().mismatches, 1u);
}

// More terms than f16 can add exactly: fewer are not 0, but each element is used.
TEST(GemmCheck, WholeNumbersStayExactInNarrowSums) {
  gen::GemmOptions problem = plain("f16,f16");
  problem.init = gen::Init::integers;
  const std::int64_t k = 10000;
  Case c(problem, {8, 3, k});
  ASSERT_TRUE(c.data.is_exact());
  EXPECT_EQ(c.check().mismatches, 0u);
  const std::vector<std::byte> a = c.data.bytes(0);
  std::int64_t used = 0;
  for (std::int64_t at = 0; at < k; ++at) {
    bool any = false;
    for (std::int64_t i = 0; i < 8; ++i) any = any || c.number(0, a, 0, i, at) != 0;
    used += any;
  }
  EXPECT_GT(used, k / 2);
}

TEST(GemmCheck, WritesBetweenTheElementsAreFound) {
  gen::GemmOptions problem = plain();
  problem.c.leading = 8;
  problem.c.offset = 4;
  problem.batch = 2;
  problem.c.stride = 40;
  Case c(problem, {3, 5, 4});
  for (const std::size_t gap : {0, 3, 9, 11, 17, 43}) {
    Case wrong = c;
    wrong.result[4 * gap] = std::byte{1};
    const gen::CheckResult checked = wrong.check();
    EXPECT_EQ(checked.mismatches, 1u) << gap;
    EXPECT_THAT(checked.first, HasSubstr("between its rows"));
  }
}

TEST(GemmCheck, WhatIsNotFiniteMustBeSoAlike) {
  gen::GemmOptions problem = plain();
  problem.init = gen::Init::nonfinite;
  Case c(problem, {32, 32, 8});
  EXPECT_EQ(c.check().mismatches, 0u);
  int nans = 0, infinities = 0;
  for (std::int64_t i = 0; i < 32; ++i) {
    for (std::int64_t j = 0; j < 32; ++j) {
      const double value = c.get(i, j);
      if (std::isfinite(value)) continue;
      std::isnan(value) ? ++nans : ++infinities;
      Case wrong = c;
      wrong.set(0, i, j, std::isnan(value) ? 0 : -value);
      ASSERT_EQ(wrong.check().mismatches, 1u);
    }
  }
  EXPECT_GT(nans, 10);
  EXPECT_GT(infinities, 10);
}

TEST(GemmCheck, AResultBeyondItsTypeMayBeInfiniteOrTruncated) {
  gen::GemmOptions problem = plain("f16");
  problem.alpha = 1e6;
  Case c(problem, {2, 2, 50});
  EXPECT_EQ(c.check().mismatches, 0u);
  const double infinite = c.get(0, 0);
  ASSERT_TRUE(std::isinf(infinite));
  c.set(0, 0, 0, std::copysign(65504, infinite));
  EXPECT_EQ(c.check().mismatches, 0u);
  c.set(0, 0, 0, -infinite);
  EXPECT_EQ(c.check().mismatches, 1u);
}

TEST(GemmCheck, ASampleSeesRowsAndColumnsInFull) {
  Case c(plain(), {300, 200, 3});
  Case row = c, column = c;
  for (std::int64_t j = 0; j < 200; ++j) row.set(0, 299, j, 100);
  for (std::int64_t i = 0; i < 300; ++i) column.set(0, i, 0, 100);
  EXPECT_GE(row.check(gen::Verify::sample).mismatches, 200u);
  EXPECT_GE(column.check(gen::Verify::sample).mismatches, 300u);
}

TEST(GemmOptions, ExchangesOperandsForAResultWithMContiguous) {
  gen::GemmOptions problem = plain();
  problem.a_k_contiguous = false;
  problem.c_n_contiguous = false;
  problem.a.leading = 50;
  EXPECT_TRUE(problem.form().a_k_contiguous);
  EXPECT_FALSE(problem.form().b_k_contiguous);
  const Arguments arguments = gemm_arguments(problem, {10, 20, 30});
  EXPECT_EQ(arguments.at("m"), Argument(20));
  EXPECT_EQ(arguments.at("n"), Argument(10));
  EXPECT_EQ(arguments.at("lda"), Argument(30));  // B's
  EXPECT_EQ(arguments.at("ldb"), Argument(50));  // A's, as K rows of M
  EXPECT_EQ(arguments.at("ldc"), Argument(10));
}

TEST(GemmOptions, TypesAreNamedAsShortAsTheyAreRead) {
  const std::pair<const char*, const char*> names[] = {{"f32", "f32"},
                                                       {"f16", "f16"},
                                                       {"f16,f32,f16", "f16"},
                                                       {"f16,f32", "f16,f32"},
                                                       {"f16,f32,f32", "f16,f32"},
                                                       {"f16,f16", "f16,f16"},
                                                       {"i8,i32", "i8"},
                                                       {"u8,u32,u32", "u8"},
                                                       {"bf16", "bf16"},
                                                       {"f32,f32,f16", "f32,f32,f16"}};
  for (const auto& [typed, shown] : names) EXPECT_EQ(plain(typed).type_text(), shown);
  EXPECT_EQ(plain("f16").accumulator, ScalarType::f32);
  EXPECT_EQ(plain("f16").result, ScalarType::f16);
  EXPECT_THROW(plain("f16,f32,f16,f16"), ArgumentError);
  EXPECT_THROW(plain("f16,"), ArgumentError);
}

TEST(GemmOptions, WhatCannotBeIsRefusedWithEveryReason) {
  gen::GemmOptions problem = plain("i32");
  problem.a.leading = 3;
  problem.batch = 2;
  problem.c.stride = 7;
  problem.alpha = 0.5;
  EXPECT_REFUSED(matrices_of(problem, {4, 5, 6}), ArgumentError,
                 AllOf(HasSubstr("A has rows of 6 elements, but they are 3 apart"),
                       HasSubstr("the matrices of C span 20 elements each, but they are 7 apart"),
                       HasSubstr("alpha = 0.5 cannot be represented in the accumulator i32")));
  problem = plain();
  problem.a.leading = 0xffffffff;
  EXPECT_REFUSED(matrices_of(problem, {0xffffffff, 1, 1}), ArgumentError,
                 "A spans more than 2^48 elements");
}

// The error of rounding f32 to f16 is allowed for matrix units, but not for other kernels, and no more than that.
TEST(GemmCheck, ForgivesMatrixUnitsThatTheWiderOperandIsRounded) {
  gen::GemmOptions problem = gen::parse_gemm_type("f32*f16");
  EXPECT_EQ(problem.a_type, ScalarType::f32);
  EXPECT_EQ(problem.b_type, ScalarType::f16);
  Case one(problem, {3, 5, 64});
  EXPECT_EQ(one.check().mismatches, 0u);
  double magnitude = 0;
  const auto a = one.data.bytes(0), b = one.data.bytes(1);
  for (std::int64_t k = 0; k < 64; ++k) {
    magnitude += std::fabs(one.number(0, a, 0, 1, k) * one.number(1, b, 0, 2, k));
  }
  const double right = one.get(1, 2);
  one.set(0, 1, 2, right + 0.9 * 0x1p-10 * magnitude);
  EXPECT_EQ(one.check().mismatches, 1u);
  EXPECT_EQ(one.check_of_units().mismatches, 0u);
  one.set(0, 1, 2, right + 1.1 * 0x1p-10 * magnitude);
  EXPECT_EQ(one.check_of_units().mismatches, 1u);
}

TEST(GemmTypes, AreReadAndWrittenAlike) {
  for (const char* text :
       {"f32", "f16,f32", "f16,f32,f16", "f32*f16", "bf16*f32,f32,bf16", "bf16"}) {
    EXPECT_EQ(gen::parse_gemm_type(text).type_text(),
              std::string(text) == "f16,f32,f16" ? "f16" : text);
  }
  EXPECT_EQ(gen::parse_gemm_type("f32*f16,f32").type_text(), "f32*f16");
  EXPECT_EQ(gen::parse_gemm_type("f16*bf16").accumulator, ScalarType::f32);
  for (const char* text : {"f32*", "*f32", "f32*f16*f16", "f32,f16*f16", "f32*f16,"}) {
    EXPECT_THROW(gen::parse_gemm_type(text), ArgumentError) << text;
  }
}

}  // namespace
}  // namespace vkmoye::bench
