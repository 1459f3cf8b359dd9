// SPDX-License-Identifier: MIT
#include "model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

#include "keys.hpp"

namespace llama {
namespace {

enum class Biases { optional, required };

// What models of one name have that others do not.
struct Architecture {
  const char* name;
  Pairs pairs;
  Biases biases;  // of q, k and v
  bool has_head_norms;
};

// Source: the table of architectures and the graphs of llama.cpp. Most Mistral models have the name llama.
constexpr Architecture kArchitectures[] = {
    {"llama", Pairs::neighbours, Biases::optional, false},
    {"mistral", Pairs::neighbours, Biases::optional, false},
    {"mistral3", Pairs::neighbours, Biases::optional, false},
    {"qwen2", Pairs::halves, Biases::required, false},
    {"qwen3", Pairs::halves, Biases::optional, true},
};

const Architecture& architecture_of(const std::string& name) {
  std::string names;
  for (const Architecture& one : kArchitectures) {
    if (name == one.name) return one;
    names += (names.empty() ? "" : ", ") + std::string(one.name);
  }
  throw std::runtime_error("general.architecture is '" + name + "', none of " + names);
}

class Tensors {
 public:
  explicit Tensors(const Gguf& gguf) : gguf_(gguf) {}

  bool has(const std::string& name) const { return gguf_.tensors.count(name) != 0; }

  /// The tensor of these extents; null, and refused, if there is none.
  const FileTensor* matrix(const std::string& name, const std::vector<std::uint64_t>& extents) {
    used_.insert(name);
    const auto found = gguf_.tensors.find(name);
    if (found == gguf_.tensors.end()) return refuse("tensor '" + name + "' is missing");
    const FileTensor& tensor = found->second;
    if (tensor.extents == extents) return &tensor;
    return refuse("tensor '" + name + "' has extents " + listed(tensor.extents) + ", not " +
                  listed(extents));
  }
  /// The same of f32.
  const FileTensor* vector(const std::string& name, std::uint64_t count) {
    const FileTensor* out = matrix(name, {count});
    if (out == nullptr || out->type->name == "f32") return out;
    return refuse("tensor '" + name + "' has type " + out->type->name + ", not f32");
  }

  bool is_refused() const { return !reasons_.empty(); }
  /// For missing tensors; if there are none, for those that were not asked for.
  void throw_if_refused() {
    for (const auto& entry : gguf_.tensors) {
      if (is_refused()) break;
      if (used_.count(entry.first) == 0) unused_.push_back(entry.first);
    }
    for (const std::string& name : unused_) {
      refuse("tensor '" + name + "' is none of such a model");
    }
    throw_if_any(reasons_);
  }

 private:
  static std::string listed(const std::vector<std::uint64_t>& extents) {
    std::string out;
    for (const std::uint64_t extent : extents) {
      out += (out.empty() ? "" : "x") + std::to_string(extent);
    }
    return out;
  }
  const FileTensor* refuse(const std::string& reason) {
    reasons_.push_back(reason);
    return nullptr;
  }

  const Gguf& gguf_;
  std::set<std::string> used_;
  std::vector<std::string> unused_, reasons_;
};

Sizes sizes_of(Keys& keys) {
  Sizes out = {};
  out.layers = keys.count(".block_count");
  out.width = keys.count(".embedding_length");
  out.hidden = keys.count(".feed_forward_length");
  out.heads = keys.count(".attention.head_count");
  out.kv_heads = keys.count(".attention.head_count_kv", out.heads);
  out.context = keys.count(".context_length");
  out.epsilon = keys.real(".attention.layer_norm_rms_epsilon");
  const std::uint32_t heads = out.heads, kv_heads = out.kv_heads;
  if (heads == 0 || kv_heads == 0 || heads % kv_heads != 0) {
    keys.refuse(std::to_string(kv_heads) + " heads of keys do not divide " + std::to_string(heads) +
                " heads");
  }
  const bool divides = heads != 0 && out.width % heads == 0;
  out.head = keys.count(".attention.key_length",
                        divides ? std::optional(out.width / heads) : std::nullopt);
  const std::uint32_t value_head = keys.count(".attention.value_length", out.head);
  const bool is_regular = out.width > 0 && out.hidden > 0 && out.head > 0 && out.head % 8 == 0 &&
                          out.head <= 256 && value_head == out.head;
  if (!is_regular) {
    keys.refuse(
        "width " + std::to_string(out.width) + ", hidden width " + std::to_string(out.hidden) +
        ", heads of " + std::to_string(out.head) + " and values of " + std::to_string(value_head) +
        ": widths must be positive, and heads of keys and of values equal, multiples of 8 up to "
        "256");
  }
  out.rotated = keys.count(".rope.dimension_count", out.head);
  if (out.rotated > out.head || out.rotated % 2 != 0) {
    keys.refuse("'" + keys.name(".rope.dimension_count") + "' is " + std::to_string(out.rotated) +
                ", not an even number up to " + std::to_string(out.head));
  }
  out.window = keys.count(".attention.sliding_window", 0);
  out.scale = keys.real(".attention.scale", 0);
  if (out.scale == 0) out.scale = 1 / std::sqrt(static_cast<double>(std::max(out.head, 1U)));
  return out;
}

// The factor of all positions. Without a type, it is linear; type none has no factor.
double rope_factor(Keys& keys) {
  const std::string type = keys.text(".rope.scaling.type", "linear");
  const double older = keys.positive(".rope.scale_linear", 1);
  const double factor = keys.positive(".rope.scaling.factor", older);
  if (type != "none" && type != "linear") {
    keys.refuse("'" + keys.name(".rope.scaling.type") + "' is '" + type +
                "'; this program knows none and linear");
  }
  if (keys.has(".rope.scale_linear") && factor != older) {
    keys.refuse("'" + keys.name(".rope.scaling.factor") + "' and its older name '" +
                keys.name(".rope.scale_linear") + "' differ");
  }
  return type == "none" ? 1 : factor;
}

struct Rope {
  double base, factor;
};

Rope rope_of(Keys& keys) { return {keys.positive(".rope.freq_base", 10000), rope_factor(keys)}; }

std::vector<float> frequencies_of(const Rope& rope, const FileTensor* factors, const Sizes& sizes) {
  std::vector<double> of_pairs(sizes.rotated / 2, 1);
  if (factors != nullptr) of_pairs = numbers_of(*factors);
  std::vector<float> out(sizes.head / 2, 0.0F);
  for (std::size_t i = 0; i < of_pairs.size(); ++i) {
    const double pair = static_cast<double>(2 * i) / sizes.rotated;
    out[i] = static_cast<float>(std::pow(rope.base, -pair) / (of_pairs[i] * rope.factor));
    if (!std::isfinite(out[i])) {
      throw std::runtime_error("pair " + std::to_string(i) +
                               " of a head rotates by no finite angle; its factor is " +
                               std::to_string(of_pairs[i]));
    }
  }
  return out;
}

// The rows of the embedding, which some files also have as a key.
std::uint32_t vocabulary_of(Keys& keys, const Gguf& gguf) {
  const auto table = gguf.tensors.find("token_embd.weight");
  if (table == gguf.tensors.end() || table->second.extents.size() != 2 ||
      table->second.extents[1] > 0x7fffffff) {
    keys.refuse("tensor 'token_embd.weight' is missing or not a matrix");
    return 0;
  }
  const auto rows = static_cast<std::uint32_t>(table->second.extents[1]);
  const std::uint32_t given = keys.count(".vocab_size", rows);
  if (given != rows) {
    keys.refuse("'" + keys.name(".vocab_size") + "' is " + std::to_string(given) +
                ", but 'token_embd.weight' has " + std::to_string(rows) + " rows");
  }
  return rows;
}

}  // namespace

Model model_of(const Gguf& gguf) {
  Keys keys(gguf);
  const Architecture& architecture = architecture_of(keys.architecture());
  Model out = {};
  Sizes& sizes = out.sizes;
  sizes = sizes_of(keys);
  sizes.pairs = architecture.pairs;
  const Rope rope = rope_of(keys);
  sizes.vocabulary = vocabulary_of(keys, gguf);
  keys.refuse_others();
  keys.throw_if_refused();

  Tensors tensors(gguf);
  const std::uint64_t width = sizes.width, hidden = sizes.hidden, q = sizes.q(), kv = sizes.kv();
  out.embedding = tensors.matrix("token_embd.weight", {width, sizes.vocabulary});
  out.output_norm = tensors.vector("output_norm.weight", width);
  const bool is_tied = !tensors.has("output.weight");
  out.output = is_tied ? out.embedding : tensors.matrix("output.weight", {width, sizes.vocabulary});
  const FileTensor* factors = nullptr;  // Llama 3.1 and later
  if (tensors.has("rope_freqs.weight")) {
    factors = tensors.vector("rope_freqs.weight", sizes.rotated / 2);
  }
  // Tensors of the first layer that lacks some are enough.
  for (std::uint32_t i = 0; i < sizes.layers && !tensors.is_refused(); ++i) {
    const auto of_layer = [&](const std::string& part) {
      return "blk." + std::to_string(i) + "." + part;
    };
    const auto name = [&](const std::string& part) { return of_layer(part + ".weight"); };
    out.layers.push_back({.attention_norm = tensors.vector(name("attn_norm"), width),
                          .q = tensors.matrix(name("attn_q"), {width, q}),
                          .k = tensors.matrix(name("attn_k"), {width, kv}),
                          .v = tensors.matrix(name("attn_v"), {width, kv}),
                          .o = tensors.matrix(name("attn_output"), {q, width}),
                          .mlp_norm = tensors.vector(name("ffn_norm"), width),
                          .gate = tensors.matrix(name("ffn_gate"), {width, hidden}),
                          .up = tensors.matrix(name("ffn_up"), {width, hidden}),
                          .down = tensors.matrix(name("ffn_down"), {hidden, width})});
    Layer& layer = out.layers.back();
    // All three or none.
    if (architecture.biases == Biases::required || tensors.has(of_layer("attn_q.bias"))) {
      layer.q_bias = tensors.vector(of_layer("attn_q.bias"), q);
      layer.k_bias = tensors.vector(of_layer("attn_k.bias"), kv);
      layer.v_bias = tensors.vector(of_layer("attn_v.bias"), kv);
    }
    if (architecture.has_head_norms) {
      layer.q_norm = tensors.vector(name("attn_q_norm"), sizes.head);
      layer.k_norm = tensors.vector(name("attn_k_norm"), sizes.head);
    }
  }
  tensors.throw_if_refused();
  out.frequencies = frequencies_of(rope, factors, sizes);
  return out;
}

}  // namespace llama
