// SPDX-License-Identifier: MIT
// The list of what must hold in every launch: who decides what, and what an assumption changes.

#include "vkmoye/gen/verify/claims.hpp"

#include "gen/verify/kernel_of.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/verify/verify.hpp"

namespace vkmoye::gen::verifying {
namespace {

using testing::IsSupersetOf;

// "isl: each element of dst is written: proved", each without its time.
std::vector<std::string> lines_of(const Kernel& kernel) {
  std::vector<std::string> lines;
  for (const Claim& claim : claims_of(kernel)) {
    lines.push_back(to_string(claim.by) + ": " + claim.text + ": " + to_string(claim.answer));
  }
  return lines;
}

TEST(Claims, NameWhoDecidesWhat) {
  const Kernel kernel = find_kernel("transpose/padded")->describe(request_of(ScalarType::f32));
  EXPECT_THAT(lines_of(kernel),
              IsSupersetOf({"rules: names and types are right: proved",
                            "rules: each index of a buffer is inside: proved",
                            "rules: all threads or none reach each barrier: proved",
                            "machine: each index of shared memory is inside: proved",
                            "machine: no two threads race in shared memory: proved",
                            "isl: no invocation touches what another writes in dst: proved",
                            "isl: each element of dst is written: proved"}));
  const Kernel rows = find_kernel("softmax/rows")->describe(request_of(ScalarType::f32));
  EXPECT_THAT(lines_of(rows), Contains(HasSubstr("isl: each element of ")));
}

// dst[i] where i * m <= n * m, which is always so, but isl does not decide products of variables.
Kernel under_a_product() {
  const Expr mine = 8 * builtin(Builtin::group_x) + thread, m = variable("m");
  Kernel kernel =
      kernel_of({If{less(mine, n),
                    {If{less(mine * m, n * m + 1),
                        {Store{{"dst", {mine}, "mine"}, number(ScalarType::f32, 1)}}}}}});
  kernel.arguments = {"n", "m"};
  kernel.arrays[0].access = Access::write;
  kernel.grid[0] = {"n", 8};
  return kernel;
}

TEST(Claims, AboutResultsAreRefusedWhereMoreThanLinearFunctionsDecideThem) {
  EXPECT_THAT(verify(under_a_product()),
              ElementsAre("not proved: each element of dst is written: which elements of dst "
                          "'mine' writes depends on "
                          "more than sizes; if it holds, assert it with assume_written, and why"));
}

TEST(Claims, AboutReadsAreRefusedWhereNothingDecidesThem) {
  // Read where n > 0 and written where n * n > 0.
  Kernel kernel =
      kernel_of({If{less(0, n * n), {Store{tile_at(thread, "all"), number(ScalarType::f32, 1)}}},
                 Barrier{}, If{less(0, n), {Load{"y", tile_at(7 - thread, "reader")}}}});
  EXPECT_THAT(verify(kernel),
              ElementsAre("not proved: what is read from tile was written: 'reader' reads what "
                          "nothing has written; if it holds, assert it with assume_written, and "
                          "why"));
  kernel.assumptions = {{"tile", "n is below 65536"}};
  EXPECT_THAT(lines_of(kernel), Contains("author: what is read from tile was written: assumed"));
  EXPECT_THAT(interface_of(kernel).assumptions,
              ElementsAre("what is read from tile was written before: n is below 65536"));
}

TEST(Claims, AreAssumedWhereTheAuthorSaysSo) {
  Kernel kernel = under_a_product();
  EXPECT_THAT(interface_of(kernel).assumptions, IsEmpty());
  kernel.assumptions = {{"dst", "n * m is below 2^32"}};
  EXPECT_THAT(
      interface_of(kernel).assumptions,
      ElementsAre("each element of dst is written by one invocation alone: n * m is below 2^32"));
  const Claim written = claims_of(kernel).back();
  EXPECT_EQ(written.by, Claim::Decider::author);
  EXPECT_EQ(written.why, "n * m is below 2^32");
  EXPECT_EQ(written.answer, Claim::Answer::assumed);
}

TEST(Claims, AreThoseOfASoundKernel) {
  const Kernel racing = kernel_of({Store{tile_at(0, "all"), number(ScalarType::f32, 1)}});
  EXPECT_REFUSED(claims_of(racing), KernelError, "race in shared tile");
}

}  // namespace
}  // namespace vkmoye::gen::verifying
