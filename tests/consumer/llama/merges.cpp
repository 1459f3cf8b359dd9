// SPDX-License-Identifier: MIT
#include "merges.hpp"

#include <cstddef>
#include <queue>
#include <tuple>

namespace llama {
namespace {

struct Pair {
  double rank;
  std::size_t left, right;  // parts
  std::size_t bytes;  // of both, when the rank was found: later they may have grown, or be gone

  bool operator<(const Pair& other) const {  // std::priority_queue takes the largest first
    return std::tie(other.rank, other.left) < std::tie(rank, left);
  }
};

}  // namespace

std::vector<std::string_view> merged(std::vector<std::string_view> parts, const Rank& rank) {
  const std::size_t count = parts.size();
  std::vector<std::size_t> next(count), before(count);  // count: there is none
  std::priority_queue<Pair> pairs;
  const auto add = [&](std::size_t left, std::size_t right) {
    if (left == count || right == count) return;
    if (const auto found = rank(parts[left], parts[right])) {
      pairs.push({*found, left, right, parts[left].size() + parts[right].size()});
    }
  };
  for (std::size_t i = 0; i < count; ++i) {
    next[i] = i + 1;
    before[i] = i == 0 ? count : i - 1;
  }
  for (std::size_t i = 1; i < count; ++i) add(i - 1, i);
  while (!pairs.empty()) {
    const Pair pair = pairs.top();
    pairs.pop();
    std::string_view &left = parts[pair.left], &right = parts[pair.right];
    if (left.empty() || right.empty() || left.size() + right.size() != pair.bytes) continue;
    left = joined(left, right);
    right = {};
    next[pair.left] = next[pair.right];
    if (next[pair.left] != count) before[next[pair.left]] = pair.left;
    add(before[pair.left], pair.left);
    add(pair.left, next[pair.left]);
  }
  std::erase_if(parts, [](std::string_view part) { return part.empty(); });
  return parts;
}

}  // namespace llama
