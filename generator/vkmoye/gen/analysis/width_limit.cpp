// SPDX-License-Identifier: MIT
#include "vkmoye/gen/analysis/width_limit.hpp"

#include <fmt/format.h>

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/glsl/print.hpp"

namespace vkmoye::gen {
namespace {

std::string stride_text(const ir::Axis& axis, std::uint64_t stride) {
  if (ir::is_constant(axis.stride)) return std::to_string(stride);
  return fmt::format("{} = {}", glsl::print(axis.stride), stride);
}

}  // namespace

void WidthLimit::add(std::size_t thread, const std::vector<std::uint32_t>& coordinates,
                     const std::vector<std::uint64_t>& strides, std::int64_t offset) {
  std::optional<Position>& first = last_[thread];
  if (!first) {
    first = Position{coordinates, offset};
    return;
  }
  any_pair_ = true;
  const Position second{coordinates, offset};
  if (second.offset != first->offset + width_) {
    if (apart_.empty()) apart_ = distance(*first, second, strides);
  } else if (first->offset % (2 * width_) != 0 && unaligned_.empty()) {
    unaligned_ = fmt::format("thread {} begins at {}[{}], no multiple of {}", thread, array_->name,
                             first->offset, 2 * width_);
  }
  first.reset();
}

std::string WidthLimit::distance(const Position& from, const Position& to,
                                 const std::vector<std::uint64_t>& strides) const {
  if (from.offset == to.offset) return "consecutive values are the same element";
  if (array_->is_shared()) {
    return fmt::format("consecutive values are {} elements apart in {}", to.offset - from.offset,
                       array_->layout.empty() ? array_->name : array_->layout);
  }
  std::optional<std::size_t> moved;
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    if (from.coordinates[axis] == to.coordinates[axis]) continue;
    if (moved)
      return fmt::format("consecutive values are {} elements apart", to.offset - from.offset);
    moved = axis;
  }
  if (strides.size() < array_->axes.size()) {
    return fmt::format("consecutive values are {} elements apart", to.offset - from.offset);
  }
  const ir::Axis& axis = array_->axes[*moved];
  const std::int64_t step =
      std::int64_t{to.coordinates[*moved]} - std::int64_t{from.coordinates[*moved]};
  return fmt::format("consecutive values are {} apart along {}, of stride {}", step,
                     axis.coordinate, stride_text(axis, strides[*moved]));
}

bool WidthLimit::extents_allow(std::uint32_t width, const ir::Guards& guards) const {
  return !array_->is_buffer() || ir::is_multiple(ir::extent_of(array_->axes[0]), width, guards);
}

std::string WidthLimit::why(const ir::Guards& guards) const {
  if (!ir::is_width(array_->type, 2 * width_)) {
    return fmt::format("{} bytes are the most", width_ * size_of(array_->type));
  }
  if (!any_pair_) return "a thread has no further consecutive elements";
  if (!apart_.empty()) return apart_;
  if (!unaligned_.empty()) return "consecutive values are neighbours, but " + unaligned_;
  if (!extents_allow(2 * width_, guards)) {
    return fmt::format(
        "consecutive values are neighbours, but nothing says that {} is a multiple of {}",
        to_string(array_->axes[0].extent), 2 * width_);
  }
  return fmt::format("could be {} elements wide: consecutive values are aligned neighbours",
                     2 * width_);
}

}  // namespace vkmoye::gen
