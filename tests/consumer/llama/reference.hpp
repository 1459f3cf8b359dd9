// SPDX-License-Identifier: MIT
#pragma once
// The model by its definition, in f64 on the host, one token at a time.

#include <cstdint>
#include <vector>

#include "model.hpp"

namespace llama {

class Reference {
 public:
  explicit Reference(const Model& model);

  /// The logits after `token`, which is at the next position.
  std::vector<double> logits(std::uint32_t token);

 private:
  using Numbers = std::vector<double>;
  struct Weights {
    Numbers attention_norm, q, k, v, o, mlp_norm, gate, up, down;
    Numbers q_bias, k_bias, v_bias, q_norm, k_norm;  // empty where there is none
    Numbers keys = {}, values = {};                  // of all tokens so far
  };
  // Each row of as many elements as `weight` has.
  Numbers normed(const Numbers& x, const Numbers& weight) const;
  void rotate(Numbers& heads) const;  // by the position
  Numbers attention(const Numbers& q, const Weights& layer) const;

  Sizes sizes_;
  std::vector<float> frequencies_;
  Numbers embedding_, output_norm_, output_;
  std::vector<Weights> layers_;
  std::size_t position_ = 0;
};

}  // namespace llama
