// SPDX-License-Identifier: MIT
#include "vkmoye/gen/twin/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/ir/meaning.hpp"

namespace vkmoye::gen::twin {

using machine::Lanes;
using machine::Machine;
using machine::MemoryAccess;
using machine::scalars_of;
using machine::Value;
using machine::Values;

namespace {

bool is_registers(const ir::Array& array) { return array.space == ir::Array::Space::registers; }

// Scalars of one element, and the bytes of each.
std::size_t scalar_bytes(ScalarType type) { return std::min<std::size_t>(8, size_of(type)); }

ir::Bits read(std::span<const std::byte> bytes, std::size_t at, std::size_t width) {
  ir::Bits bits = 0;
  std::memcpy(&bits, bytes.data() + at, width);
  return bits;
}

}  // namespace

void define(const ir::Kernel& kernel, const Arguments& arguments, machine::Evaluator& values) {
  for (const PushConstant& argument : kernel.arguments) {
    const auto found = arguments.find(argument.name);
    const bool is_index = argument.type == ScalarType::u32;
    if (found == arguments.end()) {
      if (argument.name.starts_with("first_group")) values.define(argument.name, Values::same(0));
      continue;
    }
    const double number =
        std::visit([](auto n) { return static_cast<double>(n); }, found->second.value);
    const auto* whole = std::get_if<std::int64_t>(&found->second.value);
    values.define(argument.name,
                  Values::same(is_index && whole != nullptr ? static_cast<ir::Bits>(*whole)
                                                            : bits_of(argument.type, number)));
  }
}

Launch::Launch(const ir::Kernel& kernel, const std::vector<std::span<std::byte>>& buffers,
               const Arguments& arguments, machine::Reasons& reasons)
    : kernel_(kernel), reasons_(reasons), has_data_(!buffers.empty()) {
  const KernelInterface interface = interface_of(kernel);
  const auto groups = group_count(interface, arguments);
  std::size_t binding = 0;
  machine::Budget plenty(1 << 20);
  machine::Evaluator sizes({}, plenty);
  define(kernel, arguments, sizes);
  const auto number_of = [&](const ir::Expr& e) -> std::uint64_t { return sizes(e).in(0).value(); };
  for (const ir::Array& array : kernel.arrays) {
    if (is_registers(array)) {
      registers_[array.name].resize(static_cast<std::size_t>(array.size() / array.vector));
      continue;
    }
    std::vector<std::uint64_t> extents, strides;
    for (const ir::Axis& axis : array.axes) {
      extents.push_back(number_of(ir::extent_of(axis)));
      strides.push_back(number_of(axis.stride));
    }
    const bool is_buffer = array.space == ir::Array::Space::buffer;
    const std::uint64_t elements = is_buffer ? element_count(interface.bindings[binding], arguments)
                                             : static_cast<std::uint64_t>(array.size());
    const bool is_input = is_buffer && array.access != vkmoye::Access::write;
    // Nobody can meet anybody in a buffer that all only read: it needs no cells.
    const bool only_read = is_buffer && array.access == vkmoye::Access::read;
    Memory memory{&array, elements, std::move(extents), std::move(strides),
                  machine::Ledger(array, only_read ? 0 : elements, kernel.threads,
                                  is_buffer ? std::array{groups[0], groups[1]}
                                            : std::array<std::uint64_t, 2>{0, 0},
                                  is_input, reasons)};
    if (is_buffer && has_data_) {
      memory.bytes = buffers.at(binding);
      const std::uint64_t bytes = elements * size_of(array.type);
      if (memory.bytes.size() != bytes) {
        throw ArgumentError(fmt::format("{}: {} takes {} elements of {}, {} bytes; it was given {}",
                                        kernel.name, array.name, elements, to_string(array.type),
                                        bytes, memory.bytes.size()));
      }
    } else if (has_data_) {
      memory.own.resize(elements * size_of(array.type));
    }
    if (is_buffer) ++binding;
    memories_.emplace(array.name, std::move(memory));
  }
}

void Launch::start(std::uint64_t number, bool follow_registers) {
  follows_registers_ = has_data_ || follow_registers;
  first_invocation_ = static_cast<std::int64_t>(number * kernel_.threads);
  for (auto& [name, memory] : memories_) {
    if (memory.array->space == ir::Array::Space::shared) memory.ledger.clear();
    if (!memory.own.empty()) memory.bytes = memory.own;
  }
  for (auto& [name, elements] : registers_) {
    for (Register& element : elements) element = {Values(), Lanes(kernel_.threads)};
  }
}

void Launch::check_results() {
  for (const auto& [name, memory] : memories_) {
    if (memory.array->space != ir::Array::Space::buffer ||
        memory.array->access != vkmoye::Access::write) {
      continue;
    }
    std::vector<std::uint64_t> at(memory.extents.size(), 0);
    bool more = std::find(memory.extents.begin(), memory.extents.end(), 0u) == memory.extents.end();
    while (more) {
      std::uint64_t address = 0;
      for (std::size_t i = 0; i < at.size(); ++i) address += at[i] * memory.strides[i];
      if (!memory.ledger.is_written(address)) {
        reasons_.add("uncovered " + name,
                     fmt::format("nothing writes {}[{}], the element at ({}), for sure: every "
                                 "element of a result must be written",
                                 name, address, fmt::join(at, ",")));
        break;
      }
      std::size_t axis = 0;
      while (axis < at.size() && ++at[axis] == memory.extents[axis]) at[axis++] = 0;
      more = axis < at.size();
    }
  }
}

template <class Visit>
void Launch::at_addresses(Machine& m, const MemoryAccess& access, Visit visit) {
  const ir::Element& element = access.element;
  Memory& memory = memories_.at(element.array);
  std::vector<const Values*> coordinates;
  for (const ir::Expr& coordinate : element.coordinates) coordinates.push_back(&m(coordinate));
  const bool is_place = coordinates.size() < memory.extents.size();
  const std::span<const std::uint64_t> extents =
      is_place ? std::span(&memory.elements, 1) : std::span(memory.extents);
  access.active.for_each([&](std::size_t thread) {
    m.budget().spend(element.width);
    std::uint64_t address = 0;
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      const Value& at = coordinates[i]->in(thread);
      if (!at) {
        // A read at a place that data decides harms nobody; its bounds are proven by guards.
        if (!has_data_ && !access.writes && memory.array->access == vkmoye::Access::read) return;
        if (access.atomic && !has_data_) return;
        reasons_.add(
            "index " + element.partition,
            fmt::format("'{}' touches {} at an index that {}", element.partition, element.array,
                        has_data_ ? "is undefined or depends on what nothing has written"
                                  : "depends on data: races cannot be excluded"));
        return;
      }
      const std::uint64_t last = *at + (i == 0 ? element.width - 1 : 0);
      if (last >= extents[i]) {
        reasons_.add("range " + element.partition,
                     fmt::format("'{}' touches {} at {} = {} in thread {} of workgroup {}, which "
                                 "ends at {}",
                                 element.partition, element.array,
                                 is_place ? "place" : memory.array->axes[i].coordinate, last,
                                 thread, first_invocation_ / kernel_.threads, extents[i]));
        return;
      }
      address += *at * memory.strides[i];
    }
    if (element.width != 1 && address % element.width != 0) {
      reasons_.add(
          "alignment " + element.partition,
          fmt::format("'{}' touches {} elements of {} at once from {}[{}] on in thread {}, "
                      "which is no multiple",
                      element.partition, element.width, element.array, element.array, address,
                      thread));
      return;
    }
    touch(access, memory, thread, address);
    visit(memory, thread, address);
  });
}

void Launch::touch(const MemoryAccess& access, Memory& memory, std::size_t thread,
                   std::uint64_t address) {
  if (memory.ledger.elements() == 0) return;
  const bool is_buffer = memory.array->space == ir::Array::Space::buffer;
  const std::int64_t invocation =
      access.by_any_lane ? machine::kAnyone
                         : static_cast<std::int64_t>(thread) + (is_buffer ? first_invocation_ : 0);
  for (std::uint32_t i = 0; i < access.element.width; ++i) {
    memory.ledger.touch(address + i, {invocation, &access.element.partition, access.reads,
                                      access.writes, access.atomic});
  }
}

Values Launch::load(Machine& m, const MemoryAccess& access) {
  if (is_registers(access.array)) return load_registers(m, access);
  const ir::Type type = type_of(access.element, access.array);
  Values out = has_data_ ? Values::different(kernel_.threads, scalars_of(type))
                         : Values::unknown(scalars_of(type));
  const std::size_t width = scalar_bytes(type.element), bytes = size_of(access.array.type);
  const std::size_t together = std::max(std::size_t{1}, width / bytes);  // elements of a scalar
  at_addresses(m, access, [&](Memory& memory, std::size_t thread, std::uint64_t address) {
    for (std::size_t s = 0; has_data_ && s < out.scalars(); ++s) {
      const std::uint64_t first = address + s * width / bytes;
      if (memory.ledger.elements() != 0 && !memory.ledger.is_written(first, together)) continue;
      out.set(thread, s, read(memory.bytes, address * bytes + s * width, width));
    }
  });
  return out;
}

// All that makes a value undefined.
constexpr const char* kUndefined =
    "a division by 0, on the value of a lane that there is not, or on what nothing has written";

void Launch::require_defined(const MemoryAccess& access, const Values& values) {
  if (!has_data_ || values.is_known(access.active)) return;
  reasons_.add("undefined " + access.element.partition,
               fmt::format("'{}' stores into {} what is undefined: it depends on {}",
                           access.element.partition, access.element.array, kUndefined));
}

void Launch::store(Machine& m, const MemoryAccess& access, const Values& values) {
  if (is_registers(access.array)) return store_registers(m, access, values);
  require_defined(access, values);
  const std::size_t width = scalar_bytes(type_of(access.element, access.array).element);
  at_addresses(m, access, [&](Memory& memory, std::size_t thread, std::uint64_t address) {
    for (std::size_t s = 0; has_data_ && s < values.scalars(); ++s) {
      const ir::Bits bits = values.in(thread, s).value_or(0);
      const std::size_t at = address * size_of(access.array.type) + s * width;
      std::memcpy(memory.bytes.data() + at, &bits, width);
    }
  });
}

Values Launch::combine(Machine& m, const MemoryAccess& access, ir::Op op, const Values& values) {
  require_defined(access, values);
  Values out = has_data_ ? Values::different(kernel_.threads) : Values::unknown();
  const std::size_t width = scalar_bytes(access.array.type);
  const ir::Expr operand = ir::variable("a", ir::element(access.array.type));
  ir::Node combination;
  combination.op = op;
  combination.type = operand->type;
  combination.operands = {operand, operand};
  at_addresses(m, access, [&](Memory& memory, std::size_t thread, std::uint64_t address) {
    if (!has_data_) return;
    const std::size_t at = address * width;
    const ir::Bits both[] = {read(memory.bytes, at, width), values.in(thread).value_or(0)};
    out.set(thread, both[0]);
    const ir::Bits result = ir::meaning(combination, both).value_or(0);
    std::memcpy(memory.bytes.data() + at, &result, width);
  });
  return out;
}

// --- registers: each index is a number, once loops are unrolled ---

namespace {

// The number of the vector of registers that begins at element `at`.
std::size_t vector_at(const MemoryAccess& access, std::uint64_t at) {
  return static_cast<std::size_t>(at / access.array.vector);
}

}  // namespace

Values Launch::load_registers(Machine& m, const MemoryAccess& access) {
  std::vector<Register>& elements = registers_.at(access.element.array);
  const Values at = m(access.element.coordinates[0]);
  const auto complain = [&] {
    reasons_.add(
        "unwritten " + access.element.partition,
        fmt::format("'{}' reads the registers {}, which not every path has written; a load "
                    "that skips what is outside leaves them as they are: ask it for zeros "
                    "there (Edges::zero)",
                    access.element.partition, access.element.array));
  };
  if (at.is_same() && at.in(0) && vector_at(access, *at.in(0)) < elements.size()) {
    const Register& element = elements[vector_at(access, *at.in(0))];
    if (!(access.active - element.written).none()) complain();
    return has_data_ ? element.value : machine::unknown_elements(access);
  }
  Values out =
      has_data_ ? Values::different(kernel_.threads,
                                    scalars_of(ir::element(access.array.type, access.array.vector)))
                : machine::unknown_elements(access);
  access.active.for_each([&](std::size_t thread) {
    const Value& index = at.in(thread);
    if (!index || vector_at(access, *index) >= elements.size()) return complain();
    const Register& element = elements[vector_at(access, *index)];
    if (!element.written.has(thread)) return complain();
    for (std::size_t s = 0; has_data_ && s < out.scalars(); ++s) {
      out.set(thread, s, element.value.in(thread, s));
    }
  });
  return out;
}

void Launch::store_registers(Machine& m, const MemoryAccess& access, const Values& values) {
  std::vector<Register>& elements = registers_.at(access.element.array);
  const Values at = m(access.element.coordinates[0]);
  const auto put = [&](Register& element, const Lanes& lanes) {
    const Lanes others = Lanes(kernel_.threads, true) - lanes;
    element.written |= lanes;
    if (!has_data_) return;
    if (others.none()) {
      element.value = values;
      return;
    }
    Values merged = Values::different(kernel_.threads, values.scalars());
    for (std::size_t t = 0; t < kernel_.threads; ++t) {
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
      reasons_.add(
          "range " + access.element.partition,
          fmt::format("'{}' touches registers {} outside its {} elements", access.element.partition,
                      access.element.array, access.array.size()));
      return;
    }
    Lanes one(kernel_.threads);
    one.set(thread, true);
    put(elements[vector_at(access, *index)], one);
  });
}

// --- order, divergence, paths ---

void Launch::barrier(Machine&, const Lanes&) {
  for (auto& [name, memory] : memories_) {
    if (memory.array->space == ir::Array::Space::shared) memory.ledger.barrier();
  }
}

void Launch::diverged(Machine&, const char* what, const Lanes& active) {
  std::size_t come = 0, first = kernel_.threads;
  active.for_each([&](std::size_t thread) {
    first = std::min(first, thread);
    ++come;
  });
  reasons_.add(what, fmt::format("{} is reached by {} of {} threads, thread {} among them", what,
                                 come, kernel_.threads, first));
}

bool Launch::can_rely_on(Machine& m, const ir::Expr& condition) {
  const Values& value = m(condition);
  if (has_data_ && value.is_same() && !value.in(0)) {
    reasons_.add(
        "condition",
        fmt::format("a condition or the end of a loop is undefined: it depends on {}", kUndefined));
  }
  return true;
}

machine::Rounds Launch::enter(Machine&, const ir::For&, std::optional<std::uint32_t> known) {
  constexpr std::uint32_t kSomeRounds = 3;  // of a loop whose end data decides
  return known ? machine::Rounds{*known, false} : machine::Rounds{kSomeRounds, true};
}

std::any Launch::save() {
  State state;
  for (const auto& [name, memory] : memories_) state.ledgers.emplace(name, memory.ledger);
  state.registers = registers_;
  return state;
}

void Launch::restore(const std::any& saved) {
  const State& state = std::any_cast<const State&>(saved);
  for (auto& [name, memory] : memories_) memory.ledger = state.ledgers.at(name);
  registers_ = state.registers;
}

void Launch::join(const std::any& saved) {
  const State& state = std::any_cast<const State&>(saved);
  constexpr bool kEither = false;
  for (auto& [name, memory] : memories_) memory.ledger.join(state.ledgers.at(name), kEither);
  for (auto& [name, elements] : registers_) {
    const std::vector<Register>& others = state.registers.at(name);
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i].written &= others[i].written;
  }
}

}  // namespace vkmoye::gen::twin
