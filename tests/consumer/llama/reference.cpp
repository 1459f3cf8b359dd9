// SPDX-License-Identifier: MIT
#include "reference.hpp"

#include <algorithm>
#include <cmath>

namespace llama {
namespace {

std::vector<double> product(const std::vector<double>& weight, const std::vector<double>& x) {
  std::vector<double> out(weight.size() / x.size());
  for (std::size_t n = 0; n < out.size(); ++n) {
    for (std::size_t k = 0; k < x.size(); ++k) out[n] += weight[n * x.size() + k] * x[k];
  }
  return out;
}

void add(std::vector<double>& to, const std::vector<double>& x) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += x[i];
}

}  // namespace

Reference::Reference(const Model& model)
    : sizes_(model.sizes),
      frequencies_(model.frequencies),
      embedding_(numbers_of(*model.embedding)),
      output_norm_(numbers_of(*model.output_norm)),
      output_(numbers_of(*model.output)) {
  const auto given = [](const FileTensor* tensor) {
    return tensor == nullptr ? Numbers() : numbers_of(*tensor);
  };
  for (const Layer& layer : model.layers) {
    layers_.push_back({.attention_norm = numbers_of(*layer.attention_norm),
                       .q = numbers_of(*layer.q),
                       .k = numbers_of(*layer.k),
                       .v = numbers_of(*layer.v),
                       .o = numbers_of(*layer.o),
                       .mlp_norm = numbers_of(*layer.mlp_norm),
                       .gate = numbers_of(*layer.gate),
                       .up = numbers_of(*layer.up),
                       .down = numbers_of(*layer.down),
                       .q_bias = given(layer.q_bias),
                       .k_bias = given(layer.k_bias),
                       .v_bias = given(layer.v_bias),
                       .q_norm = given(layer.q_norm),
                       .k_norm = given(layer.k_norm)});
  }
}

Reference::Numbers Reference::normed(const Numbers& x, const Numbers& weight) const {
  Numbers out;
  for (std::size_t row = 0; row < x.size(); row += weight.size()) {
    double sum = 0;
    for (std::size_t i = 0; i < weight.size(); ++i) sum += x[row + i] * x[row + i];
    const double scale = 1 / std::sqrt(sum / static_cast<double>(weight.size()) + sizes_.epsilon);
    for (std::size_t i = 0; i < weight.size(); ++i) out.push_back(x[row + i] * scale * weight[i]);
  }
  return out;
}

void Reference::rotate(Numbers& heads) const {
  const std::size_t half = sizes_.rotated / 2;
  for (std::size_t head = 0; head < heads.size(); head += sizes_.head) {
    for (std::size_t i = 0; i < half; ++i) {
      const bool is_halves = sizes_.pairs == Pairs::halves;
      double& x = heads[head + (is_halves ? i : 2 * i)];
      double& y = heads[head + (is_halves ? half + i : 2 * i + 1)];
      const double angle = static_cast<double>(position_) * double{frequencies_[i]};
      const double a = x, b = y;
      x = a * std::cos(angle) - b * std::sin(angle);
      y = a * std::sin(angle) + b * std::cos(angle);
    }
  }
}

Reference::Numbers Reference::attention(const Numbers& q, const Weights& layer) const {
  const std::size_t d = sizes_.head, kv = sizes_.kv(), group = sizes_.heads / sizes_.kv_heads;
  Numbers out(q.size());
  for (std::size_t head = 0; head < sizes_.heads; ++head) {
    const std::size_t first = head / group * d;  // of the head of keys, in a row of them
    Numbers weights;
    double total = 0;
    for (std::size_t key = 0; key <= position_; ++key) {
      double dot = 0;
      for (std::size_t i = 0; i < d; ++i) dot += q[head * d + i] * layer.keys[key * kv + first + i];
      weights.push_back(dot * sizes_.scale);
    }
    const double largest = *std::max_element(weights.begin(), weights.end());
    for (double& weight : weights) total += weight = std::exp(weight - largest);
    for (std::size_t key = 0; key <= position_; ++key) {
      for (std::size_t i = 0; i < d; ++i) {
        out[head * d + i] += weights[key] / total * layer.values[key * kv + first + i];
      }
    }
  }
  return out;
}

std::vector<double> Reference::logits(std::uint32_t token) {
  const auto row = embedding_.begin() + std::ptrdiff_t{token} * std::ptrdiff_t{sizes_.width};
  Numbers x(row, row + std::ptrdiff_t{sizes_.width});
  for (Weights& layer : layers_) {
    Numbers h = normed(x, layer.attention_norm);
    Numbers q = product(layer.q, h), k = product(layer.k, h);
    Numbers v = product(layer.v, h);
    if (!layer.q_bias.empty()) {
      add(q, layer.q_bias);
      add(k, layer.k_bias);
      add(v, layer.v_bias);
    }
    if (!layer.q_norm.empty()) {
      q = normed(q, layer.q_norm);
      k = normed(k, layer.k_norm);
    }
    rotate(q);
    rotate(k);
    layer.keys.insert(layer.keys.end(), k.begin(), k.end());
    layer.values.insert(layer.values.end(), v.begin(), v.end());
    add(x, product(layer.o, attention(q, layer)));
    h = normed(x, layer.mlp_norm);
    Numbers gate = product(layer.gate, h);
    const Numbers up = product(layer.up, h);
    for (std::size_t i = 0; i < gate.size(); ++i) gate[i] *= up[i] / (1 + std::exp(-gate[i]));
    add(x, product(layer.down, gate));
  }
  ++position_;
  return product(output_, normed(x, output_norm_));
}

}  // namespace llama
