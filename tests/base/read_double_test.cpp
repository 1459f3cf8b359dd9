// SPDX-License-Identifier: MIT
// Numbers read by strtod, where a C++ library has no std::from_chars for them, beside std::from_chars.

#include "vkmoye/base/read_double.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <string>

namespace vkmoye {
namespace {

#ifdef __cpp_lib_to_chars

void expect_same(const std::string& text) {
  const char *begin = text.data(), *end = begin + text.size();
  double wanted = 7, found = 7;
  const auto by_library = std::from_chars(begin, end, wanted);
  const auto by_strtod = read_double_by_strtod(begin, end, found);
  EXPECT_EQ(by_strtod.ec, by_library.ec) << "'" << text << "'";
  EXPECT_EQ(by_strtod.ptr - begin, by_library.ptr - begin) << "'" << text << "'";
  EXPECT_EQ(std::bit_cast<std::uint64_t>(found), std::bit_cast<std::uint64_t>(wanted))
      << "'" << text << "'";
}

TEST(ReadDouble, IsFromChars) {
  for (const char* text : {"",         "-",
                           "+1",       " 1",
                           "1 ",       "0",
                           "-0",       "1.5e3",
                           ".5",       "5.",
                           "1e",       "1e+",
                           "--1",      "-+1",
                           "- 1",      "0x10",
                           "-0x1p3",   "1e400",
                           "-1e400",   "1e-400",
                           "4.9e-324", "2.2250738585072011e-308",
                           "inf",      "-inf",
                           "infinity", "Inf",
                           "x",        "e5",
                           "1,5",      "1e5x",
                           "0X",       "."}) {
    expect_same(text);
  }
}

TEST(ReadDouble, IsFromCharsForRandomTexts) {
  std::mt19937 random(1);
  const std::string letters = "0123456789.-+eExX ";
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    const std::size_t size = random() % 9;
    while (text.size() < size) text += letters[random() % letters.size()];
    expect_same(text);
  }
  for (int i = 0; i < 2000; ++i) {
    const auto number = std::bit_cast<double>((std::uint64_t{random()} << 32) | random());
    if (!std::isfinite(number)) continue;
    char text[64];
    expect_same(std::string(text, std::to_chars(text, text + sizeof text, number).ptr));
  }
}

#endif

}  // namespace
}  // namespace vkmoye
