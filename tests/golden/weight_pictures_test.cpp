// SPDX-License-Identifier: MIT
// The page of weight formats and its pictures must agree with the table of formats.
//
// To draw the pictures again: VKMOYE_UPDATE_GOLDEN=1 ctest -L golden.

#include <algorithm>
#include <cstdlib>

#include "support/expect.hpp"
#include "support/temporary_folder.hpp"
#include "vkmoye/gen/kernels/common/weight_picture.hpp"

namespace vkmoye::test {
namespace {

const std::string kSource = VKMOYE_SHADERS "/../";
const std::string kPage = "generator/vkmoye/gen/kernels/products/weight-formats.md";

TEST(WeightPictures, AreThoseOfTheTable) {
  for (const gen::WeightFormat& format : gen::weight_formats()) {
    const std::string path = kSource + ".github/pictures/weights/" + format.name + ".svg";
    const std::string picture = draw_svg(gen::block_table(format));
    if (std::getenv("VKMOYE_UPDATE_GOLDEN") != nullptr) write_file(path, picture);
    EXPECT_TRUE(read_file(path) == picture) << path;
  }
}

TEST(WeightPictures, ThePageHasEachFormatWithItsLayouts) {
  const std::string page = read_file(kSource + kPage);
  for (const gen::WeightFormat& format : gen::weight_formats()) {
    const std::string begin = "\n| [" + format.name + "] | ";
    const std::size_t at = page.find(begin);
    ASSERT_NE(at, std::string::npos) << begin;
    const std::size_t end = std::min(page.find("\n| [", at + 1), page.find("\n\n", at));
    const std::string row = page.substr(at, end - at);
    EXPECT_THAT(row, HasSubstr(begin + std::to_string(format.elements) + ", " +
                               std::to_string(format.bytes) + " |"));
    for (const gen::NamedField& field : gen::fields_of(format)) {
      const bool is_of_block = field.name == "scale" || field.name == "minimum";
      const std::size_t layout = field.text.find(": ") + 2;
      EXPECT_THAT(row, HasSubstr(is_of_block ? field.name : field.text.substr(layout)));
    }
    EXPECT_THAT(page,
                HasSubstr("\n[" + format.name + "]: ../../../../../.github/pictures/weights/" +
                          format.name + ".svg\n"));
  }
}

TEST(WeightPictures, ShowAFormatOfOnesOwnWithUnusedBits) {
  const gen::WeightFormat format = {
      .name = "mine",
      .elements = 8,
      .bytes = 6,
      .code = {.fields = {{.bits = 2, .at = Layout(8, 4)},
                          {.bits = 1, .first = 2, .at = Layout(8, 4), .to = 2}}},
      .scale = gen::number_at_byte(4)};
  EXPECT_EQ(draw_text(gen::block_table(format)),
            "mine: 8 weights in 6 bytes\n"
            "         7   6   5   4   3   2   1   0\n"
            "    0      c'1      c1     c'0      c0\n"
            "    1      c'3      c3     c'2      c2\n"
            "    2      c'5      c5     c'4      c4\n"
            "    3      c'7      c7     c'6      c6\n"
            " 4..5                            scale\n"
            "\n"
            "    c         code, bits 0..1: 0 + 8:4\n"
            "   c'             code, bit 2: 2 + 8:4\n"
            "scale        f16, bits 0..15: 32 + 1:0\n");
}

}  // namespace
}  // namespace vkmoye::test
