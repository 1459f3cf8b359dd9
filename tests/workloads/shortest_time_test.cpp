// SPDX-License-Identifier: MIT
// The shortest time of a problem by the ceilings of a device, and the files that keep these.

#include "measure/ceilings.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::bench {
namespace {

using Unit = CeilingOf::Unit;

Ceiling measured(CeilingOf of, double median) {
  return {.of = of, .median = median, .low = median / 2, .high = median * 2, .samples = 10};
}

const std::vector<Ceiling> kCeilings = {
    measured({Unit::copy}, 1000),
    measured({Unit::l2}, 4000),
    measured({Unit::multiply_add, ScalarType::f32}, 50),
    measured({Unit::matrix, ScalarType::f16, ScalarType::f32}, 500),
    {.of = {Unit::multiply_add, ScalarType::f64}, .skipped = "has no f64"}};

gen::ir::Kernel kernel(const char* name, ScalarType type) {
  gen::KernelRequest request = gen::request_of(type);
  request.device = common_device();
  return gen::find_kernel(name)->describe(request);
}

TEST(ShortestTime, IsThatOfTheUnitThatNeedsTheLongest) {
  const gen::ir::Kernel gemm = kernel("gemm/simt", ScalarType::f32);
  EXPECT_THAT(arithmetic_of(gemm), ElementsAre(CeilingOf{Unit::multiply_add, ScalarType::f32}));
  // 1 MB at 1000 GB/s is 1 us; 50 TFLOP/s are 50 MFLOP in 1 us.
  const ShortestTime deep = shortest_time(gemm, 1e6, 100e6, kCeilings);
  ASSERT_EQ(deep.units.size(), 2u);
  EXPECT_DOUBLE_EQ(deep.units[0].microseconds, 1);
  EXPECT_DOUBLE_EQ(deep.units[1].microseconds, 2);
  EXPECT_EQ(deep.limit(), &deep.units[1]);
  EXPECT_DOUBLE_EQ(deep.in_l2->microseconds, 0.25);
  const ShortestTime flat = shortest_time(gemm, 1e6, 10e6, kCeilings);
  EXPECT_EQ(flat.limit()->of.unit, Unit::copy);
  EXPECT_EQ(shortest_time(gemm, 1e6, 10e6, {}).limit(), nullptr);
}

TEST(ShortestTime, SaysWhichArithmeticIsNotCounted) {
  const ShortestTime time =
      shortest_time(kernel("gemm/simt", ScalarType::f64), 1e6, 100e6, kCeilings);
  EXPECT_EQ(time.units.size(), 1u);
  EXPECT_THAT(time.not_counted, HasSubstr("no ceiling of multiply-add f64 was measured"));
  const ShortestTime move =
      shortest_time(kernel("copy/simple", ScalarType::f32), 1e6, 0, kCeilings);
  EXPECT_EQ(move.not_counted, "");
}

TEST(ShortestTime, OfMatrixUnitsIsByTheirTypes) {
  EXPECT_THAT(arithmetic_of(kernel("gemm/coopmat", ScalarType::f16)),
              ElementsAre(CeilingOf{Unit::matrix, ScalarType::f16, ScalarType::f32}));
}

DeviceCaps device(const char* driver) {
  DeviceCaps caps;
  caps.name = "a device";
  caps.driver = driver;
  return caps;
}

TEST(KeptCeilings, AreReadAsTheyWereWritten) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("peak.json");
  EXPECT_THAT(read_ceilings(file, device("1")).ceilings, IsEmpty());
  EXPECT_EQ(read_ceilings(file, device("1")).ignored, "");
  ASSERT_EQ(write_ceilings(file, device("1"), {kCeilings, "2026-11-27 07:13 UTC", ""}), "");
  const KeptCeilings kept = read_ceilings(file, device("1"));
  EXPECT_EQ(kept.ignored, "");
  EXPECT_EQ(kept.measured, "2026-11-27 07:13 UTC");
  ASSERT_EQ(kept.ceilings.size(), kCeilings.size());
  for (std::size_t i = 0; i < kCeilings.size(); ++i) {
    EXPECT_EQ(kept.ceilings[i].of, kCeilings[i].of);
    EXPECT_EQ(kept.ceilings[i].median, kCeilings[i].median);
    EXPECT_EQ(kept.ceilings[i].skipped, kCeilings[i].skipped);
  }
  const KeptCeilings other = read_ceilings(file, device("2"));
  EXPECT_THAT(other.ceilings, IsEmpty());
  EXPECT_THAT(other.ignored, HasSubstr("it was not measured on a device, driver 2"));
}

}  // namespace
}  // namespace vkmoye::bench
