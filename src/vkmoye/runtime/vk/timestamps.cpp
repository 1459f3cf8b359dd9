// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vk/timestamps.hpp"

#include "vkmoye/runtime/vk/check.hpp"

namespace vkmoye::vk {

std::vector<double> read_intervals_us(const Context& context, VkQueryPool queries,
                                      std::uint32_t intervals) {
  std::vector<std::uint64_t> ticks(intervals + 1);
  check(context.table().GetQueryPoolResults(context.handle(), queries, 0, intervals + 1,
                                            ticks.size() * sizeof ticks[0], ticks.data(),
                                            sizeof ticks[0], VK_QUERY_RESULT_64_BIT),
        "vkGetQueryPoolResults");
  std::vector<double> microseconds(intervals);
  for (std::uint32_t i = 0; i < intervals; ++i) {
    const auto passed = ticks_between(ticks[i], ticks[i + 1], context.physical.timestamp_bits);
    microseconds[i] = static_cast<double>(passed) * context.caps().timestamp_period_ns / 1000;
  }
  return microseconds;
}

}  // namespace vkmoye::vk
