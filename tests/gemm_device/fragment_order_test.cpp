// SPDX-License-Identifier: MIT
// The order in which lanes hold matrices: found once on each device, then kept.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "devices/device_executor.hpp"
#include "devices/fragments.hpp"
#include "support/device_fixture.hpp"
#include "support/process.hpp"

namespace vkmoye::test {
namespace {

using namespace bench;

class FragmentOrderTest : public DeviceTest {};

// The second run needs no probe: it uses the kept order, unless that is damaged.
TEST_F(FragmentOrderTest, OrdersAreKeptBetweenStarts) {
  const TemporaryFolder folder;
  const DeviceFacts facts(folder.file("orders.tsv"));
  std::optional<FragmentOrder> found;
  gen::ProbedMatrix probed;
  const auto order_of = [&](Device& device) {
    DeviceExecutor executor(std::move(device), facts);
    const FragmentOrder order = find_fragment_order(executor, probed);
    EXPECT_EQ(gen::find_order(executor.caps(), probed)->places, order.places);
    return order;
  };
  DeviceCaps caps;
  const auto for_the_device = [&](const std::function<void(Device&)>& body) {
    for_each_device([&](Device& device) {
      caps = device.caps();
      const auto operands = gen::matrix_operands(caps);
      const auto asked =
          std::find_if(operands.begin(), operands.end(),
                       [](const gen::MatrixOperand& x) { return x.probed.has_value(); });
      if (asked == operands.end()) return;
      probed = *asked->probed;
      body(device);
    });
  };
  for_the_device([&](Device& device) { found = order_of(device); });
  if (!found) return;
  EXPECT_EQ(stored_order(facts, caps, probed), found);
  // An order that no device has, so that it must come from the file.
  FragmentOrder other = *found;
  std::swap(other.places[0], other.places[1]);
  facts.store(caps, "order of " + gen::to_string(probed), order_text(other));
  for_the_device([&](Device& device) { EXPECT_EQ(order_of(device), other); });
  // A place that occurs twice, with a correct checksum: not an order.
  other.places[0] = other.places[1];
  facts.store(caps, "order of " + gen::to_string(probed), order_text(other));
  EXPECT_FALSE(stored_order(facts, caps, probed));
  for_the_device([&](Device& device) { EXPECT_EQ(order_of(device), found); });
  EXPECT_EQ(stored_order(facts, caps, probed), found);
}

}  // namespace
}  // namespace vkmoye::test
