// SPDX-License-Identifier: MIT
#pragma once
// The order in which lanes hold the elements of a matrix, as a layout.
//
//   A 16x16 f16 on an H200: (row, k) -> ((8,2),(2,4,2)):((32,4),(1,8,2)), that is lane * 8 + number

#include <cstdint>
#include <optional>
#include <string>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/matrix_units/probe.hpp"
#include "vkmoye/layout/layout.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {

/// A fragment order as a layout, or why it is not one.
struct OrderOrReason {
  std::optional<Layout> layout;  // (row, k) -> lane * elements of a lane + number
  std::string reason;
};
/// The layout (row, column) -> lane and number of `order`, or the reason why it is not a layout.
OrderOrReason fragment_layout(const FragmentOrder& order);

/// The order of `probed` on the device. If it has not been probed, this is the reason.
OrderOrReason fragment_layout(const DeviceCaps& device, const ProbedMatrix& probed);

/// The number of elements of a lane that are contiguous along k in the order `layout`. If these are all its
/// elements, they are also contiguous in a plain array with k contiguous, and a lane loads them in one access
/// as from a packed array (RDNA4: 8 of 8; an H200: 2 of 8).
std::int64_t neighbours_along_k(const Layout& layout);

/// The field "--`name`" of a config: an order as a layout.
template <class Config>
ConfigField<Config> order_field(const char* name, const char* help, OrderOrReason Config::*order) {
  return {name, help, "a layout such as ((8,2),(2,4,2)):((32,4),(1,8,2))",
          [=](const Config& config) {
            const OrderOrReason& known = config.*order;
            return known.layout ? to_string(*known.layout) : "as the device has it";
          },
          [=](const std::string& text, Config& config) {
            config.*order = {parse_layout(text), ""};
            return true;
          }};
}

}  // namespace vkmoye::gen
