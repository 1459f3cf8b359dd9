// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/values/launch_formula.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "vkmoye/base/overflow.hpp"

namespace vkmoye {
namespace {

// The largest buffer that the device certainly allows.
std::uint64_t max_buffer_bytes(const DeviceCaps& caps) {
  return std::min(caps.max_buffer_bytes,
                  std::max(caps.max_allocation_bytes, caps.max_sparse_buffer_bytes));
}

constexpr std::int64_t kMaxProduct = std::numeric_limits<std::uint32_t>::max();

// Of one argument.
std::int64_t max_value(bool is_extent) { return is_extent ? kMaxExtent : kMaxProduct; }

}  // namespace

LaunchFormula::LaunchFormula(const KernelInterface& kernel, const DeviceCaps& caps)
    : names_(argument_names(kernel)) {
  for (const Binding& binding : kernel.bindings) {
    Array array;
    array.modes = binding.extents.size();
    array.has_strides = !binding.strides.empty();
    array.is_written = binding.access != Access::read;
    array.element_bytes = size_of(binding.type);
    const bool is_pointer = binding.addressing == Addressing::pointer;
    array.max_elements = std::uint64_t{1} << (is_pointer ? 48 : 32);
    array.max_bytes = max_buffer_bytes(caps);
    if (!is_pointer) array.max_bytes = std::min(array.max_bytes, caps.max_storage_buffer_bytes);
    array.first_extent = terms_.size();
    for (const Extent& extent : binding.extents)
      terms_.push_back(term_of(kernel, extent, /*is_extent=*/true));
    array.first_stride = terms_.size();
    for (const Extent& stride : binding.strides)
      terms_.push_back(term_of(kernel, stride, /*is_extent=*/false));
    arrays_.push_back(array);
  }
  const std::vector<std::uint32_t> offsets = push_constant_offsets(kernel);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const PushConstant& constant = kernel.push_constants[i];
    if (is_set_by_runtime(constant)) continue;
    const auto found = std::lower_bound(names_.begin(), names_.end(), constant.name);
    constants_.push_back(
        {static_cast<std::size_t>(found - names_.begin()), offsets[i], constant.type});
  }
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const GridDimension& dimension = kernel.grid[i];
    axes_[i] = {term_of(kernel, dimension.extent, /*is_extent=*/true), dimension.tile,
                dimension.max_groups, caps.max_group_count[i]};
  }
}

LaunchFormula::Term LaunchFormula::term_of(const KernelInterface& kernel, const Extent& extent,
                                           bool is_extent) const {
  Term term;
  term.per = extent.per;
  term.is_extent = is_extent;
  if (!extent.is_symbol()) term.value = extent.value;
  for (const std::string& name : extent.arguments()) {
    const auto specialised =
        std::find_if(kernel.specialised.begin(), kernel.specialised.end(),
                     [&](const SpecialisedArgument& one) { return one.name == name; });
    if (specialised != kernel.specialised.end()) {
      const std::int64_t value = specialised->value.value_or(0);
      // 0 where prepare_dispatches has a reason against it.
      const bool is_valid = value <= max_value(term.is_extent) &&
                            (term.value == 0 || value <= kMaxProduct / term.value);
      term.value = is_valid ? term.value * value : 0;
      continue;
    }
    const auto found = std::lower_bound(names_.begin(), names_.end(), name);
    (term.argument < 0 ? term.argument : term.times) = static_cast<int>(found - names_.begin());
  }
  return term;
}

bool LaunchFormula::value_in(const Term& term, std::span<const Argument> values,
                             std::int64_t& out) {
  out = term.value;
  if (out < 1) return false;
  for (const int argument : {term.argument, term.times}) {
    if (argument < 0) continue;
    const auto* whole =
        std::get_if<std::int64_t>(&values[static_cast<std::size_t>(argument)].value);
    if (whole == nullptr || *whole < 1 || *whole > max_value(term.is_extent) ||
        *whole > kMaxProduct / out) {
      return false;
    }
    out *= *whole;
  }
  if (term.per != 1) out = (out + term.per - 1) / term.per;
  return true;
}

bool LaunchFormula::bytes_of(const Array& array, std::span<const Argument> values,
                             std::uint64_t& out) const {
  std::int64_t last = 0;  // the offset of the last element; of a compact array, of the modes so far
  std::int64_t count = 1;  // of elements
  const auto max_elements = static_cast<std::int64_t>(array.max_elements);
  for (std::size_t i = 0; i < array.modes; ++i) {
    std::int64_t extent = 0, stride = count, reach = 0;
    if (!value_in(terms_[array.first_extent + i], values, extent)) return false;
    if (array.has_strides) {
      if (!value_in(terms_[array.first_stride + i], values, stride)) return false;
      // Each mode begins beyond the modes before it: no two elements share an address.
      if (array.is_written && extent > 1 && stride <= last) return false;
    }
    if (mul_overflows(extent - 1, stride, reach) || add_overflows(last, reach, last) ||
        last >= max_elements) {
      return false;
    }
    count = last + 1;
  }
  out = static_cast<std::uint64_t>(count) * array.element_bytes;
  return out <= array.max_bytes;
}

bool LaunchFormula::put(const Constant& constant, const Argument& value, std::byte* constants) {
  const auto write = [&](auto number) {
    std::memcpy(constants + constant.offset, &number, sizeof number);
    return true;
  };
  const auto* whole = std::get_if<std::int64_t>(&value.value);
  const auto real = [&] {
    return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value.value);
  };
  switch (constant.type) {
    case ScalarType::f32: return write(static_cast<float>(real()));
    case ScalarType::f64: return write(real());
    case ScalarType::i32:
      if (whole == nullptr || *whole < INT32_MIN || *whole > INT32_MAX) return false;
      return write(static_cast<std::int32_t>(*whole));
    case ScalarType::u32:
      if (whole == nullptr || *whole < 0 || *whole > UINT32_MAX) return false;
      return write(static_cast<std::uint32_t>(*whole));
    default: return false;
  }
}

bool LaunchFormula::evaluate(std::span<const Argument> values, Dispatches& dispatches) const {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    if (!bytes_of(arrays_[i], values, dispatches.needed_bytes[i])) return false;
  }
  for (const Constant& constant : constants_) {
    if (!put(constant, values[constant.argument], dispatches.push_constants.data())) return false;
  }
  GridPiece piece;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const Axis& axis = axes_[i];
    std::int64_t extent = 0;
    if (axis.tile < 1 || !value_in(axis.extent, values, extent)) return false;
    std::int64_t groups = (extent - 1) / axis.tile + 1;
    if (axis.max_groups > 0) groups = std::min(groups, axis.max_groups);
    if (static_cast<std::uint64_t>(groups) > axis.limit) return false;
    piece.count[i] = static_cast<std::uint32_t>(groups);
  }
  dispatches.pieces.assign(1, piece);
  return true;
}

}  // namespace vkmoye
