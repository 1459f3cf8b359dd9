// SPDX-License-Identifier: MIT
#include "recorder.hpp"

#include <fmt/format.h>

#include <optional>

#include "vkmoye/contract/scalar_value.hpp"

namespace vkmoye::playground {

using gen::machine::Machine;
using gen::machine::MemoryAccess;

namespace {

// The value that is stored in element `v` of a vector; nullopt for types whose values are no doubles.
std::optional<double> number_in(const gen::machine::Values* stored, const MemoryAccess& access,
                                std::size_t thread, std::uint32_t v) {
  const bool is_number = size_of(access.array.type) <= 4 || access.array.type == ScalarType::f64;
  if (stored == nullptr || stored->scalars() != access.element.width || !is_number ||
      access.element.as_words) {
    return std::nullopt;
  }
  const std::optional<gen::ir::Bits> bits = stored->in(thread, v);
  return bits ? std::optional(number_of(access.array.type, *bits)) : std::nullopt;
}

}  // namespace

void Recorder::record(Machine& machine, const MemoryAccess& access,
                      const gen::machine::Values* stored) {
  if (access.array.is_registers()) return;
  const gen::ir::Element& element = access.element;
  const std::vector<gen::ir::Axis> axes = gen::ir::axes_of(element, access.array);
  access.active.for_each([&](std::size_t thread) {
    if (touches_.size() >= kMaxTouches) {
      is_full_ = true;
      return;
    }
    Touch touch = {&access.array, 0,
                   workgroup_,    static_cast<std::uint32_t>(thread),
                   interval_,     access.writes,
                   access.atomic, &element.source_text};
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::optional<gen::ir::Bits> at = machine(element.coordinates[i]).in(thread);
      const std::optional<gen::ir::Bits> extent = machine(gen::ir::extent_of(axes[i])).in(thread);
      const std::optional<gen::ir::Bits> stride = machine(axes[i].stride).in(thread);
      if (!at || !extent || !stride) return;  // the twin reports an index that is not known
      const std::uint64_t last = *at + (i == 0 ? element.width - 1 : 0);
      if (last >= *extent && touch.element >= 0) {
        touch.element = -1;
        touch.coordinates = fmt::format("{} = {}, of {}", axes[i].coordinate, last, *extent);
      }
      if (touch.element >= 0) touch.element += static_cast<std::int64_t>(*at * *stride);
    }
    for (std::uint32_t v = 0; v < (touch.element < 0 ? 1 : element.width); ++v) {
      touch.value = number_in(stored, access, thread, v);
      touches_.push_back(touch);
      if (touch.element >= 0) ++touch.element;
    }
  });
}

}  // namespace vkmoye::playground
