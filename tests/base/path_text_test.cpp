// SPDX-License-Identifier: MIT
// Paths as text: UTF-8 on every system.

#include "vkmoye/base/path_text.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "vkmoye/base/error.hpp"

namespace vkmoye {
namespace {

constexpr const char* kName = "\xc3\xb6\xc3\x9f.npy";  // \u00f6\u00df.npy

TEST(PathText, IsThatOfThePath) {
  for (const char* text : {"", "a.npy", kName, "\xe2\x82\xac", "\xf0\x9f\x98\x80.json"}) {
    EXPECT_EQ(path_text(path_of(text)), text);
  }
  EXPECT_EQ(path_of(kName), std::filesystem::path(u8"\u00f6\u00df.npy"));
}

TEST(PathText, NamesAFile) {
  const auto folder = std::filesystem::temp_directory_path();
  const auto file = folder / path_of(std::to_string(std::random_device{}()) + kName);
  std::ofstream(file) << "text";
  EXPECT_TRUE(std::filesystem::is_regular_file(path_of(path_text(file))));
  std::filesystem::remove(file);
}

#if defined(_WIN32)
TEST(PathText, ThatIsNotUtf8IsRefused) { EXPECT_THROW(path_of("gr\xf6"), ArgumentError); }
#else
TEST(PathText, ThatIsNotUtf8KeepsItsBytes) { EXPECT_EQ(path_of("gr\xf6").native(), "gr\xf6"); }
#endif

}  // namespace
}  // namespace vkmoye
