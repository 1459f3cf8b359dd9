// SPDX-License-Identifier: MIT
#pragma once
// Both kinds of tokenizers begin with the characters of a text and join neighbours, the best pair first:
//
//   l o w e r      "e r" has the lowest rank
//   l o w er       then "l o"
//   lo w er        then "lo w"
//   low er         no rank joins these
//
// In a vocabulary of SPM the rank of a pair is minus the score of the piece that both make, in BPE its place in a list.

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace llama {

/// None: these two are never joined.
using Rank = std::function<std::optional<double>(std::string_view left, std::string_view right)>;

/// Joins neighbours among `parts`, which lie one after the other in memory: again and again the pair of the lowest
/// rank, the first among equals, until no pair has a rank.
std::vector<std::string_view> merged(std::vector<std::string_view> parts, const Rank& rank);

/// Both as one. Precondition: `right` begins where `left` ends.
inline std::string_view joined(std::string_view left, std::string_view right) {
  return {left.data(), left.size() + right.size()};
}

}  // namespace llama
