// SPDX-License-Identifier: MIT
// Relayouts on every device, compared bit by bit, with guard words around both buffers: by hand, and seeded random
// ones; see support/random_moves.hpp. Each is a separate pipeline; thousands more run on the twin without a device.
//
//   VKMOYE_MOVES=30000   number of moves (200 on a CPU, scaled by support/effort.hpp, else 3000)
//   VKMOYE_SEED=7        seed (1)
//   VKMOYE_MOVE=417      runs only this move

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "support/device_fixture.hpp"
#include "support/effort.hpp"
#include "support/expect.hpp"
#include "support/guarded_buffer.hpp"
#include "support/number_in.hpp"
#include "support/random_moves.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"

namespace vkmoye::test {
namespace {

// The error; empty: there is none.
std::string wrong(Device& device, const RandomMove& move, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint8_t> input(move.src_bytes());
  for (std::uint8_t& byte : input) byte = static_cast<std::uint8_t>(random());
  GuardedBuffer from(device, input.size()), to(device, move.dst_bytes());
  write_as(from, input);
  std::vector<std::uint8_t> expected = read_as<std::uint8_t>(to);  // the previous contents
  move.apply(input, expected);
  const gen::ir::Kernel kernel = gen::relayout(move.src, move.dst, move.config);
  device.run(device.load(gen::compile(kernel)), {from.view(), to.view()}, {});
  std::string out;
  if (read_as<std::uint8_t>(to) != expected) out += "dst is wrong; ";
  return out + from.damage() + to.damage();
}

class RelayoutTest : public DeviceTest {
 protected:
  // Each of `moves` on each device.
  void expect_right(const std::vector<RandomMove>& moves) {
    for_each_device([&](Device& device) {
      for (const RandomMove& move : moves) EXPECT_EQ(wrong(device, move, 41), "") << move.text();
    });
  }
};

// Nested modes, and strides that are not drawn.
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
  std::vector<RandomMove> moves;
  for (const auto& [src, dst] : cases) {
    for (const ScalarType type : {ScalarType::f32, ScalarType::u16}) {
      moves.push_back({parse_layout(src), parse_layout(dst), {}});
      moves.back().config.type = type;
    }
  }
  expect_right(moves);
}

TEST_F(RelayoutTest, OtherConfigs) {
  const gen::Permutation three = gen::permuted({40, 64, 66}, {2, 1, 0}),
                         four = gen::permuted({5, 48, 40, 64}, {3, 2, 1, 0});
  std::vector<RandomMove> moves;
  const auto add = [&](const gen::Permutation& of, std::int64_t threads, std::int64_t vector,
                       std::int64_t run, gen::TileOrder order = gen::RelayoutConfig().order) {
    gen::RelayoutConfig config;
    config.threads = threads;
    config.vector = vector;
    config.run = run;
    config.order = order;
    moves.push_back({of.src, of.dst, config});
  };
  add(three, 64, 16, 32);
  add(three, 128, 4, 16);
  add(three, 1024, 8, 64);
  add(three, 1, 16, 4);
  for (const gen::TileOrder order : {gen::TileOrder::src, gen::TileOrder::both}) {
    add(three, 64, 16, 16, order);
    add(four, 64, 16, 16, order);
  }
  expect_right(moves);
}

class RandomMoves : public DeviceTest, public testing::WithParamInterface<std::int64_t> {};

constexpr std::int64_t kParts = 16;
constexpr int kMaxWrong = 5;  // of a part

TEST_P(RandomMoves, AreRight) {
  const auto seed = static_cast<std::uint64_t>(number_in("VKMOYE_SEED").value_or(1));
  const auto only = number_in("VKMOYE_MOVE");
  for_each_device([&](Device& device) {
    const bool is_cpu = device.caps().kind == DeviceKind::cpu;
    const std::int64_t all = number_in("VKMOYE_MOVES").value_or(is_cpu ? often(200) : 3000);
    int right = 0, mistakes = 0;
    for (std::int64_t i = GetParam(); i < all && mistakes < kMaxWrong; i += kParts) {
      if (only && *only != i) continue;
      const RandomMove move = random_move(seed, i);
      std::string text;
      try {
        text = wrong(device, move, static_cast<std::uint64_t>(i));
      } catch (const DeviceError& error) {
        text = error.what();
        mistakes = kMaxWrong - 1;  // later results are meaningless
      } catch (const std::exception& error) {
        text = error.what();
      }
      if (text.empty()) {
        ++right;
        continue;
      }
      ++mistakes;
      ADD_FAILURE() << text << "\n  move " << i << ": VKMOYE_SEED=" << seed << " VKMOYE_MOVE=" << i
                    << "\n  " << move.text();
    }
    std::printf("%d moves right, %d wrong\n", right, mistakes);
    EXPECT_TRUE(only || right + mistakes > 0) << "no move was checked";
  });
}

INSTANTIATE_TEST_SUITE_P(Parts, RandomMoves, testing::Range<std::int64_t>(0, kParts));

}  // namespace
}  // namespace vkmoye::test
