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
  file.set("general.architecture", std::string("llama"));
  file.set("general.name", "random " + model.type);
  file.set("llama.block_count", model.layers);
  file.set("llama.embedding_length", model.width);
  file.set("llama.feed_forward_length", model.hidden);
  file.set("llama.attention.head_count", model.heads);
  file.set("llama.attention.head_count_kv", model.kv_heads);
  file.set("llama.attention.key_length", model.head);
  file.set("llama.attention.value_length", model.head);
  file.set("llama.attention.layer_norm_rms_epsilon", 1e-5F);
  file.set("llama.context_length", model.context);
  file.set("llama.rope.freq_base", 10000.0F);
  if (model.rotated != 0) file.set("llama.rope.dimension_count", model.rotated);
  for (const auto& [key, value] : model.keys) file.set(key, value);
  const TensorType& f32 = tensor_type("f32");
  const auto norm = [&](const std::string& name) {
    std::vector<double> numbers(model.width);
    for (double& number : numbers) number = 1 + 0.1 * normal.next();
    file.add(name, {model.width}, f32, numbers);
  };
  const auto matrix_of = [&](const std::string& type, const std::string& name, std::uint64_t k,
                             std::uint64_t n, double gain = 1) {
    std::vector<double> numbers(k * n);
    const double deviation = gain / std::sqrt(static_cast<double>(k));
    for (double& number : numbers) number = deviation * normal.next();
    file.add(name, {k, n}, tensor_type(type), numbers);
  };
  const auto matrix = [&](const std::string& name, std::uint64_t k, std::uint64_t n,
                          double gain = 1) { matrix_of(model.type, name, k, n, gain); };
  matrix("token_embd.weight", model.width, model.vocabulary);
  norm("output_norm.weight");
  if (model.has_output) matrix("output.weight", model.width, model.vocabulary);
  if (model.has_rope_factors) {
    std::vector<double> factors((model.rotated != 0 ? model.rotated : model.head) / 2);
    for (std::size_t i = 0; i < factors.size(); ++i) {
      factors[i] = 1 + 7.0 * static_cast<double>(i) / static_cast<double>(factors.size());
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
    matrix_of(model.type_of_v.empty() ? model.type : model.type_of_v, layer + "attn_v.weight",
              model.width, kv);
    matrix(layer + "attn_output.weight", q, model.width, model.residual_gain);
    norm(layer + "ffn_norm.weight");
    matrix(layer + "ffn_gate.weight", model.width, model.hidden, model.hidden_gain);
    matrix(layer + "ffn_up.weight", model.width, model.hidden, model.hidden_gain);
    matrix(layer + "ffn_down.weight", model.hidden, model.width, model.residual_gain);
  }
  return file.bytes();
}

}  // namespace llama
