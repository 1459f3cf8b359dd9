// SPDX-License-Identifier: MIT
// Relayouts between strided tensors of the same shape, on every device: permutations, padding, tiles, broadcasts, odd
// extents, every element size.

#include "vkmoye/gen/kernels/moves/relayout/relayout.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "support/guarded_buffer.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::test {
namespace {

class RelayoutTest : public DeviceTest {
 protected:
  // Checks every element of dst, the gaps between them, and the zones around both buffers.
  void expect_right(Device& device, const Layout& src, const Layout& dst,
                    const gen::RelayoutConfig& config = {}) {
    SCOPED_TRACE(std::string(to_string(config.type)) + " " + to_string(src) + " -> " +
                 to_string(dst));
    const std::size_t width = size_of(config.type);
    std::vector<std::uint8_t> input(static_cast<std::size_t>(cosize(src)) * width);
    for (std::uint8_t& byte : input) byte = static_cast<std::uint8_t>(random_());
    GuardedBuffer from(device, input.size());
    GuardedBuffer to(device, static_cast<std::size_t>(cosize(dst)) * width);
    write_as(from, input);
    std::vector<std::uint8_t> expected = read_as<std::uint8_t>(to);  // the previous contents
    for (std::int64_t i = 0; i < size(src); ++i) {
      std::memcpy(&expected[static_cast<std::size_t>(dst(i)) * width],
                  &input[static_cast<std::size_t>(src(i)) * width], width);
    }
    const gen::ir::Kernel kernel = gen::relayout(src, dst, config);
    device.run(device.load(gen::compile(kernel)), {from.view(), to.view()}, {});
    EXPECT_TRUE(read_as<std::uint8_t>(to) == expected);
    EXPECT_EQ(from.damage(), "");
    EXPECT_EQ(to.damage(), "");
  }

  std::mt19937 random_{41};
};

TEST_F(RelayoutTest, TwentyPermutationsOfThreeToFiveAxes) {
  const std::vector<std::int64_t> shapes[] = {
      {64, 32, 96}, {7, 65, 33}, {4, 64, 3, 64}, {5, 6, 70, 9}, {2, 3, 32, 5, 40}};
  for_each_device([&](Device& device) {
    for (const auto& shape : shapes) {
      std::vector<std::int64_t> axes(shape.size());
      std::iota(axes.begin(), axes.end(), std::int64_t{0});
      for (int i = 0; i < 4; ++i) {
        std::shuffle(axes.begin(), axes.end(), random_);
        const gen::Permutation permutation = gen::permuted(shape, axes);
        expect_right(device, permutation.src, permutation.dst);
      }
    }
  });
}

TEST_F(RelayoutTest, PaddingTilesAndBroadcasts) {
  const std::pair<const char*, const char*> cases[] = {
      {"(60,100):(1,64)", "(60,100)"},                       // padding is removed
      {"(60,100)", "(60,100):(1,64)"},                       // and added
      {"(60,100):(1,64)", "(60,100):(104,1)"},               // both, transposed
      {"(64,64)", "((8,8),(8,8)):((1,64),(8,512))"},         // into tiles of 8x8
      {"((8,8),(8,8)):((1,64),(8,512))", "(64,64):(64,1)"},  // out of them, transposed
      {"((16,4),(32,2)):((1,512),(16,2048))", "((32,2),(8,8)):((1,256),(32,512))"},
      {"(48,50):(1,0)", "(48,50)"},                    // one column, fifty times
      {"(48,50):(0,1)", "(48,50):(50,1)"},             // one row
      {"(48,50):(0,0)", "(48,50)"},                    // one element
      {"(100,40):(3,300)", "(100,40):(1,100)"},        // every third
      {"(100,40):(16,1600)", "(100,40):(40,1)"},       // no mode is contiguous in src
      {"(3,1000):(1,3)", "(3,1000):(1000,1)"},         // elements of 12 bytes are split
      {"(3,50,40):(1,3,150)", "(3,50,40):(1,120,3)"},  // and are moved as a whole
      {"(31,32,5,4):(640,1,32,160)", "(31,32,5,4):(4,128,4096,1)"},  // rows of 124, 128 apart
      {"(3,40,50):(1,3,120)", "(3,40,50):(2000,1,40)"},              // pixels to planes
      {"(40,50,3):(1,40,2000)", "(40,50,3):(3,120,1)"},              // and back
      {"(3,333,50):(1,3,1000)", "(3,333,50):(16650,1,333)"},         // rows padded, planes odd
      {"(2,5,700):(1,2,10)", "(2,5,700):(3500,700,1)"},              // two small modes
      {"(700,5,2):(1,700,3500)", "(700,5,2):(10,2,1)"},              // and back
      {"(700,3):(1,0)", "(700,3):(3,1)"},                            // one plane, three times
      {"(6,1000):(1,6)", "(6,1000):(1000,1)"},                       // an even number
      {"(7,4097):(1,7)", "(7,4097):(4100,1)"},                       // a last tile of one
      {"(1,1,1)", "(1,1,1):(5,7,9)"},
      {"(1023)", "(1023):(2)"},
  };
  for_each_device([&](Device& device) {
    for (const auto& [src, dst] : cases) {
      for (const ScalarType type : {ScalarType::f32, ScalarType::u16}) {
        gen::RelayoutConfig config;
        config.type = type;
        expect_right(device, parse_layout(src), parse_layout(dst), config);
      }
    }
  });
}

TEST_F(RelayoutTest, OtherConfigs) {
  const gen::Permutation permutation = gen::permuted({40, 64, 66}, {2, 1, 0});
  const auto with = [](std::int64_t threads, std::int64_t vector, std::int64_t run) {
    gen::RelayoutConfig config;
    config.threads = threads;
    config.vector = vector;
    config.run = run;
    return config;
  };
  for_each_device([&](Device& device) {
    for (const auto& config :
         {with(64, 16, 32), with(128, 4, 16), with(1024, 8, 64), with(1, 16, 4)}) {
      expect_right(device, permutation.src, permutation.dst, config);
    }
    for (const gen::TileOrder order : {gen::TileOrder::src, gen::TileOrder::both}) {
      gen::RelayoutConfig config = with(64, 16, 16);
      config.order = order;
      expect_right(device, permutation.src, permutation.dst, config);
      const gen::Permutation deep = gen::permuted({5, 48, 40, 64}, {3, 2, 1, 0});
      expect_right(device, deep.src, deep.dst, config);
    }
  });
}

}  // namespace
}  // namespace vkmoye::test
