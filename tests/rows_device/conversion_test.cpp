// SPDX-License-Identifier: MIT
// Copies between every pair of types, on the host twin and on every device.

#include "vkmoye/gen/problems/moves/conversion.hpp"

#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "support/guarded_buffer.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/kernels/moves/copy_auto.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"

namespace vkmoye::test {
namespace {

struct Pair {
  ScalarType from, to;
  std::string text() const {
    return std::string(to_string(from)) + " to " + std::string(to_string(to));
  }
};

std::vector<Pair> convertible_pairs() {
  std::vector<Pair> pairs;
  for (const ScalarTypeInfo& from : scalar_types()) {
    for (const ScalarTypeInfo& to : scalar_types()) {
      if (from.type == to.type) continue;
      if (gen::reasons_against_conversion(from.type, to.type).empty()) {
        pairs.push_back({from.type, to.type});
      }
    }
  }
  return pairs;
}

gen::ir::Kernel converting(const Pair& pair) {
  gen::CopyAutoConfig config;
  config.type = pair.from;
  config.result = pair.to;
  return gen::copy_auto(config);
}

std::vector<std::byte> input_of(const Pair& pair, std::size_t elements) {
  const std::size_t width = size_of(pair.from);
  std::vector<std::byte> bytes(elements * width);
  for (std::size_t i = 0; i < elements; ++i) {
    gen::random_moved({&bytes[i * width], width}, {pair.from, pair.to}, 7, i);
  }
  return bytes;
}

std::size_t wrong_elements(const Pair& pair, const std::vector<std::byte>& from,
                           const std::vector<std::byte>& to) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i * size_of(pair.to) < to.size(); ++i) {
    wrong += !gen::is_moved({pair.from, pair.to}, &from[i * size_of(pair.from)],
                            &to[i * size_of(pair.to)]);
  }
  return wrong;
}

class ConversionTest : public DeviceTest {};

// All but those between bf16, e4m3 or e5m2 and a type of 32 or 64 bits other than f32, and moved types.
TEST_F(ConversionTest, PairsAreThoseThatKernelsConvert) {
  EXPECT_EQ(convertible_pairs().size(), 12u * 11 - 2 * 3 * 3);
  EXPECT_THAT(gen::reasons_against_conversion(ScalarType::f64, ScalarType::bf16).at(0),
              HasSubstr("convert of f64 to bf16: bf16, e4m3 and e5m2 can only be converted"));
  EXPECT_THAT(gen::reasons_against_conversion(ScalarType::c64, ScalarType::f32).at(0),
              HasSubstr("convert c64 to f32: c64 is only moved, not converted"));
  EXPECT_THROW(converting({ScalarType::f64, ScalarType::bf16}), KernelError);
}

TEST_F(ConversionTest, EveryPairIsRightOnTheHostAndOnDevices) {
  constexpr std::size_t kRows = 3, kCols = 1367;  // whole workgroups, and a rest
  const Arguments arguments = {{"rows", kRows}, {"cols", kCols}};
  for_each_device([&](Device& device) {
    for (const Pair& pair : convertible_pairs()) {
      SCOPED_TRACE(pair.text());
      const gen::ir::Kernel kernel = converting(pair);
      std::vector<std::byte> from = input_of(pair, kRows * kCols);
      std::vector<std::byte> to(kRows * kCols * size_of(pair.to));
      EXPECT_THAT(gen::run_on_host(kernel, {from, to}, arguments).reasons, IsEmpty());
      EXPECT_EQ(wrong_elements(pair, from, to), 0u) << "on the host";
      const CompiledKernel compiled = gen::compile(kernel);
      if (!reasons_against(compiled.interface, device.caps()).empty()) continue;
      GuardedBuffer src(device, from.size()), dst(device, to.size());
      src.write(from);
      device.run(device.load(compiled), {src.view(), dst.view()}, arguments);
      dst.read(to);
      EXPECT_EQ(src.damage() + dst.damage(), "");
      EXPECT_EQ(wrong_elements(pair, from, to), 0u) << "on the device";
    }
  });
}

// The check itself: the numbers of the page, and results that are wrong.
TEST_F(ConversionTest, TheCheckKnowsRightFromWrong) {
  const auto is_right = [](ScalarType from, double source, ScalarType to, double got) {
    const std::uint64_t a = bits_of(from, source), b = bits_of(to, got);
    return gen::is_moved({from, to}, reinterpret_cast<const std::byte*>(&a),
                         reinterpret_cast<const std::byte*>(&b));
  };
  using enum ScalarType;
  EXPECT_TRUE(is_right(f32, 2049.5, f16, 2050));
  EXPECT_FALSE(is_right(f32, 2049.5, f16, 2048));
  EXPECT_TRUE(is_right(f32, 2049, f16, 2048));  // a tie
  EXPECT_FALSE(is_right(f32, 2049, f16, 2050));
  EXPECT_TRUE(is_right(f32, 1e6, e4m3, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(is_right(f32, 1e6, e4m3, 448));
  EXPECT_TRUE(is_right(f32, -3.7, i8, -3));
  EXPECT_FALSE(is_right(f32, -3.7, i8, -4));
  EXPECT_TRUE(is_right(i32, 257, u8, 1));
  EXPECT_TRUE(is_right(f32, 1e-40, f64, 0));  // flushed
  EXPECT_FALSE(is_right(f32, 1e-30, f64, 0));
}

}  // namespace
}  // namespace vkmoye::test
