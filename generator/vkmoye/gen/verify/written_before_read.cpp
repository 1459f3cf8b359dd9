// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/written_before_read.hpp"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <optional>

#include "vkmoye/gen/verify/write_walk.hpp"

namespace vkmoye::gen {
namespace {

using proof::Decision;
using proof::Obligation;

// First all rounds of loops whose number is known; then, if these are too many steps, those of loops over the values of
// a thread; at last those of short ones.
constexpr std::uint32_t kRoundLimits[] = {std::numeric_limits<std::uint32_t>::max(), 256, 64};

// As WriteWalk::unshown; nullopt if it takes too many steps.
std::optional<std::map<std::string, std::string>> unshown_reads(const ir::Kernel& kernel) {
  for (const std::uint32_t max_rounds : kRoundLimits) {
    try {
      return WriteWalk(kernel, max_rounds).unshown();
    } catch (const machine::Budget::Exceeded&) {
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Obligation> prove_reads(const ir::Kernel& kernel) {
  std::optional<std::optional<std::map<std::string, std::string>>> unshown;  // once it is followed
  std::vector<Obligation> list;
  for (const ir::Array& array : kernel.arrays) {
    if (array.is_buffer()) continue;
    const auto prove = [&](Obligation& obligation) {
      if (!unshown) unshown = unshown_reads(kernel);
      if (!*unshown) throw proof::GaveUp{};
      const auto found = (*unshown)->find(array.name);
      if (found == (*unshown)->end()) return;
      obligation.decision = Decision::inexact;
      obligation.why = found->second.empty()
                           ? "no number of rounds stands for all rounds of a loop around it"
                           : fmt::format("'{}' reads what nothing has written", found->second);
    };
    list.push_back(proof::decide(kernel, array.name,
                                 fmt::format("what is read from {} was written", array.name),
                                 {ir::Assumption::Kind::written}, prove));
  }
  return list;
}

std::set<std::string> arrays_written_before_read(const ir::Kernel& kernel) {
  std::set<std::string> written;
  for (const Obligation& one : prove_reads(kernel)) {
    if (one.decision == Decision::proved) written.insert(one.array);
  }
  return written;
}

}  // namespace vkmoye::gen
