// SPDX-License-Identifier: MIT
// Broken kernels that the verifier still accepts. Each test says what is missing; it is enabled once that is there.

#include "gen/verify/attacked.hpp"
#include "support/expect.hpp"

namespace vkmoye::gen::attack {
namespace {

// Missing: a bound that `bounded` asserts is neither proved nor kept as an assumption.
TEST(Attack, DISABLED_BoundsThatAreAsserted) {
  Kernel kernel = with_result({Load{"x", {"table", {bounded(p + 1, 1000)}, "asserted"}}});
  kernel.arrays.push_back(
      {"table", ScalarType::f32, Array::Space::buffer, Access::read, {{"i", 1000, 1}}, ""});
  expect_refused(kernel, sizes(1, 1, 1000));
}

}  // namespace
}  // namespace vkmoye::gen::attack
