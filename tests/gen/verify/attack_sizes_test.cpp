// SPDX-License-Identifier: MIT
// Kernels that are wrong at sizes that no trial takes: isl finds the size, or the kernel is not proved and refused.

#include "gen/verify/attacked.hpp"
#include "support/expect.hpp"

namespace vkmoye::gen::attack {
namespace {

// Registers that are read where a condition kept them from being written.
TEST(Attack, RegistersAtSizesThatNoTrialTakes) {
  const auto kernel = [](const Stmt& fill) {
    return with_result({fill, Load{"x", register_at(0)}});
  };
  const Body fill = {store(register_at(0))};
  expect_refused(kernel(If{not_equal(n, 1000), fill}), sizes(1000));
  expect_refused(kernel(If{not_equal(m, 1000), fill}), sizes(1, 1000));
  expect_refused(kernel(If{less(p, 20), fill}), sizes(1, 1, 20));
  expect_refused(kernel(If{not_equal(p, q), fill}), sizes(1, 1, 7, 7));
  expect_refused(kernel(For{"r", p % 7, fill}), sizes(1, 1, 7));
  expect_refused(kernel(If{not_equal(group, 17), fill}), sizes(64 * 20));
}

// The same of shared memory.
TEST(Attack, SharedMemoryAtSizesThatNoTrialTakes) {
  const auto unless = [](const Expr& condition) {
    return with_result(
        {If{condition, {store(shared_at(thread))}}, Barrier{}, Load{"x", shared_at(63 - thread)}});
  };
  expect_refused(unless(not_equal(n, 1000)), sizes(1000));
  expect_refused(unless(not_equal(n % 64, 5)), sizes(5));
  expect_refused(unless(not_equal(group, 17)), sizes(64 * 20));
}

// Products and quotients of arguments, of which isl knows no value.
TEST(Attack, CounterexamplesThatNoLaunchHas) {
  expect_refused(kernel_of({If{logical_or(not_equal(n * n, 10000), less(own, 50)), put(own)}}),
                 sizes(100));
  expect_refused(kernel_of({If{not_equal(n * m, 7 * 391), put(own)}}), sizes(391, 7));
  expect_refused(kernel_of({If{not_equal(n / maximum(m, 1), 391), put(own)}}), sizes(391));
  Body body = put(own);
  body.push_back(If{logical_and(equal(n * n, 160000), equal(thread, 5)), put(0)});
  expect_refused(kernel_of(body), sizes(400));
}

// (n - 1) / 6400 is a variable of the launch, tied to n by facts.
TEST(Attack, WorkgroupsThatLoopTooFewRounds) {
  Kernel kernel = kernel_of({For{"r", minimum((n - 1) / 6400 + 1, 300), put(6400 * r + own)}});
  kernel.grid[0] = {"n", 64, 100};
  expect_refused(kernel, sizes(6400 * 300 + 1));
  kernel.body = {For{"r", (n - 1) / 6464 + 1, put(64 * (100 * r + group) + thread)}};
  expect_refused(kernel, sizes(6464));
}

// Unknowns that get other numbers in another pass: ?#0 would be min(thread, m) or m - n.
TEST(Attack, UnknownsThatAreNumberedAnewInEachPass) {
  const Body only_one = {If{equal(own, 0), put(m - n)}, If{less(1, 0), put(minimum(thread, m))}};
  expect_refused(kernel_of({If{less(5000, n), only_one, put(own)}}), sizes(5001, 5003));
}

// Indices beyond linear functions.
TEST(Attack, ResultsThatIndicesBeyondLinearOnesDecide) {
  expect_refused(kernel_of({If{not_equal(own / maximum(p, 1), 77), put(own)}}), sizes(391, 1, 4));
  expect_refused(kernel_of({If{not_equal(own * p, 77 * 91), put(own)}}), sizes(391, 1, 91));
  expect_refused(kernel_of({If{not_equal(shift_right(own, minimum(p, 31)), 77), put(own)}}),
                 sizes(391, 1, 2));
  expect_refused(kernel_of({If{not_equal(bit_xor(own, 5), 771), put(own)}}), sizes(1000));
  expect_refused(kernel_of({If{not_equal(bit_and(own, 0x505), 0x505), put(own)}}), sizes(2000));
  Body body = put(own);
  body.push_back(If{equal(own * p, 77 * 91), put(0)});
  expect_refused(kernel_of(body), sizes(391, 1, 91));
}

// Elements that data decides, in a buffer that is read and written.
TEST(Attack, StoresWhereDataSaysAtALargeSize) {
  const Expr x = to_index(variable("x", element(ScalarType::u32)));
  Kernel kernel = kernel_of({If{
      less(own, n),
      {Load{"x", src_at(own)}, If{logical_and(less(5000, n), less(x, n)), {store(dst_at(x))}}}}});
  kernel.arrays[1].access = Access::read_write;
  expect_refused(kernel, sizes(5100));
}

// Shaders use the number of a matrix, the machine its registers.
TEST(Attack, MatricesThatAreNotTheRegistersListed) {
  for (const std::uint32_t which : {1, 5}) {
    EXPECT_THAT(verify(with_matrix(which, one)), Not(IsEmpty()));
  }
}

}  // namespace
}  // namespace vkmoye::gen::attack
