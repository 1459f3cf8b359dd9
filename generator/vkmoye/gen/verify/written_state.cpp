// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/written_state.hpp"

#include <algorithm>

namespace vkmoye::gen {

using machine::ThreadSet;
using machine::Values;

namespace {

bool is_register(const ir::Array& array) { return array.is_registers(); }

}  // namespace

WrittenState::WrittenState(const ir::Kernel& kernel, const SizeConditionTable& size_conditions)
    : size_conditions_(size_conditions) {
  for (const ir::Array& array : kernel.arrays) {
    if (array.is_buffer()) continue;
    const auto size = static_cast<std::size_t>(array.size());
    if (is_register(array)) {
      places_[array.name] = {registers_.size(), size / array.vector};
      registers_.resize(registers_.size() + size / array.vector, ThreadSet(kernel.threads));
    } else {
      places_[array.name] = {shared_.size(), size};
      shared_.resize(shared_.size() + size, kUnwritten);
    }
  }
}

void WrittenState::set(std::size_t unit, const ThreadSet& lanes) {
  ThreadSet& there = registers_[unit];
  if ((lanes - there).none()) return;
  registers_log_.emplace_back(unit, there);
  there |= lanes;
}

void WrittenState::set(std::size_t cell, std::int32_t value) {
  std::int32_t& there = shared_[cell];
  if (there == kWritten || there == value) return;
  if (there >= kFirstConditional && value >= kFirstConditional && conditional(there).conditions) {
    // What is there may ask for less.
    if (!conditional(value).conditions) return;
    SizeConditions both = union_of(*conditional(there).conditions, *conditional(value).conditions);
    std::sort(both.begin(), both.end());
    if (both == *conditional(value).conditions && conditional(value).by < 0) return;
  }
  shared_log_.emplace_back(cell, there);
  there = value;
}

void WrittenState::write(const ir::Array& array, const Values& at, std::uint32_t width,
                         const ThreadSet& active, const Path& path, bool by_any) {
  const Place& place = places_.at(array.name);
  if (is_register(array)) {
    if (at.is_same()) {
      const auto unit = static_cast<std::size_t>(*at.in(0)) / array.vector;
      if (unit < place.count) set(place.first + unit, active);
      return;
    }
    return active.for_each([&](std::size_t lane) {
      const auto unit = static_cast<std::size_t>(*at.in(lane)) / array.vector;
      if (unit >= place.count) return;
      ThreadSet one(active.count());
      one.set(lane, true);
      set(place.first + unit, one);
    });
  }
  // Who of them writes it is not known.
  if (by_any && !(active & path.uncertain).none()) return;
  active.for_each([&](std::size_t lane) {
    const auto first = static_cast<std::size_t>(*at.in(lane));
    std::int32_t value = kWritten;
    if (path.uncertain.has(lane)) {
      value =
          number_of({static_cast<std::int32_t>(lane), path.conditions->in(lane, size_conditions_)});
    }
    for (std::size_t i = first; i < first + width && i < place.count; ++i) {
      set(place.first + i, value);
    }
  });
}

bool WrittenState::is_written(const ir::Array& array, const Values& at, std::uint32_t width,
                              const ThreadSet& active, const Path& path, bool by_any) const {
  const Place& place = places_.at(array.name);
  bool all = true;
  if (is_register(array)) {
    if (at.is_same()) {
      const auto unit = static_cast<std::size_t>(*at.in(0)) / array.vector;
      return unit < place.count && (active - registers_[place.first + unit]).none();
    }
    active.for_each([&](std::size_t lane) {
      const auto unit = static_cast<std::size_t>(*at.in(lane)) / array.vector;
      all = all && unit < place.count && registers_[place.first + unit].has(lane);
    });
    return all;
  }
  active.for_each([&](std::size_t lane) {
    const auto first = static_cast<std::size_t>(*at.in(lane));
    for (std::size_t i = first; i < first + width && all; ++i) {
      const std::int32_t value = i < place.count ? shared_[place.first + i] : kUnwritten;
      if (value == kWritten) continue;
      all = value != kUnwritten && !by_any &&
            (conditional(value).by == static_cast<std::int32_t>(lane) ||
             (conditional(value).conditions &&
              path.conditions->imply(*conditional(value).conditions, lane, size_conditions_)));
    }
  });
  return all;
}

bool WrittenState::are_written(const ir::Array& array, std::uint64_t count, const ThreadSet& active,
                               const Path& path, bool by_any) const {
  const Place& place = places_.at(array.name);
  const std::uint64_t vector = is_register(array) ? array.vector : 1;
  const std::uint64_t end = std::min<std::uint64_t>(place.count, (count + vector - 1) / vector);
  for (std::uint64_t i = 0; i < end; ++i) {
    if (!is_written(array, Values::same(i * vector), 1, active, path, by_any)) return false;
  }
  return true;
}

const WrittenState::ConditionalWrite& WrittenState::conditional(std::int32_t value) const {
  return conditional_writes_[static_cast<std::size_t>(value - kFirstConditional)];
}

std::int32_t WrittenState::number_of(ConditionalWrite write) {
  if (write.conditions) {
    if (write.conditions->empty()) return kWritten;
    std::sort(write.conditions->begin(), write.conditions->end());
  }
  if (!write.conditions && write.by < 0) return kUnwritten;
  const auto next = static_cast<std::int32_t>(conditional_writes_.size()) + kFirstConditional;
  const auto [found, is_new] = numbers_.emplace(write, next);
  if (is_new) conditional_writes_.push_back(std::move(write));
  return found->second;
}

WrittenState::Written WrittenState::since(const Mark& mark) const {
  Written out;
  for (std::size_t i = mark.registers; i < registers_log_.size(); ++i) {
    const auto& [unit, before] = registers_log_[i];
    out.registers.try_emplace(unit, registers_[unit] - before);
  }
  for (std::size_t i = mark.shared; i < shared_log_.size(); ++i) {
    const std::size_t cell = shared_log_[i].first;
    out.shared.try_emplace(cell, shared_[cell]);
  }
  return out;
}

void WrittenState::add(const Written& written) {
  for (const auto& [unit, lanes] : written.registers) set(unit, lanes);
  for (const auto& [cell, value] : written.shared) set(cell, value);
}

WrittenState::Written WrittenState::take_back(const Mark& to) {
  Written out;
  for (; registers_log_.size() > to.registers; registers_log_.pop_back()) {
    auto& [unit, before] = registers_log_.back();
    out.registers.try_emplace(unit, registers_[unit]);
    registers_[unit] = std::move(before);
  }
  for (auto& [unit, lanes] : out.registers) lanes -= registers_[unit];
  for (; shared_log_.size() > to.shared; shared_log_.pop_back()) {
    const auto& [cell, before] = shared_log_.back();
    out.shared.try_emplace(cell, shared_[cell]);
    shared_[cell] = before;
  }
  return out;
}

void WrittenState::join(const Written& then, const Written& otherwise, const Choice& choice) {
  const ThreadSet nobody(choice.holds.count());
  const auto lanes_in = [&](const Written& branch, std::size_t unit) -> const ThreadSet& {
    const auto found = branch.registers.find(unit);
    return found == branch.registers.end() ? nobody : found->second;
  };
  const auto value_in = [&](const Written& branch, std::size_t cell) {
    const auto found = branch.shared.find(cell);
    return found == branch.shared.end() ? shared_[cell] : found->second;
  };
  const auto join_unit = [&](std::size_t unit) {
    const ThreadSet &a = lanes_in(then, unit), &b = lanes_in(otherwise, unit);
    ThreadSet both = a & b;
    both |= a & choice.holds;
    both |= b & choice.fails;
    set(unit, both);
  };
  for (const auto& [unit, lanes] : then.registers) join_unit(unit);
  for (const auto& [unit, lanes] : otherwise.registers) join_unit(unit);
  const auto join_cell = [&](std::size_t cell) {
    const std::int32_t value = joined(value_in(then, cell), value_in(otherwise, cell), choice);
    if (value != kUnwritten) set(cell, value);
  };
  for (const auto& [cell, value] : then.shared) join_cell(cell);
  for (const auto& [cell, value] : otherwise.shared) join_cell(cell);
}

std::int32_t WrittenState::on_either(std::int32_t then, std::int32_t otherwise,
                                     const Choice& choice) {
  const auto conditions = [&](std::int32_t value) -> std::optional<SizeConditions> {
    if (value == kUnwritten) return std::nullopt;
    return value == kWritten ? SizeConditions{} : conditional(value).conditions;
  };
  const auto by = [&](std::int32_t value) {
    return value >= kFirstConditional ? conditional(value).by : -1;
  };
  const auto first = conditions(then), second = conditions(otherwise);
  ConditionalWrite out;
  if (first && second) {
    out.conditions = union_of(*first, *second);
  } else if (first && choice.first) {
    out.conditions = union_of(*first, *choice.first);
  } else if (second && choice.second) {
    out.conditions = union_of(*second, *choice.second);
  }
  if (then != kUnwritten && otherwise != kUnwritten) {
    if (then == kWritten || by(then) == by(otherwise)) out.by = by(otherwise);
    if (otherwise == kWritten) out.by = by(then);
  }
  return number_of(std::move(out));
}

std::int32_t WrittenState::joined(std::int32_t then, std::int32_t otherwise, const Choice& choice) {
  if (then == otherwise && then < kFirstConditional) return then;
  if (choice.is_same) return on_either(then, otherwise, choice);
  // What is certain in a branch is so by a thread that surely takes it.
  if (then == kWritten || otherwise == kWritten) return kWritten;
  const ConditionalWrite a = then == kUnwritten ? ConditionalWrite{} : conditional(then);
  const ConditionalWrite b = otherwise == kUnwritten ? ConditionalWrite{} : conditional(otherwise);
  const auto is_in = [](std::int32_t by, const ThreadSet& lanes) {
    return by >= 0 && lanes.has(static_cast<std::size_t>(by));
  };
  // A thread that writes in both has written, if it comes to the branches; conditions say of it that it does, wherever.
  const bool is_certain = is_in(a.by, choice.active) && !is_in(a.by, choice.uncertain);
  if (a.by == b.by && is_certain) return kWritten;
  ConditionalWrite out{-1, a.conditions ? a.conditions : b.conditions};
  if (is_in(a.by, choice.holds) || (a.by >= 0 && a.by == b.by)) {
    out.by = a.by;
  } else if (is_in(b.by, choice.fails)) {
    out.by = b.by;
  }
  return number_of(std::move(out));
}

}  // namespace vkmoye::gen
