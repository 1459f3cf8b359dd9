// SPDX-License-Identifier: MIT
#include "model.hpp"

#include <cmath>
#include <initializer_list>
#include <limits>
#include <set>
#include <stdexcept>

namespace llama {
namespace {

class Reader {
 public:
  explicit Reader(const Gguf& gguf) : gguf_(gguf) {}

  const Value* find(const std::string& key) const {
    const auto found = gguf_.values.find(key);
    return found == gguf_.values.end() ? nullptr : &found->second;
  }

  std::string text(const std::string& key, const std::string& otherwise) const {
    const Value* value = find(key);
    if (value == nullptr) return otherwise;
    if (const auto* text = std::get_if<std::string>(value)) return *text;
    throw std::runtime_error("'" + key + "' is not a string");
  }

  std::uint32_t count(const std::string& key, std::int64_t otherwise = -1) const {
    const Value* value = find(key);
    if (value == nullptr && otherwise < 0) throw std::runtime_error("'" + key + "' is missing");
    const std::int64_t* number = value == nullptr ? &otherwise : std::get_if<std::int64_t>(value);
    if (number == nullptr || *number < 0 || *number > 0x7fffffff) {
      throw std::runtime_error("'" + key + "' is not a whole number below 2^31");
    }
    return static_cast<std::uint32_t>(*number);
  }

  double real(const std::string& key, double otherwise) const {
    const Value* value = find(key);
    if (value == nullptr && std::isnan(otherwise)) {
      throw std::runtime_error("'" + key + "' is missing");
    }
    const double* number = value == nullptr ? &otherwise : std::get_if<double>(value);
    if (number == nullptr || !std::isfinite(*number) || *number < 0) {
      throw std::runtime_error("'" + key + "' is not a finite number from 0 on");
    }
    return *number;
  }

  bool has(const std::string& name) const { return gguf_.tensors.count(name) != 0; }

  const FileTensor* tensor(const std::string& name, const std::vector<std::uint64_t>& extents) {
    const auto found = gguf_.tensors.find(name);
    if (found == gguf_.tensors.end()) throw std::runtime_error("tensor '" + name + "' is missing");
    const FileTensor& tensor = found->second;
    if (tensor.extents != extents) {
      throw std::runtime_error("tensor '" + name + "' has extents " + listed(tensor.extents) +
                               ", not " + listed(extents));
    }
    used_.insert(name);
    return &tensor;
  }

  const FileTensor* vector(const std::string& name, std::uint64_t count) {
    const FileTensor* out = tensor(name, {count});
    if (out->type->name != "f32") {
      throw std::runtime_error("tensor '" + name + "' has type " + out->type->name + ", not f32");
    }
    return out;
  }

  void refuse_unused() const {
    for (const auto& entry : gguf_.tensors) {
      if (used_.count(entry.first) == 0) {
        throw std::runtime_error("tensor '" + entry.first + "' is none of a Llama model");
      }
    }
  }

 private:
  static std::string listed(const std::vector<std::uint64_t>& extents) {
    std::string out;
    for (const std::uint64_t extent : extents) {
      out += (out.empty() ? "" : "x") + std::to_string(extent);
    }
    return out;
  }

  const Gguf& gguf_;
  std::set<std::string> used_;
};

Sizes sizes_of(const Reader& file) {
  const std::string architecture = file.text("general.architecture", "");
  if (architecture != "llama") {
    throw std::runtime_error("general.architecture is '" + architecture + "', not 'llama'");
  }
  Sizes out = {};
  out.layers = file.count("llama.block_count");
  out.width = file.count("llama.embedding_length");
  out.hidden = file.count("llama.feed_forward_length");
  out.heads = file.count("llama.attention.head_count");
  out.kv_heads = file.count("llama.attention.head_count_kv", out.heads);
  out.context = file.count("llama.context_length");
  out.epsilon =
      file.real("llama.attention.layer_norm_rms_epsilon", std::numeric_limits<double>::quiet_NaN());
  if (out.heads == 0 || out.kv_heads == 0 || out.heads % out.kv_heads != 0) {
    throw std::runtime_error(std::to_string(out.kv_heads) + " heads of keys do not divide " +
                             std::to_string(out.heads) + " heads");
  }
  out.head = file.count("llama.attention.key_length", out.width / out.heads);
  const std::uint32_t value_head = file.count("llama.attention.value_length", out.head);
  const bool is_regular = out.width > 0 && out.hidden > 0 && out.head > 0 && out.head % 8 == 0 &&
                          out.head <= 256 && value_head == out.head;
  if (!is_regular) {
    throw std::runtime_error("width " + std::to_string(out.width) + ", hidden width " +
                             std::to_string(out.hidden) + ", heads of " + std::to_string(out.head) +
                             " and values of " + std::to_string(value_head) +
                             ": widths must be positive, and heads of keys and of values equal, "
                             "multiples of 8 up to 256");
  }
  if (file.count("llama.expert_count", 0) != 0) {
    throw std::runtime_error("llama.expert_count is not 0: the model is a mixture of experts");
  }
  return out;
}

std::vector<float> frequencies_of(Reader& file, const Sizes& sizes) {
  const double base = file.real("llama.rope.freq_base", 10000);
  const std::uint32_t rotated = file.count("llama.rope.dimension_count", sizes.head);
  if (rotated > sizes.head || rotated % 2 != 0) {
    throw std::runtime_error("llama.rope.dimension_count is " + std::to_string(rotated) +
                             ", not an even number up to " + std::to_string(sizes.head));
  }
  const std::string scaling = file.text("llama.rope.scaling.type", "none");
  if (scaling != "none" && scaling != "linear") {
    throw std::runtime_error("llama.rope.scaling.type is '" + scaling +
                             "'; this program knows none and linear");
  }
  const double factor = scaling == "linear" ? file.real("llama.rope.scaling.factor", 1) : 1;
  std::vector<double> factors(rotated / 2, factor);
  if (file.has("rope_freqs.weight")) {  // Llama 3.1 and later
    factors = numbers_of(*file.vector("rope_freqs.weight", rotated / 2));
  }
  std::vector<float> out(sizes.head / 2, 0.0F);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const double pair = static_cast<double>(2 * i) / rotated;
    out[i] = static_cast<float>(std::pow(base, -pair) / factors[i]);
  }
  return out;
}

}  // namespace

Model model_of(const Gguf& gguf) {
  Reader file(gguf);
  Model out = {};
  Sizes& sizes = out.sizes;
  sizes = sizes_of(file);
  const auto table = gguf.tensors.find("token_embd.weight");
  if (table == gguf.tensors.end() || table->second.extents.size() != 2 ||
      table->second.extents[1] > 0x7fffffff) {
    throw std::runtime_error("tensor 'token_embd.weight' is missing or not a matrix");
  }
  sizes.vocabulary = static_cast<std::uint32_t>(table->second.extents[1]);
  const std::uint64_t width = sizes.width, hidden = sizes.hidden, q = sizes.q(), kv = sizes.kv();
  out.embedding = file.tensor("token_embd.weight", {width, sizes.vocabulary});
  out.output_norm = file.vector("output_norm.weight", width);
  const bool is_tied = !file.has("output.weight");
  out.output = is_tied ? out.embedding : file.tensor("output.weight", {width, sizes.vocabulary});
  out.frequencies = frequencies_of(file, sizes);
  for (std::uint32_t i = 0; i < sizes.layers; ++i) {
    const auto name = [&](const char* part) {
      return "blk." + std::to_string(i) + "." + part + ".weight";
    };
    out.layers.push_back({.attention_norm = file.vector(name("attn_norm"), width),
                          .q = file.tensor(name("attn_q"), {width, q}),
                          .k = file.tensor(name("attn_k"), {width, kv}),
                          .v = file.tensor(name("attn_v"), {width, kv}),
                          .o = file.tensor(name("attn_output"), {q, width}),
                          .mlp_norm = file.vector(name("ffn_norm"), width),
                          .gate = file.tensor(name("ffn_gate"), {width, hidden}),
                          .up = file.tensor(name("ffn_up"), {width, hidden}),
                          .down = file.tensor(name("ffn_down"), {hidden, width})});
  }
  file.refuse_unused();
  return out;
}

}  // namespace llama
