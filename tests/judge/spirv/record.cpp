// SPDX-License-Identifier: MIT
#include "judge/spirv/record.hpp"

namespace vkmoye::judge::spirv {

const char* to_string(Touch touch) {
  switch (touch) {
    case Touch::read: return "reads";
    case Touch::write: return "writes";
    case Touch::atomic: return "changes atomically";
  }
  return "?";
}

std::optional<Race> Record::touch(std::size_t at, std::uint32_t invocation, Touch touch) {
  Cell& cell = cells_.at(at);
  if (cell.epoch != epoch_) {
    cell = {};
    cell.epoch = epoch_;
  }
  std::optional<Race> race;
  const auto check = [&](std::uint32_t other, bool many, Touch theirs) {
    if (other != kNobody && (other != invocation || many)) race = Race{other, theirs};
  };
  check(cell.writer, false, Touch::write);
  if (touch != Touch::read) check(cell.reader, cell.many_readers, Touch::read);
  if (touch != Touch::atomic) check(cell.atomic, cell.many_atomics, Touch::atomic);
  const auto add = [&](std::uint32_t& who, bool& many) {
    many = many || (who != kNobody && who != invocation);
    who = invocation;
  };
  switch (touch) {
    case Touch::read: add(cell.reader, cell.many_readers); break;
    case Touch::write: cell.writer = invocation; break;
    case Touch::atomic: add(cell.atomic, cell.many_atomics); break;
  }
  return race;
}

}  // namespace vkmoye::judge::spirv
