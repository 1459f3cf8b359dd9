// SPDX-License-Identifier: MIT
// The committed texts in shaders/generated must equal the output of the generator.
//
// To accept a change: VKMOYE_UPDATE_GOLDEN=1 ctest -L golden, then read the diff.

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "golden/goldens.hpp"
#include "support/temporary_folder.hpp"
#include "vkmoye/gen/compile.hpp"

namespace vkmoye::test {
namespace {

// The lines that differ between two texts, with their numbers.
std::string difference(const std::string& before, const std::string& after) {
  std::istringstream old_lines(before), new_lines(after);
  std::ostringstream out;
  std::string a, b;
  for (int number = 1;; ++number) {
    const bool has_a = static_cast<bool>(std::getline(old_lines, a));
    const bool has_b = static_cast<bool>(std::getline(new_lines, b));
    if (!has_a && !has_b) return out.str();
    if (has_a && has_b && a == b) continue;
    if (has_a) out << number << " - " << a << '\n';
    if (has_b) out << number << " + " << b << '\n';
  }
}

class GoldenTest : public testing::TestWithParam<Golden> {};

TEST_P(GoldenTest, IsWhatTheGeneratorPrints) {
  const Golden& golden = GetParam();
  const CompiledKernel kernel = gen::compile(describe(golden));
  const std::string path = std::string(VKMOYE_SHADERS "/generated/") + golden.file;
  if (std::getenv("VKMOYE_UPDATE_GOLDEN") != nullptr) write_file(path, kernel.glsl);
  EXPECT_EQ(difference(read_file(path), kernel.glsl), "")
      << path << ", kept for: " << golden.reason;
}

// "x <- f(x, y)" says nothing; such a step needs a title.
TEST_P(GoldenTest, SaysWhatEachStepComputes) {
  const std::string text = read_file(std::string(VKMOYE_SHADERS "/generated/") + GetParam().file);
  EXPECT_EQ(text.find("<- f("), std::string::npos) << text.substr(0, text.find("<- f(") + 60);
}

INSTANTIATE_TEST_SUITE_P(Goldens, GoldenTest, testing::ValuesIn(goldens().begin(), goldens().end()),
                         [](const auto& info) { return std::to_string(info.index); });

}  // namespace
}  // namespace vkmoye::test
