// SPDX-License-Identifier: MIT
// Every kernel of the registry on every device, compared with its definition: all types, sizes at and around the
// tile, edge tiles, degenerate sizes, and sizes larger than one dispatch.

#include "vkmoye/gen/kernels/registry/registry.hpp"

#include <cstring>
#include <random>
#include <set>

#include "support/device_fixture.hpp"
#include "support/effort.hpp"
#include "support/expect.hpp"
#include "support/guarded_buffer.hpp"
#include "support/moves.hpp"
#include "support/options.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/spirv/assemble.hpp"

namespace vkmoye::test {
namespace {

using gen::KernelEntry;

struct Size {
  std::int64_t rows, cols;
};

// The kernels whose result is a permutation of their input.
std::vector<KernelEntry> moves() {
  std::vector<KernelEntry> out;
  for (const KernelEntry& entry : gen::registry()) {
    if (is_move_of_matrix(entry)) out.push_back(entry);
  }
  return out;
}

class RegistryTest : public DeviceTest {
 protected:
  // Runs once on random bits, including NaNs; checks every element and both guards.
  void expect_right(Device& device, const KernelEntry& entry, const Pipeline& pipeline,
                    ScalarType type, Size size) {
    SCOPED_TRACE(entry.name + " " + std::string(to_string(type)) + " " + std::to_string(size.rows) +
                 "x" + std::to_string(size.cols) + ", reproduce with " + "vkmoye-bench run " +
                 entry.name + " --size " + std::to_string(size.rows) + "x" +
                 std::to_string(size.cols) + " --type " + std::string(to_string(type)));
    const std::size_t width = size_of(type);
    const auto count = static_cast<std::uint64_t>(size.rows * size.cols);
    std::vector<std::uint8_t> input(count * width), expected(input.size());
    for (std::uint8_t& byte : input) byte = static_cast<std::uint8_t>(random_());
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t from = source_index(entry, i, static_cast<std::uint64_t>(size.rows),
                                              static_cast<std::uint64_t>(size.cols));
      std::memcpy(&expected[i * width], &input[from * width], width);
    }
    GuardedBuffer src(device, input.size()), dst(device, input.size());
    write_as(src, input);
    device.run(pipeline, {src.view(), dst.view()}, {{"rows", size.rows}, {"cols", size.cols}});
    EXPECT_TRUE(read_as<std::uint8_t>(dst) == expected);
    EXPECT_TRUE(read_as<std::uint8_t>(src) == input);
    EXPECT_EQ(src.damage(), "");
    EXPECT_EQ(dst.damage(), "");
  }

  std::mt19937 random_{20};
};

// Empty, 1, around the tile of 32, primes, both orientations, thin; whole tiles of 128, with and without partial ones
// whose rows begin at multiples of 16.
constexpr Size kSizes[] = {{0, 0},     {0, 5},    {5, 0},   {1, 1},     {1, 31},
                           {31, 1},    {32, 32},  {33, 32}, {32, 33},   {31, 31},
                           {33, 65},   {97, 13},  {13, 97}, {64, 128},  {127, 129},
                           {1, 257},   {257, 1},  {5, 512}, {101, 103}, {128, 256},
                           {144, 272}, {32, 200}, {40, 96}, {200, 72},  {24, 64}};

TEST_F(RegistryTest, EveryKernelIsRightForEveryTypeAndSize) {
  for_each_device([&](Device& device) {
    std::set<std::string> seen;
    std::size_t row = 0;
    for (const KernelEntry& entry : moves()) {
      ++row;
      for (std::size_t number = 0; number < entry.types.size(); ++number) {
        if (!takes(row, number, entry.types.size())) continue;
        const ScalarType type = entry.types[number];
        const CompiledKernel kernel = gen::compile(entry.describe(gen::request_of(type)));
        const auto reasons = reasons_against(kernel.interface, device.caps());
        if (!reasons.empty()) {
          // lavapipe has every feature, so a kernel that it cannot run is a bug.
          EXPECT_NE(device.caps().kind, DeviceKind::cpu) << entry.name << ": " << reasons.front();
          continue;
        }
        // The comments at the top name the type; the rest is the same for several types.
        if (!seen.insert(entry.name + kernel.glsl.substr(kernel.glsl.find("#version"))).second) {
          continue;
        }
        const Pipeline pipeline = device.load(kernel);
        for (const Size size : kSizes) expect_right(device, entry, pipeline, type, size);
      }
    }
  });
}

TEST_F(RegistryTest, OtherTilesAndThreadLayoutsAreRight) {
  const gen::Options configs[] = {
      {{"tile", "16x16"}, {"threads", "16x4"}},
      {{"tile", "48x80"}, {"threads", "16x8"}, {"pad", "3"}},
      {{"tile", "24x40"}, {"threads", "(4,8):(8,1)"}},
      {{"tile", "32x32"}, {"threads", "((4,8),8):((8,1),32)"}},
      {{"tile", "8x64"}, {"threads", "8x8"}, {"shared", "(64,8):(8,1)"}},
      {{"shared", "Swizzle<5,0,5> o (32,32):(1,32)"}},
  };
  for_each_device([&](Device& device) {
    std::size_t row = 0;
    for (const KernelEntry& entry : moves()) {
      ++row;
      for (std::size_t number = 0; number < std::size(configs); ++number) {
        if (!takes(row, number, std::size(configs))) continue;
        const gen::Options& config = configs[number];
        const Pipeline pipeline =
            device.load(gen::compile(entry.describe({ScalarType::i32, options_of(entry, config)})));
        for (const Size size : {Size{1, 1}, Size{50, 81}, Size{129, 47}}) {
          expect_right(device, entry, pipeline, ScalarType::i32, size);
        }
      }
    }
  });
}

TEST_F(RegistryTest, OtherConfigsOfTheBestAreRight) {
  struct Config {
    const char* kernel;
    ScalarType type;
    gen::Options options;
  };
  const Config configs[] = {
      {"copy/auto", ScalarType::i8, {{"vector", "4"}, {"threads", "64"}}},
      {"copy/auto", ScalarType::c128, {{"rounds", "1"}}},
      {"transpose/auto", ScalarType::f32, {{"tile", "32x128"}, {"vector", "8x16"}}},
      {"transpose/auto", ScalarType::f32, {{"order", "src"}, {"vector", "4x4"}}},
      {"transpose/auto", ScalarType::f16, {{"tile", "64x128"}, {"vector", "8x8"}}},
      {"transpose/auto", ScalarType::f16, {{"vector", "4x4"}, {"order", "both"}}},
      {"transpose/auto",
       ScalarType::i8,
       {{"tile", "128x64"}, {"vector", "16x8"}, {"threads", "128"}}},
      {"transpose/auto", ScalarType::f32, {{"order", "both"}, {"tile", "64x32"}}},
      {"transpose/auto", ScalarType::f64, {{"tile", "64x32"}, {"vector", "8x16"}}},
      {"transpose/auto", ScalarType::c64, {{"tile", "32x64"}, {"threads", "128"}}},
  };
  for_each_device([&](Device& device) {
    for (std::size_t number = 0; number < std::size(configs); ++number) {
      if (!takes(0, number, std::size(configs))) continue;
      const Config& config = configs[number];
      const KernelEntry& entry = *gen::find_kernel(config.kernel);
      const Pipeline pipeline =
          device.load(gen::compile(entry.describe({config.type, config.options})));
      // 132 rows are a multiple of a vector of f32, not of a sector.
      for (const Size size : {Size{1, 1}, Size{129, 47}, Size{128, 256}, Size{144, 272},
                              Size{132, 260}, Size{257, 131}}) {
        expect_right(device, entry, pipeline, config.type, size);
      }
    }
  });
}

// With the default subgroup size of the device.
TEST_F(RegistryTest, TransposesByShufflesAreRight) {
  for_each_device([&](Device& device) {
    for (const gen::Options& options :
         {gen::Options{{"exchange", "shuffle"}},
          gen::Options{{"exchange", "shuffle"}, {"address", "pointer"}, {"order", "both"}}}) {
      for (const ScalarType type :
           {ScalarType::i8, ScalarType::f16, ScalarType::f32, ScalarType::f64, ScalarType::c128}) {
        const KernelEntry& entry = *gen::find_kernel("transpose/auto");
        gen::KernelRequest request = gen::request_of(type, options);
        request.device = device.caps();
        const Pipeline pipeline = device.load(gen::compile(entry.describe(request), device.caps()));
        for (const Size size : {Size{1, 1}, Size{129, 47}, Size{256, 128}, Size{144, 272},
                                Size{132, 260}, Size{257, 131}}) {
          expect_right(device, entry, pipeline, type, size);
        }
      }
    }
  });
}

TEST_F(RegistryTest, GridsBeyondOneDispatchAreRight) {
  OpenOptions options;
  options.pretend = [](DeviceCaps& caps) { caps.max_group_count = {2, 3, 1}; };
  for_each_device(
      [&](Device& device) {
        for (const KernelEntry& entry : moves()) {
          const Pipeline pipeline = device.load(gen::compile(entry.describe({ScalarType::u8})));
          expect_right(device, entry, pipeline, ScalarType::u8, {333, 300});
        }
      },
      options);
}

TEST_F(RegistryTest, RealGridLimitsAreExceededInBothDirections) {
  for_each_device([&](Device& device) {
    const KernelEntry& entry = *gen::find_kernel("transpose/padded");
    const Pipeline pipeline = device.load(gen::compile(entry.describe({ScalarType::u8})));
    const std::int64_t beyond = 65535 * 32 + 100;  // groups along one side of the grid of lavapipe
    expect_right(device, entry, pipeline, ScalarType::u8, {1, beyond});
    expect_right(device, entry, pipeline, ScalarType::u8, {beyond, 1});
  });
}

TEST_F(RegistryTest, WithoutItsBarrierTheTransposeIsWrongSoTheVerifierIsNotPedantic) {
  for_each_device([&](Device& device) {
    if (device.caps().kind != DeviceKind::cpu) GTEST_SKIP() << "a GPU may get away with it";
    const KernelEntry& entry = *gen::find_kernel("transpose/padded");
    CompiledKernel kernel = gen::compile(entry.describe({ScalarType::u32}));
    const auto barrier = kernel.glsl.find("  barrier();");
    ASSERT_NE(barrier, std::string::npos);
    kernel.glsl.erase(barrier, 12);
    kernel.spirv = gen::spirv::assemble(entry.name, kernel.glsl);
    const std::vector<std::uint32_t> input = [] {
      std::vector<std::uint32_t> values(64 * 64);
      for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i + 1;
      return values;
    }();
    GuardedBuffer src(device, input.size() * 4), dst(device, input.size() * 4);
    write_as(src, input);
    device.run(device.load(kernel), {src.view(), dst.view()}, {{"rows", 64}, {"cols", 64}});
    const auto output = read_as<std::uint32_t>(dst);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < output.size(); ++i) {
      wrong += output[i] != input[source_index(entry, i, 64, 64)];
    }
    EXPECT_GT(wrong, 0u);
  });
}

}  // namespace
}  // namespace vkmoye::test
