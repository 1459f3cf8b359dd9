// SPDX-License-Identifier: MIT
// Arguments that are missing: strides that are completed, and every other one in a single message.

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/argument_names.hpp"
#include "vkmoye/contract/compact_strides.hpp"

namespace vkmoye {
namespace {

KernelInterface product_of_rows() {
  KernelInterface kernel;
  kernel.name = "product";
  kernel.bindings = {
      {"a", ScalarType::f32, Access::read, {"k", "m", "batch"}, {1, "lda", "stride_a"}},
      {"c", ScalarType::f32, Access::write, {"n", "m"}, {1, "ldc"}}};
  kernel.push_constants = {"m", {"alpha", ScalarType::f32}, "first_group_x"};
  kernel.grid[0] = {Extent("n", "blocks"), 32};
  return kernel;
}

TEST(CompactStrides, AreWhatArraysWithoutGapsHave) {
  const Arguments given = {{"m", 5}, {"n", 3}, {"k", 7}, {"batch", 2}, {"ldc", 4}, {"alpha", 0.5}};
  const Arguments all = with_compact_strides(product_of_rows(), given);
  EXPECT_EQ(all.at("lda"), Argument(7));
  EXPECT_EQ(all.at("stride_a"), Argument(35));
  EXPECT_EQ(all.at("ldc"), Argument(4));
  EXPECT_EQ(all.size(), given.size() + 2);
}

TEST(CompactStrides, NameEveryArgumentThatIsMissingAndNoStrideThatMayBe) {
  EXPECT_REFUSED(with_compact_strides(product_of_rows(), {{"m", 5}, {"batches", 2}}), ArgumentError,
                 StrEq("product:\n"
                       "  - argument 'alpha' is missing\n"
                       "  - argument 'batch' is missing\n"
                       "  - argument 'blocks' is missing\n"
                       "  - argument 'k' is missing\n"
                       "  - argument 'n' is missing\n"
                       "  - unknown argument 'batches', did you mean 'batch'?"));
  EXPECT_EQ(with_compact_strides(product_of_rows(), {{"m", 5}, {"k", 7}, {"n", 3}}).at("stride_a"),
            Argument(35))
      << "what no stride needs may come later";
}

TEST(CompactStrides, MayBeExtentsOfEarlierArrays) {
  KernelInterface kernel;
  kernel.name = "chain";
  kernel.bindings = {{"src", ScalarType::f32, Access::read, {"wide", "rows"}, {1, "step"}},
                     {"dst", ScalarType::f32, Access::write, {"cols", "rows"}, {1, "wide"}}};
  EXPECT_EQ(with_compact_strides(kernel, {{"cols", 6}, {"rows", 2}}),
            (Arguments{{"cols", 6}, {"rows", 2}, {"step", 6}, {"wide", 6}}));
  EXPECT_REFUSED(with_compact_strides(kernel, {{"rows", 2}}), ArgumentError,
                 StrEq("chain:\n"
                       "  - argument 'cols' is missing\n"
                       "  - argument 'wide' is missing"));
}

TEST(ArgumentNames, AreThoseOfALaunch) {
  KernelInterface kernel = product_of_rows();
  kernel.specialised = {{"n"}};
  EXPECT_THAT(argument_names(kernel),
              ElementsAre("alpha", "batch", "blocks", "k", "lda", "ldc", "m", "stride_a"));
  const WrongNames wrong = wrong_names(kernel, {{"k", 1}, {"lda", 1}, {"m", 1}, {"other", 1}});
  EXPECT_THAT(wrong.missing, ElementsAre("alpha", "batch", "blocks", "ldc", "n", "stride_a"));
  EXPECT_THAT(wrong.unknown, ElementsAre("unknown argument 'other'"));
}

TEST(Sizes, NameEveryArgumentThatIsMissing) {
  const KernelInterface kernel = product_of_rows();
  EXPECT_REFUSED(element_count(kernel.bindings[1], {{"alpha", 1}}), ArgumentError,
                 StrEq("c:\n"
                       "  - argument 'n' is missing\n"
                       "  - argument 'm' is missing\n"
                       "  - argument 'ldc' is missing"));
  EXPECT_REFUSED(element_count({"d", ScalarType::f32, Access::read, {"m", "n"}}, {}), ArgumentError,
                 StrEq("d:\n"
                       "  - argument 'm' is missing\n"
                       "  - argument 'n' is missing"));
  EXPECT_REFUSED(group_count(kernel, {}), ArgumentError,
                 StrEq("product:\n"
                       "  - argument 'n' is missing\n"
                       "  - argument 'blocks' is missing"));
}

TEST(Arguments, AreGivenOnce) {
  EXPECT_REFUSED(Arguments({{"rows", 2}, {"cols", 3}, {"rows", 1}, {"rows", 2}}), ArgumentError,
                 StrEq("arguments: argument 'rows' is given twice"));
  const Arguments one = {{"rows", 2}};
  EXPECT_EQ(Arguments(one.begin(), one.end()), one);
  EXPECT_TRUE(Arguments({}).empty());
}

}  // namespace
}  // namespace vkmoye
