// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/accesses.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace vkmoye::gen {
namespace {

// The offset of one value from the coordinates of its iteration, along each axis.
using Offsets = std::vector<std::uint32_t>;

std::uint32_t stride_of(const Layout& values, std::size_t leaf) {
  return to_index(values.leaves()[leaf].stride);
}

std::vector<Offsets> offsets_of(const View& view, const AccessOptions& options) {
  const std::int64_t count = options.vector ? options.vector->count : size(view.shape());
  std::vector<Offsets> out(static_cast<std::size_t>(count));
  for (std::size_t v = 0; v < out.size(); ++v) {
    for (const View::Axis& axis : view.axes) {
      const auto number = static_cast<std::uint32_t>(v);
      out[v].push_back(!options.vector ? to_index(axis.values(number))
                       : v == 0        ? 0
                                       : number * stride_of(axis.values, options.vector->leaf));
    }
  }
  return out;
}

// The values in accesses of `width`, in memory order, along axis 0 first. If several values have the same
// offset, an access consists of the first value of each offset, the next one of the second, and so on.
std::vector<std::size_t> order_of(const std::vector<Offsets>& offsets, std::uint32_t width) {
  std::map<Offsets, std::uint32_t> found;
  std::vector<std::pair<Offsets, std::size_t>> keys;
  for (std::size_t v = 0; v < offsets.size(); ++v) {
    Offsets key(offsets[v].rbegin(), offsets[v].rend());
    key.back() /= width;
    key.push_back(found[offsets[v]]++);
    key.push_back(offsets[v].front() % width);
    keys.emplace_back(std::move(key), v);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<std::size_t> order;
  for (const auto& key : keys) order.push_back(key.second);
  return order;
}

// The coordinate, or that of the last vector of `width` elements below `extent`. Preconditions: there is one; both are
// multiples of `width`. If `extent` is not a constant, only the alignment of `coordinate` is known here.
Expr clamped(const Expr& coordinate, const Expr& extent, std::uint32_t width) {
  if (width == 1 || ir::is_constant(extent)) return ir::minimum(coordinate, extent - width);
  return ir::minimum(coordinate / width, extent / width - 1) * width;
}

// Names `value` in `body`, unless it is a name or a number already, or has a name in `known`.
Expr named(ir::Body& body, const ir::Body& known, std::string name, const Expr& value) {
  if (value->op == ir::Op::constant || value->op == ir::Op::variable) return value;
  const auto found = std::find_if(known.begin(), known.end(), [&](const ir::Stmt& other) {
    return ir::same(std::get<ir::Let>(other.value).value, value);
  });
  if (found != known.end()) {
    name = std::get<ir::Let>(found->value).name;
  } else {
    body.emplace_back(ir::Let{name, value});
  }
  return ir::variable(name, ir::kIndex, value->bound, value->alignment);
}

}  // namespace

ViewAccesses accesses_of(const ArrayView& of, const AccessOptions& options,
                         const ViewAccesses& known) {
  const View& view = of.view;
  const bool is_buffer = of.array->is_buffer();
  const Outside outside = is_buffer ? options.outside : Outside::never;
  const bool checks = outside != Outside::never, clamps = outside == Outside::clamped;
  const std::vector<Offsets> offsets = offsets_of(view, options);
  const std::vector<std::size_t> order = order_of(offsets, options.width);
  const std::string not_wider = options.hoists ? why_not_wider(of, options.width) : "";
  ViewAccesses out;
  for (auto at = order.begin(); at != order.end(); at += options.width) {
    out.accesses.push_back(
        {{view.array, {}, view.name, options.width, not_wider}, {at, at + options.width}, {}});
  }
  for (std::size_t i = 0; i < view.axes.size(); ++i) {
    const Expr end = end_of(of, i);
    const Expr change = loop_offset(view.axes[i].values, options.loops);
    const bool varies = !ir::is_constant(change, 0);
    const std::string name = options.name + "_" + of.array->axes[i].coordinate;
    // A coordinate that is also used in conditions gets a name in each iteration. The coordinate along
    // the vectors of a buffer gets none: there the text has the number of the vector, and compilers
    // reuse its terms.
    const bool is_used_elsewhere = checks || view.swizzle != Swizzle();
    const bool counts_vectors = is_buffer && i == 0 && options.width > 1;
    const bool has_name_before = options.hoists && (is_used_elsewhere || !counts_vectors);
    const bool has_name_inside = options.hoists ? varies && is_used_elsewhere : is_buffer;

    Expr first = origin(view.axes[i]);
    if (has_name_before) {
      first =
          named(out.names_before, known.names_before, has_name_inside ? name + "0" : name, first);
    }
    if (varies) first = first + change;
    if (has_name_inside) first = named(out.names_inside, known.names_inside, name, first);
    if (checks && !clamps) {
      require_below(varies ? out.inside_each_iteration : out.inside_before, first, end);
    }
    for (ContiguousAccess& access : out.accesses) {
      const Expr coordinate = first + offsets[access.values.front()][i];
      const std::uint32_t width = i == 0 ? options.width : 1;
      if (checks) require_below(access.inside, coordinate, end);
      access.element.coordinates.push_back(clamps && !is_below(coordinate, end)
                                               ? clamped(coordinate, end, width)
                                               : swizzled(view.swizzle, coordinate));
    }
  }
  return out;
}

}  // namespace vkmoye::gen
