// SPDX-License-Identifier: MIT
// Products that the random tests do not cover: grids larger than a dispatch, empty sums, configs chosen by shape,
// every combination of types; and that wrong results are detected.

#include <utility>

#include "gemm_device/products.hpp"
#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::test {
namespace {

using namespace bench;

class ProductTest : public DeviceTest {
 protected:
  static Problem product(const char* kernel, const gen::Options& config, const char* type,
                         const Extents& size) {
    return {gen::find_kernel(kernel), config, parse_gemm_type(type), size};
  }

  static void expect_right(Products& products, const Problem& problem) {
    EXPECT_EQ(products.wrong(problem, 1), "") << command_of(problem, 1);
  }

  // The number of mismatches if the kernel of `taken` computes the problem `asked`.
  static std::uint64_t mismatches(Products& products, const Problem& asked, const Problem& taken) {
    const auto workload = asked.workload(), other = taken.workload();
    RunPlan plan = workload->plan(products.caps());
    plan.steps = other->plan(products.caps()).steps;
    const auto execution = products.prepare(plan);
    workload->fill(*execution, 1);
    execution->run();
    return workload->check(*execution, Verify::full, 1).mismatches;
  }
};

TEST_F(ProductTest, GridsBeyondOneDispatchAreRight) {
  OpenOptions options;
  options.pretend = [](DeviceCaps& caps) { caps.max_group_count = {2, 3, 2}; };
  for_each_device(
      [&](Device& device) {
        Products products(device);
        Problem problem = product("gemm/simt", kSmallTiles, "f32", {150, 130, 9});
        problem.gemm.batch = 5;
        problem.gemm.init = Init::integers;
        expect_right(products, problem);
        problem.gemm.slices = 3;
        expect_right(products, problem);
      },
      options);
}

// With k = 0, the sums are 0 and C is multiplied by beta; with m = 0 or n = 0, C has no elements.
TEST_F(ProductTest, SumsOfNothingAreZero) {
  for_each_device([&](Device& device) {
    Products products(device);
    for (const char* kernel :
         {"gemm/simt", "gemm/moye_prefetch", "gemm/moye_simple", "gemm/thin"}) {
      const bool is_thin = std::string(kernel) == "gemm/thin";
      for (const double beta : {0.0, -2.0}) {
        for (const Extents& size : {Extents{33, 34, 0}, {0, 34, 5}, {33, 0, 5}, {0, 0, 0}}) {
          const gen::Options& thin = thin_config(kThinRows, device.caps());
          Problem problem = product(kernel, is_thin ? thin : kSmallTiles, "f32", size);
          problem.gemm.beta = beta;
          expect_right(products, problem);
        }
      }
    }
  });
}

// 0 * NaN is never computed: with alpha = 0, A and B are not read; with beta = 0, C is not read. Otherwise NaN and
// infinities propagate. 48 products for each kernel and type.
TEST_F(ProductTest, FactorsOfZeroHideWhatIsNotFinite) {
  for_each_device([&](Device& device) {
    Products products(device);
    const bool has_units = has_matrices(device.caps(), parse_gemm_type("f16,f32"));
    std::vector<std::pair<const char*, const char*>> kernels = {
        {"gemm/simt", "f32"}, {"gemm/simt", "f16"}, {"gemm/simt", "f64"}, {"gemm/thin", "f32"}};
    if (has_units) kernels.emplace_back("gemm/packed", "f16,f32");
    for (const auto& [kernel, type] : kernels) {
      const bool is_thin = std::string_view(kernel) == "gemm/thin";
      const gen::Options config = is_thin ? thin_config(kThinRows, device.caps())
                                  : std::string_view(kernel) == "gemm/simt" ? kSmallTiles
                                                                            : gen::Options{};
      int count = 0;
      for (int bits = 0; bits < 16; ++bits) {
        for (const double alpha : {0.0, 1.0, -2.5}) {
          Problem problem = product(kernel, config, type, {33, 34, bits & 1 ? 0 : 17});
          GemmProblem& p = problem.gemm;
          p.init = bits & 2 ? Init::nonfinite : Init::random;
          p.beta = bits & 4 ? 0.5 : 0;
          p.slices = bits & 8 ? 3 : 1;
          p.alpha = alpha;
          expect_right(products, problem);
          ++count;
        }
      }
      EXPECT_EQ(count, 48);
    }
  });
}

// With the config that the shape determines, including a batch of small products.
TEST_F(ProductTest, FewRowsAndFewColumnsAreRight) {
  const struct {
    const char* type;
    Extents size;
    bool k_contiguous;
    std::int64_t batch;
  } cases[] = {{"f32", {1, 300, 520}, true, 1},
               {"f16", {1, 300, 520}, false, 1},
               {"f16", {130, 3, 257}, true, 1},
               {"f32", {16, 64, 40}, false, 5}};
  for_each_device([&](Device& device) {
    Products products(device);
    for (const auto& [type, size, k_contiguous, batch] : cases) {
      Problem problem = product("gemm/thin", {}, type, size);
      problem.gemm.a_k_contiguous = problem.gemm.b_k_contiguous = k_contiguous;
      problem.gemm.batch = batch;
      expect_right(products, problem);
    }
  });
}

// Every product that is not rejected is right, for all types.
TEST_F(ProductTest, EveryCombinationOfTypesIsRefusedOrRight) {
  const char* names[] = {"f16", "f32", "f64", "i32", "u32", "i8", "bf16"};
  const gen::Options config = {
      {"tile", "16x32x8"}, {"threads", "8x8"}, {"values", "1x1"}, {"vector", "2"}};
  for_each_device([&](Device& device) {
    Products products(device);
    int right = 0, refused = 0;
    for (const char* operand : {"f16", "f32", "f64", "i32"}) {
      for (const char* accumulator : names) {
        for (const char* result : names) {
          const auto type = std::string(operand) + "," + accumulator + "," + result;
          try {
            expect_right(products, product("gemm/moye_simple", config, type.c_str(), {17, 33, 9}));
            ++right;
          } catch (const KernelError&) {
            ++refused;
          }
        }
      }
    }
    EXPECT_GE(right, 28);  // floating-point with floating-point, integers with integers
    EXPECT_GE(refused, 100);
  });
}

// Blocks of three fragments: the divisors and the tiles of C are not powers of two.
TEST_F(ProductTest, PartsOfNoPowerOfTwo) {
  for_each_device([&](Device& device) {
    if (!has_matrices(device.caps(), parse_gemm_type("f16,f32"))) return;
    Products products(device);
    const bool few_lanes = gen::lanes_of_matrices(device.caps()) < 32;
    const std::vector<const char*> parts =
        few_lanes ? std::vector{"16x24", "24x8"} : std::vector{"32x48", "48x16"};
    for (const char* part : parts) {
      for (const char* packed : {"none", "b", "ab"}) {
        Problem problem = product("gemm/packed", {{"part", part}}, "f16,f32", {65, 130, 37});
        problem.gemm.packed = packed;
        expect_right(products, problem);
      }
    }
  });
}

// An empty batch is not packed, although its matrices have elements.
TEST_F(ProductTest, ABatchOfNothingTouchesNothing) {
  for_each_device([&](Device& device) {
    if (!has_matrices(device.caps(), parse_gemm_type("f16,f32"))) return;
    Products products(device);
    Problem problem = product("gemm/packed", {}, "f16,f32", {17, 33, 20});
    problem.gemm.batch = 0;
    expect_right(products, problem);
  });
}

// Different ways to pack the two operands of one product, in the order of the plan.
TEST_F(ProductTest, WhatIsPackedBeforehandComesFirst) {
  for_each_device([&](Device& device) {
    if (!has_matrices(device.caps(), parse_gemm_type("f16,f32"))) return;
    Products products(device);
    for (const auto& [packed, beforehand] :
         {std::pair{"none", 0u}, {"a", 1u}, {"b", 1u}, {"ab", 2u}}) {
      Problem problem = product("gemm/packed", {}, "f16,f32", {17, 33, 20});
      problem.gemm.packed = packed;
      const auto workload = problem.workload();
      const RunPlan plan = plan_on(products, *workload);
      EXPECT_EQ(plan.beforehand, beforehand);
      EXPECT_EQ(plan.main, 2u);
    }
  });
}

// More sums than a 64-bit number can count, and more bytes than any device has.
TEST_F(ProductTest, TooManySumsOfSlicesAreRefused) {
  Problem problem = product("gemm/simt", {}, "f32", {1 << 20, 1 << 20, 8});
  problem.gemm.slices = std::int64_t{1} << 40;
  EXPECT_REFUSED(problem.workload(), ArgumentError,
                 "1099511627776 slices of k of 1 products have 1048576 x 1048576 sums each, more "
                 "than 2^48 in total");
}

// Shows that these tests and the random ones can fail: a kernel for another form writes the result.
TEST_F(ProductTest, AWrongProductIsFoundAndItsCommandPrinted) {
  for_each_device([&](Device& device) {
    Products products(device);
    Problem problem = product("gemm/simt", kSmallTiles, "f32", {33, 33, 33});
    problem.gemm.init = Init::integers;
    problem.gemm.a.offset = 4;
    Problem other = problem;
    other.gemm.a_k_contiguous = false;
    EXPECT_GT(mismatches(products, problem, other), 500u);
    EXPECT_EQ(command_of(problem, 1),
              "vkmoye-bench run gemm/simt --verify full --seed 1 --threads 8x8 --tile 32x32x8 "
              "--values 4x4 --vector 16 --size 33x33x33 --type f32 --offset-a 4 --init integers");
  });
}

}  // namespace
}  // namespace vkmoye::test
