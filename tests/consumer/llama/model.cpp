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
      refuse("tensor '" + name + "' is none of a Llama model");
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
  out.layers = keys.count("llama.block_count");
  out.width = keys.count("llama.embedding_length");
  out.hidden = keys.count("llama.feed_forward_length");
  out.heads = keys.count("llama.attention.head_count");
  out.kv_heads = keys.count("llama.attention.head_count_kv", out.heads);
  out.context = keys.count("llama.context_length");
  out.epsilon = keys.real("llama.attention.layer_norm_rms_epsilon");
  const std::uint32_t heads = out.heads, kv_heads = out.kv_heads;
  if (heads == 0 || kv_heads == 0 || heads % kv_heads != 0) {
    keys.refuse(std::to_string(kv_heads) + " heads of keys do not divide " + std::to_string(heads) +
                " heads");
  }
  const bool divides = heads != 0 && out.width % heads == 0;
  out.head = keys.count("llama.attention.key_length",
                        divides ? std::optional(out.width / heads) : std::nullopt);
  const std::uint32_t value_head = keys.count("llama.attention.value_length", out.head);
  const bool is_regular = out.width > 0 && out.hidden > 0 && out.head > 0 && out.head % 8 == 0 &&
                          out.head <= 256 && value_head == out.head;
  if (!is_regular) {
    keys.refuse(
        "width " + std::to_string(out.width) + ", hidden width " + std::to_string(out.hidden) +
        ", heads of " + std::to_string(out.head) + " and values of " + std::to_string(value_head) +
        ": widths must be positive, and heads of keys and of values equal, multiples of 8 up to "
        "256");
  }
  out.scale = keys.real("llama.attention.scale", 0);
  if (out.scale == 0) out.scale = 1 / std::sqrt(static_cast<double>(std::max(out.head, 1U)));
  return out;
}

// The factor of all positions. Without a type, it is linear; type none has no factor.
double rope_factor(Keys& keys) {
  const std::string type = keys.text("llama.rope.scaling.type", "linear");
  const double older = keys.positive("llama.rope.scale_linear", 1);
  const double factor = keys.positive("llama.rope.scaling.factor", older);
  if (type != "none" && type != "linear") {
    keys.refuse("'llama.rope.scaling.type' is '" + type + "'; this program knows none and linear");
  }
  if (keys.has("llama.rope.scale_linear") && factor != older) {
    keys.refuse("'llama.rope.scaling.factor' and its older name 'llama.rope.scale_linear' differ");
  }
  return type == "none" ? 1 : factor;
}

struct Rope {
  double base, factor;
  std::uint32_t rotated;  // elements of a head
};

Rope rope_of(Keys& keys, const Sizes& sizes) {
  Rope out = {keys.positive("llama.rope.freq_base", 10000), rope_factor(keys),
              keys.count("llama.rope.dimension_count", sizes.head)};
  if (out.rotated > sizes.head || out.rotated % 2 != 0) {
    keys.refuse("'llama.rope.dimension_count' is " + std::to_string(out.rotated) +
                ", not an even number up to " + std::to_string(sizes.head));
  }
  return out;
}

std::vector<float> frequencies_of(const Rope& rope, const FileTensor* factors, std::size_t pairs) {
  std::vector<double> of_pairs(rope.rotated / 2, 1);
  if (factors != nullptr) of_pairs = numbers_of(*factors);
  std::vector<float> out(pairs, 0.0F);
  for (std::size_t i = 0; i < of_pairs.size(); ++i) {
    const double pair = static_cast<double>(2 * i) / rope.rotated;
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
  const std::uint32_t given = keys.count("llama.vocab_size", rows);
  if (given != rows) {
    keys.refuse("'llama.vocab_size' is " + std::to_string(given) +
                ", but 'token_embd.weight' has " + std::to_string(rows) + " rows");
  }
  return rows;
}

}  // namespace

Model model_of(const Gguf& gguf) {
  Keys keys(gguf);
  const std::string architecture = keys.text("general.architecture", "");
  if (architecture != "llama") {
    throw std::runtime_error("general.architecture is '" + architecture + "', not 'llama'");
  }
  Model out = {};
  Sizes& sizes = out.sizes;
  sizes = sizes_of(keys);
  const Rope rope = rope_of(keys, sizes);
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
    factors = tensors.vector("rope_freqs.weight", rope.rotated / 2);
  }
  // Tensors of the first layer that lacks some are enough.
  for (std::uint32_t i = 0; i < sizes.layers && !tensors.is_refused(); ++i) {
    const auto name = [&](const char* part) {
      return "blk." + std::to_string(i) + "." + part + ".weight";
    };
    out.layers.push_back({.attention_norm = tensors.vector(name("attn_norm"), width),
                          .q = tensors.matrix(name("attn_q"), {width, q}),
                          .k = tensors.matrix(name("attn_k"), {width, kv}),
                          .v = tensors.matrix(name("attn_v"), {width, kv}),
                          .o = tensors.matrix(name("attn_output"), {q, width}),
                          .mlp_norm = tensors.vector(name("ffn_norm"), width),
                          .gate = tensors.matrix(name("ffn_gate"), {width, hidden}),
                          .up = tensors.matrix(name("ffn_up"), {width, hidden}),
                          .down = tensors.matrix(name("ffn_down"), {hidden, width})});
  }
  tensors.throw_if_refused();
  out.frequencies = frequencies_of(rope, factors, sizes.head / 2);
  return out;
}

}  // namespace llama
