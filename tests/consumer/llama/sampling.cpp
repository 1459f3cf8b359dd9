// SPDX-License-Identifier: MIT
#include "sampling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <vector>

namespace llama {

std::uint32_t Sampler::choose(std::span<const float> logits) {
  std::vector<std::uint32_t> tokens(logits.size());
  std::iota(tokens.begin(), tokens.end(), 0);
  const bool is_limited = sampling_.top_k != 0 && sampling_.top_k < tokens.size();
  if (is_limited || sampling_.top_p < 1) {
    const auto end = tokens.begin() + (is_limited ? sampling_.top_k : tokens.size());
    std::partial_sort(tokens.begin(), end, tokens.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tie(logits[b], a) < std::tie(logits[a], b);  // the first among equals
    });
    tokens.erase(end, tokens.end());
  }
  const double largest = *std::max_element(logits.begin(), logits.end());
  std::vector<double> sums;  // of the weights up to a token
  double sum = 0;
  for (const std::uint32_t token : tokens) {
    sums.push_back(sum += std::exp((logits[token] - largest) / sampling_.temperature));
  }
  if (sampling_.top_p < 1) {
    const auto last = std::lower_bound(sums.begin(), sums.end(), sampling_.top_p * sum);
    sums.erase(last + 1, sums.end());
  }
  // 53 random bits; std::uniform_real_distribution may differ between libraries.
  const double place = static_cast<double>(random_() >> 11) * 0x1p-53 * sums.back();
  return tokens[static_cast<std::size_t>(std::upper_bound(sums.begin(), sums.end() - 1, place) -
                                         sums.begin())];
}

}  // namespace llama
