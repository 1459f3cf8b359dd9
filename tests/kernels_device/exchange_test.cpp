// SPDX-License-Identifier: MIT
// Exchanges of values between lanes by shuffles, on every device.

#include "support/exchange.hpp"

#include "kernels_device/compute_fixture.hpp"
#include "support/expect.hpp"

namespace vkmoye::test {
namespace {

TEST_F(ComputeTest, LanesExchangeValuesAsTheirLayoutsSay) {
  for_each_device([&](Device& device) {
    const std::uint32_t lanes = device.caps().subgroup_size, threads = 2 * lanes;
    for (int i = 0; i < 12; ++i) {
      const ScalarType type = i % 3 == 0 ? ScalarType::f64 : ScalarType::u32;
      const RandomExchange exchange = random_exchange(random_, lanes);
      const auto& [from, to] = exchange;
      SCOPED_TRACE(exchange.text());
      const gen::ir::Kernel kernel = exchange_kernel(type, exchange, threads, lanes);
      if (!reasons_against(gen::ir::interface_of(kernel), device.caps()).empty()) continue;
      const std::int64_t group = size(from.mode(0)), held = cosize(from), values = size(to.mode(1));
      std::vector<Bits> input;
      for (std::int64_t e = 0; e < threads / group * held; ++e) {
        input.push_back(bits_of(type, static_cast<double>(e)));
      }
      const auto count = static_cast<std::size_t>(threads * values);
      const auto found = run(device, kernel, {bytes_of(type, input)}, type, count);
      for (std::int64_t t = 0; t < threads; ++t) {
        for (std::int64_t v = 0; v < values; ++v) {
          EXPECT_EQ(number_of(type, found[static_cast<std::size_t>(t * values + v)]),
                    static_cast<double>(t / group * held + to(IntTuple{t % group, v})))
              << "thread " << t << ", value " << v;
        }
      }
    }
  });
}

}  // namespace
}  // namespace vkmoye::test
