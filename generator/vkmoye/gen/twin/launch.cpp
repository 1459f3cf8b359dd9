// SPDX-License-Identifier: MIT
#include "vkmoye/gen/twin/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/ir/evaluate.hpp"

namespace vkmoye::gen::twin {

using machine::Machine;
using machine::MemoryAccess;
using machine::scalars_of;
using machine::ThreadSet;
using machine::Value;
using machine::Values;

namespace {

// The bytes of each scalar of an element.
std::size_t scalar_bytes(ScalarType type) { return std::min<std::size_t>(8, size_of(type)); }

bool is_assumed_written(const ir::Kernel& kernel, const std::string& array) {
  return std::any_of(kernel.assumptions.begin(), kernel.assumptions.end(),
                     [&](const ir::Assumption& one) {
                       return one.array == array && one.kind == ir::Assumption::Kind::written;
                     });
}

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
      if (is_first_group(argument.name)) values.define(argument.name, Values::same(0));
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
               const Arguments& arguments, const std::set<std::string>& written,
               machine::ReasonsByKind& reasons)
    : kernel_(kernel),
      reasons_(reasons),
      has_data_(!buffers.empty()),
      registers_(kernel, has_data_, written, reasons) {
  const KernelInterface interface = interface_of(kernel);
  const auto groups = group_count(interface, arguments);
  std::size_t binding = 0;
  machine::Budget plenty(1 << 20);
  machine::Evaluator sizes({}, plenty);
  define(kernel, arguments, sizes);
  const auto number_of = [&](const ir::Expr& e) -> std::uint64_t { return sizes(e).in(0).value(); };
  for (const ir::Array& array : kernel.arrays) {
    if (array.is_registers()) continue;
    std::vector<std::uint64_t> extents, strides;
    for (const ir::Axis& axis : array.axes) {
      extents.push_back(number_of(ir::extent_of(axis)));
      strides.push_back(number_of(axis.stride));
    }
    const bool is_buffer = array.is_buffer();
    const std::uint64_t elements = is_buffer ? element_count(interface.bindings[binding], arguments)
                                             : static_cast<std::uint64_t>(array.size());
    const bool is_written = is_buffer ? array.access != vkmoye::Access::write && !array.is_scratch
                                      : written.contains(array.name);
    // A buffer that is only read has no races, so its accesses are not recorded.
    const bool only_read = is_buffer && array.access == vkmoye::Access::read;
    Memory memory{&array, elements, std::move(extents), std::move(strides),
                  machine::ShadowMemory(array, only_read ? 0 : elements, kernel.threads,
                                        is_buffer ? std::array{groups[0], groups[1]}
                                                  : std::array<std::uint64_t, 2>{0, 0},
                                        is_written, reasons)};
    if (is_buffer && has_data_) {
      memory.bytes = buffers.at(binding);
      const std::uint64_t bytes = elements * size_of(array.type);
      if (memory.bytes.size() != bytes) {
        throw ArgumentError(fmt::format(
            "{}: {} takes {} elements of {}, {} bytes, but the buffer has {}", kernel.name,
            array.name, elements, to_string(array.type), bytes, memory.bytes.size()));
      }
    } else if (has_data_) {
      memory.own.resize(elements * size_of(array.type));
    }
    if (is_buffer) ++binding;
    memories_.emplace(array.name, std::move(memory));
  }
}

void Launch::start(std::uint64_t number) {
  first_invocation_ = static_cast<std::int64_t>(number * kernel_.threads);
  for (auto& [name, memory] : memories_) {
    if (memory.array->is_shared()) memory.shadow.clear();
    if (!memory.own.empty()) memory.bytes = memory.own;
  }
  registers_.start();
}

void Launch::grid_barrier() {
  for (auto& [name, memory] : memories_) memory.shadow.barrier();
}

void Launch::check_results() {
  for (const auto& [name, memory] : memories_) {
    if (!memory.array->is_buffer() || memory.array->access != vkmoye::Access::write) {
      continue;
    }
    // Only data say which elements are written; the author asserts that all are.
    if (scattered_.contains(name) && is_assumed_written(kernel_, name)) continue;
    std::vector<std::uint64_t> at(memory.extents.size(), 0);
    bool more = std::find(memory.extents.begin(), memory.extents.end(), 0u) == memory.extents.end();
    while (more) {
      std::uint64_t address = 0;
      for (std::size_t i = 0; i < at.size(); ++i) address += at[i] * memory.strides[i];
      if (!memory.shadow.is_written(address)) {
        reasons_.add("uncovered " + name,
                     fmt::format("nothing writes {}[{}], the element at ({}), on every path: every "
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

// Without data, an index that depends on data may have any value below its bound and inside the array, see
// verify/races.
bool Launch::reads_anything(Machine& m, const MemoryAccess& access, Memory& memory) {
  if (has_data_ || access.writes || !memory.array->is_shared()) return false;
  const ir::Expr& index = access.element.coordinates[0];
  if (access.element.width != 1 || kernel_.is_distinct(memory.array->name)) return false;
  if (m(index).is_known(access.active)) return false;
  const std::uint64_t end = std::min(index->bound, memory.elements);
  m.budget().spend(end);
  memory.shadow.record(0, {machine::kAnyone, &access.element.source_text, /*reads=*/true}, end);
  return true;
}

void Launch::access_somewhere(Machine& m, const MemoryAccess& access, Memory& memory,
                              std::size_t thread) {
  const machine::ElementAccess one{invocation_of(access, memory, thread),
                                   &access.element.source_text, access.reads, access.writes,
                                   access.atomic};
  // Any element may be read, so all must be written before.
  const bool is_filled = memory.array->is_buffer() &&
                         memory.array->access != vkmoye::Access::write && !memory.array->is_scratch;
  const auto& coordinates = access.element.coordinates;
  if (access.reads && !is_filled) {
    const std::uint64_t end = coordinates.size() == 1
                                  ? std::min(coordinates[0]->bound, memory.elements)
                                  : memory.elements;
    m.budget().spend(end);
    memory.shadow.require_written(end, one);
  }
  memory.shadow.record_somewhere(one);
  if (access.writes) scattered_.insert(access.element.array);
}

Launch::Along Launch::along(const ir::Element& element, const Memory& memory) {
  if (element.axes.empty()) {
    const bool is_place = element.coordinates.size() < memory.extents.size();
    return {is_place ? std::span(&memory.elements, 1) : std::span(memory.extents), memory.strides};
  }
  Along out;
  for (const ir::Axis& axis : element.axes)  // with numbers alone
    out.own.push_back(static_cast<std::uint64_t>(axis.extent.value));
  for (const ir::Axis& axis : element.axes) out.own.push_back(*ir::constant_value(axis.stride));
  out.extents = std::span(out.own).first(element.axes.size());
  out.strides = std::span(out.own).subspan(element.axes.size());
  return out;
}

template <class Visit>
void Launch::at_addresses(Machine& m, const MemoryAccess& access, Visit visit) {
  const ir::Element& element = access.element;
  Memory& memory = memories_.at(element.array);
  if (reads_anything(m, access, memory)) return;
  std::vector<const Values*> coordinates;
  for (const ir::Expr& coordinate : element.coordinates) coordinates.push_back(&m(coordinate));
  const Along axes = along(element, memory);
  access.active.for_each([&](std::size_t thread) {
    m.budget().spend(element.width);
    std::uint64_t address = 0;
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      const Value& at = coordinates[i]->in(thread);
      if (!at) {
        // A read of an input at an unknown index cannot race, and guards prove that it is in range.
        if (!has_data_ && !access.writes && memory.array->access == vkmoye::Access::read) return;
        if (!has_data_ && (access.atomic || kernel_.is_distinct(memory.array->name))) {
          access_somewhere(m, access, memory, thread);
          return;
        }
        reasons_.add(
            "index " + element.source_text,
            fmt::format("'{}' touches {} at an index that {}", element.source_text, element.array,
                        has_data_
                            ? "is undefined or depends on what nothing has written"
                            : "depends on data, so that races cannot be excluded; use an atomic "
                              "operation, or assert with assume_distinct that the indices differ"));
        return;
      }
      const std::uint64_t last = *at + (i == 0 ? element.width - 1 : 0);
      if (last >= axes.extents[i]) {
        reasons_.add("range " + element.source_text,
                     fmt::format("'{}' touches {} at {} = {} in thread {} of workgroup {}, which "
                                 "ends at {}",
                                 element.source_text, element.array,
                                 axes_of(element, *memory.array)[i].coordinate, last, thread,
                                 first_invocation_ / kernel_.threads, axes.extents[i]));
        return;
      }
      address += *at * axes.strides[i];
    }
    if (element.width != 1 && address % element.width != 0) {
      reasons_.add(
          "alignment " + element.source_text,
          fmt::format("'{}' accesses {} elements of {} at once, from {}[{}] on in thread {}; the "
                      "first must be at a multiple of their number",
                      element.source_text, element.width, element.array, element.array, address,
                      thread));
      return;
    }
    record(access, memory, thread, address);
    visit(memory, thread, address);
  });
}

std::int64_t Launch::invocation_of(const MemoryAccess& access, const Memory& memory,
                                   std::size_t thread) const {
  const bool is_buffer = memory.array->is_buffer();
  return access.by_any_lane
             ? machine::kAnyone
             : static_cast<std::int64_t>(thread) + (is_buffer ? first_invocation_ : 0);
}

void Launch::record(const MemoryAccess& access, Memory& memory, std::size_t thread,
                    std::uint64_t address) {
  if (memory.shadow.elements() == 0) return;
  const std::int64_t invocation = invocation_of(access, memory, thread);
  memory.shadow.record(
      address,
      {invocation, &access.element.source_text, access.reads, access.writes, access.atomic},
      access.element.width);
}

Values Launch::load(Machine& m, const MemoryAccess& access) {
  if (access.array.is_registers()) return registers_.load(m, access);
  const ir::Type type = type_of(access.element, access.array);
  Values out = has_data_ ? Values::different(kernel_.threads, scalars_of(type))
                         : machine::unknown_elements(m, access);
  const std::size_t width = scalar_bytes(type.element), bytes = size_of(access.array.type);
  const std::size_t together = std::max(std::size_t{1}, width / bytes);  // elements of a scalar
  at_addresses(m, access, [&](Memory& memory, std::size_t thread, std::uint64_t address) {
    for (std::size_t s = 0; has_data_ && s < out.scalars(); ++s) {
      const std::uint64_t first = address + s * width / bytes;
      if (memory.shadow.elements() != 0 && !memory.shadow.is_written(first, together)) continue;
      out.set(thread, s, read(memory.bytes, address * bytes + s * width, width));
    }
  });
  return out;
}

// What makes a value undefined.
constexpr const char* kUndefined =
    "a division by 0, the value of a lane that does not exist, or an element that nothing has "
    "written";

void Launch::require_defined(const MemoryAccess& access, const Values& values) {
  if (!has_data_ || values.is_known(access.active)) return;
  reasons_.add("undefined " + access.element.source_text,
               fmt::format("'{}' stores an undefined value into {}: it depends on {}",
                           access.element.source_text, access.element.array, kUndefined));
}

void Launch::store(Machine& m, const MemoryAccess& access, const Values& values) {
  if (access.array.is_registers()) return registers_.store(m, access, values);
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
  ir::Node reduction;
  reduction.op = op;
  reduction.type = operand->type;
  reduction.operands = {operand, operand};
  at_addresses(m, access, [&](Memory& memory, std::size_t thread, std::uint64_t address) {
    if (!has_data_) return;
    const std::size_t at = address * width;
    const ir::Bits both[] = {read(memory.bytes, at, width), values.in(thread).value_or(0)};
    out.set(thread, both[0]);
    const ir::Bits result = ir::evaluate(reduction, both, m.workgroup().arithmetic).value_or(0);
    std::memcpy(memory.bytes.data() + at, &result, width);
  });
  return out;
}

// --- barriers, divergence, paths ---

void Launch::barrier(Machine&, const ThreadSet&) {
  for (auto& [name, memory] : memories_) {
    if (memory.array->is_shared()) memory.shadow.barrier();
  }
}

void Launch::diverged(Machine&, const char* what, const ThreadSet& active) {
  std::size_t arrived = 0, first = kernel_.threads;
  active.for_each([&](std::size_t thread) {
    first = std::min(first, thread);
    ++arrived;
  });
  reasons_.add(what, fmt::format("{} is reached by {} of {} threads, thread {} among them", what,
                                 arrived, kernel_.threads, first));
}

bool Launch::can_rely_on(Machine& m, const ir::Expr& condition, const ThreadSet& active) {
  if (has_data_ && !m(condition).is_known(active)) {
    reasons_.add(
        "condition",
        fmt::format("a condition or the end of a loop is undefined: it depends on {}", kUndefined));
  }
  return true;
}

machine::Rounds Launch::enter(Machine&, const ir::For&, std::optional<std::uint32_t> known) {
  constexpr std::uint32_t kSomeRounds = 3;  // rounds of a loop whose end depends on data
  if (known) return {*known, false};
  is_cut_short_ = true;
  return {kSomeRounds, true};
}

// Called where paths part.
std::any Launch::save() {
  depends_on_data_ = true;
  State state{{}, registers_};
  for (const auto& [name, memory] : memories_) state.shadows.emplace(name, memory.shadow);
  return state;
}

void Launch::restore(const std::any& saved) {
  const State& state = std::any_cast<const State&>(saved);
  for (auto& [name, memory] : memories_) memory.shadow = state.shadows.at(name);
  registers_ = state.registers;
}

void Launch::join(const std::any& saved) {
  const State& state = std::any_cast<const State&>(saved);
  constexpr bool kEither = false;
  for (auto& [name, memory] : memories_) memory.shadow.join(state.shadows.at(name), kEither);
  registers_.join(state.registers);
}

}  // namespace vkmoye::gen::twin
