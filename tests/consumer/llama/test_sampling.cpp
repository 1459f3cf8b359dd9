// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "sampling.hpp"
#include "test.hpp"

namespace llama {
namespace {

const std::vector<float> kLogits = {0.5F, 2, -std::numeric_limits<float>::infinity(), 1, 2, -1};

struct Draws {
  Sampling sampling;
  std::vector<bool> is_kept;  // of the tokens
};

// Pearson's statistic of 20,000 draws is below the 99.9 % quantile of its distribution.
int check_draws(const Draws& test) {
  constexpr int kDraws = 20000;
  constexpr double kQuantiles[] = {0, 10.83, 13.82, 16.27, 18.47};  // for 0 to 4 degrees of freedom
  std::vector<double> weights;
  double sum = 0;
  for (std::size_t i = 0; i < kLogits.size(); ++i) {
    weights.push_back(test.is_kept[i] ? std::exp((kLogits[i] - 2) / test.sampling.temperature) : 0);
    sum += weights.back();
  }
  std::vector<int> counts(kLogits.size());
  Sampler sampler(test.sampling);
  for (int i = 0; i < kDraws; ++i) ++counts.at(sampler.choose(kLogits));
  double statistic = 0;
  int freedom = -1;
  for (std::size_t i = 0; i < kLogits.size(); ++i) {
    const double expected = kDraws * weights[i] / sum;
    if (expected == 0 && counts[i] != 0) return failed("sampling", "a token of probability 0");
    if (expected == 0) continue;
    ++freedom;
    statistic += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  if (statistic <= kQuantiles[freedom]) return 0;
  return failed("sampling", "temperature " + std::to_string(test.sampling.temperature) +
                                ": chi-squared is " + std::to_string(statistic) + " with " +
                                std::to_string(freedom) + " degrees of freedom");
}

std::string drawn(std::uint32_t seed) {
  std::string out;
  Sampler sampler({.temperature = 1, .seed = seed});
  for (int i = 0; i < 50; ++i) out += std::to_string(sampler.choose(kLogits));
  return out;
}

}  // namespace

int check_sampling() {
  int wrong = 0;
  for (const Draws& test : std::vector<Draws>{
           {{.temperature = 1}, {true, true, false, true, true, true}},
           {{.temperature = 0.5, .seed = 7}, {true, true, false, true, true, true}},
           {{.temperature = 3, .seed = 8}, {true, true, false, true, true, true}},
           {{.temperature = 1, .top_k = 3}, {false, true, false, true, true, false}},
           {{.temperature = 1, .top_k = 1}, {false, true, false, false, false, false}},
           {{.temperature = 1, .top_k = 100}, {true, true, false, true, true, true}},
           // Probabilities at temperature 1: 0.38, 0.38, 0.14, 0.08, 0.02.
           {{.temperature = 1, .top_p = 0.3}, {false, true, false, false, false, false}},
           {{.temperature = 1, .top_p = 0.8}, {false, true, false, true, true, false}},
           {{.temperature = 1, .top_k = 3, .top_p = 0.8}, {false, true, false, false, true, false}},
           // A temperature near 0 takes one of the largest.
           {{.temperature = 1e-3}, {false, true, false, false, true, false}}}) {
    wrong += check_draws(test);
  }
  if (drawn(3) != drawn(3)) wrong += failed("one seed", "two texts");
  if (drawn(3) == drawn(4)) wrong += failed("two seeds", "one text");
  if (wrong == 0) std::printf("sampling: right\n");
  return wrong;
}

}  // namespace llama
