// SPDX-License-Identifier: MIT
// The committed texts in shaders/generated must equal the output of the generator.
//
// To accept a change: VKMOYE_UPDATE_GOLDEN=1 ctest -L golden, then read the diff.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

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

// What a golden may have beyond the limits, with the reason.
struct Exception {
  const char* file;
  std::size_t lines, repeated;  // at most; 0: the limit
  const char* reason;
};
constexpr std::size_t kMostLines = 350, kMostRepeated = 11;
constexpr Exception kExceptions[] = {
    {"attention_coopmat_f16_cache.comp", 395, 0, "30 steps; codes of k and v, pages and lengths"},
    {"attention_decode_f16.comp", 398, 0, "30 steps; three arrays are combined across subgroups"},
    {"attention_decode_f16_cache.comp", 382, 0, "30 steps; codes of k and v, pages and lengths"},
};

// The length of the longest run of lines that stands twice, without empty lines and indentation, and where it begins.
struct Repeated {
  std::size_t length = 0, first = 0, second = 0;  // lines from 1
};
Repeated longest_repeated(const std::vector<std::string>& lines) {
  std::vector<std::size_t> numbers, kinds;  // of the lines that are not empty
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t start = lines[i].find_first_not_of(' ');
    if (start == std::string::npos) continue;
    numbers.push_back(i + 1);
    kinds.push_back(known.try_emplace(lines[i].substr(start), known.size()).first->second);
  }
  Repeated longest;
  std::vector<std::size_t> before(kinds.size() + 1,
                                  0);  // [j + 1]: of the run that ends at lines i - 1 and j
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    std::vector<std::size_t> here(kinds.size() + 1, 0);
    for (std::size_t j = 0; j < i; ++j) {
      if (kinds[i] != kinds[j]) continue;
      here[j + 1] = std::min(before[j] + 1, i - j);  // the runs do not overlap
      if (here[j + 1] <= longest.length) continue;
      const std::size_t length = here[j + 1];
      longest = {length, numbers[j + 1 - length], numbers[i + 1 - length]};
    }
    before = std::move(here);
  }
  return longest;
}

// What stands twice is a function of the IR (Builder::call) or a loop.
TEST_P(GoldenTest, IsShortAndSaysNothingTwice) {
  const std::string file = GetParam().file;
  std::istringstream text(read_file(VKMOYE_SHADERS "/generated/" + file));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  const auto* exception = std::find_if(std::begin(kExceptions), std::end(kExceptions),
                                       [&](const Exception& one) { return one.file == file; });
  const bool is_exception = exception != std::end(kExceptions);
  const auto check = [&](std::size_t found, std::size_t limit, std::size_t allowed,
                         const std::string& what) {
    EXPECT_LE(found, is_exception && allowed > 0 ? allowed : limit) << file << what;
    if (is_exception && allowed > 0) {
      EXPECT_GT(found, limit) << file << what << ": this exception is not needed any more";
    }
  };
  check(lines.size(), kMostLines, is_exception ? exception->lines : 0, ": lines");
  const Repeated repeated = longest_repeated(lines);
  check(repeated.length, kMostRepeated, is_exception ? exception->repeated : 0,
        ": lines " + std::to_string(repeated.first) + " and " + std::to_string(repeated.second) +
            " begin the same run");
}

TEST(GoldenRules, FindTheLongestRunThatStandsTwice) {
  const Repeated found =
      longest_repeated({"a", "  b", "", "  c", "d", "b", "  c", "", "a", "b", "c", "d"});
  EXPECT_EQ(found.length, 4u);  // a b c d
  EXPECT_EQ(found.first, 1u);
  EXPECT_EQ(found.second, 9u);
  EXPECT_EQ(longest_repeated({"a", "a", "a", "a", "a"}).length, 2u);
  EXPECT_EQ(longest_repeated({"a", "b"}).length, 0u);
}

INSTANTIATE_TEST_SUITE_P(Goldens, GoldenTest, testing::ValuesIn(goldens().begin(), goldens().end()),
                         [](const auto& info) { return std::to_string(info.index); });

}  // namespace
}  // namespace vkmoye::test
