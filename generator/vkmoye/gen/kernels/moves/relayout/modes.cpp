// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/moves/relayout/modes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/layout/injective.hpp"
#include "vkmoye/layout/refine.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kMaxRelayoutElements = std::int64_t{1} << 48;

std::optional<std::vector<Layout>> refined(const Layout& src, const Layout& dst) {
  const Layout both[] = {src, dst};
  return common_refinement(both);
}

// Whether `second` continues where `first` ends, in both tensors.
bool follows(const JointMode& first, const JointMode& second) {
  return second.src == first.src * first.extent && second.dst == first.dst * first.extent;
}

}  // namespace

std::vector<std::size_t> order_by(const std::vector<JointMode>& modes,
                                  std::int64_t JointMode::*stride) {
  std::vector<std::size_t> order;
  for (std::size_t m = 0; m < modes.size(); ++m) {
    if (modes[m].*stride != 0) order.push_back(m);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return modes[a].*stride < modes[b].*stride;
  });
  return order;
}

std::vector<JointMode> joint_modes(const Layout& src, const Layout& dst) {
  std::vector<JointMode> modes;
  for (int i = 0; i < src.rank(); ++i) {
    const std::vector<Layout> both = *refined(src.mode(i), dst.mode(i));
    const auto a = both[0].leaves(), b = both[1].leaves();
    for (std::size_t leaf = 0; leaf < a.size(); ++leaf) {
      if (a[leaf].extent > 1) modes.push_back({a[leaf].extent, a[leaf].stride, b[leaf].stride});
    }
  }
  if (modes.empty()) return {{1, 1, 1}};
  std::sort(modes.begin(), modes.end(), [](const JointMode& a, const JointMode& b) {
    return a.dst < b.dst;  // dst is injective: no two are equal
  });
  std::vector<JointMode> out;
  for (const JointMode& mode : modes) {
    if (!out.empty() && follows(out.back(), mode)) {
      out.back().extent *= mode.extent;
    } else {
      out.push_back(mode);
    }
  }
  return out;
}

std::vector<std::string> reasons_against_relayout(const Layout& src, const Layout& dst) {
  std::vector<std::string> reasons;
  bool same_shape = src.rank() == dst.rank();
  for (int i = 0; same_shape && i < src.rank(); ++i) {
    same_shape = size(src.mode(i)) == size(dst.mode(i));
  }
  if (!same_shape) {
    reasons.push_back(
        fmt::format("src has the shape {}, dst {}: corresponding modes have different numbers "
                    "of elements",
                    to_string(src.shape()), to_string(dst.shape())));
  }
  for (int i = 0; same_shape && i < src.rank(); ++i) {
    if (refined(src.mode(i), dst.mode(i))) continue;
    reasons.push_back(fmt::format("mode {}: {} and {} have no common refinement", i,
                                  to_string(src.mode(i).shape()), to_string(dst.mode(i).shape())));
  }
  if (const auto clash = find_collision(dst)) {
    reasons.push_back(fmt::format("dst {} overlaps itself: coordinates {} and {} share address {}",
                                  to_string(dst), to_string(clash->first), to_string(clash->second),
                                  clash->offset));
  }
  const auto require_small = [&](const char* whose, std::int64_t elements) {
    if (elements <= kMaxRelayoutElements) return;
    reasons.push_back(
        fmt::format("{} spans {} elements, but at most 2^48 can be addressed", whose, elements));
  };
  require_small("src", cosize(src));
  require_small("dst", cosize(dst));
  return reasons;
}

Permutation permuted(const std::vector<std::int64_t>& shape,
                     const std::vector<std::int64_t>& permutation) {
  std::vector<std::int64_t> axes = permutation;
  if (axes.empty()) {
    for (std::size_t i = shape.size(); i-- > 0;) axes.push_back(static_cast<std::int64_t>(i));
  }
  std::vector<std::int64_t> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  bool is_valid = sorted.size() == shape.size() && !shape.empty();
  for (std::size_t i = 0; is_valid && i < sorted.size(); ++i) {
    is_valid = sorted[i] == static_cast<std::int64_t>(i) && shape[i] >= 1;
  }
  if (!is_valid) {
    throw LayoutError(fmt::format(
        "permuted: ({}) must contain each of the {} axes of ({}) once, and all extents must be at "
        "least 1",
        fmt::join(axes, ","), shape.size(), fmt::join(shape, ",")));
  }
  std::vector<Layout> src(shape.size()), dst(shape.size());
  std::int64_t from = 1, to = 1;
  std::vector<std::int64_t> strides(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = from;
    from = checked_mul(from, shape[i]);
  }
  for (std::size_t i = shape.size(); i-- > 0;) {
    const auto axis = static_cast<std::size_t>(axes[i]);
    src[i] = Layout(shape[axis], strides[axis]);
    dst[i] = Layout(shape[axis], to);
    to = checked_mul(to, shape[axis]);
  }
  return {make_layout(src), make_layout(dst)};
}

}  // namespace vkmoye::gen
