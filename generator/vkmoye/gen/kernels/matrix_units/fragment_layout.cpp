// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/matrix_units/fragment_layout.hpp"

#include <fmt/format.h>

#include "vkmoye/layout/layout_of_values.hpp"

namespace vkmoye::gen {

OrderOrReason fragment_layout(const FragmentOrder& order) {
  const std::string name = to_string(order);
  if (order.places.empty()) return {std::nullopt, name + ": " + order.why_none};
  const bool is_a = order.use != 'b';  // or an accumulator, whose columns take the place of k
  const std::int64_t rows = is_a ? order.rows : order.columns;
  const std::int64_t depth = is_a ? order.columns : order.rows;
  const auto place = [&](std::int64_t row, std::int64_t k) {
    const std::int64_t at = is_a ? row + rows * k : k + depth * row;
    return static_cast<std::int64_t>(order.places[static_cast<std::size_t>(at)]);
  };
  const auto along_rows = layout_of_values(rows, [&](std::int64_t i) { return place(i, 0); });
  const auto along_k = layout_of_values(depth, [&](std::int64_t i) { return place(0, i); });
  for (std::int64_t i = 0; along_rows && along_k && i < rows * depth; ++i) {
    const std::int64_t row = i % rows, k = i / rows;
    if (place(row, k) == (*along_rows)(row) + (*along_k)(k)) continue;
    return {std::nullopt,
            fmt::format("{}: the offset of ({},{}) is not the sum of those along rows "
                        "and along k",
                        name, row, k)};
  }
  if (!along_rows || !along_k) {
    return {std::nullopt, name + ": the offsets along " + (along_rows ? "k" : "the rows") +
                              " do not form a layout"};
  }
  return {make_layout(*along_rows, *along_k), ""};
}

OrderOrReason fragment_layout(const DeviceCaps& device, const ProbedMatrix& probed) {
  const FragmentOrder* order = find_order(device, probed);
  if (order != nullptr) return fragment_layout(*order);
  return {std::nullopt, to_string(probed) + ": its fragment order has not been probed"};
}

std::int64_t neighbours_along_k(const Layout& layout) {
  const Layout along_k = layout.mode(1);
  std::int64_t count = 1;
  while (count < along_k.size() && along_k(count) == count) ++count;
  return count;
}

}  // namespace vkmoye::gen
