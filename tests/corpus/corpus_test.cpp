// SPDX-License-Identifier: MIT
// The corpus of the fuzzer: its valid files are accepted, and neither the files nor simple changes of them crash
// a reader. tests/fuzz/run looks for more.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "fuzz/formats.hpp"
#include "support/effort.hpp"
#include "support/temporary_folder.hpp"

namespace vkmoye::fuzz {

void PrintTo(const Format& format, std::ostream* out) { *out << format.name; }

namespace {

class Corpus : public testing::TestWithParam<Format> {
 protected:
  static std::vector<std::string> files() {
    std::vector<std::string> out;
    for (const auto& file :
         std::filesystem::directory_iterator(std::string(VKMOYE_CORPUS "/") + GetParam().name)) {
      out.push_back(test::read_file(file.path()));
    }
    std::sort(out.begin(), out.end());
    return out;
  }
};

TEST_P(Corpus, IsAccepted) {
  const auto inputs = files();
  ASSERT_FALSE(inputs.empty());
  EXPECT_TRUE(std::any_of(inputs.begin(), inputs.end(), GetParam().accepts));
}

// Bytes replaced, taken out and doubled, and every few lengths.
TEST_P(Corpus, ChangedAnywhereIsReadOrRefused) {
  std::mt19937_64 random(7);
  std::size_t accepted = 0, refused = 0;
  const auto take = [&](const std::string& input) {
    ++(GetParam().accepts(input) ? accepted : refused);
  };
  for (const std::string& input : files()) {
    for (std::size_t length = 0; length < input.size(); length += 1 + input.size() / 16) {
      take(input.substr(0, length));
    }
    for (std::int64_t i = 0; i < test::often(200); ++i) {
      std::string changed = input;
      for (std::uint64_t count = 1 + random() % 3; count > 0 && !changed.empty(); --count) {
        const std::size_t at = random() % changed.size();
        switch (random() % 3) {
          case 0: changed[at] = static_cast<char>(random()); break;
          case 1: changed.erase(at, 1 + random() % 4); break;
          default: changed.insert(at, changed.substr(at, 1 + random() % 8));
        }
      }
      take(changed);
    }
  }
  EXPECT_GT(refused, 0u);
}

INSTANTIATE_TEST_SUITE_P(Formats, Corpus, testing::ValuesIn(formats().begin(), formats().end()));

}  // namespace
}  // namespace vkmoye::fuzz
