// SPDX-License-Identifier: MIT
#pragma once
// Converts the ticks of a device's clock to microseconds.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/runtime/vk/context.hpp"

namespace vkmoye::vk {

/// Ticks from `begin` to `end` of a counter that has `bits` bits (1..64) and wraps.
inline std::uint64_t ticks_between(std::uint64_t begin, std::uint64_t end, std::uint32_t bits) {
  const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  return (end - begin) & mask;
}

/// A pool of two timestamps for each of `intervals` intervals. Throws ArgumentError naming `subject` if the device has
/// none, or if `intervals` exceeds 2^20; DeviceError.
Owned<VkQueryPool> make_timestamps(const Context& context, const std::string& subject,
                                   std::uint32_t intervals);

/// The times between two timestamps of `queries` each, `intervals` of them, the first between 0 and 1; nullopt if one
/// of the two has not been written. Does not wait. Precondition: all were reset at least once. Throws DeviceError.
std::vector<std::optional<double>> read_known_intervals_us(const Context& context,
                                                           VkQueryPool queries,
                                                           std::uint32_t intervals);

/// The times between the first `intervals` + 1 timestamps of `queries`, whose work has finished.
std::vector<double> read_intervals_us(const Context& context, VkQueryPool queries,
                                      std::uint32_t intervals);

}  // namespace vkmoye::vk
