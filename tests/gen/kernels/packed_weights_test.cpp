// SPDX-License-Identifier: MIT
// Weights packed in the order of lanes: each code and each scale is where the layout says, for the matrices of an H200,
// of lavapipe and of RDNA4.

#include "vkmoye/gen/kernels/products/sources/packed_weights.hpp"

#include <fmt/format.h>

#include "support/expect.hpp"
#include "support/fake_devices.hpp"
#include "support/fragment_orders.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/kernels/products/packing/pack.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

struct Order {
  const char* layout;
  std::int64_t held, rows;  // elements of a lane; rows of a block
};
constexpr Order kOrders[] = {{"((8,2),(2,4,2)):((32,4),(1,8,2))", 8, 64},
                             {"(8,8):(1,8)", 8, 16},
                             {"(16,(8,2)):(8,(1,128))", 8, 64}};

PackedWeights packed_as(const WeightFormat& format, const Order& order) {
  return {&format, *split_order(parse_layout(order.layout), order.held).lanes, order.rows};
}

std::uint32_t bits_at(const std::vector<std::uint32_t>& words, std::int64_t number,
                      std::uint32_t bits) {
  const auto at = static_cast<std::uint64_t>(number) * bits;
  return words[at / 32] >> (at % 32) & static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
}

// Packs random rows of blocks on the host twin, and looks for each weight.
void expect_packed(const WeightFormat& format, const Order& order) {
  SCOPED_TRACE(fmt::format("{}, {}", format.name, order.layout));
  const PackedWeights packed = packed_as(format, order);
  ASSERT_THAT(reasons_against(packed), IsEmpty());
  // Of long blocks one, which is a packed block; of others, not a multiple of packed blocks.
  const std::int64_t blocks_of_row = std::max<std::int64_t>(1, 192 / format.elements);
  const std::int64_t k = blocks_of_row * format.elements, rows = order.rows + 5;
  const std::int64_t k_blocks = (k + packed.block_depth() - 1) / packed.block_depth();
  std::vector<std::byte> bytes(static_cast<std::size_t>(rows * blocks_of_row * format.bytes));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7919 >> 3);
  std::vector<std::uint32_t> words(static_cast<std::size_t>(2 * k_blocks * packed.words()), ~0u);
  const auto report = run_on_host(pack_weights(packed, /*batched=*/false), {bytes, words},
                                  {{"words", blocks_of_row * format.bytes / 2},
                                   {"rows", rows},
                                   {"leading", blocks_of_row * format.bytes / 2},
                                   {"k_blocks", k_blocks},
                                   {"blocks", 2}});
  ASSERT_THAT(report.reasons, IsEmpty());
  for (const PackedPlane& plane : packed.planes()) {
    SCOPED_TRACE(plane.name);
    const Layout places = packed.places(plane);
    const std::uint64_t flip = plane.number.kind == NumberKind::has_sign
                                   ? std::uint64_t{1} << (plane.number.bits() - 1)
                                   : 0;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t i = 0; i < k; i += plane.run) {
        const auto block = std::span<const std::byte>(bytes).subspan(
            static_cast<std::size_t>((row * blocks_of_row + i / format.elements) * format.bytes),
            static_cast<std::size_t>(format.bytes));
        const std::int64_t k_of = i % packed.block_depth(), row_of = row % order.rows;
        const std::int64_t first =
            packed.words() * (i / packed.block_depth() + k_blocks * (row / order.rows));
        const std::int64_t number = plane.is_code
                                        ? places(k_of + packed.block_depth() * row_of)
                                        : places(row_of + order.rows * (k_of / plane.run));
        ASSERT_EQ(bits_at(words, (first + plane.first) * plane.of_word() + number,
                          static_cast<std::uint32_t>(plane.bits)),
                  bits_of(plane.number, block, i % format.elements) ^ flip)
            << "row " << row << ", k " << i;
      }
    }
  }
}

TEST(PackedWeights, HaveEachNumberWhereTheLayoutSays) {
  for (const WeightFormat& format : weight_formats()) expect_packed(format, kOrders[0]);
  for (const Order& order : {kOrders[1], kOrders[2]}) {
    for (const char* name : {"q4_0", "q8_0", "nf4", "e4m3g128", "q5_K"}) {
      expect_packed(*find_weight_format(name), order);
    }
  }
}

TEST(PackedWeights, AreRefusedWhereFewRowsOfALaneDoNotFillAWord) {
  Order two_rows = kOrders[0];
  two_rows.rows = 16;
  EXPECT_THAT(reasons_against(packed_as(*find_weight_format("q6_K"), two_rows)),
              Contains(HasSubstr("of the 2 rows of a lane do not fill a word of 32 bits")));
}

TEST(PackedWeights, OfTheMatricesOfAnH200AreAsTheirHeaderSays) {
  const PackedWeights q4 = packed_as(*find_weight_format("q4_0"), kOrders[0]);
  EXPECT_EQ(q4.depth(), 32);
  EXPECT_EQ(q4.words(), 288);
  const PackedPlane codes = q4.planes().front();
  EXPECT_EQ(q4.words_of_lane(codes), 8);
  // Element v of the 8 of a row is code v / 2 + 4 (v % 2) of a word.
  for (std::int64_t v = 0; v < 8; ++v) EXPECT_EQ(q4.places(codes)(v), v / 2 + 4 * (v % 2));
  const PackedWeights q6 = packed_as(*find_weight_format("q6_K"), kOrders[0]);
  EXPECT_EQ(q6.parts(), 8);
  EXPECT_EQ(q6.words(), 3360);
  std::vector<std::int64_t> first;
  for (const PackedPlane& plane : q6.planes()) first.push_back(plane.first);
  EXPECT_THAT(first, ElementsAre(0, 2048, 3072, 3104));
}

TEST(PackedWeights, AreRefusedWhereALaneHasAnOddNumberOfRows) {
  Order one_row = kOrders[2];
  one_row.rows = 16;
  EXPECT_THAT(reasons_against(packed_as(*find_weight_format("q4_0"), one_row)),
              Contains(HasSubstr("an even number of the 16 rows")));
}

// Weights decoded to f16 in fragment order.
TEST(DecodedWeights, AreTheElementsOfAPackedOperand) {
  DeviceCaps device = test::h200_like();
  device.fragment_orders = {test::order_of(test::kOnAnH200, 'b')};
  const PackedForm form{'b', ScalarType::f16, 32, 16, 16, 4, 2};
  const Layout block = block_layout(form, device);
  for (const WeightFormat& format : weight_formats()) {
    SCOPED_TRACE(format.name);
    const std::int64_t rows = 70, k = std::max<std::int64_t>(64, format.elements);
    std::vector<double> weights(static_cast<std::size_t>(rows * k));
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = static_cast<double>(i * 7919 % 1001) - 500;
    std::vector<std::byte> bytes = quantise(format, weights);
    const std::vector<double> expected = dequantise(format, bytes, rows * k);
    const std::int64_t words = k / format.elements * format.bytes / 2;
    std::vector<std::uint16_t> out(static_cast<std::size_t>(2 * k / 32 * form.block_elements()));
    const auto report =
        run_on_host(pack_decoded(format, /*batched=*/false, form, device), {bytes, out},
                    {{"words", words},
                     {"rows", rows},
                     {"leading", words},
                     {"k_blocks", k / 32},
                     {"blocks", 2}});
    ASSERT_THAT(report.reasons, IsEmpty());
    for (std::int64_t i = 0; i < rows * k; ++i) {
      const std::int64_t row = i / k, of_row = i % k;
      const std::int64_t at = form.block_elements() * (of_row / 32 + k / 32 * (row / 64)) +
                              block(row % 64 + 64 * (of_row % 32));
      ASSERT_EQ(number_of(ScalarType::f16, out[static_cast<std::size_t>(at)]),
                number_of(ScalarType::f16,
                          bits_of(ScalarType::f16, expected[static_cast<std::size_t>(i)])))
          << "row " << row << ", k " << of_row;
    }
  }
}

}  // namespace
}  // namespace vkmoye::gen
