// SPDX-License-Identifier: MIT
// Values of specialised arguments: which are accepted, and what they complete.

#include "vkmoye/contract/specialisation.hpp"

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/compact_strides.hpp"

namespace vkmoye {
namespace {

KernelInterface rows_of_fixed_length() {
  KernelInterface kernel;
  kernel.name = "copy";
  kernel.bindings = {{"src", ScalarType::f32, Access::read, {"cols", "rows"}, {1, "step"}}};
  kernel.push_constants = {"rows", "step"};
  kernel.specialised = {{"cols"}, {"depth"}};
  return kernel;
}

TEST(Specialisation, GivesEachArgumentItsValue) {
  const KernelInterface kernel =
      specialised(rows_of_fixed_length(), {{"cols", 4096}, {"depth", 0xffffffff}});
  EXPECT_EQ(kernel.specialised[0].value, 4096u);
  EXPECT_EQ(kernel.specialised[1].value, 0xffffffffu);
  EXPECT_EQ(rows_of_fixed_length().specialised[0].value, std::nullopt);
}

TEST(Specialisation, IsRefusedWithEveryReason) {
  EXPECT_REFUSED(
      specialised(rows_of_fixed_length(), {{"cols", 0}, {"rows", 7}}), ArgumentError,
      AllOf(HasSubstr("copy:"), HasSubstr("constant cols = 0 is outside 1..2^32-1"),
            HasSubstr("'depth' is a specialisation constant, and has no value to load it with"),
            HasSubstr("'rows' is not a specialisation constant of it (cols, depth)")));
  for (const Argument& wrong : {Argument(-1), Argument(1.5), Argument(std::int64_t{1} << 32)}) {
    EXPECT_REFUSED(specialised(rows_of_fixed_length(), {{"cols", wrong}, {"depth", 1}}),
                   ArgumentError,
                   AllOf(HasSubstr("cols = " + to_string(wrong)), Not(HasSubstr("depth"))));
  }
  EXPECT_REFUSED(specialised(KernelInterface{}, {{"cols", 1}}), ArgumentError, "(it has none)");
}

TEST(Specialisation, CompletesArguments) {
  const KernelInterface kernel = specialised(rows_of_fixed_length(), {{"cols", 6}, {"depth", 2}});
  const Arguments given = {{"rows", 3}, {"depth", 5}};
  EXPECT_EQ(specialised_among(kernel, given), (Arguments{{"depth", 5}}));
  EXPECT_EQ(with_specialised_values(kernel, given),
            (Arguments{{"rows", 3}, {"depth", 5}, {"cols", 6}}))
      << "what is given stays: a launch refuses it";
  EXPECT_EQ(with_compact_strides(kernel, {{"rows", 3}}),
            (Arguments{{"rows", 3}, {"depth", 2}, {"cols", 6}, {"step", 6}}));
  EXPECT_EQ(with_specialised_values(rows_of_fixed_length(), given), given);
}

}  // namespace
}  // namespace vkmoye
