// SPDX-License-Identifier: MIT
// Seeded random relayouts on every device, compared bit by bit, with guard words around both buffers; see
// support/random_moves.hpp. Each is a separate pipeline; thousands more run on the twin without a device.
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
