// SPDX-License-Identifier: MIT
// Broken kernels that the verifier still accepts. Each test says what is missing; it is enabled once that is there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/verify/attacked.hpp"

namespace vkmoye::gen::attack {
namespace {

// Missing: an obligation for which isl takes too many steps gives no reason.
TEST(Attack, DISABLED_ResultsForWhichTheSolverGivesUp) {
  Body body = put(own);
  for (std::uint32_t i = 0; i < 3; ++i) {
    const Expr mixed = own / (7 + 2 * i) + own % (11 + 6 * i) * 3;
    body = {If{not_equal(mixed % (13 + 2 * i), 12), body, body}};
  }
  body.push_back(If{logical_and(equal(n, 5000), equal(thread, 3)), put(0)});
  expect_refused(kernel_of(body), sizes(5000));
}

// Missing: what is read is only tried where isl gives up. p + thread wraps, at a p that no trial takes: the first
// threads do not write.
TEST(Attack, DISABLED_ReadsForWhichTheSolverGivesUp) {
  const Expr sum = p + thread;
  expect_refused(with_result({If{less(sum, n), {store(shared_at(thread, "writer"))}}, Barrier{},
                              If{logical_and(less(sum, n), less(0, thread)),
                                 {Load{"x", shared_at(thread - 1, "reader")}}}}),
                 sizes(70, 1, (std::int64_t{1} << 32) - 5));
}

// Missing: a bound that `bounded` asserts is neither proved nor kept as an assumption.
TEST(Attack, DISABLED_BoundsThatAreAsserted) {
  Kernel kernel = with_result({Load{"x", {"table", {bounded(p + 1, 1000)}, "asserted"}}});
  kernel.arrays.push_back(
      {"table", ScalarType::f32, Array::Space::buffer, Access::read, {{"i", 1000, 1}}, ""});
  expect_refused(kernel, sizes(1, 1, 1000));
}

}  // namespace
}  // namespace vkmoye::gen::attack
