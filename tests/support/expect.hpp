// SPDX-License-Identifier: MIT
#pragma once
// What tests expect: GoogleTest with the common matchers of GoogleMock by their own names, and errors.
//
//   EXPECT_THAT(text, AllOf(HasSubstr("copy"), Not(HasSubstr("barrier"))));
//   EXPECT_REFUSED(device.buffer(max + 1), ArgumentError, "the device allows");

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace vkmoye {

using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using testing::StrEq;
using testing::ThrowsMessage;

namespace test {

/// Matches a call that throws an Error whose message `why` matches, or contains if it is text.
template <class Error, class Why>
auto refused_with(const Why& why) {
  if constexpr (std::is_convertible_v<Why, std::string>) {
    return ThrowsMessage<Error>(HasSubstr(std::string(why)));
  } else {
    return ThrowsMessage<Error>(why);
  }
}

}  // namespace test
}  // namespace vkmoye

/// Expects that an expression throws an Error; see refused_with.
#define EXPECT_REFUSED(expression, Error, why) \
  EXPECT_THAT([&] { static_cast<void>(expression); }, (::vkmoye::test::refused_with<Error>(why)))
