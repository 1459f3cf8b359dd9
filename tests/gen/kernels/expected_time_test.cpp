// SPDX-License-Identifier: MIT
// The times that are expected of products, beside times that were measured.

#include "vkmoye/gen/kernels/products/choice/expected_time.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "gen/kernels/gemm_products.hpp"
#include "support/expect.hpp"

namespace vkmoye::gen {
namespace {

using enum ScalarType;

DeviceCaps h200() {
  DeviceCaps caps = device_named(test::h200_like(), "NVIDIA H200");
  caps.resident_groups = 132;
  return caps;
}

// `options`: "tile=128x128x64 subgroups=2x4".
GemmChoice choice(const std::string& kernel, const std::string& options = "",
                  std::int64_t slices = 1) {
  GemmTableEntry entry{.kernel = kernel};
  for (const std::string_view one : split(options, ' ')) {
    const std::size_t equals = one.find('=');
    if (equals != std::string_view::npos) {
      entry.options.emplace(one.substr(0, equals), one.substr(equals + 1));
    }
  }
  GemmChoice out = choice_of(entry, {});
  out.slices = slices;
  return out;
}

struct Measured {
  const char* kernel;
  const char* options;
  ScalarType type;
  std::vector<std::int64_t> shape;
  std::int64_t slices;
  double microseconds;
};

// On an H200, driver 580.159.04, medians; drawn at random from those that the constants were fitted to.
const Measured kMeasured[] = {
    {"gemm/coopmat", "tile=16x128x64 subgroups=1x4", f16, {55, 161, 4288}, 16, 10.3},
    {"gemm/coopmat", "tile=64x64x64 subgroups=2x2", f16, {145, 55, 1792}, 4, 12.3},
    {"gemm/coopmat", "tile=64x64x64 subgroups=2x2", f16, {95, 107, 1147}, 4, 21.4},
    {"gemm/coopmat", "tile=128x256x32 subgroups=2x4", f16, {145, 55, 1792}, 4, 26.4},
    {"gemm/coopmat", "tile=16x128x64 subgroups=1x4", f16, {1, 4096, 4096}, 1, 39.2},
    {"gemm/coopmat", "tile=64x64x64 subgroups=2x2", f16, {1580, 79, 6080}, 16, 46},
    {"gemm/coopmat", "tile=128x128x64 subgroups=2x2x2", f16, {768, 3072, 768}, 4, 51.4},
    {"gemm/coopmat", "tile=128x128x64 subgroups=2x2x2", f16, {128, 128, 14336}, 4, 58.9},
    {"gemm/coopmat", "tile=128x256x32 subgroups=2x4", f16, {1024, 1024, 1024}, 16, 88},
    {"gemm/coopmat", "tile=64x64x64 subgroups=2x2", f16, {256, 4096, 4096}, 1, 92.1},
    {"gemm/coopmat", "tile=128x256x32 subgroups=2x4", f16, {256, 4096, 4096}, 16, 116},
    {"gemm/coopmat", "tile=128x256x32 subgroups=2x4", f16, {256, 4096, 4096}, 1, 129},
    {"gemm/coopmat", "tile=128x128x64 subgroups=2x4", f16, {64, 8192, 8192}, 1, 134},
    {"gemm/coopmat", "tile=64x128x64 subgroups=2x2", f16, {1024, 4096, 4096}, 1, 217},
    {"gemm/coopmat", "tile=32x128x128 subgroups=1x4", i8, {27, 4586, 64}, 1, 5.86},
    {"gemm/coopmat", "tile=32x128x128 subgroups=1x4", i8, {14, 650, 192}, 1, 6.03},
    {"gemm/coopmat", "tile=128x128x128 subgroups=2x2", i8, {128, 1920, 60}, 1, 15.5},
    {"gemm/coopmat", "tile=128x128x128 subgroups=2x2", i8, {16, 4096, 4096}, 1, 46.8},
    {"gemm/coopmat", "tile=128x256x64 subgroups=2x4", i8, {1024, 1024, 1024}, 16, 84.6},
    {"gemm/coopmat", "tile=128x128x128 subgroups=2x2", i8, {92, 1666, 9798}, 1, 372},
    {"gemm/packed", "", f16, {528, 4468, 640}, 1, 38.3},
    {"gemm/packed", "", f16, {768, 3072, 768}, 4, 62.8},
    {"gemm/packed", "", f16, {1580, 79, 6080}, 1, 135},
    {"gemm/packed", "", f16, {4096, 4096, 4096}, 1, 445},
    {"gemm/simt", "tile=64x64x8", f32, {8, 101, 876}, 4, 17.1},
    {"gemm/simt", "tile=128x128x8", f32, {137, 81, 760}, 4, 32.1},
    {"gemm/simt", "tile=64x128x8", f32, {17, 79, 3072}, 4, 55.3},
    {"gemm/simt", "tile=64x64x16", f32, {16, 4096, 4096}, 1, 204},
    {"gemm/simt", "tile=64x128x8", f32, {32, 8192, 8192}, 16, 232},
    {"gemm/simt", "tile=64x64x16", f32, {32, 8192, 8192}, 4, 258},
    {"gemm/simt", "tile=64x64x16", f32, {32, 8192, 8192}, 16, 276},
    {"gemm/thin_coopmat", "tile=16x32 subgroups=16 reads=2", f16, {3, 256, 52}, 1, 7.04},
    {"gemm/thin_coopmat", "tile=16x16 subgroups=16 reads=2", f16, {61, 509, 313}, 1, 7.94},
    {"gemm/thin_coopmat", "tile=64x64 subgroups=4 reads=1", f16, {744, 141, 424}, 1, 8.77},
    {"gemm/thin_coopmat", "tile=16x32 subgroups=16 reads=2", f16, {107, 2102, 72}, 1, 10.6},
    {"gemm/thin_coopmat", "tile=16x32 subgroups=16 reads=2", f16, {95, 107, 1147}, 1, 14.1},
    {"gemm/thin_coopmat", "tile=64x32 subgroups=4 reads=2", f16, {95, 107, 1147}, 1, 21.4},
    {"gemm/thin_coopmat", "tile=64x64 subgroups=4 reads=1", f16, {1172, 257, 903}, 1, 24.6},
    {"gemm/thin_coopmat", "tile=64x64 subgroups=4 reads=1", f16, {16, 4096, 4096}, 1, 26.1},
    {"gemm/thin_coopmat", "tile=64x64 subgroups=4 reads=1", f16, {128, 8192, 8192}, 1, 89.8},
};

TEST(ExpectedTime, IsNearWhatWasMeasured) {
  std::vector<double> errors;
  for (const Measured& one : kMeasured) {
    const GemmProduct product(gemm_form(one.type), one.shape);
    const auto time = expected_time(choice(one.kernel, one.options, one.slices), product, h200());
    ASSERT_TRUE(time) << one.kernel;
    const double ratio = time->microseconds / one.microseconds;
    errors.push_back(std::max(ratio, 1 / ratio));
    EXPECT_LT(errors.back(), 1.7) << one.kernel << ' ' << one.microseconds << " us: " << time->how;
  }
  std::sort(errors.begin(), errors.end());
  EXPECT_LT(errors[errors.size() / 2], 1.15);
}

TEST(ExpectedTime, GrowsWithSizesAndShrinksWithCores) {
  const GemmChoice tiles = choice("gemm/coopmat", "tile=128x128x64 subgroups=2x4");
  const auto of = [&](std::vector<std::int64_t> shape, std::uint32_t cores) {
    DeviceCaps caps = h200();
    caps.resident_groups = cores;
    return expected_time(tiles, product(kTypes[0], std::move(shape)), caps)->microseconds;
  };
  EXPECT_LT(of({1024, 1024, 1024}, 132), of({4096, 1024, 1024}, 132));
  EXPECT_LT(of({1024, 1024, 1024}, 132), of({1024, 1024, 4096}, 132));
  EXPECT_LT(of({4096, 4096, 4096}, 132), of({4096, 4096, 4096}, 16));
  EXPECT_LT(of({1024, 1024, 1024}, 132), of({1024, 1024, 1023}, 132)) << "rows are not aligned";
  EXPECT_GT(of({1024, 1024, 1024}, 0), 0) << "a device that does not tell how many cores it has";
}

TEST(ExpectedTime, SaysHowItComesAbout) {
  const GemmChoice tiles = choice("gemm/coopmat", "tile=128x128x64 subgroups=2x2x2", /*slices=*/2);
  const auto time = expected_time(tiles, product(kTypes[0], {128, 8192, 8192}), h200());
  EXPECT_EQ(time->how,
            "128 workgroups on 132 cores, tiles of k: 64 of 1.05 us, limited by staging");
}

TEST(ExpectedTime, IsKnownOnlyOfWhatIsModelled) {
  const GemmChoice simt = choice("gemm/simt");
  GemmProduct one = product(kTypes[0], {64, 64, 64});
  EXPECT_TRUE(expected_time(simt, one, h200()));
  EXPECT_FALSE(expected_time(choice("gemm/moye_simple"), one, h200()));
  EXPECT_FALSE(expected_time(simt, one, test::lavapipe_like())) << "a CPU";
  EXPECT_FALSE(expected_time(simt, one, common_device())) << "no device";
  one.weights = find_weight_format("q4_0");
  EXPECT_FALSE(expected_time(simt, one, h200()));
  EXPECT_TRUE(modelled_choices(one, h200()).empty());
}

TEST(ExpectedTime, ChoicesComeFastestFirstAndHaveNoEqual) {
  for (const Types& types : kTypes) {
    const auto all = modelled_choices(product(types, {300, 500, 4000}), h200());
    ASSERT_GT(all.size(), 10u);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < all.size(); ++i) {
      texts.push_back(all[i].choice.text());
      if (i > 0) {
        EXPECT_LE(all[i - 1].time.microseconds, all[i].time.microseconds);
      }
      EXPECT_TRUE(std::isfinite(all[i].time.microseconds)) << texts.back();
    }
    std::sort(texts.begin(), texts.end());
    EXPECT_EQ(std::adjacent_find(texts.begin(), texts.end()), texts.end());
  }
}

// Sizes from nothing to the largest that a launch can have.
TEST(ExpectedTime, IsFiniteForEverySize) {
  for (const std::int64_t m : {0, 1, 7, 1 << 20, 1 << 30}) {
    for (const std::int64_t k : {0, 1, 15, 1 << 30}) {
      for (const ModelledChoice& one : modelled_choices(product(kTypes[0], {m, 3, k}), h200())) {
        EXPECT_TRUE(std::isfinite(one.time.microseconds)) << m << 'x' << k;
        EXPECT_GT(one.time.microseconds, 0) << m << 'x' << k;
      }
    }
  }
}

}  // namespace
}  // namespace vkmoye::gen
