// SPDX-License-Identifier: MIT
#include "random_model.hpp"

#include <cmath>
#include <random>

#include "gguf_writer.hpp"

namespace llama {
namespace {

// The same numbers with every standard library, unlike std::normal_distribution: a sum of uniform numbers.
class Normal {
 public:
  explicit Normal(std::uint32_t seed) : random_(seed) {}
  double next() {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += static_cast<double>(random_()) * 0x1p-32 - 0.5;
    return sum * std::sqrt(3.0);
  }

 private:
  std::mt19937 random_;
};

}  // namespace

std::vector<std::byte> random_model(const RandomModel& model) {
  GgufWriter file;
  Normal normal(model.seed);
  const auto set = [&](const std::string& key, auto value) {
    file.set(model.architecture + key, value);
  };
  file.set("general.architecture", model.architecture);
  file.set("general.name", "random " + model.type);
  set(".block_count", model.layers);
  set(".embedding_length", model.width);
  set(".feed_forward_length", model.hidden);
  set(".attention.head_count", model.heads);
  set(".attention.head_count_kv", model.kv_heads);
  set(".attention.key_length", model.head);
  set(".attention.value_length", model.head);
  set(".attention.layer_norm_rms_epsilon", 1e-5F);
  set(".context_length", model.context);
  set(".rope.freq_base", 10000.0F);
  if (model.rotated != 0) set(".rope.dimension_count", model.rotated);
  for (const auto& [key, value] : model.keys) file.set(key, value);
  const TensorType& f32 = tensor_type("f32");
  const auto vector = [&](const std::string& name, std::uint64_t n, double mean, double size) {
    std::vector<double> numbers(n);
    for (double& number : numbers) number = mean + size * normal.next();
    for (std::size_t i = 0; mean != 0 && model.has_zero_norms && i < n; i += 5) numbers[i] = 0;
    file.add(name, {n}, f32, numbers);
  };
  const auto norm = [&](const std::string& name) { vector(name, model.width, 1, 0.1); };
  const auto matrix_of = [&](const std::string& type, const std::string& name, std::uint64_t k,
                             std::uint64_t n, double gain = 1) {
    std::vector<double> numbers(k * n);
    const double deviation = gain / std::sqrt(static_cast<double>(k));
    for (double& number : numbers) number = deviation * normal.next();
    file.add(name, {k, n}, tensor_type(type), numbers);
  };
  const auto matrix = [&](const std::string& name, std::uint64_t k, std::uint64_t n,
                          double gain = 1) { matrix_of(model.type, name, k, n, gain); };
  const std::string larger = model.larger_type.empty() ? model.type : model.larger_type;
  matrix("token_embd.weight", model.width, model.vocabulary);
  norm("output_norm.weight");
  if (model.has_output) matrix_of(larger, "output.weight", model.width, model.vocabulary);
  if (model.has_rope_factors) {
    std::vector<double> factors((model.rotated != 0 ? model.rotated : model.head) / 2);
    for (std::size_t i = 0; i < factors.size(); ++i) {
      factors[i] = 1 + 31.0 * static_cast<double>(i) / static_cast<double>(factors.size() - 1);
    }
    file.add("rope_freqs.weight", {factors.size()}, f32, factors);
  }
  for (std::uint32_t i = 0; i < model.layers; ++i) {
    const std::string layer = "blk." + std::to_string(i) + ".";
    const std::uint64_t q = std::uint64_t{model.heads} * model.head;
    const std::uint64_t kv = std::uint64_t{model.kv_heads} * model.head;
    norm(layer + "attn_norm.weight");
    matrix(layer + "attn_q.weight", model.width, q);
    matrix(layer + "attn_k.weight", model.width, kv);
    matrix_of(larger, layer + "attn_v.weight", model.width, kv);
    if (model.biases != 0) {
      vector(layer + "attn_q.bias", q, 0, model.biases);
      vector(layer + "attn_k.bias", kv, 0, model.biases);
      vector(layer + "attn_v.bias", kv, 0, model.biases / 32);
    }
    if (model.architecture == "qwen3") {
      vector(layer + "attn_q_norm.weight", model.head, 1, 0.5);
      vector(layer + "attn_k_norm.weight", model.head, 1, 0.5);
    }
    matrix(layer + "attn_output.weight", q, model.width, model.residual_gain);
    norm(layer + "ffn_norm.weight");
    matrix(layer + "ffn_gate.weight", model.width, model.hidden, model.hidden_gain);
    matrix(layer + "ffn_up.weight", model.width, model.hidden, model.hidden_gain);
    matrix_of(i % 2 == 0 ? larger : model.type, layer + "ffn_down.weight", model.hidden,
              model.width, model.residual_gain);
  }
  return file.bytes();
}

}  // namespace llama
