// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/written_state.hpp"

#include <algorithm>

namespace vkmoye::gen {

using machine::ThreadSet;
using machine::Values;

namespace {

bool is_register(const ir::Array& array) { return array.space == ir::Array::Space::registers; }

}  // namespace

WrittenState::WrittenState(const ir::Kernel& kernel, const Gates& gates, const Tile* tile)
    : gates_(gates) {
  if (tile != nullptr) {
    places_[tile->array->name] = {0, tile->elements};
    shared_.resize(tile->elements, kUnwritten);
    return;
  }
  for (const ir::Array& array : kernel.arrays) {
    if (array.space == ir::Array::Space::buffer) continue;
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
  if (there >= kFirstConditional && value >= kFirstConditional && part(there).gates) {
    // What is there may ask for less.
    if (!part(value).gates) return;
    GateSet both = Gates::both(*part(there).gates, *part(value).gates);
    std::sort(both.begin(), both.end());
    if (both == *part(value).gates && part(value).by < 0) return;
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
      value = number_of({static_cast<std::int32_t>(lane), path.gates->in(lane, gates_)});
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
            (part(value).by == static_cast<std::int32_t>(lane) ||
             (part(value).gates && path.gates->imply(*part(value).gates, lane, gates_)));
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

bool WrittenState::is_written_where(const ir::Array& array, std::uint32_t at,
                                    const GatesOnPath& path) const {
  const std::int32_t value = shared_[places_.at(array.name).first + at];
  return value == kWritten ||
         (value != kUnwritten && part(value).gates && path.imply(*part(value).gates, at, gates_));
}

const WrittenState::Partly& WrittenState::part(std::int32_t value) const {
  return partly_[static_cast<std::size_t>(value - kFirstConditional)];
}

std::int32_t WrittenState::number_of(Partly partly) {
  if (partly.gates) {
    if (partly.gates->empty()) return kWritten;
    std::sort(partly.gates->begin(), partly.gates->end());
  }
  if (!partly.gates && partly.by < 0) return kUnwritten;
  const auto next = static_cast<std::int32_t>(partly_.size()) + kFirstConditional;
  const auto [found, is_new] = numbers_.emplace(partly, next);
  if (is_new) partly_.push_back(std::move(partly));
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
  const auto gates = [&](std::int32_t value) -> std::optional<GateSet> {
    if (value == kUnwritten) return std::nullopt;
    return value == kWritten ? GateSet{} : part(value).gates;
  };
  const auto by = [&](std::int32_t value) {
    return value >= kFirstConditional ? part(value).by : -1;
  };
  const auto first = gates(then), second = gates(otherwise);
  Partly out;
  if (first && second) {
    out.gates = Gates::both(*first, *second);
  } else if (first && choice.first) {
    out.gates = Gates::both(*first, *choice.first);
  } else if (second && choice.second) {
    out.gates = Gates::both(*second, *choice.second);
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
  const Partly a = then == kUnwritten ? Partly{} : part(then);
  const Partly b = otherwise == kUnwritten ? Partly{} : part(otherwise);
  const auto is_in = [](std::int32_t by, const ThreadSet& lanes) {
    return by >= 0 && lanes.has(static_cast<std::size_t>(by));
  };
  // A thread that writes in both has written, if it comes to the branches; gates say of it that it does, wherever.
  const bool is_certain = is_in(a.by, choice.active) && !is_in(a.by, choice.uncertain);
  if (a.by == b.by && is_certain) return kWritten;
  Partly out{-1, a.gates ? a.gates : b.gates};
  if (is_in(a.by, choice.holds) || (a.by >= 0 && a.by == b.by)) {
    out.by = a.by;
  } else if (is_in(b.by, choice.fails)) {
    out.by = b.by;
  }
  return number_of(std::move(out));
}

}  // namespace vkmoye::gen
