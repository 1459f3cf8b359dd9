// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/relayout_entries.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/moves/relayout/relayout.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"
#include "vkmoye/layout/algebra.hpp"

namespace vkmoye::gen {
namespace {

constexpr const char* kName = "relayout";

struct EntryConfig : RelayoutConfig {
  std::vector<std::int64_t> axes;  // empty: reversed
};

template <class Value>
ConfigField<EntryConfig> whole_number(const char* name, const char* help,
                                      Value RelayoutConfig::*value) {
  return numbers_field<EntryConfig>(name, help, {value});
}

const std::vector<ConfigField<EntryConfig>>& fields() {
  static const std::vector<ConfigField<EntryConfig>> rows = with_address_field<EntryConfig>({
      {"permute", "the axes of src in the order of dst, as in numpy.transpose",
       "a list of axes, such as 2,0,1",
       [](const EntryConfig& config) {
         return config.axes.empty() ? std::string("reversed")
                                    : fmt::format("{}", fmt::join(config.axes, ","));
       },
       [](const std::string& text, EntryConfig& config) {
         const auto axes = parse_numbers(text, ',');
         if (axes) config.axes = *axes;
         return axes.has_value();
       },
       /*changes_result=*/true},
      whole_number("threads", "maximum number of threads of a workgroup", &EntryConfig::threads),
      whole_number("vector", "maximum number of bytes of an access", &EntryConfig::vector),
      whole_number("run", "elements of a tile along src and along dst; 0: chosen by type",
                   &EntryConfig::run),
      whole_number("rounds", "accesses in flight if no tile is needed", &EntryConfig::rounds),
      order_field<EntryConfig>(&EntryConfig::order, {"dst", "src", "both", "auto"}),
  });
  return rows;
}

EntryConfig plain_config(ScalarType type, const DeviceCaps& device) {
  EntryConfig config;
  config.type = type;
  config.shared_bytes = shared_bytes_of(device);
  return config;
}

// A layout has at most kMaxLeaves modes. Those of a thread's part of a tile are the axes and up to seven more, for
// tiles of 128 x 128 bytes.
constexpr std::size_t kMaxMovedAxes = kMaxLeaves - 7;

// Both tensors of an array without empty axes. Axes of b that are neighbours in a, too, are one mode of the layouts;
// axes of extent 1 are none.
Permutation merged_axes(const PermutedArray& b) {
  std::vector<Layout> src, dst;
  std::int64_t to = 1;
  for (std::size_t i = b.shape.size(); i-- > 0;) {
    if (b.shape[i] == 1) continue;
    const bool follows =
        !src.empty() && b.strides[i] == size(src.back()) * src.back().tree().leaf(0).stride;
    if (follows) {
      const std::int64_t extent = size(src.back()) * b.shape[i];
      src.back() = Layout(extent, src.back().tree().leaf(0).stride);
      dst.back() = Layout(extent, dst.back().tree().leaf(0).stride);
    } else {
      src.emplace_back(b.shape[i], b.strides[i]);
      dst.emplace_back(b.shape[i], to);
    }
    to = checked_mul(to, b.shape[i]);
  }
  if (src.empty()) return {Layout(1), Layout(1)};
  if (src.size() > kMaxMovedAxes) {
    throw KernelError(
        kName, {fmt::format(
                   "({}) has {} axes that cannot be merged with a neighbour; at most {} can move, "
                   "besides axes of extent 1 and those that stay side by side",
                   fmt::join(b.shape, ","), src.size(), kMaxMovedAxes)});
  }
  std::reverse(src.begin(), src.end());
  std::reverse(dst.begin(), dst.end());
  return {make_layout(src), make_layout(dst)};
}

PermutedArray permuted_array(const ElementsForm& form, const EntryConfig& config) {
  const Extents shape = form.shape.value_or(kRelayoutExample);
  std::vector<std::int64_t> axes = config.axes;
  for (std::size_t i = shape.size(); config.axes.empty() && i-- > 0;) {
    axes.push_back(static_cast<std::int64_t>(i));
  }
  std::vector<std::int64_t> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  bool each_once = sorted.size() == shape.size();
  for (std::size_t i = 0; each_once && i < sorted.size(); ++i) {
    each_once = sorted[i] == static_cast<std::int64_t>(i);
  }
  if (!each_once) {
    throw KernelError(kName, {fmt::format("permute ({}) must contain each axis of ({}) once",
                                          fmt::join(axes, ","), fmt::join(shape, ","))});
  }
  PermutedArray out;
  std::vector<std::int64_t> strides(shape.size());  // of a
  std::int64_t elements = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = elements;
    elements = checked_mul(elements, shape[i]);
  }
  for (const std::int64_t axis : axes) {
    out.shape.push_back(shape[static_cast<std::size_t>(axis)]);
    out.strides.push_back(strides[static_cast<std::size_t>(axis)]);
  }
  if (elements > 0) out.layouts = merged_axes(out);
  return out;
}

// For an array without elements: a kernel that runs no workgroups.
ir::Kernel nothing_to_move(const EntryConfig& config) {
  Builder k(kName, 1);
  k.header(typed_items(fields(), config), "the arrays have no elements: nothing moves");
  k.input("src", config.type, {{"at", 0}});
  k.output("dst", config.type, {{"at", 0}});
  k.grid(0, 0, 1);
  return k.finish();
}

}  // namespace

PermutedArray permuted_array(const ElementsForm& form, const Options& options) {
  EntryConfig config = plain_config(form.type, common_device());
  throw_if_any(kName, read_fields(fields(), options, config));
  return permuted_array(form, config);
}

std::vector<KernelEntry> relayout_entries() {
  using Request = TypedRequest<ElementsForm>;
  return {entry_of<EntryConfig>(
      {.name = kName,
       .operation = "relayout",
       .summary = "permutes the axes of an array of any rank; in C++, copies any strided tensor to "
                  "another",
       .source = "this project",
       .types = every_type(),
       .fields = fields(),
       .defaults =
           [](const Request& request) { return plain_config(request.form.type, request.device); },
       .describe =
           [](const EntryConfig& config, const Request& request) {
             const PermutedArray array = permuted_array(request.form, config);
             if (!array.layouts) return nothing_to_move(config);
             EntryConfig chosen = config;
             const auto elements = static_cast<std::uint64_t>(size(array.layouts->dst));
             chosen.address = chosen_addressing(config.address, elements, config.type,
                                                request.device.max_storage_buffer_bytes);
             return relayout(array.layouts->src, array.layouts->dst, chosen, kName);
           }})};
}

}  // namespace vkmoye::gen
