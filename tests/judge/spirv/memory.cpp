// SPDX-License-Identifier: MIT
#include "judge/spirv/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace vkmoye::judge::spirv {

void Faults::add(Kind kind, const std::string& memory, std::string text) {
  if (seen_.emplace(kind, memory).second) list_.push_back({kind, std::move(text)});
}

std::string_view to_string(Faults::Kind kind) {
  switch (kind) {
    case Faults::Kind::race: return "race";
    case Faults::Kind::range: return "range";
    case Faults::Kind::alignment: return "alignment";
    case Faults::Kind::undefined: return "undefined";
    case Faults::Kind::barrier: return "barrier";
    case Faults::Kind::subgroup: return "subgroup";
    case Faults::Kind::uncovered: return "uncovered";
    case Faults::Kind::other: return "other";
  }
  return "?";
}

std::string to_string(const Who& who) {
  return fmt::format("thread {} of workgroup {} (word {})", who.thread, who.group, who.word);
}

namespace {

void add_race(Faults& faults, const std::string& memory, std::uint64_t at, const Who& who,
              Touch touch, const Race& race, const char* unit) {
  faults.add(
      Faults::Kind::race, memory,
      fmt::format("race in {} at {} {}: {} {}, and invocation {} {}, with no barrier between",
                  memory, unit, at, to_string(who), to_string(touch), race.invocation,
                  to_string(race.touch)));
}

void add_undefined(Faults& faults, const std::string& memory, const Who& who) {
  faults.add(Faults::Kind::undefined, memory,
             fmt::format("{} stores into {} what is undefined", to_string(who), memory));
}

bool are_defined(std::span<const Scalar> values) {
  return std::all_of(values.begin(), values.end(), [](const Scalar& v) { return v.defined; });
}

}  // namespace

Shared::Shared(const Program& program, Faults& faults)
    : program_(program),
      faults_(faults),
      values_(program.shared_slots),
      record_(program.shared_slots) {}

void Shared::clear() {
  std::fill(values_.begin(), values_.end(), Scalar{});
  record_.order();
}

std::string Shared::name_of(std::uint64_t slot) const {
  for (const SharedArray& array : program_.shared) {
    if (slot < std::uint64_t{array.first} + array.count) return array.name;
  }
  return "shared memory";
}

void Shared::load(const Who& who, const Type& type, std::uint64_t at, std::span<Scalar> out,
                  Touch touch) {
  for (std::size_t i = 0; i < type.scalars.size(); ++i) {
    const auto race = record_.touch(at + i, who.invocation, touch);
    if (race) add_race(faults_, name_of(at + i), at + i, who, touch, *race, "slot");
    out[i] = values_[at + i];
  }
}

void Shared::store(const Who& who, const Type& type, std::uint64_t at,
                   std::span<const Scalar> values, Touch touch) {
  if (!are_defined(values)) add_undefined(faults_, name_of(at), who);
  for (std::size_t i = 0; i < type.scalars.size(); ++i) {
    const auto race = record_.touch(at + i, who.invocation, touch);
    if (race) add_race(faults_, name_of(at + i), at + i, who, touch, *race, "slot");
    values_[at + i] = values[i];
  }
}

BufferMemory::BufferMemory(const std::vector<Buffer>& buffers, Faults& faults) : faults_(faults) {
  for (const Buffer& buffer : buffers) {
    const std::size_t cells =
        buffer.is_written ? (buffer.bytes.size() + buffer.granule - 1) / buffer.granule : 0;
    memories_.push_back({buffer, Record(cells), std::vector<bool>(cells, buffer.is_defined)});
  }
}

BufferMemory::Watched* BufferMemory::find(const Who& who, const Type& type, std::uint64_t at,
                                          std::uint32_t alignment) {
  const std::uint64_t binding = (at >> 40) - 1, first = at & (address_of_binding(0) - 1);
  if (at >> 40 == 0 || binding >= memories_.size()) {
    faults_.add(Faults::Kind::range, "an address",
                fmt::format("{} touches an address outside all buffers", to_string(who)));
    return nullptr;
  }
  Watched& memory = memories_[binding];
  const Part& last = type.scalars.back();
  const std::uint64_t end = first + last.offset + last.width / 8;
  if (end > memory.buffer.bytes.size()) {
    faults_.add(Faults::Kind::range, memory.buffer.name,
                fmt::format("{} touches {} up to byte {}, which ends at {}", to_string(who),
                            memory.buffer.name, end, memory.buffer.bytes.size()));
    return nullptr;
  }
  if (first % alignment != 0) {
    faults_.add(Faults::Kind::alignment, memory.buffer.name,
                fmt::format("{} accesses {} at byte {}, which is not a multiple of {}",
                            to_string(who), memory.buffer.name, first, alignment));
  }
  return &memory;
}

void BufferMemory::touch(const Who& who, Watched& memory, std::uint64_t first, std::uint64_t bytes,
                         Touch touch) {
  for (std::uint64_t at = first; at < first + bytes; at += memory.buffer.granule) {
    const auto race = memory.record.touch(at / memory.buffer.granule, who.invocation, touch);
    if (race) add_race(faults_, memory.buffer.name, at, who, touch, *race, "byte");
  }
}

bool BufferMemory::is_defined(std::size_t binding, std::uint64_t at, std::uint64_t count) const {
  const Watched& memory = memories_.at(binding);
  if (!memory.buffer.is_written) return memory.buffer.is_defined;
  for (std::uint64_t byte = at; byte < at + count; byte += memory.buffer.granule) {
    if (!memory.defined[byte / memory.buffer.granule]) return false;
  }
  return true;
}

void BufferMemory::load(const Who& who, const Type& type, std::uint64_t at, std::uint32_t alignment,
                        std::span<Scalar> out, Touch touched) {
  Watched* memory = find(who, type, at, alignment);
  const std::uint64_t first = at & (address_of_binding(0) - 1);
  for (std::size_t i = 0; i < type.scalars.size(); ++i) {
    out[i] = {};
    if (memory == nullptr) continue;
    const Part& part = type.scalars[i];
    const std::uint64_t from = first + part.offset, bytes = part.width / 8;
    if (memory->buffer.is_written) touch(who, *memory, from, bytes, touched);
    std::memcpy(&out[i].bits, memory->buffer.bytes.data() + from, bytes);
    const auto binding = static_cast<std::size_t>(memory - memories_.data());
    out[i].defined = is_defined(binding, from, bytes);
  }
}

void BufferMemory::store(const Who& who, const Type& type, std::uint64_t at,
                         std::uint32_t alignment, std::span<const Scalar> values, Touch touched) {
  Watched* memory = find(who, type, at, alignment);
  if (memory == nullptr) return;
  if (!memory->buffer.is_written) {
    faults_.add(
        Faults::Kind::other, memory->buffer.name,
        fmt::format("{} writes {}, which is only read", to_string(who), memory->buffer.name));
    return;
  }
  if (!are_defined(values)) add_undefined(faults_, memory->buffer.name, who);
  const std::uint64_t first = at & (address_of_binding(0) - 1);
  for (std::size_t i = 0; i < type.scalars.size(); ++i) {
    const Part& part = type.scalars[i];
    const std::uint64_t from = first + part.offset, bytes = part.width / 8;
    touch(who, *memory, from, bytes, touched);
    std::memcpy(memory->buffer.bytes.data() + from, &values[i].bits, bytes);
    for (std::uint64_t byte = from; byte < from + bytes; byte += memory->buffer.granule) {
      memory->defined[byte / memory->buffer.granule] = true;
    }
  }
}

}  // namespace vkmoye::judge::spirv
