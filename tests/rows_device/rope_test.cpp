// SPDX-License-Identifier: MIT
// Rotations at long positions on every device. A device's sine and cosine are right to 2^-11 only, which would hide a
// wrong angle. So they are compared with those that the same device computes of the angle reduced in f64.

#include <cmath>

#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "support/guarded_buffer.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::test {
namespace {

class RopeTest : public DeviceTest {};

// The pairs (1, 0), rotated at `position` by each frequency: (cos, sin).
std::vector<float> rotated(Device& device, const Pipeline& rope, std::int32_t position,
                           const std::vector<float>& frequencies) {
  std::vector<float> ones;
  for (std::size_t i = 0; i < frequencies.size(); ++i) ones.push_back(1), ones.push_back(0);
  const std::size_t bytes = 4 * ones.size();
  GuardedBuffer src(device, bytes), positions(device, 4), of_pairs(device, bytes / 2),
      dst(device, bytes);
  write_as(src, ones);
  write_as(positions, std::vector<std::int32_t>{position});
  write_as(of_pairs, frequencies);
  device.run(rope, {src.view(), positions.view(), of_pairs.view(), dst.view()},
             {{"pairs", frequencies.size()}, {"heads", 1}, {"tokens", 1}});
  return read_as<float>(dst);
}

TEST_F(RopeTest, LongPositionsTurnByTheExactAngle) {
  std::vector<float> frequencies;
  for (int i = 0; i < 64; ++i) {
    frequencies.push_back(static_cast<float>(std::pow(10000.0, -2.0 * i / 128)));
  }
  const gen::ir::Kernel kernel =
      gen::find_kernel("rope/rows")->describe(gen::request_of(ScalarType::f32));
  for_each_device([&](Device& device) {
    const Pipeline rope = device.load(gen::compile(kernel, device.caps()));
    for (const std::int32_t position : {1, 100, 16000, 131071, -131071, 1000003, 16777215}) {
      std::vector<float> reduced;
      for (const double frequency : frequencies) {
        const double turn = 2 * std::acos(-1.0);
        reduced.push_back(static_cast<float>(std::remainder(position * frequency, turn)));
      }
      const auto got = rotated(device, rope, position, frequencies);
      const auto wanted = rotated(device, rope, 1, reduced);
      for (std::size_t i = 0; i < got.size(); ++i) {
        // The angles differ by some roundings of numbers up to pi.
        EXPECT_NEAR(got[i], wanted[i], 4e-6) << position << " * " << frequencies[i / 2];
      }
    }
  });
}

}  // namespace
}  // namespace vkmoye::test
