// SPDX-License-Identifier: MIT
#pragma once
// Draws a token with probability exp(logit / temperature) / sum; of the `top_k` largest logits only, and of these, of
// the fewest whose probabilities are `top_p` together. Temperature 0, the most likely token, needs no logits on the
// host: the device finds it.

#include <cstdint>
#include <random>
#include <span>

namespace llama {

struct Sampling {
  double temperature = 0;   // finite, from 0 on
  std::uint32_t top_k = 0;  // 0: all
  double top_p = 1;         // above 0, at most 1
  std::uint32_t seed = 0;
};

/// The same seed and logits give the same tokens on each machine.
class Sampler {
 public:
  /// Precondition: the temperature is above 0.
  explicit Sampler(const Sampling& sampling) : sampling_(sampling), random_(sampling.seed) {}

  /// Preconditions: there are logits, none is NaN, and the largest is finite.
  std::uint32_t choose(std::span<const float> logits);

 private:
  Sampling sampling_;
  std::mt19937_64 random_;
};

}  // namespace llama
