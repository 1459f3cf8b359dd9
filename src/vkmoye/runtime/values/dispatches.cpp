// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/values/dispatches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/reasons.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/argument_names.hpp"
#include "vkmoye/contract/specialisation.hpp"

namespace vkmoye {
namespace {

// Returns whether no argument is missing, so that sizes can be computed.
bool check_names(const KernelInterface& kernel, const Arguments& arguments, Reasons& reasons) {
  const WrongNames wrong = wrong_names(kernel, arguments);
  reasons.add_all(wrong.reasons());
  return wrong.missing.empty();
}

void check_specialised_values(const KernelInterface& kernel, const Arguments& arguments,
                              Reasons& reasons) {
  for (const auto& [name, value] : kernel.specialised) {
    const auto given = arguments.find(name);
    if (!value || given == arguments.end() || given->second == Argument(*value)) continue;
    if (!std::holds_alternative<std::int64_t>(given->second.value)) {
      reasons.add(
          fmt::format("argument {} is a floating-point number, but a size is a whole one", name));
      continue;
    }
    reasons.add(fmt::format("argument {} = {}, but the kernel was loaded for {} = {}", name,
                            to_string(given->second), name, *value));
  }
}

// Writes `argument` as a number of `type` to `place`, or adds the reason why it cannot.
void write_argument(const PushConstant& constant, const Argument& argument, std::byte* place,
                    Reasons& reasons) {
  const auto put = [&](auto value) { std::memcpy(place, &value, sizeof value); };
  const double floating =
      std::visit([](auto value) { return static_cast<double>(value); }, argument.value);
  if (constant.type == ScalarType::f32) return put(static_cast<float>(floating));
  if (constant.type == ScalarType::f64) return put(floating);
  const bool is_signed = constant.type == ScalarType::i32;
  const std::int64_t min = is_signed ? INT32_MIN : 0, max = is_signed ? INT32_MAX : UINT32_MAX;
  std::string reason = reason_against_whole(constant.name, argument, min, max);
  if (!reason.empty()) return reasons.add(std::move(reason));
  put(static_cast<std::uint32_t>(std::get<std::int64_t>(argument.value)));
}

void fill_push_constants(const KernelInterface& kernel, const Arguments& arguments,
                         Dispatches& dispatches, Reasons& reasons) {
  const std::vector<std::uint32_t> offsets = push_constant_offsets(kernel);
  dispatches.push_constants.resize(push_constant_bytes(kernel));
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const PushConstant& constant = kernel.push_constants[i];
    for (std::size_t axis = 0; axis < kFirstGroup.size(); ++axis) {
      if (constant.name == kFirstGroup[axis])
        dispatches.first_group[axis] = static_cast<int>(offsets[i]);
    }
    const auto found = arguments.find(constant.name);
    if (found != arguments.end()) {
      write_argument(constant, found->second, dispatches.push_constants.data() + offsets[i],
                     reasons);
    }
  }
}

// The addresses of the arrays that are accessed through pointers.
void fill_addresses(const KernelInterface& kernel, std::span<const BoundRange> ranges,
                    Dispatches& dispatches) {
  if (descriptor_count(kernel) == kernel.bindings.size()) return;
  const std::vector<std::uint32_t> offsets = push_constant_offsets(kernel);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const std::string name = address_name(kernel.bindings[i].name);
    for (std::size_t c = 0; c < offsets.size(); ++c) {
      if (kernel.push_constants[c] != PushConstant(name, ScalarType::u64)) continue;
      const std::uint64_t address = ranges[i].address + ranges[i].offset;
      std::memcpy(dispatches.push_constants.data() + offsets[c], &address, sizeof address);
    }
  }
}

void check_range(const Binding& binding, const DeviceCaps& caps, const BoundRange& range,
                 Reasons& reasons) {
  if (range.offset > range.memory_bytes || range.bytes > range.memory_bytes - range.offset) {
    reasons.add(fmt::format("{}: {} bytes at offset {} reach beyond a buffer of {} bytes",
                            binding.name, range.bytes, range.offset, range.memory_bytes));
  }
  const bool is_bound = binding.addressing == Addressing::descriptor;
  if (is_bound && range.offset % caps.storage_buffer_alignment != 0) {
    reasons.add(fmt::format("{}: offset {} is not a multiple of the device's {} bytes",
                            binding.name, range.offset, caps.storage_buffer_alignment));
  }
  if (range.offset % binding.alignment != 0) {
    reasons.add(
        fmt::format("{}: offset {} is not a multiple of the {} bytes that the kernel accesses at "
                    "once",
                    binding.name, range.offset, binding.alignment));
  }
}

// The bytes that an array must have; 0, with the reasons, if that cannot be computed.
std::uint64_t needed_bytes(const Binding& binding, const DeviceCaps& caps,
                           const Arguments& arguments, Reasons& reasons) {
  reasons.add_all(reasons_against(binding, arguments, caps));
  try {
    return element_count(binding, arguments) * size_of(binding.type);
  } catch (const ArgumentError&) {
    return 0;  // it is among the reasons
  }
}

void check_size(const Binding& binding, std::uint64_t needed, const BoundRange& range,
                Reasons& reasons) {
  if (needed <= range.bytes) return;
  const std::uint64_t element_bytes = size_of(binding.type);
  reasons.add(fmt::format("{}: needs {} elements of {} bytes = {} bytes, got {}", binding.name,
                          needed / element_bytes, element_bytes, needed, range.bytes));
}

void check_overlaps(const KernelInterface& kernel, std::span<const BoundRange> ranges,
                    Reasons& reasons) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    for (std::size_t j = i + 1; j < ranges.size(); ++j) {
      const Binding& a = kernel.bindings[i];
      const Binding& b = kernel.bindings[j];
      if (a.access == Access::read && b.access == Access::read) continue;
      if (!overlap(ranges[i], ranges[j])) continue;
      reasons.add(overlap_reason(a.name, ranges[i], b.name, ranges[j],
                                 a.access == Access::read ? b.name : a.name));
    }
  }
}

void split_grid(const KernelInterface& kernel, const DeviceCaps& caps, const Arguments& arguments,
                Dispatches& dispatches, Reasons& reasons) {
  std::array<std::uint64_t, 3> groups = {};
  try {
    groups = group_count(kernel, arguments);
  } catch (const ArgumentError& error) {
    return reasons.add(error.what());
  }
  const auto& limit = caps.max_group_count;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] <= limit[i] || (dispatches.first_group[i] >= 0 && limit[i] > 0)) continue;
    reasons.add(
        fmt::format("the grid has {} groups in {}, the device dispatches at most {}, and the "
                    "kernel cannot be split (it has no {})",
                    groups[i], "xyz"[i], limit[i], kFirstGroup[i]));
  }
  if (!reasons.empty()) return;
  // A piece is one dispatch; its first group is a 32-bit number.
  constexpr std::uint64_t kMaxGroups = 0xffffffff, kMaxPieces = std::uint64_t{1} << 20;
  std::uint64_t pieces = 1;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] > kMaxGroups) {
      reasons.add(fmt::format("the grid has {} groups in {}, more than the {} that can be numbered",
                              groups[i], "xyz"[i], kMaxGroups));
    } else if (groups[i] > 0) {
      pieces = std::min(kMaxPieces + 1, pieces * ((groups[i] - 1) / limit[i] + 1));
    }
  }
  if (pieces > kMaxPieces) {
    reasons.add(fmt::format("the grid of {} x {} x {} groups needs more than {} dispatches",
                            groups[0], groups[1], groups[2], kMaxPieces));
  }
  if (!reasons.empty()) return;
  for (std::uint64_t z = 0; z < groups[2]; z += limit[2]) {
    for (std::uint64_t y = 0; y < groups[1]; y += limit[1]) {
      for (std::uint64_t x = 0; x < groups[0]; x += limit[0]) {
        const std::array<std::uint64_t, 3> first = {x, y, z};
        GridPiece piece;
        for (std::size_t i = 0; i < first.size(); ++i) {
          piece.first[i] = static_cast<std::uint32_t>(first[i]);
          piece.count[i] =
              static_cast<std::uint32_t>(std::min<std::uint64_t>(limit[i], groups[i] - first[i]));
        }
        dispatches.pieces.push_back(piece);
      }
    }
  }
}

// Checks the ranges; `dispatches` has the bytes that the arguments need.
void bind_ranges(const KernelInterface& kernel, const DeviceCaps& caps,
                 std::span<const BoundRange> ranges, Dispatches& dispatches, Reasons& reasons) {
  if (ranges.size() != kernel.bindings.size()) {
    std::vector<std::string> names;
    for (const Binding& binding : kernel.bindings) names.push_back(binding.name);
    return reasons.add(fmt::format("takes {} buffers ({}), got {}", kernel.bindings.size(),
                                   join(names, ", "), ranges.size()));
  }
  dispatches.bound_bytes.clear();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    check_range(kernel.bindings[i], caps, ranges[i], reasons);
    check_size(kernel.bindings[i], dispatches.needed_bytes[i], ranges[i], reasons);
    // A longer range than needed is bound, up to the limit of the device: the rest belongs to the caller, for instance
    // guard words.
    dispatches.bound_bytes.push_back(std::min(ranges[i].bytes, caps.max_storage_buffer_bytes));
  }
  check_overlaps(kernel, ranges, reasons);
  fill_addresses(kernel, ranges, dispatches);
}

}  // namespace

bool overlap(const BoundRange& a, const BoundRange& b) {
  if (a.bytes == 0 || b.bytes == 0) return false;
  return a.memory == b.memory && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

std::string overlap_reason(const std::string& name_of_a, const BoundRange& a,
                           const std::string& name_of_b, const BoundRange& b,
                           const std::string& written) {
  return fmt::format(
      "{} (bytes {} to {}) and {} (bytes {} to {}) overlap in one buffer, and {} is written",
      name_of_a, a.offset, a.offset + a.bytes, name_of_b, b.offset, b.offset + b.bytes, written);
}

Dispatches prepare_dispatches(const KernelInterface& kernel, const DeviceCaps& caps,
                              std::span<const BoundRange> ranges, const Arguments& given) {
  Dispatches dispatches;
  Reasons reasons;
  Arguments completed;
  if (!kernel.specialised.empty()) completed = with_specialised_values(kernel, given);
  const Arguments& arguments = kernel.specialised.empty() ? given : completed;
  const bool named = check_names(kernel, arguments, reasons);
  check_specialised_values(kernel, arguments, reasons);
  fill_push_constants(kernel, arguments, dispatches, reasons);
  for (const Binding& binding : kernel.bindings) {
    dispatches.needed_bytes.push_back(named ? needed_bytes(binding, caps, arguments, reasons) : 0);
  }
  bind_ranges(kernel, caps, ranges, dispatches, reasons);
  if (named) split_grid(kernel, caps, arguments, dispatches, reasons);
  if (!reasons.empty()) throw ArgumentError(reasons.text(kernel.name));
  return dispatches;
}

void rebind(const KernelInterface& kernel, const DeviceCaps& caps,
            std::span<const BoundRange> ranges, Dispatches& dispatches) {
  Reasons reasons;
  bind_ranges(kernel, caps, ranges, dispatches, reasons);
  if (!reasons.empty()) throw ArgumentError(reasons.text(kernel.name));
}

}  // namespace vkmoye
