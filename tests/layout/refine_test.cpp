// SPDX-License-Identifier: MIT
#include "vkmoye/layout/refine.hpp"

#include <gtest/gtest.h>

#include "layout/random_layout.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye {
namespace {

std::vector<std::string> refined(std::vector<Layout> layouts) {
  const auto found = common_refinement(layouts);
  if (!found) return {"none"};
  std::vector<std::string> out;
  for (const Layout& layout : *found) out.push_back(to_string(layout));
  return out;
}

TEST(Refinement, CutsLeavesUntilTheyAreAlike) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(refined({"(4,6):(1,8)"_layout, "((2,2),6):((3,1),12)"_layout}),
            (Texts{"(2,2,6):(1,2,8)", "(2,2,6):(3,1,12)"}));
  EXPECT_EQ(refined({"12:1"_layout, "(4,3):(0,1)"_layout}), (Texts{"(4,3):(1,4)", "(4,3):(0,1)"}));
  EXPECT_EQ(refined({"(1,5,1)"_layout, "5:7"_layout}), (Texts{"(5):(1)", "(5):(7)"}));
  EXPECT_EQ(refined({"1:0"_layout, "(1,1):(3,4)"_layout}), (Texts{"(1):(0)", "(1):(0)"}));
  EXPECT_EQ(refined({"(4,3)"_layout, "(6,2)"_layout}), Texts{"none"});
  EXPECT_EQ(refined({"(4,3)"_layout, "(4,6)"_layout}), Texts{"none"});
  EXPECT_EQ(refined({"2:1"_layout, "3:1"_layout}), Texts{"none"});
}

// Postcondition: one shape without extents of 1, the same offset at every index.
TEST(Refinement, KeepsEveryOffset) {
  rc::check([] {
    const Layout whole = *random_layout::any();
    const Layout coarse = coalesce(whole), other = Layout(IntTuple(whole.size()));
    const std::vector<Layout> layouts = {whole, other, coarse};
    const auto found = common_refinement(layouts);
    RC_ASSERT(found.has_value());
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      RC_ASSERT((*found)[i].shape() == (*found)[0].shape());
      for (const Mode& mode : (*found)[i].leaves()) RC_ASSERT(mode.extent > 1 || whole.size() == 1);
      for (std::int64_t at = 0; at < whole.size(); ++at)
        RC_ASSERT((*found)[i](at) == layouts[i](at));
    }
  });
}

}  // namespace
}  // namespace vkmoye
