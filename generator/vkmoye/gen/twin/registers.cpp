// SPDX-License-Identifier: MIT
#include "vkmoye/gen/twin/registers.hpp"

#include <fmt/format.h>

namespace vkmoye::gen::twin {

using machine::Machine;
using machine::MemoryAccess;
using machine::ThreadSet;
using machine::Value;
using machine::Values;

Registers::Registers(const ir::Kernel& kernel, bool has_data, const std::set<std::string>& written,
                     machine::ReasonsByKind& reasons)
    : threads_(kernel.threads), has_data_(has_data), written_(&written), reasons_(&reasons) {
  for (const ir::Array& array : kernel.arrays) {
    if (!array.is_registers()) continue;
    arrays_[array.name].writable().resize(static_cast<std::size_t>(array.size() / array.vector));
  }
}

void Registers::start() {
  for (auto& [name, elements] : arrays_) {
    const ThreadSet writers =
        written_->contains(name) ? ThreadSet::all(threads_) : ThreadSet(threads_);
    for (Vector& element : elements.writable()) element = {Values(), writers};
  }
}

namespace {

// The number of the vector that begins at element `at`.
std::size_t vector_at(const MemoryAccess& access, std::uint64_t at) {
  return static_cast<std::size_t>(at / access.array.vector);
}

}  // namespace

Values Registers::load(Machine& m, const MemoryAccess& access) {
  const Vectors& elements = *arrays_.at(access.element.array);
  const Values at = m(access.element.coordinates[0]);
  const auto complain = [&] {
    reasons_->add(
        "unwritten " + access.element.source_text,
        fmt::format("'{}' reads the registers {}, which not every path has written; a load "
                    "does not write registers for elements outside a buffer unless it sets "
                    "them to zero (Edges::zero)",
                    access.element.source_text, access.element.array));
  };
  if (at.is_same() && at.in(0) && vector_at(access, *at.in(0)) < elements.size()) {
    const Vector& element = elements[vector_at(access, *at.in(0))];
    if (!(access.active - element.written).none()) complain();
    return has_data_ ? element.value : machine::unknown_elements(m, access);
  }
  Values out = has_data_ ? Values::different(threads_, machine::scalars_of(ir::element(
                                                           access.array.type, access.array.vector)))
                         : machine::unknown_elements(m, access);
  access.active.for_each([&](std::size_t thread) {
    const Value& index = at.in(thread);
    if (!index || vector_at(access, *index) >= elements.size()) return complain();
    const Vector& element = elements[vector_at(access, *index)];
    if (!element.written.has(thread)) return complain();
    for (std::size_t s = 0; has_data_ && s < out.scalars(); ++s) {
      out.set(thread, s, element.value.in(thread, s));
    }
  });
  return out;
}

void Registers::store(Machine& m, const MemoryAccess& access, const Values& values) {
  Vectors& elements = arrays_.at(access.element.array).writable();
  const Values at = m(access.element.coordinates[0]);
  const auto put = [&](Vector& element, const ThreadSet& lanes) {
    const ThreadSet others = ThreadSet::all(threads_) - lanes;
    element.written |= lanes;
    if (!has_data_) return;
    if (others.none()) {
      element.value = values;
      return;
    }
    Values merged = Values::different(threads_, values.scalars());
    for (std::size_t t = 0; t < threads_; ++t) {
      const bool is_new = lanes.has(t);
      if (!is_new && !element.written.has(t)) continue;
      for (std::size_t s = 0; s < values.scalars(); ++s) {
        merged.set(t, s, is_new ? values.in(t, s) : element.value.in(t, s));
      }
    }
    element.value = std::move(merged);
  };
  if (at.is_same() && at.in(0) && vector_at(access, *at.in(0)) < elements.size()) {
    return put(elements[vector_at(access, *at.in(0))], access.active);
  }
  access.active.for_each([&](std::size_t thread) {
    const Value& index = at.in(thread);
    if (!index || vector_at(access, *index) >= elements.size()) {
      reasons_->add(
          "range " + access.element.source_text,
          fmt::format("'{}' touches registers {} outside its {} elements",
                      access.element.source_text, access.element.array, access.array.size()));
      return;
    }
    ThreadSet one(threads_);
    one.set(thread, true);
    put(elements[vector_at(access, *index)], one);
  });
}

void Registers::join(const Registers& other) {
  for (auto& [name, elements] : arrays_) {
    const auto& others = other.arrays_.at(name);
    if (elements.is_shared_with(others)) continue;
    Vectors& mine = elements.writable();
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i].written &= (*others)[i].written;
  }
}

}  // namespace vkmoye::gen::twin
