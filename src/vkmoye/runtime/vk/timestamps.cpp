// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vk/timestamps.hpp"

#include <fmt/format.h>

#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/vk/check.hpp"

namespace vkmoye::vk {

namespace {

double microseconds_between(const Context& context, std::uint64_t begin, std::uint64_t end) {
  const auto passed = ticks_between(begin, end, context.physical.timestamp_bits);
  return static_cast<double>(passed) * context.caps().timestamp_period_ns / 1000;
}

}  // namespace

Owned<VkQueryPool> make_timestamps(const Context& context, const std::string& subject,
                                   std::uint32_t intervals) {
  if (context.caps().timestamp_period_ns <= 0) {
    throw ArgumentError(
        fmt::format("{}: timestamps were requested, but {} has none in queue family {}", subject,
                    context.caps().name, context.physical.queue_family));
  }
  constexpr std::uint32_t kMaxIntervals = 1 << 20;
  if (intervals > kMaxIntervals) {
    throw ArgumentError(fmt::format("{}: times of {} recordings were requested, more than {}",
                                    subject, intervals, kMaxIntervals));
  }
  VkQueryPoolCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 2 * intervals;
  return create<VkQueryPool>("vkCreateQueryPool", context.handle(), context.table().CreateQueryPool,
                             context.table().DestroyQueryPool, info);
}

std::vector<std::optional<double>> read_known_intervals_us(const Context& context,
                                                           VkQueryPool queries,
                                                           std::uint32_t intervals) {
  struct Query {
    std::uint64_t ticks, is_available;
  };
  std::vector<Query> read(2 * std::size_t{intervals});
  const VkResult result = context.table().GetQueryPoolResults(
      context.handle(), queries, 0, 2 * intervals, read.size() * sizeof read[0], read.data(),
      sizeof read[0], VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
  if (result != VK_NOT_READY) check(result, "vkGetQueryPoolResults");
  std::vector<std::optional<double>> known(intervals);
  for (std::uint32_t i = 0; i < intervals; ++i) {
    const Query &begin = read[2 * i], &end = read[2 * i + 1];
    if (begin.is_available == 0 || end.is_available == 0) continue;
    known[i] = microseconds_between(context, begin.ticks, end.ticks);
  }
  return known;
}

std::vector<double> read_intervals_us(const Context& context, VkQueryPool queries,
                                      std::uint32_t intervals) {
  std::vector<std::uint64_t> ticks(intervals + 1);
  check(context.table().GetQueryPoolResults(context.handle(), queries, 0, intervals + 1,
                                            ticks.size() * sizeof ticks[0], ticks.data(),
                                            sizeof ticks[0], VK_QUERY_RESULT_64_BIT),
        "vkGetQueryPoolResults");
  std::vector<double> microseconds(intervals);
  for (std::uint32_t i = 0; i < intervals; ++i) {
    microseconds[i] = microseconds_between(context, ticks[i], ticks[i + 1]);
  }
  return microseconds;
}

}  // namespace vkmoye::vk
